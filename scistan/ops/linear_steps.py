"""Steps that are linear in their state, `state -> a * state + b`: what `a` and `b` are."""

from __future__ import annotations

from collections.abc import Callable

from scistan.graph.body import Body
from scistan.graph.node import Literal, Node, is_applied, literal
from scistan.ops.derivative import divided, minus, negated, plus, times

__all__ = ["ZERO", "linear_pair"]

Pair = tuple[Node, Node]  # of a value that is linear in the state: its slope, and what is added
ZERO, ONE = literal(0.0), literal(1.0)


def linear_pair(inner: Body) -> Pair | None:
    """Read what a body makes of its first parameter: the slope, and what is added; None where that is not linear."""
    state = inner.parameters[0]
    pairs: dict[Node, Pair | None] = {state: (ONE, ZERO)}
    for node in inner.nodes:
        if node not in pairs and any(arg in pairs for arg in node.args):
            pairs[node] = _of(node, pairs)
    return pairs.get(inner.results[0])


def _of(node: Node, pairs: dict[Node, Pair | None]) -> Pair | None:
    name = next((name for name in _RULES if is_applied(node, name)), None)
    if name is None or any(pairs.get(arg, ()) is None for arg in node.args):
        return None
    return _RULES[name](*(pairs.get(arg) or arg for arg in node.args))


def _sum(combine: Callable[[Node, Node], Node]) -> Callable[..., Pair | None]:
    def rule(x: Pair | Node, y: Pair | Node) -> Pair:
        (a, b), (c, d) = (one if isinstance(one, tuple) else (ZERO, one) for one in (x, y))
        return combine(a, c), combine(b, d)

    return rule


def _product(x: Pair | Node, y: Pair | Node) -> Pair | None:
    if isinstance(x, tuple) and isinstance(y, tuple):
        return None
    (a, b), factor = (x, y) if isinstance(x, tuple) else (y, x)  # type: ignore[misc]
    return times(a, factor), times(b, factor)  # type: ignore[arg-type]


def _quotient(x: Pair | Node, y: Pair | Node) -> Pair | None:
    if isinstance(y, tuple) or not isinstance(x, tuple):
        return None
    return _ratio(x[0], y), _ratio(x[1], y)


def _ratio(x: Node, y: Node) -> Node:
    if isinstance(x, Literal) and (x.value == 0 or (isinstance(y, Literal) and y.value)):
        return ZERO if x.value == 0 else literal(x.value / y.value)  # type: ignore[attr-defined]
    return divided(x, y)


_RULES: dict[str, Callable[..., Pair | None]] = {
    "add": _sum(plus), "subtract": _sum(minus), "multiply": _product, "divide": _quotient,
    "negative": lambda x: (negated(x[0]), negated(x[1])),
}
