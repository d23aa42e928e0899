"""What the toolchain and the cache say when something is wrong: one place for the words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from scistan.errors import ArgumentError, ToolchainError
from scistan.messages import foreign
from scistan.messages.values import as_given

NO_COMPILER_NEEDED = 'engine="stanli" runs the model without a compiler'
COMPILERS = {
    "linux": "apt install g++ (Fedora: dnf install gcc-c++; conda: conda install conda-forge::cxx-compiler)",
    "darwin": "xcode-select --install",
    "win32": "conda install conda-forge::cxx-compiler conda-forge::cmdstan",
}


class StancError(ToolchainError):
    """The Stan compiler refused the program; `line` is the line of the program it complains about.

    `file` is "model.stan" or the name of an include; for an include, `line` is the line in that file and
    `included_at` the line of the program that includes it.
    """

    def __init__(
        self,
        what: str,
        *,
        message: str,
        file: str = "model.stan",
        line: int,
        column: int,
        included_at: int | None = None,
        remedy: str = "",
        command: str = "",
        exit_code: int | None = None,
        tail: str = "",
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.included_at = included_at
        super().__init__(what, remedy=remedy, command=command, exit_code=exit_code, tail=tail)


class NoToolchainError(ToolchainError):
    """No compiler, or no Stan to compile with, on this machine."""


def bad_option(name: str, value: object, allowed: str) -> ArgumentError:
    """A build option with a value it cannot have."""
    return ArgumentError(f"BuildOptions({name}={as_given(value)}) is not possible", remedy=f"{name} is {allowed}")


def bad_include(name: str) -> ArgumentError:
    """An include whose name is no relative path."""
    return ArgumentError(
        f"an include cannot be named {name!r}", remedy="give a relative path with forward slashes and no '..'"
    )


def no_compiler(chosen: str | None, system: str = "linux") -> NoToolchainError:
    """There is no C++ compiler, or CXX names none."""
    if chosen:
        return NoToolchainError(
            f"CXX={chosen} does not name a working C++17 compiler",
            remedy=f"unset CXX or set it to a compiler; {NO_COMPILER_NEEDED}",
        )
    return NoToolchainError(
        "no C++ compiler was found (looked for clang++ and g++ on PATH)",
        remedy=f"{COMPILERS.get(system, COMPILERS['linux'])}; or {NO_COMPILER_NEEDED}",
    )


def no_stan(system: str = "linux") -> NoToolchainError:
    """Neither CmdStan nor the httpstan wheel is installed."""
    install = "scistan install-cmdstan" if system == "win32" else "pip install httpstan"
    return NoToolchainError(
        "no Stan to compile with: neither CmdStan nor the httpstan wheel is installed",
        remedy=f"{install}; or {NO_COMPILER_NEEDED}",
    )


def no_make() -> NoToolchainError:
    """CmdStan is there, but not the program that builds with it."""
    return NoToolchainError(
        "CmdStan was found, but make was not, and the httpstan wheel is not installed",
        remedy=f"apt install make, or pip install httpstan; or {NO_COMPILER_NEEDED}",
    )


def bad_cmdstan(path: str) -> NoToolchainError:
    """CMDSTAN points at something else."""
    return NoToolchainError(
        f"CMDSTAN={path} is not a built CmdStan (no makefile, or no bin/stanc)",
        remedy="run `make build` there, or unset CMDSTAN to use the toolchain from PyPI wheels",
    )


def no_cmdstanpy() -> ToolchainError:
    """The package that installs CmdStan is missing."""
    return ToolchainError("cmdstanpy, which installs CmdStan, is missing", remedy="pip install cmdstanpy")


def cmdstan_not_installed() -> ToolchainError:
    """cmdstanpy's installer has failed and said why."""
    return ToolchainError(
        "CmdStan was not installed: cmdstanpy's installer failed, see above",
        remedy="CmdStan is not needed: with `pip install httpstan` and a C++ compiler executables are built offline",
    )


def needs_cmdstan(names: Sequence[str]) -> ToolchainError:
    """An option that the wheel toolchain cannot serve."""
    return ToolchainError(
        f"{', '.join(names)} needs an installed CmdStan: the httpstan wheel has no library for it",
        remedy="scistan install-cmdstan, or leave the option out",
    )


def no_runner() -> ToolchainError:
    """The runner's source is missing from the installation."""
    return ToolchainError(
        "the source of SciStan's runner is missing from this installation",
        remedy="reinstall scistan (pip install --force-reinstall scistan)",
    )


def bad_runner(row: str) -> ToolchainError:
    """The runner's list of units has a row that means nothing."""
    return ToolchainError(
        f"the runner's units.txt has a bad row: {row!r}",
        remedy="each row is `<file.cpp> core` or `<file.cpp> full`",
    )


def public_cache(folder: Path, mode: int) -> ToolchainError:
    """Others could put executables into the cache."""
    return ToolchainError(
        f"others can write to the cache folder {folder} (mode {mode:04o}), so nothing in it is run",
        remedy=f"chmod go-w {folder}, or set SCISTAN_CACHE to a folder of your own",
    )


def foreign_cache(folder: Path, owner: int) -> ToolchainError:
    """The cache belongs to another user."""
    return ToolchainError(
        f"the cache folder {folder} belongs to another user (id {owner})",
        remedy="set SCISTAN_CACHE to a folder of your own; a cache to share goes into SCISTAN_CACHE_READONLY",
    )


