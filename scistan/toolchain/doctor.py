"""Look at everything that builds and runs models, and say what to do about each gap."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

from scistan.errors import ScistanError
from scistan.memory import free_memory
from scistan.messages import toolchain as messages
from scistan.messages.packages import untried
from scistan.surface import SURFACES
from scistan.toolchain.cache import open_store
from scistan.toolchain.cmdstan import find_cmdstan
from scistan.toolchain.compiler import find_compiler, find_program
from scistan.toolchain.evict import items, size_cap
from scistan.toolchain.find import find_toolchain, make_names
from scistan.toolchain.host import free_disk, usable_cores, worker_count
from scistan.toolchain.place import cache_root, shared_roots
from scistan.toolchain.report import Report, Row, Verdict
from scistan.toolchain.wheel import find_wheel

__all__ = ["doctor"]

LOW_DISK = 3_000_000_000


def doctor() -> Report:
    """Look at the toolchain, the cache and the engines; the report prints as a table."""
    return Report(tuple(row for check in CHECKS for row in guarded(check)))


def guarded(check: Callable[[], list[Row]]) -> list[Row]:
    """Run one check; an error in it is a finding, never the end of the report."""
    try:
        return check()
    except ScistanError as error:
        return [Row(check.__name__.replace("_", " "), error.what, "problem", error.remedy)]
    except Exception as error:  # the doctor must survive what it examines
        found = f"{type(error).__name__}: {error}"
        return [Row(check.__name__.replace("_", " "), found, "problem", "report this")]


def python() -> list[Row]:
    """Say which Python runs."""
    return [Row("python", f"{sys.version.split()[0]} on {sys.platform}", "ok")]


def compiler() -> list[Row]:
    """Look for a C++ compiler."""
    root = cache_root()
    found = find_compiler(root if os.path.isdir(root) else None)
    if found is None:
        return [Row("compiler", "none", "problem", 'apt install g++; engine="stanli" needs none')]
    hint = "" if found.family == "clang" else "clang builds faster, if you can install it"
    return [Row("compiler", found.shown, "ok", hint)]


def make() -> list[Row]:
    """Look for make, which only an installed CmdStan needs."""
    path = find_program(*make_names())
    return [Row("make", path or "none", "ok" if path else "note", "" if path else "only CmdStan needs it")]


def cmdstan() -> list[Row]:
    """Look for an installed CmdStan."""
    found = find_cmdstan()
    if found is None:
        return [Row("CmdStan", "not installed", "note", "not needed; `scistan install-cmdstan` (network)")]
    return [Row("CmdStan", f"{found.version} in {found.folder}", "ok")]


def wheel() -> list[Row]:
    """Look for the wheel that brings stanc, headers and libraries."""
    found = find_wheel()
    if found is None:
        fix = "no wheel for Windows: install CmdStan" if os.name == "nt" else "pip install httpstan"
        return [Row("wheel toolchain", "httpstan is not installed", "note", fix)]
    tbb = ", ".join(path.name for path in found.tbb) or "none"
    fix = untried_fix("httpstan", found.version)
    said = f"httpstan {found.version} with Stan {found.stan_version}"
    return [
        Row("wheel toolchain", said, "note" if fix else "ok", fix),
        Row("TBB", f"{tbb} (copied beside each executable)", "ok" if found.tbb else "problem"),
    ]


def toolchain() -> list[Row]:
    """Say which toolchain builds executables."""
    return [Row("toolchain", f"{find_toolchain().name} builds executables", "ok")]


def machine() -> list[Row]:
    """Say how much this machine can build at once."""
    memory = free_memory()
    free = f"{memory / 1e9:.1f} GB" if math.isfinite(memory) else "unknown"
    found = f"{usable_cores()} cores, {free} memory free: {worker_count()} compilers at once"
    return [Row("machine", found, "ok")]


def cache() -> list[Row]:
    """Look at the cache's place, permissions and size."""
    root = cache_root()
    free = free_disk(root)
    disk = Row(
        "free disk",
        f"{free / 1e9:.1f} GB",
        "ok" if free >= LOW_DISK else "note",
        "" if free >= LOW_DISK else "below 3 GB no precompiled header is made",
    )
    if not os.path.isdir(root):
        if os.path.lexists(root):
            raise messages.no_folder(root)
        return [Row("cache", f"{root} (not made yet)", "ok"), disk]
    held = items(open_store())
    size = sum(item.bytes for item in held)
    mode = root.stat().st_mode & 0o777
    found = f"{root}: {len(held)} entries, {size / 1e9:.2f} of {size_cap() / 1e9:.0f} GB, mode {mode:04o}"
    writable = os.access(root, os.W_OK)
    fix = "" if writable else "it cannot be written to: set SCISTAN_CACHE"
    shared = [Row("shared cache", str(path), *shared_verdict(path)) for path in shared_roots()]
    return [Row("cache", found, "ok" if writable else "note", fix), *shared, disk]


def shared_verdict(path: Path) -> tuple[Verdict, str]:
    """Judge a shared cache."""
    return ("ok", "") if os.path.isdir(path) else ("note", "it does not exist: see SCISTAN_CACHE_READONLY")


def version_of(package: str) -> str | None:
    """Give an installed package's version without importing it."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def packages() -> list[Row]:
    """Look for the packages that engines and commands use."""
    rows = []
    for package, use in (
        ("cmdstanpy", "drives executables"),
        ("stanli", "the engine that needs no compiler"),
        ("nutpie", "the engine for correlated posteriors"),
        ("arviz", "holds the draws"),
    ):
        version = version_of(package)
        fix = untried_fix(package, version) if version else f"pip install {package} ({use})"
        rows.append(Row(package, version or "not installed", "note" if fix else "ok", fix))
    return rows


def untried_fix(package: str, version: str) -> str:
    """Say which versions are known to work where another is installed."""
    surface = SURFACES[package]
    return "" if surface.tried(version) else untried(package, surface.known)


def torch() -> list[Row]:
    """Look for torch, and only if it is there for its devices."""
    version = version_of("torch")
    if version is None or importlib.util.find_spec("torch") is None:
        return [Row("torch", "not installed", "note", "pip install torch (for map and mle)")]
    module = importlib.import_module("torch")
    devices = ["cpu"]
    if module.cuda.is_available():
        devices += [f"cuda:{n} {module.cuda.get_device_name(n)}" for n in range(module.cuda.device_count())]
    if module.backends.mps.is_available():
        devices.append("mps")
    fix = untried_fix("torch", version)
    return [Row("torch", version, "note" if fix else "ok", fix), Row("torch devices", ", ".join(devices), "ok")]


CHECKS = (python, compiler, make, cmdstan, wheel, toolchain, machine, cache, packages, torch)
