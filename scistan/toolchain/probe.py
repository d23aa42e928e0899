"""Learn what a compiler is by asking it, and that it works by using it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from scistan.toolchain.compiler import Compiler, signature_of
from scistan.toolchain.keys import digest, file_digest
from scistan.toolchain.run import run

__all__ = ["probe"]

PROPER = {"gcc": "cc1plus", "clang": "clang"}
TRIAL = "#include <string>\nint main() { if constexpr (true) return std::stoi(std::string(1, '0')); }\n"


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
