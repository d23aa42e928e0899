"""Stan text that users wrote themselves, and the line on which they did: a compiler's complaint belongs there."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

from scistan.errors import Place
from scistan.graph.places import user_place

__all__ = ["OwnStan", "note_own_stan", "own_operations", "owner_of_function", "owner_of_line"]


@dataclass(frozen=True, slots=True)
class OwnStan:
    """A declaration of the user's: the name or text it puts into programs, and its code for the functions block."""

    what: str
    texts: tuple[str, ...]
    functions: str
    place: Place | None

    def wrote(self, line: str) -> bool:
        """Tell whether a line of a program holds one of the texts, whatever stands for the arguments."""
        return any(re.search(_pattern(text), line) for text in self.texts)


_OWN: dict[str, OwnStan] = {}


def note_own_stan(what: str, *texts: str, functions: str = "") -> None:
    """Remember what a user declares now; declaring the same again replaces it."""
    _OWN[what] = OwnStan(what, tuple(text for text in texts if text), functions, user_place())


def owner_of_function(code: str) -> OwnStan | None:
    """Give the declaration that a piece of the functions block comes from."""
    return next((own for own in _OWN.values() if own.functions == code), None)


def owner_of_line(line: str, unused: Container[str]) -> OwnStan | None:
    """Give the declaration that wrote a line of a program; those that the program makes no use of did not."""
    return next((own for what, own in _OWN.items() if what not in unused and own.wrote(line)), None)


def own_operations() -> set[str]:
    """List the operations whose text is remembered."""
    return {what for what in _OWN if what.startswith("operation")}


def _pattern(text: str) -> str:
    if "{" not in text:
        return rf"\b{re.escape(text)}(_lpdf|_lpmf|_rng)?\("
    return ".*".join(re.escape(piece) for piece in re.split(r"\{\w+\}", text))
