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
    return bool(below or above or _bad_arguments(term, evaluator))


def _bad_arguments(term: Term, evaluator: Evaluator) -> bool:
    """Tell whether an argument that depends on latents lies outside its domain: formulas have values even there."""
    for parameter, node in zip(term.draw.distribution.parameters, term.draw.args, strict=True):
        array, domain = evaluator[node].array, parameter.domain
        if domain.event_rank:
            continue
        for bound, beyond in ((domain.lower, np.less), (domain.upper, np.greater)):
            if isinstance(bound, int | float) and beyond(array, bound).any():
                return True
    return False


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
