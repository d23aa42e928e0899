"""Learn what a compiler is by asking it, and that it works by using it."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scistan.toolchain.keys import digest, file_digest, text_digest
from scistan.toolchain.run import run

__all__ = ["Compiler", "probe", "signature_of"]

PROPER = {"gcc": "cc1plus", "clang": "clang"}
TRIAL = "#include <string>\nint main() { if constexpr (true) return std::stoi(std::string(1, '0')); }\n"


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


def probe(command: tuple[str, ...]) -> Compiler | None:
    """Build and run a tiny C++17 program; None when the command is no working compiler."""
    with tempfile.TemporaryDirectory(prefix="scistan-probe-") as name:
        folder = Path(name)
        try:
            version = said(command, folder, "--version")
            (folder / "trial.cpp").write_text(TRIAL)
            built = run([*command, "-std=c++17", "trial.cpp", "-o", "trial"], folder=folder, timeout=60)
            if built.code != 0 or run([str(folder / "trial")], folder=folder, timeout=60).code != 0:
                return None
            family: Literal["gcc", "clang"] = "clang" if "clang" in version.lower() else "gcc"
            target = said(command, folder, "-dumpmachine")
            proper = shutil.which(said(command, folder, f"-print-prog-name={PROPER[family]}")) or ""
        except OSError:
            return None
    first = version.splitlines()[0] if version else ""
    identity = digest({"version": version, "target": target, "files": digests([*command, proper])})
    return Compiler(command, family, first, identity, proper, signature_of((proper,)))


def said(command: Sequence[str], folder: Path, option: str) -> str:
    """Give a compiler's answer to a question, empty where it has none."""
    finished = run([*command, option], folder=folder, timeout=60)
    return finished.output.strip() if finished.code == 0 else ""


def digests(names: Sequence[str]) -> list[str]:
    """Hash the files among some words: the driver, the compiler proper, a launcher."""
    found = (shutil.which(name) for name in names)
    return [file_digest(os.path.realpath(path)) for path in found if path]


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
