"""What passes and targets ask of axes: how they run through a node, which arguments carry one, what is combined."""

from __future__ import annotations

from scistan.graph.node import Apply
from scistan.ops.axes import Flow, elementwise, unknown
from scistan.ops.declaration import Op
from scistan.shapes import ONE, Size

__all__ = ["axis_flow", "carriers", "lengths_combined"]


def axis_flow(node: Apply) -> Flow:
    """Tell how axes run through one op; of an op that declares nothing nothing is known."""
    op = node.op
    if not isinstance(op, Op):
        return unknown(node)
    if op.elementwise:
        return elementwise(node)
    return (op.axes or unknown)(node, dict(node.attributes))


def carriers(node: Apply) -> tuple[int, ...] | None:
    """Give the arguments whose first axis is the first axis of `node`, position by position.

    Some positions of these, and the whole of every other argument, give the same positions of the result. None where
    a position needs others too, or where the op itself holds lengths.
    """
    if not node.shape or any(_holds_lengths(value) for _, value in node.attributes):
        return None
    flow = axis_flow(node)
    sources = [(k, axis) for k, axis in flow.along[0] if node.args[k].shape[axis] != ONE]
    elsewhere = {*flow.over, *(s for group in (*flow.inside, *flow.along[1:]) for s in group)}
    if not sources or any(axis or (k, axis) in elsewhere for k, axis in sources):
        return None
    return tuple(k for k, _ in sources)


def _holds_lengths(value: object) -> bool:
    return isinstance(value, Size) or (isinstance(value, tuple) and any(_holds_lengths(one) for one in value))


def lengths_combined(node: Apply) -> list[Size]:
    """List the lengths of what an op combines, or singles one out of: sums, running sums, inner products."""
    flow = axis_flow(node)
    return [node.args[k].shape[axis] for k, axis in (*flow.over, *(s for group in flow.inside for s in group))]
