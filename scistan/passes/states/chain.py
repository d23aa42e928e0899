"""The forward algorithm as a recurrence: the log probability of what was seen along a chain of hidden states."""

from __future__ import annotations

from typing import Any

from scistan.graph.node import Node
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.ops.recurrence import scan

__all__ = ["log_forward"]

logsumexp = FUNCTIONS["logsumexp"]


def log_forward(start: Node, step: Node, seen: Node) -> Node:
    """Sum over all paths: `start` (K), `step` (K, K) or (T - 1, K, K) from row to column, `seen` (T, K).

    All are logarithms. The state that is carried is the log probability of all that was seen and of the state then.
    """
    emitted, moves = Expression(seen), Expression(step)

    def forward(before: Any, now: Any, *own: Any) -> Any:
        return logsumexp(before[:, None] + (own[0] if own else moves), 0) + now

    over = (emitted[1:], moves) if len(step.shape) == 3 else emitted[1:]
    first: Any = Expression(start) + emitted[0]
    joint = scan(forward, init=first, over=over)
    total: Node = logsumexp(joint[-1])._scistan_node_
    return total
