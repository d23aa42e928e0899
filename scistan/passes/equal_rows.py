"""Equal rows: observations that share all their predictors enter through their count and a sum.

Unlike the passes over graphs this one reads the data: whether rows are equal is a fact about them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, count

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.domains import LARGEST_INT
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.places import copy_places
from scistan.graph.walk import topological
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import Op
from scistan.ops.flow import carriers
from scistan.shapes import DATA, ONE, Shape, Size

__all__ = ["merge_equal_rows"]

FEWEST_ROWS = 50  # below, nothing is gained
# Rows for each group, on average, from which on every merged form is the faster one (docs/stan-programs.md).
LEAST_GAIN = 4

log, square, total = (FUNCTIONS[n] for n in ("log", "square", "sum"))
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)


def merge_equal_rows(instance: Instance, evaluate: Callable[[Node], np.ndarray]) -> Instance:
    """Give the instance with observations of equal rows merged; itself where there are too few of them.

    The log density stays the same up to a constant. `evaluate` gives the numbers of a node without latents.
    """
    graph, values = instance.graph, dict(instance.values)
    names = dict(graph.data_names)
    taken = {term.name for term in graph.terms} | set(graph.derived) | set(names.values())
    terms: list[Term] = []
    for term in graph.terms:
        found = _rows_of(term, instance, evaluate)
        terms.append(term if found is None else _merged(term, _Maker(term.name, found, values, names, taken)))
    if all(new is old for new, old in zip(terms, graph.terms, strict=True)):
        return instance
    # Lengths may follow from what is no longer there.
    before = [e for node in graph.nodes if isinstance(node, Apply) for e in node.equalities]
    before += [e for term in graph.terms for e in term.law.equalities]
    merged = replace(graph, terms=tuple(terms), data_names=names, equalities=(*graph.equalities, *before))
    return replace(instance, graph=merged, values=values)


# -- which rows are equal -----------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Rows:
    """The groups of a term's rows, and what its arguments are made of."""

    group: np.ndarray  # each row's group
    first: np.ndarray  # a row of each group
    size: Size
    known: dict[Node, np.ndarray]  # predictors without latents, row by row
    order: dict[Apply, tuple[int, ...]]  # what depends on them and on latents, arguments first, and on which of its own
    observed: np.ndarray


