"""Between free coordinates and numbers within bounds, in any array library."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from scistan.constrained.interval import into_interval, out_of_interval
from scistan.graph.node import Apply, Data, Literal, Node
from scistan.graph.walk import topological
from scistan.ops.declaration import Op
from scistan.ops.expression import Expression
from scistan.targets.values import Backend, implementation

__all__ = ["Interval"]

Array = Any
_U, _X, _LOWER, _UPPER = (Data(None, (), integer=False) for _ in range(4))


@cache
def _formulas(has_lower: bool, has_upper: bool) -> tuple[Node, Node, Node]:
    """Write the bijection onto an interval: the value, the log Jacobian, and the coordinate."""
    ends = Expression(_LOWER) if has_lower else None, Expression(_UPPER) if has_upper else None
    there = into_interval(Expression(_U), *ends)
    value, jacobian, back = (e._scistan_node_ for e in (*there, out_of_interval(Expression(_X), *ends)))
    return value, jacobian, back


class Interval:
    """Numbers between two bounds, either of which may be missing; arrays of bounds must meet those of values."""

    def __init__(self, lower: Array | None, upper: Array | None, backend: Backend) -> None:
        bounds: dict[Node, Array] = {leaf: end for leaf, end in ((_LOWER, lower), (_UPPER, upper)) if end is not None}
        value, jacobian, back = _formulas(lower is not None, upper is not None)
        self.value: Callable[[Array], Array] = _function(value, _U, bounds, backend)
        self._jacobian = _function(jacobian, _U, bounds, backend)
        self.unconstrain: Callable[[Array], Array] = _function(back, _X, bounds, backend)

    def constrain(self, u: Array) -> tuple[Array, Array]:
        """Give the values at coordinates, and the log Jacobian of each."""
        return self.value(u), self._jacobian(u)


def _function(root: Node, leaf: Node, bounds: dict[Node, Array], backend: Backend) -> Callable[[Array], Array]:
    """Make a function of one array of an elementwise formula; what depends on the bounds alone is computed once."""
    known: dict[Node, Array] = dict(bounds)
    steps: list[tuple[Node, Callable[..., Array], tuple[Node, ...]]] = []
    for node in topological([root]):
        if isinstance(node, Literal):
            known[node] = backend.constant(node.value)
        elif isinstance(node, Apply) and isinstance(node.op, Op):
            function = implementation(node.op, backend.column, backend.module)
            if all(arg in known for arg in node.args):
                known[node] = function(*(known[arg] for arg in node.args))
            else:
                steps.append((node, function, node.args))

    def compute(array: Array) -> Array:
        held = {**known, leaf: array}
        for node, function, args in steps:
            held[node] = function(*[held[arg] for arg in args])
        return held[root]

    return compute
