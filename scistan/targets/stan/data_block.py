"""The data block: which arrays the program reads, in which form; the one place where 0 becomes 1."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from scistan.domains import LARGEST_INT
from scistan.graph.graph import Graph, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Node
from scistan.graph.places import first_place
from scistan.messages import inference as messages
from scistan.shapes import Size, Symbol
from scistan.targets.evaluate import Evaluator
from scistan.targets.stan.names import Names, SizeNames
from scistan.targets.stan.syntax import Declare, Expr, Type, name

__all__ = ["DataBlock", "DataEntry", "NumPyForData", "Reader"]

REAL_FORM, INT_FORM, INDEX_FORM, VECTORS_FORM = "real", "int", "index", "vectors"


@dataclass(frozen=True, slots=True)
class DataEntry:
    """One variable of the data block: the node it holds, in which form, and its declared bounds."""

    name: str
    node: Node
    form: str
    bounds: str = ""
    axis: Size | None = None  # the axis an index runs along


class Reader(Protocol):
    """Where a body of statements finds the data it reads: the data block, or a function's arguments."""

    def real(self, leaf: Data) -> Expr: ...
    def integers(self, node: Node, bounds: str = "") -> Expr: ...
    def index(self, node: Node, axis: Size | None) -> Expr: ...
    def vectors(self, leaf: Data, bounds: str = "") -> Expr: ...
    def bound(self, leaf: Data, bounds: str) -> None: ...
    def known(self, node: Node) -> str: ...


@dataclass(frozen=True, slots=True)
class NumPyForData:
    """NumPy, to compute what whole numbers of the data the program reads."""

    column: str = "numpy"
    module: Any = np

    def constant(self, number: float | np.ndarray) -> np.ndarray:
        return np.asarray(number)


