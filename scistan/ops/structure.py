"""Values in tuples, lists and dicts, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["LEAF", "Structure", "leaves_in", "structure_of"]


@dataclass(frozen=True, slots=True)
class Structure:
    """How values are held: in a tuple, a list, a dict with these keys, or as they are."""

    kind: type | None = None
    keys: tuple[object, ...] = ()
    parts: tuple[Structure, ...] = ()

    def filled(self, values: Iterator[object]) -> object:
        """Put values into this form, in order."""
        if self.kind is None:
            return next(values)
        parts = [part.filled(values) for part in self.parts]
        return dict(zip(self.keys, parts, strict=True)) if self.kind is dict else self.kind(parts)

    def __str__(self) -> str:
        if self.kind is None:
            return "a value"
        inner = ", ".join(map(str, self.parts))
        if self.kind is dict:
            inner = ", ".join(f"{key!r}: {part}" for key, part in zip(self.keys, self.parts, strict=True))
            return f"{{{inner}}}"
        return f"({inner})" if self.kind is tuple else f"[{inner}]"


LEAF = Structure()


def structure_of(value: object, is_leaf: Callable[[object], bool]) -> Structure:
    """Tell how values are held; what `is_leaf` says of a list of numbers is for it to decide."""
    if isinstance(value, dict):
        return Structure(dict, tuple(value), tuple(structure_of(one, is_leaf) for one in value.values()))
    if isinstance(value, tuple | list) and not is_leaf(value):
        kind = tuple if isinstance(value, tuple) else list
        return Structure(kind, (), tuple(structure_of(one, is_leaf) for one in value))
    return LEAF


def leaves_in(value: object, form: Structure) -> list[object]:
    """List the values that are held in this form."""
    if form.kind is None:
        return [value]
    held = list(value.values()) if isinstance(value, dict) else list(value)  # type: ignore[call-overload]
    return [leaf for one, part in zip(held, form.parts, strict=True) for leaf in leaves_in(one, part)]
