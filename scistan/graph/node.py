"""Immutable, interned nodes: equal expressions are the same object, leaves have identity."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    import numpy as np

from scistan.domains import Domain
from scistan.graph.labelled import Coding
from scistan.graph.labels import Labels
from scistan.shapes import Equality, Shape, Size

__all__ = [
    "Apply",
    "Data",
    "Extent",
    "Gathered",
    "Literal",
    "Node",
    "Operation",
    "Variable",
    "apply",
    "extent",
    "is_applied",
    "literal",
]


class Operation(Protocol):
    """What the graph needs to know of an op: its name."""

    @property
    def name(self) -> str: ...


class Node:
    """A value in a model: its shape, and whether it is a whole number by construction."""

    __slots__ = ("__weakref__", "integer", "shape")
    shape: Shape
    integer: bool

    @property
    def args(self) -> tuple[Node, ...]:
        return ()


class Literal(Node):
    """A Python number written in the model."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value
        self.shape = ()
        self.integer = isinstance(value, int)

    def __repr__(self) -> str:
        return repr(self.value)


class Data(Node):
    """An array from outside; two are one only if they are the same object."""

    __slots__ = ("boolean", "called", "coding", "default", "dims", "labels")

    def __init__(
        self,
        default: np.ndarray | None,
        shape: Shape,
        *,
        integer: bool,
        dims: tuple[str | None, ...] | None = None,
        labels: tuple[Labels | None, ...] = (),
        boolean: bool = False,
        coding: Coding | None = None,
    ) -> None:
        self.default = default
        self.shape = shape
        self.integer = integer
        self.dims = dims
        self.labels = labels or (None,) * len(shape)  # along each axis, where they came with the array
        self.boolean = boolean  # written as True and False
        self.coding = coding  # how it became numbers, where it was given as something else
        self.called = ""  # the first name a model gave it: messages say it

    def __repr__(self) -> str:
        return "data"


class Gathered(Data):
    """Values of the data, written one by one by the user, read as one with an axis over them in front."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Node, ...], size: Size) -> None:
        super().__init__(None, (size, *parts[0].shape), integer=all(part.integer for part in parts))
        self.parts = parts

    def __repr__(self) -> str:
        return f"gathered({len(self.parts)})"


class Variable(Node):
    """A latent of a model, known by its name; its distribution stands in the model's graph.

    `domain` is where it lives, once the model that owns it has said so.
    One that is `integer` is summed out of densities.
    """

    __slots__ = ("dims", "domain", "name", "owner")

    def __init__(self, name: str, shape: Shape, owner: object, dims: tuple[str | None, ...] | None,
                 domain: Domain | None = None, integer: bool = False) -> None:
        self.name = name
        self.shape = shape
        self.integer = integer
        self.owner = owner
        self.dims = dims
        self.domain = domain

    def __repr__(self) -> str:
        return self.name


class Extent(Node):
    """A length of the model as a number in it."""

    __slots__ = ("size",)

    def __init__(self, size: Size) -> None:
        self.size = size
        self.shape = ()
        self.integer = True

    def __repr__(self) -> str:
        return repr(self.size)


class Apply(Node):
    """An op applied to nodes, with static attributes; made by `apply` only, so that it is interned."""

    __slots__ = ("_args", "attributes", "equalities", "op")

    def __init__(
        self,
        op: Operation,
        args: tuple[Node, ...],
        attributes: tuple[tuple[str, Hashable], ...],
        shape: Shape,
        integer: bool,
        equalities: tuple[Equality, ...],
    ) -> None:
        self.op = op
        self._args = args
        self.attributes = attributes
        self.shape = shape
        self.integer = integer
        self.equalities = equalities

    @property
    def args(self) -> tuple[Node, ...]:
        return self._args

    def __repr__(self) -> str:
        return f"{self.op.name}/{len(self._args)}"


def is_applied(node: Node, op: str) -> bool:
    """Tell whether a node applies the op of this name."""
    return isinstance(node, Apply) and node.op.name == op


_interned: WeakValueDictionary[Hashable, Node] = WeakValueDictionary()


def literal(value: float) -> Literal:
    """Intern a Python number; `1`, `1.0` and `True` stay apart, as do `0.0` and `-0.0`."""
    key = ("literal", type(value), value, math.copysign(1.0, value))
    node = _interned.get(key)
    if node is None:
        node = _interned.setdefault(key, Literal(value))
    if not isinstance(node, Literal):
        raise TypeError("the intern table holds a foreign node")
    return node


def extent(size: Size) -> Extent:
    """Intern a length as a node."""
    node = _interned.get(("extent", size))
    if node is None:
        node = _interned.setdefault(("extent", size), Extent(size))
    if not isinstance(node, Extent):
        raise TypeError("the intern table holds a foreign node")
    return node


def find_applied(
    op: Operation, args: tuple[Node, ...], attributes: tuple[tuple[str, Hashable], ...]
) -> Apply | None:
    """Give the node of this op and these arguments if it exists already."""
    node = _interned.get((op, args, attributes))
    return node if isinstance(node, Apply) else None


def apply(
    op: Operation,
    args: tuple[Node, ...],
    attributes: tuple[tuple[str, Hashable], ...],
    shape: Shape,
    integer: bool,
    equalities: tuple[Equality, ...] = (),
) -> Apply:
    """Intern the application of `op`; shape and the rest follow from the op and its arguments."""
    known = find_applied(op, args, attributes)
    if known is not None:
        return known
    node = Apply(op, args, attributes, shape, integer, equalities)
    _interned[(op, args, attributes)] = node
    return node
