"""Log densities with NumPy, over one point or many."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scistan.distributions.density import pointwise
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.targets.evaluate import NUMPY, Evaluator
from scistan.targets.joint import joint

__all__ = ["NUMPY", "JointDensity", "joint_log_density", "pointwise_log_densities"]


def joint_log_density(instance: Instance, latents: Mapping[Node, np.ndarray]) -> float:
    """Give the joint log density at one point; `-inf` outside the support."""
    return JointDensity(instance).at(latents)[0]


class JointDensity:
    """The joint log density of an instance, to be asked at several points."""

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._events = {term: pointwise(term) for term in instance.graph.terms}

    def at(self, latents: Mapping[Node, np.ndarray]) -> tuple[float, float]:
        """Give it at a point, `-inf` outside the support, and the sum of its events' absolute values."""
        evaluator = Evaluator(self._instance, NUMPY)
        for leaf, array in latents.items():
            evaluator.set(leaf, array, batched=False)
        size = 0.0

        def numbers(node: Node) -> np.ndarray:
            return np.asarray(evaluator[node].array)

        def density_of(term: Term) -> float:
            nonlocal size
            events = numbers(self._events[term])
            size += float(np.sum(np.abs(events)))
            return float(np.sum(events))

        with np.errstate(all="ignore"):
            try:
                return joint(self._events, numbers, density_of), size
            except np.linalg.LinAlgError:  # a matrix without a factor is not positive definite
                return -np.inf, size


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
