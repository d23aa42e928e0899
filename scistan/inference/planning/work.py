"""The counted work of one log density: how many numbers are touched by what moves with the latents."""

from __future__ import annotations

from math import prod

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node, Variable

__all__ = ["counted_work"]

# Ops on matrices of n rows that take about n³ / 3 multiplications each.
_CUBIC = frozenset({"cholesky", "inverse", "solve", "solve_lower", "log_determinant", "quadratic_form"})


def counted_work(instance: Instance) -> float:
    """Count the numbers that one evaluation touches; a gradient touches them a fixed number of times more."""
    graph = instance.graph
    moving: set[Node] = set()
    total = 0.0
    for node in graph.nodes:
        if isinstance(node, Variable) or any(arg in moving for arg in node.args):
            moving.add(node)
            if isinstance(node, Apply):
                total += _of_op(node, instance)
    return total + sum(_of_term(term, instance, moving) for term in graph.terms)


def _numbers(node: Node, instance: Instance) -> int:
    return prod(instance.shape(node.shape))


def _of_op(node: Apply, instance: Instance) -> float:
    own = _numbers(node, instance)
    if node.op.name == "matmul":
        inner = instance.length(node.args[0].shape[-1]) if node.args[0].shape else 1
        return float(own * inner)
    if node.op.name in _CUBIC:
        first = node.args[0]
        return _numbers(first, instance) * instance.length(first.shape[-1]) / 3 + own
    return float(max(own, *(_numbers(arg, instance) for arg in node.args), 1))


def _of_term(term: Term, instance: Instance, moving: set[Node]) -> float:
    own = prod(instance.shape(term.law.shape)) * (1 + len(term.law.args))
    # A moving matrix of a multivariate distribution is factored, one that stands still was factored before.
    matrices = [a for a in term.law.args if len(a.shape) > 1 and term.law.distribution.event_rank]
    cubes = [_numbers(a, instance) * instance.length(a.shape[-1]) / 3 for a in matrices if a in moving]
    return own + sum(cubes)
