"""Find the C++ compiler and say which one it is, exactly."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from scistan.toolchain.keys import digest, text_digest

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


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler that was seen to build and run a program.

    `proper` is the program behind the driver or launcher (cc1plus, clang), watched for updates too.
    """

    command: tuple[str, ...]
    family: Literal["gcc", "clang"]
    version: str
    identity: str
    proper: str = ""
    proper_signature: str = ""

    @property
    def shown(self) -> str:
        """The compiler as a user would call it."""
        return f"{shlex.join(self.command)} ({self.version})"


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
            from scistan.toolchain.probe import probe

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


def signature_of(command: tuple[str, ...]) -> str:
    """Describe the files of a command cheaply: any update changes the signature."""
    facts: list[str] = []
    for word in command:
        path = shutil.which(word)
        facts.append(word)
        if path is not None:
            real = os.path.realpath(path)
            status = os.stat(real)
            facts.append(f"{real}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}:{status.st_ino}")
    return text_digest("\n".join(facts))


KNOWN: dict[str, Compiler] = {}


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
