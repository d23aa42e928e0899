"""Recurrences that add to their state what is free of it: `state + x` in each step is `init + cumsum(x)`."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.graph.body import Body, body
from scistan.graph.node import Apply, Node, literal
from scistan.graph.walk import topological
from scistan.ops.along_steps import along_steps
from scistan.ops.expression import Expression
from scistan.ops.linear_steps import linear_pair
from scistan.ops.reductions import CUMSUM
from scistan.ops.scan import SCAN
from scistan.ops.shaping import broadcast_to
from scistan.shapes import Size, values_of

__all__ = ["running_sum"]


def running_sum(
    inner: Body, start: Node, elements: Sequence[Node], still: Sequence[Node], length: Size
) -> Expression | None:
    """Give the states of all steps of a recurrence with one state; None where it is no running sum."""
    pair = linear_pair(inner) if len(inner.results) == 1 else None
    if pair is None or pair[0] is not literal(1.0) or values_of(pair[1].shape) != values_of(start.shape):
        return None
    (added,), (has_axis,) = along_steps(body(inner.parameters[1:], pair[1:]), (), elements, still, length)
    if any(isinstance(node, Apply) and node.op is SCAN for node in topological([added])):
        return None
    each = Expression(added) if has_axis else broadcast_to(Expression(added), (length, *start.shape))
    return Expression(start) + Expression(CUMSUM.build((each._scistan_node_,), {"axis": -len(each.shape)}))
