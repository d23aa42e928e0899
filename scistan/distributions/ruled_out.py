"""Sums of densities of which data rule some out: a count above 0 is no extra zero, whatever the latents are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from scistan.graph.body import Bound
from scistan.graph.node import Data, Literal, Node, Variable, is_applied
from scistan.graph.walk import leaves, topological
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["log_total"]

logaddexp, logical_and, logsumexp, softplus, stack, where = (
    FUNCTIONS[name] for name in ("logaddexp", "logical_and", "logsumexp", "softplus", "stack", "where")
)


def log_total(parts: Sequence[Node], is_finite: Callable[[Node], bool] = lambda _: False) -> Node:
    """Give `log(sum(exp(part)))`; a part that data can rule out is added only where they do not.

    Exact, as `log(exp(-∞) + exp(x))` is `x`, and rows that can come from one part alone cost no logarithm. `is_finite`
    tells log densities that are above -∞ for certain, whatever the latents are.
    """
    tests = [_possible(part) for part in parts]
    kept = [part for part, test in zip(parts, tests, strict=True) if test is None]
    if not kept:
        kept, tests = [parts[-1]], [*tests[:-1], None]
    total = _added(kept)
    for part, test in zip(parts, tests, strict=True):
        if test is not None:
            total = _with(total, Expression(part), test, finite=is_finite(total._scistan_node_))
    return total._scistan_node_


def _with(total: Expression, part: Expression, test: Expression, *, finite: bool) -> Expression:
    """Add a part where it is possible.

    What it adds to a total is the cheaper form in Stan, and has no value (-∞ less -∞) where the total itself is -∞, as
    that of a probability of exactly 0 is: it is taken only where the total is never that.
    """
    if finite:
        return total + where(test, softplus(part - total), 0)
    return where(test, logaddexp(part, total), total)


def _added(parts: Sequence[Node]) -> Expression:
    first, *rest = map(Expression, parts)
    if not rest:
        return first
    if len(rest) == 1:
        return logaddexp(first, rest[0])
    shape = max((part.shape for part in (first, *rest)), key=len)
    return logsumexp(stack([FUNCTIONS["broadcast_to"](part, shape) for part in (first, *rest)]), 0)


def _possible(node: Node) -> Expression | None:
    """Tell where data leave a log density above -∞; None where they have no say in it."""
    tests: list[Expression] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if _is_data(one):
            tests += [Expression(one) > -inf] if _may_be_infinite(one) else []
        elif is_applied(one, "add"):
            waiting += one.args
        elif is_applied(one, "subtract") or is_applied(one, "broadcast_to"):
            waiting.append(one.args[0])
        elif is_applied(one, "where") and _is_data(one.args[0]) and _is_impossible(one.args[2]):
            tests.append(Expression(one.args[0]))
            waiting.append(one.args[1])
    if not tests:
        return None
    found = tests[0]
    for test in tests[1:]:
        found = logical_and(found, test)
    return found


def _is_data(node: Node) -> bool:
    found = list(leaves([node]))
    return any(isinstance(leaf, Data) for leaf in found) and not any(isinstance(n, Variable | Bound) for n in found)


def _is_impossible(node: Node) -> bool:
    return isinstance(node, Literal) and node.value == -inf


def _may_be_infinite(node: Node) -> bool:
    """Tell whether a value chooses -∞ somewhere: itself, or the logarithm of a 0 that it chooses."""
    for one in topological([node]):
        if _is_impossible(one):
            return True
        for name, nothing in (("log", 0), ("log1m", 1)):
            if is_applied(one, name) and any(_is(n, nothing) for n in (one.args[0], *one.args[0].args[1:])):
                return True
    return False


def _is(node: Node, number: float) -> bool:
    return isinstance(node, Literal) and node.value == number