@dataclass(slots=True)
class DataBlock:
    """The data entries a program turned out to need, in order of first need."""

    graph: Graph
    names: Names
    sizes: SizeNames
    found: dict[tuple[Node, str], DataEntry] = field(default_factory=dict)

    def real(self, leaf: Data) -> Expr:
        """Read a leaf as real numbers: a scalar, vector, matrix, or arrays of matrices."""
        return self._expr(leaf, REAL_FORM)

    def integers(self, node: Node, bounds: str = "") -> Expr:
        """Read whole numbers of the data, or computed from data, as they are."""
        return self._expr(node, INT_FORM, bounds)

    def index(self, node: Node, axis: Size | None) -> Expr:
        """Read positions along an axis or (without one) categories, which count from 1 in Stan."""
        bounds = "<lower=1>" if axis is None else f"<lower=1, upper={self.sizes.text(axis)}>"
        return self._expr(node, INDEX_FORM, bounds, axis)

    def vectors(self, leaf: Data, bounds: str = "") -> Expr:
        """Read a stack of vectors as an array of vectors."""
        return self._expr(leaf, VECTORS_FORM, bounds)

    def bound(self, leaf: Data, bounds: str) -> None:
        """Declare the bounds of a leaf that is read as real numbers."""
        self.real(leaf)
        entry = self.found[leaf, REAL_FORM]
        self.found[leaf, REAL_FORM] = DataEntry(entry.name, entry.node, entry.form, bounds)

    def known(self, node: Node) -> str:
        """Give the name under which a node is read; empty if it is not."""
        return next((entry.name for (read, _), entry in self.found.items() if read is node), "")

    def _expr(self, node: Node, form: str, bounds: str = "", axis: Size | None = None) -> Expr:
        entry = self.found.get((node, form))
        if entry is None:
            entry = DataEntry(self._wish(node, form), node, form, bounds, axis)
            self.found[node, form] = entry
        return name(entry.name, self.type(entry))

    def _wish(self, node: Node, form: str) -> str:
        user = self.graph.data_names.get(node) if isinstance(node, Data) else None
        taken = any(entry.node is node for entry in self.found.values())
        if user is not None and not taken:
            return user
        base = user or ("index" if form == INDEX_FORM else "data")
        return self.names.claim(f"{base}_{form}") if user else self.names.claim_numbered(base)

    def type(self, entry: DataEntry) -> Type:
        """Give an entry's type."""
        rank = len(entry.node.shape)
        if entry.form in (INT_FORM, INDEX_FORM):
            return Type("int", rank)
        if entry.form == VECTORS_FORM:
            return Type("vector", rank - 1)
        return Type(("real", "vector", "matrix")[min(rank, 2)], max(0, rank - 2))

    def declarations(self) -> Iterator[Declare]:
        """Declare lengths, then arrays."""
        arrays = [
            Declare(sized_type(self.type(e), e.node.shape, self.sizes, e.bounds), e.name, node=e.node)
            for e in self.found.values()
        ]
        for symbol in sorted(self.sizes.symbols, key=lambda s: s.axis):
            yield Declare("int<lower=0>", self.sizes.symbols[symbol], node=self._of_length(symbol))
        yield from arrays

    def _of_length(self, symbol: Symbol) -> Node | Term | None:
        """Find what has a length: data that the user named first, else a term."""
        nodes: list[Node | Term] = [*self.graph.data_names, *self.graph.terms, *self.graph.nodes]
        for node in nodes:
            shape = node.law.shape if isinstance(node, Term) else node.shape
            if any(self.sizes.has(size, symbol) for size in shape):
                return node
        return None

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Give the program's data for an instance: lengths, and arrays in the forms it reads."""
        instance = instance.on(self.graph)
        evaluator = Evaluator(instance, NumPyForData())
        data: dict[str, Any] = {text: instance.length(Size.of(s)) for s, text in self.sizes.symbols.items()}
        for entry in self.found.values():
            data[entry.name] = self._encode(entry, instance, np.asarray(evaluator[entry.node].array))
        return data

    def evaluator(self, instance: Instance) -> Evaluator:
        """Give what computes values of the program's graph on an instance's data."""
        return Evaluator(instance.on(self.graph), NumPyForData())

    def _encode(self, entry: DataEntry, instance: Instance, values: np.ndarray) -> Any:
        if entry.form == INDEX_FORM:
            values = _counted_from_one(values, None if entry.axis is None else instance.length(entry.axis))
        else:  # data that cannot change are handed on as they are
            values = values.astype(np.int64 if entry.form == INT_FORM else np.float64, copy=False)
        if values.dtype.kind == "i" and values.size and np.abs(values).max() > LARGEST_INT:
            largest = int(values.flat[np.argmax(np.abs(values))])
            raise messages.too_large_for_stan(self._called(entry), largest, first_place(entry.node))
        return values if values.ndim else values.item()

    def _called(self, entry: DataEntry) -> str:
        """Give the name that the user knows an entry by, where there is one."""
        observed = (term.name for term in self.graph.observed if term.value is entry.node)
        named = (name for leaf, name in self.graph.data_names.items() if leaf is entry.node)
        return next(observed, "") or next(named, "") or entry.name


# Positions of frozen arrays, for as long as the array lives.
_positions: dict[tuple[int, int | None], np.ndarray] = {}


def _counted_from_one(values: np.ndarray, length: int | None) -> np.ndarray:
    """Give positions as Stan counts them, from 1: here and nowhere else."""
    key = (id(values), length)
    if key in _positions:
        return _positions[key]
    whole = values.astype(np.int64)
    found = np.asarray((whole if length is None else np.where(whole < 0, whole + length, whole)) + 1)
    if not values.flags.writeable and values.base is None and values.ndim:
        found.setflags(write=False)
        _positions[key] = found
        weakref.finalize(values, _positions.pop, key, None)
    return found


def sized_type(kind: Type, shape: tuple[Size, ...], sizes: SizeNames, constraint: str = "") -> str:
    """Write a type with its sizes: `array[A] matrix<lower=0>[N, K]`."""
    arrays = ", ".join(sizes.text(s) for s in shape[: kind.arrays])
    inner = ", ".join(sizes.text(s) for s in shape[kind.arrays :])
    text = f"{kind.base}{constraint}" + (f"[{inner}]" if inner else "")
    return f"array[{arrays}] {text}" if kind.arrays else text
