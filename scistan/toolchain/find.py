"""Find the toolchain: an installed CmdStan, else the one assembled from PyPI wheels."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TypeAlias

from scistan.messages import toolchain as messages
from scistan.toolchain.cmdstan import CmdStan, find_cmdstan
from scistan.toolchain.compiler import find_compiler, find_program
from scistan.toolchain.place import cache_root
from scistan.toolchain.runner_source import read_runner
from scistan.toolchain.wheel import Wheel, find_wheel

__all__ = ["Toolchain", "find_toolchain"]

Toolchain: TypeAlias = CmdStan | Wheel


def find_toolchain(*, runner_dir: Path | None = None, wheel_dir: Path | None = None) -> Toolchain:
    """Give the toolchain that builds executables here, or say exactly what to install.

    `runner_dir` and `wheel_dir` name another runner and another httpstan folder, and skip CmdStan.
    """
    cmdstan = None if runner_dir or wheel_dir else find_cmdstan()
    chosen = cmdstan.compiler if cmdstan else os.environ.get("CXX", "")
    compiler = find_compiler(cache_root(), chosen)
    if compiler is None:
        raise messages.no_compiler(os.environ.get("CXX"), sys.platform)
    if cmdstan is not None and (make := find_program(*make_names())):
        return CmdStan(cmdstan, compiler, make)
    wheel = find_wheel(wheel_dir)
    if wheel is None:
        raise messages.no_make() if cmdstan is not None else messages.no_stan(sys.platform)
    return Wheel(wheel, read_runner(runner_dir), compiler)


def make_names() -> tuple[str, ...]:
    """List the names make goes by; MAKE overrules, as in cmdstanpy."""
    chosen = os.environ.get("MAKE")
    return (chosen,) if chosen else ("make", "mingw32-make") if os.name == "nt" else ("make", "gmake")
