"""The model that is sampled and maximized: without its discrete latents, which are summed out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.passes.states import sum_states
from scistan.profiling import staged
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import NUMPY, Value

__all__ = ["as_written", "conditional_terms", "numbers_of", "summed"]


def summed(instance: Instance, keep: Collection[str] = ()) -> Instance:
    """Sum the discrete latents out of a model, but for those to `keep`; a model without any stays itself."""
    if not any(term.law.distribution.discrete for term in instance.graph.latents):
        return instance
    return _summed(instance, keep)


@staged("summing states")
def _summed(instance: Instance, keep: Collection[str]) -> Instance:
    return sum_states(instance, numbers_of(instance), keep)


def numbers_of(instance: Instance) -> Callable[..., np.ndarray]:
    """Give what evaluates nodes on the data: those without latents, or with the values of nodes below them."""
    known = Evaluator(instance, NUMPY)

    def numbers(node: Node, at: Mapping[Node, np.ndarray] = MappingProxyType({})) -> np.ndarray:
        evaluator = Evaluator(instance, NUMPY, {leaf: Value(array) for leaf, array in at.items()}) if at else known
        with np.errstate(all="ignore"):
            return np.asarray(evaluator[node].array)

    return numbers


def conditional_terms(instance: Instance) -> dict[str, tuple[str, ...]]:
    """Name the observed variables whose sums span several observations, and the latents that they depend on.

    Their log densities are those given the draws of these latents; of all others they are marginal ones.
    """
    observed = {term.name for term in as_written(instance).graph.observed}
    return {
        name: group.names
        for group in instance.summed
        if not group.pointwise and not group.ahead
        for name in group.children
        if name in observed
    }


def as_written(instance: Instance) -> Instance:
    """Give the model with all its latents."""
    return instance if instance.whole is None else instance.whole
