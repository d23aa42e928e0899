"""A model's log density at many points at once, by NumPy: what samplers ask who need no gradient."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.walk import topological
from scistan.passes import run_passes
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import NUMPY, Value
from scistan.transforms.unconstrained import Unconstrained

__all__ = ["RowsDensity", "lower_to_rows"]

_CELLS = 1e6  # numbers of the widest array for the points that are asked together


def lower_to_rows(instance: Instance) -> RowsDensity:
    """Lower a model on its data, by way of the same passes as to Stan."""
    return RowsDensity(instance.on(run_passes(instance.graph).plain))


class RowsDensity:
    """The log density over rows of free coordinates, with the Jacobian of the constraints, all constants kept."""

    def __init__(self, instance: Instance) -> None:
        self._free = Unconstrained(instance)
        self.shapes = {term.name: instance.shape(term.law.shape) for term in instance.graph.latents}
        self._orders: dict[tuple[Node, ...], list[Node]] = {}  # in which nodes are computed that were asked for

    def on(self, instance: Instance) -> RowsDensity:
        """Give the density of the same model on other data."""
        return lower_to_rows(instance)

    @property
    def dimension(self) -> int:
        """How many free coordinates there are."""
        return self._free.dimension

    @property
    def names(self) -> list[str]:
        """The latents, in the order of their coordinates."""
        return list(self.shapes)

    def log_densities(self, q: np.ndarray) -> np.ndarray:
        """Give the log density of each row (S, D); -∞ where it has none."""
        (found,) = self._asked(q, (self._density,))
        return np.where(np.isnan(found), -np.inf, found)

    def latents(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Give the latents of each row."""
        found = zip(self.shapes.items(), self._asked(q, self._free.values.outputs), strict=True)
        return {name: value.reshape(len(q), *shape) for (name, shape), value in found}

    # -- one point at a time, for the certificate -------------------------------------------------
    def value_and_gradient(self, q: Any) -> tuple[float, np.ndarray]:
        """Give the log density; no gradient, for nobody moves along one here."""
        return float(self.log_densities(np.asarray(q, float)[None])[0]), np.full(self.dimension, np.nan)

    def log_jacobian(self, q: Any) -> float:
        """Give what of the log density is Jacobian."""
        row = np.asarray(q, float)[None]
        with_it, without = self._asked(row, (self._density, self._free.density(jacobian=False).outputs[0]))
        return float(with_it[0] - without[0])

    def constrain(self, q: Any) -> dict[str, np.ndarray]:
        """Give the latents at one point."""
        return {name: value[0] for name, value in self.latents(np.asarray(q, float)[None]).items()}

    def unconstrain(self, values: Mapping[str, Any]) -> np.ndarray:
        """Give the free coordinates of latents."""
        there = self._free.coordinates
        latents = zip(there.inputs, self.names, strict=True)
        given = {leaf: Value(np.asarray(values[name], float)) for leaf, name in latents}
        evaluator = Evaluator(self._free.instance, NUMPY, given)
        parts = [np.reshape(evaluator[node].array, -1) for node in there.outputs]
        return np.concatenate([np.zeros(0), *parts])

    # -- how it is computed -----------------------------------------------------------------------
    @cached_property
    def _density(self) -> Node:
        return self._free.density(jacobian=True).outputs[0]

    @cached_property
    def work(self) -> float:
        """The numbers that are computed for one point."""
        return float(sum(self._count(node) for node in self._moving([self._density])))

    @cached_property
    def _at_once(self) -> int:
        widest = max((self._count(node) for node in self._moving([self._density])), default=1)
        return max(1, int(_CELLS / widest))

    @cached_property
    def _still(self) -> dict[Node, Value]:
        """What does not depend on the coordinates, computed once."""
        nodes = [self._density, *self._free.values.outputs]
        moving = set(self._moving(nodes))
        evaluator = Evaluator(self._free.instance, NUMPY)
        still = [node for node in topological(nodes) if node not in moving]
        with np.errstate(all="ignore"):
            return {node: evaluator[node] for node in still}

    def _moving(self, roots: Iterable[Node]) -> list[Node]:
        found: dict[Node, None] = {self._free.q: None}
        for node in topological(list(roots)):
            if any(arg in found for arg in node.args):
                found[node] = None
        return list(found)

    def _count(self, node: Node) -> int:
        return math.prod(self._free.instance.shape(node.shape))

    def _asked(self, q: np.ndarray, nodes: tuple[Node, ...]) -> list[np.ndarray]:
        parts = [
            self._computed(np.ascontiguousarray(q[first : first + self._at_once]), nodes)
            for first in range(0, len(q), self._at_once)
        ]
        if not parts:
            return [np.zeros((0, *self._free.instance.shape(node.shape))) for node in nodes]
        return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]

    def _computed(self, rows: np.ndarray, nodes: tuple[Node, ...]) -> list[np.ndarray]:
        """Compute for some rows; those at which a matrix has no factor are told apart, and have NaN."""
        evaluator = Evaluator(self._free.instance, NUMPY, self._still)
        evaluator.set(self._free.q, rows, batched=True)
        if nodes not in self._orders:
            self._orders[nodes] = evaluator.pending(nodes)
        try:
            with np.errstate(all="ignore"):
                evaluator.compute_in_order(self._orders[nodes])
                values = [evaluator[node] for node in nodes]
        except np.linalg.LinAlgError:
            if len(rows) == 1:
                return [np.full((1, *self._free.instance.shape(node.shape)), np.nan) for node in nodes]
            halves = [self._computed(half, nodes) for half in np.array_split(rows, 2)]
            return [np.concatenate(arrays) for arrays in zip(*halves, strict=True)]
        arrays = [np.asarray(value.array, float) for value in values]
        return [
            array if value.batched else np.broadcast_to(array, (len(rows), *array.shape))
            for value, array in zip(values, arrays, strict=True)
        ]
