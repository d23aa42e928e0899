"""Find the C++ compiler and say which one it is, exactly."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from scistan.toolchain.keys import digest
from scistan.toolchain.probe import Compiler, probe, signature_of

__all__ = ["Compiler", "find_compiler", "find_program", "remember", "signature_of"]

MEMO = "compilers.json"
VERSIONS = range(25, 12, -1)
# clang builds Stan programs in two thirds of g++'s time, so it comes first; CXX overrules.
NAMES = (
    "clang++",
    *(f"clang++-{version}" for version in VERSIONS),
    "g++",
    *(f"g++-{version}" for version in VERSIONS),
    "c++",
)


KNOWN: dict[str, Compiler] = {}


def find_compiler(memo: Path | None = None, chosen: str = "") -> Compiler | None:
    """Give the first compiler that works: the chosen one, else CXX if set, else clang, else g++.

    What a compiler is costs a trial compilation to learn, so it is remembered in the folder `memo` with
    the size, times and place of its files: an update is noticed at once.
    """
    known = read_memo(memo)
    for command in candidates(chosen or os.environ.get("CXX", "")):
        signature = signature_of(command)
        compiler = known.get(signature)
        if compiler is None or signature_of((compiler.proper,)) != compiler.proper_signature:
            if (compiler := probe(command)) is None:
                continue
            known[signature] = compiler
            write_memo(memo, known)
        return compiler
    return None


def candidates(chosen: str) -> Iterator[tuple[str, ...]]:
    """Walk through the compilers to try, as absolute commands."""
    for words in [split(chosen)] if chosen.strip() else [[name] for name in NAMES]:
        if words and (path := shutil.which(words[0])):
            yield (path, *words[1:])


def split(command: str) -> list[str]:
    """Give the words of a command as a shell does; none where a quote has no end."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def find_program(*names: str) -> str | None:
    """Give the path of the first program that exists."""
    return next((path for name in names if (path := shutil.which(name))), None)


def read_memo(memo: Path | None) -> dict[str, Compiler]:
    """Read what is known of compilers; anything odd in the file counts as nothing known."""
    if KNOWN or memo is None:
        return KNOWN
    try:
        document = json.loads((memo / MEMO).read_bytes())
        if document["seal"] != digest({"known": document["known"]}):
            return KNOWN
        for signature, facts in document["known"].items():
            KNOWN[signature] = Compiler(**{**facts, "command": tuple(facts["command"])})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    return KNOWN


def remember(memo: Path) -> None:
    """Write down what is known of compilers in a cache that has just been made."""
    if KNOWN and not (memo / MEMO).exists():
        write_memo(memo, KNOWN)


def write_memo(memo: Path | None, known: dict[str, Compiler]) -> None:
    """Remember what is known of compilers, if the folder lets us."""
    if memo is None:
        return
    facts = {signature: {**asdict(it), "command": list(it.command)} for signature, it in known.items()}
    fresh = memo / f"{MEMO}.{os.getpid()}-{os.urandom(4).hex()}"
    try:
        fresh.write_text(json.dumps({"known": facts, "seal": digest({"known": facts})}))
        fresh.chmod(0o600)
        os.replace(fresh, memo / MEMO)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
