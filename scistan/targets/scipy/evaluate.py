"""Log densities with NumPy, over one point or many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.distributions.density import pointwise
from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.targets.evaluate import Evaluator

__all__ = ["NUMPY", "joint_log_density", "pointwise_log_densities"]


@dataclass(slots=True)
class _NumPy:
    column: str = "numpy"
    module: Any = np

    def constant(self, number: float | np.ndarray) -> np.ndarray:
        return np.asarray(number)


NUMPY = _NumPy()


def joint_log_density(instance: Instance, latents: Mapping[Node, np.ndarray]) -> float:
    """Give the joint log density at one point; `-inf` outside the support."""
    evaluator = Evaluator(instance, NUMPY)
    for leaf, array in latents.items():
        evaluator.set(leaf, array, batched=False)
    with np.errstate(all="ignore"):
        return float(sum(_term_density(term, evaluator) for term in instance.graph.terms))


def _term_density(term: Term, evaluator: Evaluator) -> float:
    value = evaluator[term.value].array
    if _outside(term, value, evaluator):
        return -np.inf
    return float(np.sum(evaluator[pointwise(term)].array))


def _outside(term: Term, value: np.ndarray, evaluator: Evaluator) -> bool:
    domain = value_domain(term.draw)
    if domain.violations(value).any():
        return True
    below = isinstance(domain.lower, Node) and (value < evaluator[domain.lower].array).any()
    above = isinstance(domain.upper, Node) and (value > evaluator[domain.upper].array).any()
    return bool(below or above)


def pointwise_log_densities(
    instance: Instance, latents: Mapping[Node, np.ndarray], terms: list[Term]
) -> dict[str, np.ndarray]:
    """Give the log density of each event of `terms` at many points (first axis: draws)."""
    evaluator = Evaluator(instance, NUMPY)
    draws = 0
    for leaf, array in latents.items():
        draws = len(array)
        evaluator.set(leaf, array, batched=True)
    result: dict[str, np.ndarray] = {}
    with np.errstate(all="ignore"):
        for term in terms:
            value = evaluator[pointwise(term)]
            array = value.array if value.batched else np.broadcast_to(value.array, (draws, *np.shape(value.array)))
            result[term.name] = array
    return result
