"""What is positive and what is a probability, for certain: by the latents' domains and the ops above them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Data, Literal, Node
from scistan.graph.walk import topological

__all__ = ["Signs"]

# What is so whatever the arguments are.
_UNIT = frozenset({"inv_logit", "Phi", "softmax"})
_POSITIVE = _UNIT | {"exp", "exp2", "softplus", "abs", "square", "sqrt", "cosh", "erfc"}
# Values stay what they are: all of them, or the first argument's.
_MOVING = frozenset({"reshape", "transpose", "stack", "concatenate", "broadcast_to", "diagonal"})
_PICKING = frozenset({"index", "pick"})
_KEEP_UNIT = frozenset({"multiply", "prod", "mean", "sqrt", "square", "max", "min", "maximum", "minimum"})
_KEEP_POSITIVE = _KEEP_UNIT | {"add", "divide", "sum", "cumsum"}


class Signs:
    """Tells positive values and probabilities of a graph.

    Data may change, so nothing is known of them but what `data` says: arrays that will stay as they are.
    """

    def __init__(self, graph: Graph, data: Mapping[Data, np.ndarray] | None = None) -> None:
        domains = {term.value: value_domain(term.law) for term in graph.latents}
        lows = {v: d.lower for v, d in domains.items() if isinstance(d.lower, int | float) and d.lower >= 0}
        highs = {v for v, d in domains.items() if isinstance(d.upper, int | float) and d.upper <= 1}
        simplexes = {v for v, d in domains.items() if d.structure == "simplex"}
        ordered = {v for v, d in domains.items() if d.structure == "positive_ordered"}
        self._positive: dict[Node, bool] = dict.fromkeys({*lows, *simplexes, *ordered}, True)
        self._unit: dict[Node, bool] = dict.fromkeys({*(set(lows) & highs), *simplexes}, True)
        for leaf, array in (data or {}).items():
            self._positive[leaf] = bool((array >= 0).all())
            self._unit[leaf] = self._positive[leaf] and bool((array <= 1).all())

    def is_positive(self, node: Node) -> bool:
        """Tell whether every element is above 0 for certain, or at 0 at the least."""
        return self._find(node, self._positive, self._positive_one)

    def is_unit(self, node: Node) -> bool:
        """Tell whether every element is a probability for certain."""
        return self._find(node, self._unit, self._unit_one)

    @staticmethod
    def _find(node: Node, known: dict[Node, bool], rule: Callable[[Node], bool]) -> bool:
        if node not in known:
            for n in topological([node]):
                if n not in known:
                    known[n] = rule(n)
        return known[node]

    def _positive_one(self, node: Node) -> bool:
        if isinstance(node, Literal):
            return node.value >= 0
        if not isinstance(node, Apply):
            return False
        op, args = node.op.name, [self._positive[arg] for arg in node.args]
        if op in _POSITIVE or (op == "subtract" and self.is_unit(node)):
            return True
        if op == "power":
            return args[0]
        if op == "where":
            return all(args[1:])
        return args[0] if op in _PICKING else op in _KEEP_POSITIVE | _MOVING and all(args)

    def _unit_one(self, node: Node) -> bool:
        if isinstance(node, Literal):
            return 0 <= node.value <= 1
        if not isinstance(node, Apply):
            return False
        op, args = node.op.name, [self._unit[arg] for arg in node.args]
        if op in _UNIT:
            return True
        if op == "subtract":  # 1 - p
            return isinstance(node.args[0], Literal) and node.args[0].value == 1 and args[1]
        if op == "where":
            return all(args[1:])
        return args[0] if op in _PICKING else op in _KEEP_UNIT | _MOVING and all(args)
