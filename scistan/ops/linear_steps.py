"""Recurrences that are linear in their state, `state -> a * state + b`: what `a` and `b` are, for all steps at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from scistan.graph.body import Body, body, close, free_bound
from scistan.graph.node import Apply, Literal, Node, is_applied, literal
from scistan.graph.walk import topological
from scistan.ops.along_steps import along_steps
from scistan.ops.derivative import divided, minus, negated, plus, times
from scistan.ops.scan import SCAN, parts_of

__all__ = ["linear_steps"]

Pair = tuple[Node, Node]  # of a value that is linear in the state: its slope, and what is added
ZERO, ONE = literal(0.0), literal(1.0)


@lru_cache(maxsize=256)
def linear_steps(node: Apply) -> tuple[Body, tuple[bool, bool]] | None:
    """Give a body that computes slopes and what is added, and whether each has an axis of steps; None if there is none.

    Its parameters are the whole arrays that the recurrence runs over, then what stands still. Only a single number is
    looked for as the state, and as all that is recorded.
    """
    parts = parts_of(node)
    inner, first = parts.body, len(parts.elements) + 1
    if len(parts.states) != 1 or len(inner.results) != 1 or inner.parameters[0].shape or inner.results[0].shape:
        return None
    pair = _pair(inner)
    if pair is None:
        return None
    moving = [free_bound(arg.shape, arg.integer) for arg in parts.elements]
    still = [free_bound(p.shape, p.integer) for p in inner.parameters[first:]]
    found, has_axis = along_steps(body(inner.parameters[1:], pair), (), moving, still, parts.length)
    if any(isinstance(one, Apply) and one.op is SCAN for one in topological(found)):
        return None
    made, outside = close((*moving, *still), tuple(found))
    return None if outside else (made, (has_axis[0], has_axis[1]))


def _pair(inner: Body) -> Pair | None:
    """Read what a body makes of its state; None where that is not linear."""
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
