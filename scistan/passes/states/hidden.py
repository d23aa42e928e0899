"""A discrete latent that is summed out: its states, and which of its axes are rows that stand for themselves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scistan.domains import Domain
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Extent, Literal, Node, Variable
from scistan.graph.walk import has_latents
from scistan.messages import states as messages
from scistan.ops.coerce import as_node
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.expression import Expression
from scistan.ops.items import FULL
from scistan.ops.shaping import arange
from scistan.shapes import DATA, Size

__all__ = ["MOST_CELLS", "Hidden", "Numbers", "hide"]

MOST_CELLS = 10_000_000  # of one table of states: 80 MB, and as many logarithms for each gradient

Numbers = Callable[..., np.ndarray]  # of a node without latents, or of one and values of its latents


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """A discrete latent and the axis of states that stands for it.

    `joint` are its axes whose elements are summed over together: a state is then a value for each of them. Along the
    others, its `plates`, every row has states of its own. `values` has the axis of states in front of the latent's own,
    and length 1 along plates. `counts` says that the states are 0, 1, 2, … in order, `exact` that all of them are in
    the support, whatever the data are.
    """

    term: Term
    size: Size
    lowest: int
    highest: int
    values: Node
    joint: tuple[int, ...] = ()
    counts: bool = False
    exact: bool = True
    table: np.ndarray | None = None  # of states that are data

    @property
    def variable(self) -> Variable:
        if not isinstance(self.term.value, Variable):
            raise TypeError(f"{self.term.name} is no latent")
        return self.term.value

    @property
    def name(self) -> str:
        return self.term.name

    @property
    def is_pair(self) -> bool:
        """Whether it is one of two numbers, row by row."""
        return self.size == Size(2) and not self.joint and self.exact

    @property
    def plates(self) -> tuple[int, ...]:
        return tuple(axis for axis in range(len(self.variable.shape)) if axis not in self.joint)


def hide(
    term: Term, instance: Instance, numbers: Numbers, joint: tuple[int, ...], known: dict[Variable, Hidden]
) -> Hidden:
    """List the states of a discrete latent, jointly along some of its axes; `known` are the latents before it."""
    lower, upper = (_end(term, side, instance, numbers, known) for side in ("lower", "upper"))
    if joint or not (lower.follows and upper.follows):
        return _listed(term, instance, (lower, upper), joint)
    size = upper.size - lower.size + 1
    counted = arange(size) if size.terms else arange(Size(size.constant))
    values: Expression = counted if lower.size == Size() else counted + Expression(_quantity(lower.size))
    items = (FULL, *(("new",),) * len(term.law.shape))
    node = OPS["index"].build((values._scistan_node_,), {"items": items}) if len(items) > 1 else values._scistan_node_
    return Hidden(term, node.shape[0], lower.number, upper.number, node, counts=lower.size == Size())


def _listed(term: Term, instance: Instance, ends: tuple[_End, _End], joint: tuple[int, ...]) -> Hidden:
    """Give the states as data: all combinations of the values along the axes that are summed together."""
    lowest, highest = (end.number for end in ends)
    lengths = [instance.length(term.law.shape[axis]) for axis in joint]
    number, count = highest - lowest + 1, math.prod(lengths)
    if count * math.log(max(number, 1)) + math.log(max(count, 1)) > math.log(MOST_CELLS):
        raise messages.too_many_together(term.name, number, count, MOST_CELLS, instance.graph.place_of(term))
    each = range(lowest, highest + 1)
    table = np.array(list(itertools.product(each, repeat=count)), dtype=np.int64).reshape(-1, *lengths)
    table.setflags(write=False)
    size = Size.new(len(table), f"{term.name}_states", rank=DATA)
    leaf = Data(table, (size, *(term.law.shape[axis] for axis in joint)), integer=True)
    leaf.called = f"{term.name}_states"
    items = (FULL, *(FULL if axis in joint else ("new",) for axis in range(len(term.law.shape))))
    node = leaf if all(item == FULL for item in items) else OPS["index"].build((leaf,), {"items": items})
    exact = all(end.follows for end in ends)
    return Hidden(term, size, lowest, highest, node, joint, exact=exact, table=table)


@dataclass(frozen=True, slots=True)
class _End:
    """An end of a support: a number on these data, and a length that `follows` all data where there is one."""

    number: int
    size: Size = Size()  # noqa: RUF009
    follows: bool = True


def _end(term: Term, side: str, instance: Instance, numbers: Numbers, known: dict[Variable, Hidden]) -> _End:
    d, args = term.law.distribution, term.law.args
    domain: Domain = d.domain(args)
    end = getattr(domain, side)
    if side == "upper" and d.stan.one_based and isinstance(end, int):
        # How many categories there are follows from the length of an argument.
        length = args[-1].shape[-1]
        last = length + (end - length.today)
        return _End(instance.length(last), last)
    if isinstance(end, int | float) and math.isfinite(end):
        return _End(int(end), Size(int(end)))
    if isinstance(end, Literal):
        return _End(int(end.value), Size(int(end.value)))
    if isinstance(end, Extent):
        return _End(instance.length(end.size), end.size)
    if isinstance(end, Variable) and end in known:
        return _End(known[end].lowest if side == "lower" else known[end].highest, follows=False)
    if not isinstance(end, Node):
        raise messages.unbounded(term.name, d.title, instance.graph.place_of(term))
    if has_latents(end):
        raise messages.latent_end(term.name, d.title, instance.graph.place_of(term))
    found = numbers(end)
    extreme = (found.min() if side == "lower" else found.max()) if found.size else 0
    return _End(int(extreme), follows=False)


def _quantity(size: Size) -> Node:
    return as_node(size if size.terms else size.constant)
