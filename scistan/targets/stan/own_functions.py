"""Functions that a program defines itself: where the user has a variable of that name, the function gives way."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

__all__ = ["give_way"]

# A definition begins its line with a type: `real f(`, `vector f(`, `array[] int f(`.
_DEFINED = re.compile(r"^(?:array\s*\[[\s,]*\]\s*)?[a-z_]+\s+([A-Za-z]\w*)\s*\(", re.MULTILINE)


def give_way(text: str, functions: Iterable[str], taken: Collection[str]) -> str:
    """Rename in a program's text the functions whose names are taken; a variable is never followed by a bracket."""
    defined = {name for code in functions for name in _DEFINED.findall(code)}
    for name in sorted(defined & set(taken)):
        free = f"{name}_of"
        while free in taken or free in defined:
            free += "_"
        text = re.sub(rf"\b{name}(?=\s*\()", free, text)
    return text
