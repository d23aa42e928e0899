"""Log densities with NumPy, over one point or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from scistan.distributions.density import pointwise
from scistan.distributions.rule import pieces_of
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.walk import topological
from scistan.targets.evaluate import Evaluator
from scistan.targets.joint import Support
from scistan.targets.values import NUMPY, Value

__all__ = ["NUMPY", "JointDensity", "joint_log_density", "pointwise_log_densities"]


def joint_log_density(instance: Instance, latents: Mapping[Node, np.ndarray]) -> float:
    """Give the joint log density at one point; `-inf` outside the support."""
    return JointDensity(instance).at(latents)[0]


class JointDensity:
    """The joint log density of an instance, to be asked at several points.

    What does not depend on the latents is computed, and looked at, once.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._events = {term: pointwise(term) for term in instance.graph.terms}
        self._supports = [Support.of(piece) for term in self._events for piece in pieces_of(term)]
        pieces = [support.term for support in self._supports]
        inputs = [node for term in (*self._events, *pieces) for node in (*term.law.inputs, term.value)]
        order = topological([*inputs, *self._events.values()])
        moving: set[Node] = {term.value for term in instance.graph.latents}
        for node in order:
            if any(arg in moving for arg in node.args):
                moving.add(node)
        read = {arg for node in order if node in moving for arg in node.args} | {*inputs, *self._events.values()}
        self._still = [node for node in order if node in read and node not in moving]
        self._inside: set[Term] = set()  # terms that had a density somewhere: what stands still allows it

    @cached_property
    def _fixed(self) -> dict[Node, Value]:
        evaluator = Evaluator(self._instance, NUMPY)
        evaluator.compute(self._still)
        return {node: evaluator[node] for node in self._still}

    def at(self, latents: Mapping[Node, np.ndarray]) -> tuple[float, float]:
        """Give it at a point, `-inf` outside the support, and the sum of its events' absolute values."""
        value, size = self._total(latents, batched=False)
        return float(value), float(size)

    def at_each(self, points: Sequence[Mapping[Node, np.ndarray]]) -> list[tuple[float, float]]:
        """Give both at many points, all at once: a model of hundreds of terms takes one walk."""
        if len(points) < 2 or not points[0]:
            return [self.at(point) for point in points]
        rows = {leaf: np.array([point[leaf] for point in points]) for leaf in points[0]}
        try:
            found = np.broadcast_arrays(*self._total(rows, batched=True), np.empty(len(points)))
        except np.linalg.LinAlgError:  # of one of them: each by itself tells which
            return [self.at(point) for point in points]
        return [(float(value), float(size)) for value, size, _ in zip(*found, strict=True)]

    def _total(self, latents: Mapping[Node, np.ndarray], *, batched: bool) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(all="ignore"):
            try:
                evaluator = Evaluator(self._instance, NUMPY, self._fixed)
                for leaf, array in latents.items():
                    evaluator.set(leaf, array, batched=batched)
                return self._added(evaluator)
            except np.linalg.LinAlgError:  # a matrix without a factor is not positive definite
                if batched:
                    raise
                return np.array(-np.inf), np.zeros(())

    def _added(self, evaluator: Evaluator) -> tuple[np.ndarray, np.ndarray]:
        outside = np.zeros((), dtype=bool)
        for support in self._supports:
            seen = support.term in self._inside
            here = support.outside(evaluator.__getitem__, known=self._fixed if seen else ())
            if not seen and not here.all():
                self._inside.add(support.term)
            outside = outside | here
        if outside.all():
            return np.where(outside, -np.inf, 0.0), np.zeros(outside.shape)
        total, size = np.zeros(()), np.zeros(())
        for term, node in self._events.items():
            events = evaluator[node]
            density = _summed(np.asarray(events.array), events.batched)
            size = size + _summed(np.abs(events.array), events.batched)
            nan = np.isnan(density)
            if nan.any():  # infinite arguments, ∞ - ∞ in a formula, are no density; any other NaN is told
                inputs = [evaluator[node] for piece in pieces_of(term) for node in piece.law.inputs]
                infinite = sum((_summed(~np.isfinite(v.array), v.batched) for v in inputs), np.zeros(()))
                density = np.where(nan & (infinite > 0), -np.inf, density)
            outside = outside | (density == -np.inf)
            total = total + density
        return np.where(outside, -np.inf, total), size


def _summed(array: np.ndarray, batched: bool) -> np.ndarray:
    return np.asarray(array.reshape(len(array), -1).sum(1) if batched else array.sum())


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
