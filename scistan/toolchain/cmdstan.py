"""An installed CmdStan: where it is, which one it is, how its makefile is called."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from scistan.messages import toolchain as messages
from scistan.toolchain.compiler import Compiler
from scistan.toolchain.keys import Json, file_digest
from scistan.toolchain.options import BuildOptions

__all__ = ["CmdStan", "CmdStanFiles", "find_cmdstan"]

EXE = ".exe" if sys.platform == "win32" else ""


@dataclass(frozen=True, slots=True)
class CmdStanFiles:
    """A CmdStan folder and its version."""

    folder: Path
    version: str

    @property
    def stanc(self) -> Path:
        """The Stan compiler."""
        return self.folder / "bin" / f"stanc{EXE}"

    @property
    def compiler(self) -> str:
        """The compiler its makefile calls: make/local, else CXX, else the makefile's own choice."""
        try:
            local = (self.folder / "make" / "local").read_text(errors="replace")
        except OSError:
            local = ""
        chosen = re.findall(r"^\s*CXX\s*[:?]?=\s*(.+?)\s*$", local, re.MULTILINE)
        default = "clang++" if sys.platform == "darwin" else "g++"
        return chosen[-1] if chosen else os.environ.get("CXX") or default

    @property
    def tbb(self) -> tuple[Path, ...]:
        """The shared TBB libraries, by the names executables ask for."""
        pattern = "libtbb*.dylib" if sys.platform == "darwin" else "libtbb*.so.*"
        return tuple(sorted((self.folder / "stan/lib/stan_math/lib/tbb").glob(pattern)))


def find_cmdstan() -> CmdStanFiles | None:
    """Find CmdStan where cmdstanpy would: CMDSTAN, the conda environment, ~/.cmdstan."""
    if chosen := os.environ.get("CMDSTAN"):
        found = read_cmdstan(Path(os.path.expanduser(chosen)))  # `~nosuch` stays as it is: no such folder
        if found is None:
            raise messages.bad_cmdstan(chosen)
        return found
    conda = os.environ.get("CONDA_PREFIX", sys.prefix)
    places = [Path(conda) / "bin" / "cmdstan", Path(conda) / "Library" / "bin" / "cmdstan"]
    installed = Path(os.path.expanduser("~/.cmdstan"))
    if os.path.isdir(installed):
        places += sorted(installed.glob("cmdstan-*"), key=version_order, reverse=True)
    return next((found for place in places if (found := read_cmdstan(place))), None)


def version_order(folder: Path) -> tuple[list[int], bool, str]:
    """Order folders by version, a release after its candidates."""
    name = folder.name.removeprefix("cmdstan-")
    return [int(number) for number in re.findall(r"\d+", name)[:3]], "-rc" not in name, name


def read_cmdstan(folder: Path) -> CmdStanFiles | None:
    """Read a CmdStan folder; None where there is no built CmdStan."""
    try:
        makefile = (folder / "makefile").read_text(errors="replace")
    except (OSError, ValueError):
        return None
    version = re.search(r"^CMDSTAN_VERSION\s*:?=\s*(\S+)", makefile, re.MULTILINE)
    files = CmdStanFiles(folder.absolute(), version[1] if version else "unknown")
    return files if os.path.isfile(files.stanc) else None


@dataclass(frozen=True, slots=True)
class CmdStan:
    """An installed CmdStan with the compiler and make that build on it."""

    files: CmdStanFiles
    compiler: Compiler
    make: str

    @property
    def name(self) -> str:
        """The toolchain in a few words."""
        return f"CmdStan {self.files.version}"

    @property
    def stan_version(self) -> str:
        """The version of Stan."""
        return self.files.version

    def local(self) -> dict[str, str]:
        """Hash what the user set for CmdStan in make/local and in the home folder."""
        paths = (self.files.folder / "make" / "local", Path(os.path.expanduser("~/.config/stan/make.local")))
        return {str(number): file_digest(path) for number, path in enumerate(paths) if os.path.isfile(path)}

    def key_part(self, options: BuildOptions) -> dict[str, Json]:
        """Say what of the toolchain decides the build; CmdStan always links every method."""
        status = self.files.stanc.stat()
        return {
            "toolchain": f"cmdstan {self.files.version}",
            "stan": self.files.version,
            "runner": {"stanc bytes": status.st_size, "local": self.local()},
            "methods": "full",
            "compiler": self.compiler.identity,
            "flags": [*self.variables(options), *self.flags(options)],
        }

    def flags(self, options: BuildOptions) -> tuple[str, ...]:
        """Give the compiler flags that come on top of the makefile's own."""
        return (*(("-march=native",) if options.march_native else ()), *options.flags)

    def variables(self, options: BuildOptions) -> tuple[str, ...]:
        """Give the make variables of a build."""
        return (
            f"O={options.optimize}",
            *(("STAN_THREADS=true",) if options.threads else ()),
            *(f"{name}={value}" for name, value in options.variables),
        )
