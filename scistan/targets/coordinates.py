"""Between free coordinates and the values of a constrained type, in any array library."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from scistan.constrained import ConstrainedType
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Node
from scistan.ops.expression import Expression
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import Backend

__all__ = ["Coordinates", "Formula", "formulas", "numbers_alone"]

Array = Any


@dataclass(frozen=True, slots=True)
class Formula:
    """What is computed of one event: its leaf, and the nodes that are asked for."""

    leaf: Data
    roots: tuple[Node, ...]


@cache
def formulas(kind: ConstrainedType, event: tuple[int, ...]) -> tuple[Formula, Formula]:
    """Write a type's bijection for an event of these lengths: the value and log Jacobian, and the coordinates."""
    u, x = (Data(None, tuple(map(Size, shape)), integer=False) for shape in ((kind.free(event),), event))
    there = kind.constrain(Expression(u), event)
    back = kind.unconstrain(Expression(x), event)
    return Formula(u, tuple(e._scistan_node_ for e in there)), Formula(x, (back._scistan_node_,))


@cache
def numbers_alone() -> Instance:
    """Give what formulas are evaluated on: they bring their numbers along."""
    return Instance(Graph(()), {})


def _evaluated(formula: Formula, backend: Backend) -> Callable[[Array], list[Array]]:
    """Compute a formula over many events, one after the other along the first axis."""

    def compute(rows: Array) -> list[Array]:
        evaluator = Evaluator(numbers_alone(), backend)
        evaluator.set(formula.leaf, rows, batched=True)
        return [evaluator[node].array for node in formula.roots]

    return compute


class Coordinates:
    """A constrained type on one array library, for events of given lengths and any axes in front of them.

    `compiled` makes a function of a formula and a backend where evaluating node by node is too slow.
    """

    def __init__(
        self,
        kind: ConstrainedType,
        event: tuple[int, ...],
        backend: Backend,
        compiled: Callable[[Formula, Any], Callable[[Array], list[Array]]] = _evaluated,
    ) -> None:
        self._event, self._free = event, (kind.free(event),)
        there, back = formulas(kind, event)
        self._there, self._back = compiled(there, backend), compiled(back, backend)
        self._value = compiled(Formula(there.leaf, there.roots[:1]), backend)

    def constrain(self, u: Array) -> tuple[Array, Array]:
        """Give the values at coordinates, and the log Jacobian of each event."""
        lead = tuple(u.shape[:-1])
        x, jacobian = self._there(u.reshape(math.prod(lead), *self._free))
        return x.reshape(*lead, *self._event), jacobian.reshape(lead)

    def value(self, u: Array) -> Array:
        """Give the values at coordinates alone."""
        lead = tuple(u.shape[:-1])
        (x,) = self._value(u.reshape(math.prod(lead), *self._free))
        return x.reshape(*lead, *self._event)

    def unconstrain(self, x: Array) -> Array:
        """Give the coordinates of values."""
        lead = tuple(x.shape[: x.ndim - len(self._event)])
        (u,) = self._back(x.reshape(math.prod(lead), *self._event))
        return u.reshape(*lead, *self._free)
