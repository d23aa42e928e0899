"""A tiny wheel whose builds take no time, caches for each test, and one for a session's real builds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scistan.toolchain import cache, compiler
from scistan.toolchain.find import Toolchain, find_toolchain

CHILD = Path(__file__).parent / "child.py"

# Like stanc: C++ on success, a complaint with a line where the program says BAD.
STANC = r"""#!/bin/sh
[ "$1" = --version ] && { echo "stanc3 v9.9.9 (tiny)"; exit 0; }
number=$(grep -n BAD model.stan | head -1 | cut -d: -f1)
if [ -n "$number" ]; then
  echo "Semantic error in 'model.stan', line $number, column 2 to column 5:" >&2
  echo "   -------------------------------------------------" >&2
  echo "   -------------------------------------------------" >&2
  echo >&2; echo "Identifier 'BAD' not in scope." >&2
  exit 1
fi
{
  echo '#include <stan/model/model_header.hpp>'
  printf 'const char* model_text() { return R"stan('; cat model.stan; echo ')stan"; }'
  if grep -q BROKEN model.stan; then echo 'this is no C++;'; fi
} > model.hpp || exit 3
[ "$(tail -c 2 model.hpp)" ] || { echo "No space left on device" >&2; exit 3; }
"""
MAIN = r"""
#include "say.hpp"
#include <cstdio>
#include <cstring>
#include <unistd.h>
extern "C" int tbb_version();
int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "sleep")) return sleep(60);
  if (tbb_version() != 2020) return 9;
  if (std::strstr(model_text(), "SILENT")) return 0;
  std::printf("stan_version_major = 9\nmethods = %s\n", methods());
  return 0;
}
"""
# Logs every compilation of a model, and can be slow, so that tests can count and interrupt.
WRAPPER = """#!/bin/sh
case "$*" in *"-x c++ model.hpp"*)
  echo "$$" >> "$TINY_LOG"
  sleep "${TINY_SLEEP:-0}"
  waited=0
  while [ "$(wc -l < "$TINY_LOG")" -lt "${TINY_MEET:-0}" ]; do
    waited=$((waited + 1)); [ $waited -lt 1200 ] || exit 7
    sleep 0.05
  done;;
esac
exec g++ "$@"
"""


VERSION = "#define STAN_MAJOR 9\n#define STAN_MINOR 9\n#define STAN_PATCH 9\n"
GUARDED = "#ifndef TINY_HPP\n#define TINY_HPP\nconst char* model_text();\n#endif\n"


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def make_tiny_wheel(folder: Path) -> None:
    """Lay out a folder like httpstan's, with a shared library that executables need."""
    write(folder / "stanc", STANC, 0o755)
    write(folder / "include/stan/version.hpp", VERSION)
    write(folder / "include/stan/model/model_header.hpp", GUARDED)
    lib = folder / "lib"
    lib.mkdir()
    for name in ("cvodes", "idas", "nvecserial", "kinsol"):
        subprocess.run(["ar", "rcs", f"libsundials_{name}.a"], cwd=lib, check=True)
    write(lib / "tbb.cpp", 'extern "C" int tbb_version() { return 2020; }\n')
    shared = ["g++", "-shared", "-fPIC", "tbb.cpp", "-Wl,-soname,libtbb.so.2", "-o", "libtbb.so.2"]
    subprocess.run(shared, cwd=lib, check=True)
    (lib / "libtbb.so").symlink_to("libtbb.so.2")


def make_tiny_runner(folder: Path) -> None:
    """Lay out a runner of three units."""
    say = "#include <stan/model/model_header.hpp>\nconst char* methods() __attribute__((weak));\n"
    write(folder / "say.hpp", "#pragma once\nconst char* model_text();\nconst char* methods();\n")
    write(folder / "main.cpp", MAIN)
    write(folder / "core.cpp", f'{say}const char* methods() {{ return "core"; }}\n')
    write(folder / "full.cpp", '#include "say.hpp"\nconst char* methods() { return "full"; }\n')
    write(folder / "units.txt", "main.cpp core\ncore.cpp core\n# every method\nfull.cpp full\n")


class Tiny:
    """The tiny toolchain with its counter of compilations."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheel = folder / "httpstan"
        self.runner = folder / "runner"
        self.log = folder / "compilations.log"

    def toolchain(self) -> Toolchain:
        """Give the toolchain as it is now."""
        return find_toolchain(runner_dir=self.runner, wheel_dir=self.wheel)

    def compilations(self) -> int:
        """Count the models compiled so far."""
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0

    def child(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        """Start another process that builds: see child.py."""
        command = [sys.executable, str(CHILD), str(self.wheel), str(self.runner), *words]
        return subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test a cache of its own and forget what other tests knew."""
    root = tmp_path / "cache"
    monkeypatch.setenv("SCISTAN_CACHE", str(root))
    for name in ("SCISTAN_CACHE_READONLY", "SCISTAN_CACHE_SIZE", "CMDSTAN", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cache, "TEMPORARY", [])
    return root


@pytest.fixture(scope="session")
def tiny_parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the tiny wheel, runner and compiler once."""
    folder = tmp_path_factory.mktemp("tiny")
    make_tiny_wheel(folder / "httpstan")
    make_tiny_runner(folder / "runner")
    write(folder / "cxx", WRAPPER, 0o755)
    return folder


@pytest.fixture
def tiny(tiny_parts: Path, tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """Give the tiny toolchain on a cache of its own."""
    made = Tiny(tmp_path / "tiny")
    for name in ("httpstan", "runner"):
        shutil.copytree(tiny_parts / name, made.folder / name, symlinks=True)
    monkeypatch.setenv("CXX", str(tiny_parts / "cxx"))
    monkeypatch.setenv("TINY_LOG", str(made.log))
    return made


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount small disks (tmpfs) where the system permits it, else skip."""
    mounts: list[Path] = []

    def mount(options: str) -> Path:
        folder = tmp_path / f"disk{len(mounts)}"
        folder.mkdir()
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True
        )
        if made.returncode != 0:
            pytest.skip("mounting a tmpfs is not permitted here")
        mounts.append(folder)
        return folder

    yield mount
    for folder in mounts:
        subprocess.run(["umount", "-l", str(folder)], check=False)


@pytest.fixture(scope="session")
def real_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the one cache in which real models are built: SCISTAN_TEST_CACHE, else a fresh one."""
    chosen = os.environ.get("SCISTAN_TEST_CACHE")
    return Path(chosen) if chosen else tmp_path_factory.mktemp("real") / "cache"


@pytest.fixture
def real(real_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use the cache of real models, with the wheel toolchain and whatever compiler CXX names."""
    monkeypatch.setenv("SCISTAN_CACHE", str(real_cache))
    for name in ("SCISTAN_CACHE_READONLY", "SCISTAN_CACHE_SIZE", "CMDSTAN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(compiler, "KNOWN", {})
    return real_cache
