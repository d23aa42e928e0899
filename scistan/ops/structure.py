"""How values are nested in tuples, lists and dicts: told, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from scistan.messages import expressions as messages

__all__ = ["LEAF", "Structure", "leaves_in", "structure_of"]


@dataclass(frozen=True, slots=True)
class Structure:
    """How values are nested: in a tuple, a list, a dict with these keys; a leaf has no kind, and None holds nothing."""

    kind: type | None = None
    keys: tuple[Any, ...] = ()
    parts: tuple[Structure, ...] = ()

    @property
    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(part.count for part in self.parts)

    def filled(self, values: Iterator[Any]) -> Any:
        """Put values into this form, in order."""
        if self.kind is None:
            return next(values)
        if self.kind is type(None):
            return None
        parts = [part.filled(values) for part in self.parts]
        if self.kind is dict:
            return dict(zip(self.keys, parts, strict=True))
        return self.kind(*parts) if self._has_fields else self.kind(parts)

    @property
    def _has_fields(self) -> bool:
        """Whether it is a named tuple, which takes its fields one by one."""
        return hasattr(self.kind, "_fields")

    def _written(self, leaf: str) -> str:
        if self.kind is None or self.kind is type(None):
            return "None" if self.kind else leaf
        inner = [part._written(leaf) for part in self.parts]
        if self.kind is dict:
            return "{" + ", ".join(f"{k!r}: {p}" for k, p in zip(self.keys, inner, strict=True)) + "}"
        listed = ", ".join(inner)
        if issubclass(self.kind, list):
            return f"[{listed}]"
        return f"{self.kind.__name__ if self._has_fields else ''}({listed}{',' * (len(inner) == 1)})"

    def __repr__(self) -> str:
        return self._written("*")

    def __str__(self) -> str:
        return self._written("a value")


LEAF = Structure()
_DEEPEST = 100  # far from where Python itself gives up


def structure_of(value: object, is_leaf: Callable[[object], bool] | None = None, depth: int = 0) -> Structure:
    """Tell how values are nested; `is_leaf` may take a list of numbers, or None, for a value."""
    if depth > _DEEPEST:
        raise messages.too_deep(_DEEPEST)
    if value is None and is_leaf is None:
        return Structure(type(None))
    if isinstance(value, dict):
        return Structure(dict, tuple(value), tuple(structure_of(one, is_leaf, depth + 1) for one in value.values()))
    if isinstance(value, tuple | list) and not (is_leaf is not None and is_leaf(value)):
        return Structure(type(value), (), tuple(structure_of(one, is_leaf, depth + 1) for one in value))
    return LEAF


def leaves_in(value: object, form: Structure) -> list[Any]:
    """List the values that are held in this form."""
    if form.kind is None:
        return [value]
    if form.kind is type(None):
        return []
    held = list(value.values()) if isinstance(value, dict) else list(value)  # type: ignore[call-overload]
    return [leaf for one, part in zip(held, form.parts, strict=True) for leaf in leaves_in(one, part)]
