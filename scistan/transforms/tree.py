"""What users do with nested dicts, tuples and lists: take apart, put together, map a function over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scistan.messages import transforms as messages
from scistan.ops.structure import Structure, leaves_in, structure_of

__all__ = ["tree_flatten", "tree_map", "tree_unflatten"]


def tree_flatten(tree: object) -> tuple[list[Any], Structure]:
    """Give the leaves of nested dicts, tuples and lists, and how they are nested.

    >>> import scistan as ss
    >>> ss.tree_flatten({"a": 1, "b": (2, [3])})
    ([1, 2, 3], {'a': *, 'b': (*, [*])})
    """
    structure = structure_of(tree)
    return leaves_in(tree, structure), structure


def tree_unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """Nest leaves as they were before `tree_flatten`."""
    if not isinstance(structure, Structure):
        raise messages.no_structure(structure)
    if not isinstance(leaves, list | tuple):
        raise messages.no_leaves(leaves)
    if len(leaves) != structure.count:
        raise messages.other_structure(f"{len(leaves)} leaves", structure)
    return structure.filled(iter(leaves))


def tree_map(function: Callable[..., Any], tree: object, *others: object) -> Any:
    """Apply a function to every leaf, and to the leaves of others at the same place.

    >>> import scistan as ss
    >>> ss.tree_map(lambda x, y: x + y, {"a": 1, "b": [2]}, {"b": [20], "a": 10})
    {'a': 11, 'b': [22]}
    """
    if not callable(function):
        raise messages.no_function("tree_map", function)
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
        raise messages.other_structure(structure_of(tree), structure)
    parts = [tree[key] for key in structure.keys] if structure.kind is dict else list(tree)
    return [leaf for own, part in zip(structure.parts, parts, strict=True) for leaf in _leaves_like(own, part)]
