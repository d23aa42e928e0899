"""Recurrences that add to their state at every step, written as running sums: `state + b` -> `init + cumsum(b)`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scistan.graph.body import put_in
from scistan.graph.graph import Term
from scistan.graph.node import Apply, Node, literal
from scistan.graph.walk import rebuild
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.ops.linear_steps import linear_steps
from scistan.ops.scan import SCANNED, parts_of

__all__ = ["with_sums"]

broadcast_to, cumsum = FUNCTIONS["broadcast_to"], FUNCTIONS["cumsum"]


def with_sums(term: Term) -> Term:
    """Give a term whose law has running sums for recurrences, where these are."""
    memo = rebuild(term.law.inputs, _written)
    return replace(term, law=term.law.mapped(memo.__getitem__))


def _written(node: Node, args: tuple[Node, ...]) -> Node:
    if not isinstance(node, Apply):
        return node
    op: Any = node.op
    made: Node = node if args == node.args else op.build(args, dict(node.attributes))
    found = _sum(args[0]) if op is SCANNED else None  # type: ignore[arg-type]
    return made if found is None else found


def _sum(recurrence: Apply) -> Node | None:
    """Write the states of a recurrence of one number; None where it does more than add to it."""
    found = linear_steps(recurrence)
    if found is None:
        return None
    parts = parts_of(recurrence)
    slope, added = put_in(found[0], (*parts.elements, *parts.free))
    if slope is not literal(1.0):
        return None
    steps = Expression(added) if found[1][1] else broadcast_to(Expression(added), (parts.length,))
    turn = slice(None, None, -1) if parts.reverse else slice(None)
    total = Expression(parts.states[0]) + cumsum(steps[turn])[turn]
    node: Node = total._scistan_node_
    return node
