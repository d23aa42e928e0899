"""What every evaluation of nodes with an array library rests on: values, libraries, and how ops are found in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node
from scistan.messages import declared as messages
from scistan.ops.declaration import Gap, Op
from scistan.shapes import Size

__all__ = ["NUMPY", "Array", "Backend", "Lookup", "Value", "aligned", "concrete", "implementation", "meeting_rank"]

Array = Any


@dataclass(frozen=True, slots=True)
class Value:
    """An array, and whether its first axis runs over draws."""

    array: Array
    batched: bool = False


class Lookup(Protocol):
    """Whatever knows the values of nodes."""

    def __getitem__(self, node: Node) -> Value: ...


class Backend(Protocol):
    """An array library: which column of the ops' table it is, and how numbers enter it."""

    @property
    def column(self) -> str: ...

    @property
    def module(self) -> Any: ...

    def constant(self, number: float | np.ndarray) -> Array: ...


@dataclass(frozen=True, slots=True)
class _NumPy:
    column: str = "numpy"
    module: Any = np

    def constant(self, number: float | np.ndarray) -> np.ndarray:
        return np.asarray(number)


NUMPY = _NumPy()


@cache
def implementation(op: Op, column: str, module: Any) -> Callable[..., Array]:
    """Find an op's function in a library."""
    declared = op.form(column)
    if isinstance(declared, Gap):
        raise messages.gap(op.name, column, declared.reason)
    if callable(declared):
        return partial(declared, module)
    place, _, name = declared.rpartition(":")
    try:
        found: Any = import_module(place) if place else module
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        raise messages.no_implementation(op.name, column, declared) from None
    function: Callable[..., Array] = found
    return function


def aligned(value: Value, rank: int, target: int) -> Array:
    """Insert axes behind the draws' axis so that a value of `rank` meets one of `target` axes."""
    if not value.batched or rank == target:
        return value.array
    shape = tuple(value.array.shape)
    return value.array.reshape(shape[:1] + (1,) * (target - rank) + shape[1:])


def meeting_rank(node: Apply) -> int | None:
    """Give the number of axes at which arguments meet when some run over draws; None where each has its own."""
    op = node.op
    if isinstance(op, Op) and op.elementwise:
        return len(node.shape)
    return len(node.shape) - 1 if op.name == "stack" else None


def concrete(instance: Instance, attribute: Any) -> Any:
    """Give an op's attribute with its sizes as numbers."""
    if isinstance(attribute, Size):
        return instance.length(attribute)
    if isinstance(attribute, tuple) and any(isinstance(part, Size) for part in attribute):
        return tuple(concrete(instance, part) for part in attribute)
    return attribute
