"""Evaluate nodes with an array library, with an optional leading axis over draws or starts."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Extent, Literal, Node
from scistan.graph.places import first_place
from scistan.messages import declared as messages
from scistan.messages import foreign
from scistan.ops.declaration import Gap, Op
from scistan.shapes import Size

__all__ = ["NUMPY", "Backend", "Evaluator", "Lookup", "Value", "aligned", "concrete", "implementation", "meeting_rank"]

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


class Evaluator:
    """Values of nodes on one instance; each node is computed once, when it is first asked for."""

    def __init__(self, instance: Instance, backend: Backend, leaves: dict[Node, Value] | None = None) -> None:
        self._instance = instance
        self._backend = backend
        self._values: dict[Node, Value] = dict(leaves or {})

    def set(self, leaf: Node, array: Array, *, batched: bool) -> None:
        """Give a leaf its value."""
        self._values[leaf] = Value(array, batched)

    def __getitem__(self, node: Node) -> Value:
        if node not in self._values:
            self.compute([node])
        return self._values[node]

    def __contains__(self, node: Node) -> bool:
        return node in self._values

    def kept(self, instance: Instance, gone: Container[Node]) -> Evaluator:
        """Give the values that hold on another instance too: those of nodes that are not `gone`."""
        known = {node: value for node, value in self._values.items() if node not in gone}
        return Evaluator(instance, self._backend, known)

    def compute(self, roots: Iterable[Node]) -> None:
        """Compute every node below `roots`, arguments first."""
        for node in self._pending(roots):
            try:
                self._values[node] = self._evaluate(node)
            except MemoryError as error:
                raise foreign.no_memory(*foreign.of_memory(str(error)), first_place(node)) from None

    def _pending(self, roots: Iterable[Node]) -> list[Node]:
        order: list[Node] = []
        done = self._values
        queued: set[Node] = set()
        for root in roots:
            stack: list[tuple[Node, bool]] = [(root, False)]
            while stack:
                node, expanded = stack.pop()
                if node in done or node in queued:
                    continue
                if expanded:
                    queued.add(node)
                    order.append(node)
                else:
                    stack.append((node, True))
                    stack.extend((arg, False) for arg in node.args)
        return order

    def _evaluate(self, node: Node) -> Value:
        if isinstance(node, Apply):
            return self._apply(node)
        if isinstance(node, Literal):
            return Value(self._backend.constant(node.value))
        if isinstance(node, Extent):
            return Value(self._backend.constant(self._instance.length(node.size)))
        if isinstance(node, Data) and node in self._instance.values:
            return Value(self._backend.constant(self._instance.values[node]))
        if isinstance(node, Data) and node.default is not None:  # a constant of a formula that was declared
            return Value(self._backend.constant(node.default))
        raise KeyError(f"{node!r} has no value yet")

    def _apply(self, node: Apply) -> Value:
        op = node.op
        if not isinstance(op, Op):
            raise TypeError(f"{op.name} is not a declared op")
        values = [self._values[arg] for arg in node.args]
        batched = any(v.batched for v in values)
        rank = meeting_rank(node)
        if batched and rank is not None:
            arrays = [aligned(v, len(arg.shape), rank) for v, arg in zip(values, node.args, strict=True)]
        else:
            arrays = [v.array for v in values]
        function = implementation(op, self._backend.column, self._backend.module)
        attributes = {key: concrete(self._instance, value) for key, value in node.attributes}
        return Value(function(*arrays, **attributes), batched)


def concrete(instance: Instance, attribute: Any) -> Any:
    """Give an op's attribute with its sizes as numbers."""
    if isinstance(attribute, Size):
        return instance.length(attribute)
    if isinstance(attribute, tuple) and any(isinstance(part, Size) for part in attribute):
        return tuple(concrete(instance, part) for part in attribute)
    return attribute
