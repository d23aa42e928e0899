"""Log densities that are above -∞ for certain: no logarithm is of a value that may be 0.

A latent is never at an open end of its domain, as a `Beta` is never 0; at a closed one it may be, as a `Uniform` may.
Numbers are meant as the machine has them: `exp(x)` is 0 below -745, and `1 - x` is 1 where `x` is 1e-17.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.domains import Domain
from scistan.graph.body import Bound
from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Literal, Node, Variable, is_applied
from scistan.graph.walk import leaves, topological
from scistan.ops.declaration import Op
from scistan.passes.states.hidden import Numbers

__all__ = ["Finite"]

_PLAIN = frozenset({"add", "subtract", "multiply", "negative", "square"})
_STAY_ABOVE = frozenset({"add", "multiply", "divide", "sqrt", "maximum", "minimum", "max", "min"})
_STAY_BELOW = frozenset({"maximum", "minimum", "max", "min"})
_COMPUTED = frozenset({"sum", "mean", "cumsum", "scatter", "lower_triangle", "diagonal_matrix"})  # of those that carry


class Finite:
    """Tells which log densities of a graph cannot be -∞; `numbers` gives what data alone say."""

    def __init__(self, graph: Graph, numbers: Numbers) -> None:
        domains = {term.value: value_domain(term.law) for term in graph.latents}
        self._numbers = numbers
        self._above: dict[Node, bool] = {v: _starts_above(d) for v, d in domains.items()}
        self._below: dict[Node, bool] = {v: _ends_below(d) for v, d in domains.items()}
        self._finite: dict[Node, bool] = {}

    def __call__(self, node: Node) -> bool:
        """Tell whether a log density is above -∞ for certain."""
        return _find(node, self._finite, self._finite_one)

    def _finite_one(self, node: Node) -> bool:
        if _is_known(node):
            return bool(np.isfinite(self._numbers(node)).all())
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return isinstance(node, Variable)
        op = node.op.name
        if op in ("log", "lgamma"):
            return self._is_above(node.args[0])
        if op == "log1m":
            return self._is_below(node.args[0])
        if op in ("multiply_log", "divide"):
            return self._is_above(node.args[1]) and self._finite[node.args[0]]
        return (op in _PLAIN or node.op.carries) and all(self._finite[arg] for arg in node.args)

    def _is_above(self, node: Node) -> bool:
        return _find(node, self._above, self._above_one)

    def _is_below(self, node: Node) -> bool:
        return _find(node, self._below, self._below_one)

    def _above_one(self, node: Node) -> bool:
        if _is_known(node):
            return bool((self._numbers(node) > 0).all())
        return self._is_below(node.args[1]) if _is_rest(node) else _stays(node, self._above, _STAY_ABOVE)

    def _below_one(self, node: Node) -> bool:
        return bool((self._numbers(node) < 1).all()) if _is_known(node) else _stays(node, self._below, _STAY_BELOW)


def _is_known(node: Node) -> bool:
    return not any(isinstance(leaf, Variable | Bound) for leaf in leaves([node]))


def _find(node: Node, known: dict[Node, bool], rule: Callable[[Node], bool]) -> bool:
    for n in topological([node]) if node not in known else ():
        if n not in known:
            known[n] = rule(n)
    return known[node]


def _starts_above(domain: Domain) -> bool:
    low = domain.lower
    return isinstance(low, int | float) and (low > 0 or (low == 0 and domain.lower_open)) and not domain.structure


def _ends_below(domain: Domain) -> bool:
    high = domain.upper
    return isinstance(high, int | float) and (high < 1 or (high == 1 and domain.upper_open)) and not domain.structure


def _is_rest(node: Node) -> bool:
    """Recognize 1 - p."""
    first = node.args[0] if is_applied(node, "subtract") else None
    return isinstance(first, Literal) and first.value == 1


def _stays(node: Node, known: Mapping[Node, bool], staying: frozenset[str]) -> bool:
    """Tell whether a value lies where its arguments do: it moves, repeats or picks them, or is one of few ops."""
    if not isinstance(node, Apply) or not isinstance(node.op, Op):
        return False
    name = node.op.name
    of = node.args[:1] if name in ("index", "pick") else node.args
    return (name in staying or (node.op.carries and name not in _COMPUTED)) and all(known[arg] for arg in of)
