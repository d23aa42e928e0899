"""The program to build: canonical Stan text and the files it includes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scistan.messages import toolchain as messages
from scistan.toolchain.keys import Json, text_digest

__all__ = ["INCLUDES", "PROGRAM", "Source"]

PROGRAM = "model.stan"
INCLUDES = "includes"


def canonical_text(text: str) -> str:
    """Remove what no compiler sees and keep every line where it is, so that line numbers stay true."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip(" \t") for line in lines).rstrip("\n") + "\n"


def checked_name(name: str) -> str:
    """Refuse an include that would leave its folder."""
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\\" in name or str(path) != name:
        raise messages.bad_include(name)
    return name


@dataclass(frozen=True, slots=True)
class Source:
    """A Stan program in canonical form with its includes by name."""

    text: str
    includes: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, text: str, includes: Mapping[str, str] | None = None) -> Source:
        """Bring a program and its includes to canonical form.

        >>> Source.of("model { }  \\r\\n") == Source.of("model { }")
        True
        """
        pairs = sorted((checked_name(name), canonical_text(body)) for name, body in (includes or {}).items())
        return cls(canonical_text(text), tuple(pairs))

    def key_part(self) -> Json:
        """Say what of the program decides the build."""
        return {"text": text_digest(self.text), "includes": {n: text_digest(t) for n, t in self.includes}}

    def write(self, folder: Path) -> None:
        """Put the program and its includes into a folder."""
        (folder / PROGRAM).write_text(self.text, encoding="utf-8", newline="\n")
        for name, body in self.includes:
            path = folder / INCLUDES / name
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8", newline="\n")