def no_folder(folder: Path) -> ToolchainError:
    """Something else is where a folder of the cache should be."""
    return ToolchainError(
        f"{folder} cannot be used for the cache: it is no folder, or a link to one",
        remedy="set SCISTAN_CACHE to a folder of your own, or remove what is there",
    )


def bad_place(variable: str, name: str, why: str) -> ToolchainError:
    """A variable of the environment that names no folder at all."""
    return ToolchainError(
        f"{variable}={name!r} is not the name of a folder: {why}",
        remedy=f"set {variable} to a folder you can write to, or unset it",
    )


def no_home() -> ToolchainError:
    """A user without a home folder, as in containers that run under any number."""
    return ToolchainError(
        "there is no place for the cache: this user has no home folder",
        remedy="set SCISTAN_CACHE, or HOME, to a folder you can write to",
    )


def too_much_to_import(path: Path, what: str, limit: float) -> ToolchainError:
    """An archive that would unpack to more than an export ever holds."""
    return ToolchainError(
        f"{path} is not imported: {what} is bigger than {limit / 1e6:,.0f} MB",
        remedy="an export of `scistan cache export` is smaller; a bigger cache is set by SCISTAN_CACHE_SIZE",
    )


def disk_full(folder: Path, needed: str = "") -> ToolchainError:
    """The disk of the cache has no room left."""
    return ToolchainError(
        f"the disk that holds the cache {folder} is full{f' ({needed})' if needed else ''}; nothing was kept",
        remedy="`scistan cache prune --size 1GB` frees space; SCISTAN_CACHE moves the cache to another disk",
    )


def unwritable_cache(folder: Path, reason: str) -> str:
    """The cache cannot be written to; the build goes to a temporary folder."""
    return (
        f"the cache {folder} cannot be written to ({reason}): building in a temporary "
        "folder that is removed when this process ends. Set SCISTAN_CACHE to a folder you can write to."
    )


def header_skipped(reason: str) -> str:
    """The precompiled header could not be made; the build goes on without."""
    return f"building without a precompiled header ({reason}): each model takes about twice as long"


def first_use(products: int, seconds: float) -> str:
    """What happens once per compiler and flags, before the first model."""
    return (
        f"first use of this compiler with these flags: {products} parts to build once, about {seconds:.0f} s"
    )


def stanc_failed(output: str, command: str, code: int) -> ToolchainError:
    """The Stan compiler refused the program, or failed itself when it names no line."""
    where = re.search(r"in '([^']*)', line (\d+), column (\d+)", output)
    if where is None:
        return compile_failed("translating the program with stanc", command, code, output.strip())
    outer = re.search(r"included\s+from\s+'model\.stan', line (\d+)", output)
    file = where[1].removeprefix("includes/")
    line = int(where[2])
    parts = re.split(r"-{10,}", output)
    message = " ".join(parts[-1].split())
    return StancError(
        f"stanc refused the program at line {line} of {file}: {message}",
        message=message,
        file=file,
        line=line,
        column=int(where[3]),
        included_at=int(outer[1]) if outer else None,
        command=command,
        exit_code=code,
        tail=output.strip(),
    )


def compile_failed(what: str, command: str, code: int, tail: str) -> ToolchainError:
    """A compiler, linker or make failed; what is known of its words says why."""
    killed = "Killed signal terminated program compiler" if code in (-9, 137) else ""  # by the system, without a word
    known = foreign.recognize(killed or tail)
    if known is not None and "g++" in known[0].tools:
        fact, remedy = known[0].told(known[1])
        return ToolchainError(f"{what} failed: {fact}", remedy=remedy, command=command, exit_code=code, tail=tail)
    remedy = f"`scistan doctor` checks the toolchain; {NO_COMPILER_NEEDED}"
    return ToolchainError(f"{what} failed", remedy=remedy, command=command, exit_code=code, tail=tail)


def bad_executable(command: str, code: int, tail: str) -> ToolchainError:
    """What was built does not run, so it was not kept."""
    return ToolchainError(
        "the new executable was built but does not run `info`; it was not kept",
        remedy=f"`scistan doctor` checks the toolchain; {NO_COMPILER_NEEDED}",
        command=command,
        exit_code=code,
        tail=tail,
    )


def bad_archive(path: Path, why: str) -> ToolchainError:
    """An archive that is no cache export, or not a sound one."""
    return ToolchainError(
        f"{path} is not a sound cache export: {why}; nothing of that entry was imported",
        remedy="make it again with `scistan cache export`",
    )


def no_export(path: Path, why: str) -> ToolchainError:
    """An archive that cannot be written."""
    return ToolchainError(f"{path} cannot be written: {why}", remedy="give a file in a folder you can write to")


def nothing_to_export(keys: Sequence[str]) -> ToolchainError:
    """No sound executable in the cache begins with the keys asked for."""
    asked = f" whose key begins with {' or '.join(keys)}" if keys else ""
    return ToolchainError(f"the cache has no sound executable{asked}", remedy="see `scistan cache list`")


def bad_size(text: str) -> ArgumentError:
    """A size that cannot be read."""
    return ArgumentError(f"{text!r} is not a size", remedy="write it as 500MB or 5GB")


def cache_unusable(folder: Path, reason: str) -> ToolchainError:
    """The cache's disk gives an error that is neither full nor read-only."""
    return ToolchainError(
        f"the cache {folder} cannot be used: {reason}", remedy="set SCISTAN_CACHE to a folder on another disk"
    )