def _rows_of(term: Term, instance: Instance, evaluate: Callable[[Node], np.ndarray]) -> _Rows | None:
    law = term.law
    if not isinstance(term.value, Data) or law.distribution.grouped is None:
        return None
    if law.truncated or law.constraint or len(law.shape) != 1:
        return None
    length = instance.length(law.shape[0])
    if length < FEWEST_ROWS or law.shape[0] == ONE:
        return None
    found = _row_by_row(law)
    if found is None:
        return None
    known_nodes, order = found
    known = {node: np.asarray(evaluate(node)) for node in known_nodes}
    grouped = _groups(known.values(), length, length // LEAST_GAIN)
    if grouped is None:
        return None
    group, first = grouped
    observed = instance.values[term.value]
    if not _sums_fit(observed, group, integer=law.distribution.discrete):
        return None
    return _Rows(group, first, Size.new(len(first), "cells", rank=DATA), known, order, observed)


def _row_by_row(law: Law) -> tuple[list[Node], dict[Apply, tuple[int, ...]]] | None:
    """Split what the arguments are made of into data and what is computed row by row; None if rows meet."""
    # An argument's axis is that of the rows, or of length 1, whatever its length is called: twice n, or twice m.
    wanted = {arg for arg in law.args if arg.shape and arg.shape[0] != ONE}
    order = topological(law.args)
    latent: set[Node] = set()
    for node in order:
        if isinstance(node, Variable) or any(arg in latent for arg in node.args):
            latent.add(node)
    known: list[Node] = []
    computed: dict[Apply, tuple[int, ...]] = {}
    for node in reversed(order):
        if node not in wanted:
            continue
        if node not in latent:
            known.append(node)
            continue
        # Places, because one value may stand at two: its rows at one, all of it at the other, as in `v + v[previous]`.
        if not isinstance(node, Apply) or (places := carriers(node)) is None:
            return None
        wanted |= {node.args[k] for k in places}
        computed[node] = places
    return (known, dict(reversed(computed.items()))) if known else None


def _groups(columns: Iterable[np.ndarray], length: int, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Number the groups of equal rows, bit for bit; None if there are more than `most`."""
    group = np.zeros(length, np.int64)
    first = np.zeros(1, np.int64)
    for array in columns:
        for column in array.reshape(length, -1).T:
            bits = np.ascontiguousarray(column, np.float64).view(np.int64) if column.dtype.kind == "f" else column
            values, place = np.unique(bits, return_inverse=True)
            _, first, group = np.unique(group * len(values) + place, return_index=True, return_inverse=True)
            if len(first) > most:
                return None
    return (group, first) if len(first) > 1 else None


def _sums_fit(observed: np.ndarray, group: np.ndarray, *, integer: bool) -> bool:
    """Tell whether programs can hold the sums of each group: whole ones end at 32 bits, squares of others overflow."""
    with np.errstate(over="ignore"):
        summed = observed.astype(float) if integer else np.square(observed, dtype=float)
        largest = np.bincount(group, weights=summed).max()
    return bool(largest <= (LARGEST_INT if integer else np.finfo(float).max))


# -- one observation for each group -----------------------------------------------------------------------
@dataclass(slots=True)
class _Maker:
    """Makes the data of a merged term, under names that nothing else has."""

    name: str
    rows: _Rows
    values: dict[Data, np.ndarray]
    names: dict[Data, str]
    taken: set[str]

    def data(self, array: np.ndarray, wish: str = "", inner: Shape = ()) -> Data:
        """Make a leaf of one value for each group, or of one number for all."""
        array = np.asarray(array)
        leaf = Data(array, (self.rows.size, *inner) if array.ndim else (), integer=array.dtype.kind in "iub")
        self.values[leaf] = array
        if wish:
            wishes = chain((wish, f"{wish}_{self.name}"), (f"{wish}_{k}" for k in count(2)))
            self.names[leaf] = next(name for name in wishes if name not in self.taken)
            self.taken.add(self.names[leaf])
        return leaf

    def sums(self, array: np.ndarray) -> np.ndarray:
        """Sum over the rows of each group; whole numbers stay whole."""
        found = np.zeros(len(self.rows.first), array.dtype)
        np.add.at(found, self.rows.group, array)
        return found

    @property
    def group(self) -> np.ndarray:
        return self.rows.group

    @property
    def counts(self) -> np.ndarray:
        return np.bincount(self.rows.group, minlength=len(self.rows.first))


def _merged(term: Term, make: _Maker) -> Term:
    """Rebuild a term's arguments on the groups, and give it its form on them."""
    rows, names = make.rows, make.names
    memo: dict[Node, Node] = {}
    for node, array in rows.known.items():
        called = names.get(node) if isinstance(node, Data) else None
        picked = array[rows.first] if node.integer else array[rows.first].astype(float)
        memo[node] = make.data(picked, f"{called}_cell" if called else "", node.shape[1:])
    for node, places in rows.order.items():
        changed = tuple(memo[arg] if k in places else arg for k, arg in enumerate(node.args))
        if isinstance(node.op, Op):
            memo[node] = node.op.build(changed, dict(node.attributes))
    args = [memo.get(arg, arg) for arg in term.law.args]
    d: Distribution = term.law.distribution
    value, distribution, arguments = d.grouped(make, rows.observed, *args)  # type: ignore[misc]
    copy_places(term.value, value)
    return Term(names[value], value, Law(distribution, arguments, (rows.size,)), term.users)
