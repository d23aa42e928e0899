"""Recurrences of one number whose steps can be computed all at once: running products and extremes, linear steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce

from scistan.graph.body import Body, Bound, body, close, free_bound
from scistan.graph.node import Apply, Node, is_applied
from scistan.graph.walk import leaves, topological
from scistan.ops.along_steps import along_steps
from scistan.ops.declaration import REGISTRY
from scistan.ops.linear_steps import ZERO, linear_pair
from scistan.ops.scan import SCAN, Parts, parts_of

__all__ = ["EXTREMES", "AtOnce", "at_once"]

EXTREMES = ("maximum", "minimum")


@dataclass(frozen=True, slots=True)
class AtOnce:
    """How all steps are computed: by `kind`, from what `body` gives of the whole arrays that the recurrence runs over.

    The parameters of the body are those arrays, then what stands still; `has_axis` tells which of its results differ
    from step to step. They are the slope and what is added of "linear" steps, `state -> a * state + b`; what a
    "product" is multiplied by; and what the "maximum" or "minimum" is taken of.
    """

    kind: str
    body: Body
    has_axis: tuple[bool, ...]


@lru_cache(maxsize=256)
def at_once(node: Apply) -> AtOnce | None:
    """Tell how all steps of a recurrence are computed at once; None where they are not."""
    parts = parts_of(node)
    inner = parts.body
    if len(parts.states) != 1 or len(inner.results) != 1 or inner.parameters[0].shape or inner.results[0].shape:
        return None
    for kind in EXTREMES:
        rest = _rest(inner, kind)
        if rest is not None:
            return _of_all_steps(parts, kind, (rest,))
    pair = linear_pair(inner)
    if pair is None:
        return None
    return _of_all_steps(parts, "product", pair[:1]) if pair[1] is ZERO else _of_all_steps(parts, "linear", pair)


def _rest(inner: Body, op: str) -> Node | None:
    """Recognize `maximum(state, x)`, nested as it may be, and give `x`, which is free of the state."""
    state, waiting, found = inner.parameters[0], [inner.results[0]], []
    while waiting:
        node = waiting.pop()
        if is_applied(node, op) and _holds(node, state):
            waiting += node.args
        else:
            found.append(node)
    others = [node for node in found if node is not state]
    if len(others) == len(found) or not others or any(_holds(node, state) for node in others):
        return None
    return reduce(lambda x, y: REGISTRY[op].build((x, y)), others)


def _holds(node: Node, state: Bound) -> bool:
    return any(leaf is state for leaf in leaves([node]))


def _of_all_steps(parts: Parts, kind: str, values: tuple[Node, ...]) -> AtOnce | None:
    inner, first = parts.body, len(parts.elements) + 1
    moving = [free_bound(arg.shape, arg.integer) for arg in parts.elements]
    still = [free_bound(p.shape, p.integer) for p in inner.parameters[first:]]
    found, has_axis = along_steps(body(inner.parameters[1:], values), (), moving, still, parts.length)
    if any(isinstance(one, Apply) and one.op is SCAN for one in topological(found)):
        return None
    made, outside = close((*moving, *still), tuple(found))
    return None if outside else AtOnce(kind, made, tuple(has_axis))
