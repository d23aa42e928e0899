"""What a value is in one of a latent's states: the axis of states taken out again, where it was put together."""

from __future__ import annotations

from typing import Any

from scistan.graph.node import Apply, Node, is_applied
from scistan.ops.declaration import Op
from scistan.ops.items import FULL
from scistan.passes.states.raised import indexed, repeated
from scistan.shapes import ONE

__all__ = ["in_state"]

NEW = ("new",)


def in_state(node: Node, axis: int, state: int) -> Node:
    """Give a value at one position of an axis; axes in front along which it is alike may be missing."""
    if not isinstance(node, Apply) or not isinstance(node.op, Op):
        return _taken(node, axis, state)
    attributes: dict[str, Any] = dict(node.attributes)
    rank = len(node.shape)
    if is_applied(node, "stack") and attributes["axis"] + rank == axis:
        return node.args[state]
    if node.op.elementwise:
        return node.op.build(tuple(_of_argument(arg, axis - (rank - len(arg.shape)), state) for arg in node.args))
    if is_applied(node, "index") and all(item in (FULL, NEW) for item in attributes["items"]):
        return _through_axes(node, attributes["items"], axis, state)
    if is_applied(node, "sum") and all(gone + len(node.args[0].shape) > axis for gone in attributes["axes"]):
        inner = node.args[0]
        part = repeated(in_state(inner, axis, state), (*inner.shape[:axis], *inner.shape[axis + 1 :]))
        return node.op.build((part,), attributes)
    return _taken(node, axis, state)


def _of_argument(arg: Node, axis: int, state: int) -> Node:
    if axis < 0:
        return arg
    return in_state(arg, axis, 0 if arg.shape[axis] == ONE else state)


def _through_axes(node: Apply, items: tuple[Any, ...], axis: int, state: int) -> Node:
    (inner,) = node.args
    left = [*items[:axis], *items[axis + 1 :]]
    if items[axis] != NEW:
        inner = in_state(inner, sum(item == FULL for item in items[:axis]), state)
    missing = sum(item == FULL for item in left) - len(inner.shape)
    found = []
    for item in left:
        found.append(NEW if item == FULL and missing > 0 else item)
        missing -= item == FULL
    while found and found[0] == NEW:  # broadcasting puts it back
        found.pop(0)
    return indexed(inner, found)


def _taken(node: Node, axis: int, state: int) -> Node:
    rank = len(node.shape)
    return indexed(node, [("int", state) if k == axis else FULL for k in range(rank)])
