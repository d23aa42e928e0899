"""The forward algorithm as a recurrence: the log probability of what was seen along a chain of hidden states."""

from __future__ import annotations

from typing import Any

from scistan.graph.node import Node
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.ops.scan import scan

__all__ = ["log_forward"]

logsumexp = FUNCTIONS["logsumexp"]


def log_forward(start: Node, step: Node, seen: Node) -> Node:
    """Sum over all paths: `start` (K), `step` (K, K) or (T, K, K) from row to column, `seen` (T, K), all logarithms.

    The state that is carried is the log probability of what was seen before a time and the state then, so that every
    step is alike and a chain may have length 1; where steps differ, the last one leads beyond the end and is not used.
    """
    over: tuple[Any, ...] = (Expression(seen),)
    if len(step.shape) == 3:
        over = (*over, Expression(step))

    def forward(before: Any, emitted: Any, *steps: Any) -> tuple[Any, Any]:
        joint = before + emitted
        moved = steps[0] if steps else Expression(step)
        return logsumexp(joint[:, None] + moved, 0), joint

    joint = scan(forward, init=Expression(start), over=over)
    total: Node = logsumexp(joint[-1])._scistan_node_
    return total
