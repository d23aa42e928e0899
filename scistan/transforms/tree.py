"""Nested dicts, tuples and lists of values: taken apart, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scistan.messages import transforms as messages

__all__ = ["Structure", "tree_flatten", "tree_map", "tree_unflatten"]


@dataclass(frozen=True, slots=True)
class Structure:
    """How values are nested; a leaf has no kind, and None is a node without leaves."""

    kind: type | None = None
    keys: tuple[Any, ...] = ()
    parts: tuple[Structure, ...] = ()

    @property
    def count(self) -> int:
        """The number of leaves."""
        return 1 if self.kind is None else sum(part.count for part in self.parts)

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        if self.kind is type(None):
            return "None"
        inner = [repr(part) for part in self.parts]
        if self.kind is dict:
            return "{" + ", ".join(f"{k!r}: {p}" for k, p in zip(self.keys, inner, strict=True)) + "}"
        return f"{self.kind.__name__}({', '.join(inner)})"


_LEAF = Structure()


def tree_flatten(tree: object) -> tuple[list[Any], Structure]:
    """Give the leaves of nested dicts, tuples and lists, and how they are nested.

    >>> import scistan as ss
    >>> ss.tree_flatten({"a": 1, "b": (2, [3])})
    ([1, 2, 3], {'a': *, 'b': tuple(*, list(*))})
    """
    leaves: list[Any] = []
    return leaves, _structure(tree, leaves)


def _structure(tree: Any, leaves: list[Any]) -> Structure:
    if tree is None:
        return Structure(type(None))
    if isinstance(tree, dict):
        parts = tuple(_structure(part, leaves) for part in tree.values())
        return Structure(dict, tuple(tree), parts)
    if isinstance(tree, list | tuple):
        return Structure(type(tree), (), tuple(_structure(part, leaves) for part in tree))
    leaves.append(tree)
    return _LEAF


def tree_unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """Nest leaves as they were before `tree_flatten`."""
    if len(leaves) != structure.count:
        raise messages.other_structure(f"{len(leaves)} leaves", structure)
    return _nested(structure, iter(leaves))


def _nested(structure: Structure, leaves: Any) -> Any:
    kind = structure.kind
    if kind is None:
        return next(leaves)
    if kind is type(None):
        return None
    parts = [_nested(part, leaves) for part in structure.parts]
    if kind is dict:
        return dict(zip(structure.keys, parts, strict=True))
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)  # a named tuple takes its fields one by one


def tree_map(function: Callable[..., Any], tree: object, *others: object) -> Any:
    """Apply a function to every leaf, and to the leaves of others at the same place.

    >>> import scistan as ss
    >>> ss.tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"b": [20], "a": 10})
    {'a': 11, 'b': [22]}
    """
    leaves, structure = tree_flatten(tree)
    rows = [leaves, *(_leaves_like(structure, other) for other in others)]
    return tree_unflatten(structure, [function(*row) for row in zip(*rows, strict=True)])


def _leaves_like(structure: Structure, tree: Any) -> list[Any]:
    """Give the leaves of a tree that must be nested as another is; dicts are matched by their keys."""
    if structure.kind is None:
        return [tree]
    if structure.kind is type(None) and tree is None:
        return []
    fits = isinstance(tree, dict | list | tuple) and isinstance(tree, structure.kind)
    if not fits or len(tree) != len(structure.parts) or (structure.kind is dict and set(tree) != set(structure.keys)):
        raise messages.other_structure(tree_flatten(tree)[1], structure)
    parts = [tree[key] for key in structure.keys] if structure.kind is dict else list(tree)
    return [leaf for own, part in zip(structure.parts, parts, strict=True) for leaf in _leaves_like(own, part)]
