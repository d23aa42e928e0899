"""The toolchain from PyPI: stanc, headers and libraries of the httpstan wheel, and SciStan's runner."""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from scistan.messages import toolchain as messages
from scistan.surface import SURFACES, lacking
from scistan.toolchain.compiler import Compiler
from scistan.toolchain.keys import Json
from scistan.toolchain.options import BuildOptions
from scistan.toolchain.runner_source import Runner

__all__ = ["HEADER", "Wheel", "WheelFiles", "find_wheel"]

HEADER = "stan/model/model_header.hpp"
DEFINES = ("-D_REENTRANT", "-DBOOST_DISABLE_ASSERTS", "-DBOOST_PHOENIX_NO_VARIADIC_EXPRESSION")
LIBRARIES = (
    "-lsundials_cvodes",
    "-lsundials_idas",
    "-lsundials_nvecserial",
    "-lsundials_kinsol",
    "-ltbb",
    "-lpthread",
)
NEEDS_MORE = ("STAN_OPENCL", "STAN_MPI")


@dataclass(frozen=True, slots=True)
class WheelFiles:
    """What of an installed httpstan is used."""

    folder: Path
    version: str
    stan_version: str

    @property
    def stanc(self) -> Path:
        """The Stan compiler."""
        return self.folder / "stanc"

    @property
    def include(self) -> Path:
        """The C++ headers of Stan, Stan Math, Eigen, Boost, SUNDIALS and TBB."""
        return self.folder / "include"

    @property
    def libraries(self) -> Path:
        """The folder of static SUNDIALS and shared TBB."""
        return self.folder / "lib"

    @property
    def tbb(self) -> tuple[Path, ...]:
        """The shared TBB library, by the name executables ask for."""
        pattern = "libtbb*.dylib" if sys.platform == "darwin" else "libtbb.so.*"
        return tuple(sorted(self.libraries.glob(pattern)))


def find_wheel(folder: Path | None = None) -> WheelFiles | None:
    """Find the files of the httpstan wheel without importing it; None where it is not installed."""
    if folder is None:
        spec = importlib.util.find_spec("httpstan")
        if spec is None or not spec.submodule_search_locations:
            return None
        folder = Path(next(iter(spec.submodule_search_locations)))
        missing = [name for name in SURFACES["httpstan"].names if not (folder / name).exists()]
        if missing:
            raise lacking("httpstan", missing)
    try:
        header = (folder / "include" / "stan" / "version.hpp").read_text()
    except OSError:
        return None
    numbers = re.findall(r"#define STAN_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    if len(numbers) != 3 or not (folder / "stanc").is_file():
        return None
    marker = next(folder.parent.glob(f"{folder.name}-*.dist-info"), None)
    version = marker.name.split("-")[1].removesuffix(".dist") if marker else "unknown"
    return WheelFiles(folder, version, ".".join(numbers))


@dataclass(frozen=True, slots=True)
class Wheel:
    """A compiler, the wheel's files and a runner: enough to build executables."""

    files: WheelFiles
    runner: Runner
    compiler: Compiler

    @property
    def name(self) -> str:
        """The toolchain in a few words."""
        return f"Stan {self.files.stan_version} from the httpstan {self.files.version} wheel"

    @property
    def stan_version(self) -> str:
        """The version of Stan."""
        return self.files.stan_version

    def flags(self, options: BuildOptions) -> tuple[str, ...]:
        """Give the flags with which everything is compiled, header, runner and model alike."""
        refused = [name for name, _ in options.variables if name in NEEDS_MORE]
        if refused:
            raise messages.needs_cmdstan(refused)
        return (
            "-std=c++17",
            f"-O{options.optimize}",
            "-w",
            *(("-march=native",) if options.march_native else ()),
            *(("-DSTAN_THREADS",) if options.threads else ()),
            *DEFINES,
            *(f"-D{name}" for name, value in options.variables if value.lower() not in ("false", "0")),
            *options.flags,
        )

    def key_part(self, options: BuildOptions) -> dict[str, Json]:
        """Say what of the toolchain decides the build."""
        return {
            "toolchain": f"httpstan {self.files.version}",
            "stan": self.files.stan_version,
            "runner": self.runner.digest,
            "methods": options.methods,
            "compiler": self.compiler.identity,
            "flags": list(self.flags(options)),
        }
