"""A latent series between its innovations, or its path, and its values, in any array library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.distributions.innovations import Innovations, innovations_of
from scistan.distributions.paths import Path, path_of
from scistan.graph.graph import Law
from scistan.graph.instance import Instance
from scistan.graph.node import Extent, Literal, Node
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import Backend, Lookup

__all__ = ["Innovated"]

Array = Any


@dataclass(frozen=True, slots=True)
class Innovated:
    """The map from innovations, or from a path, to a series, given what its law reads."""

    law: Law
    known: Lookup
    instance: Instance
    backend: Backend

    @property
    def _way(self) -> Innovations | Path:
        return path_of(self.law) if self.law.path else innovations_of(self.law)

    def value(self, z: Array) -> Array:
        """Give the series at innovations."""
        way = self._way
        return self._computed(way.value, way.z, z)

    def standard(self, x: Array) -> Array:
        """Give the innovations of a series."""
        way = self._way
        return self._computed(way.standard, way.x, x)

    def log_slope(self, x: Array) -> Array:
        """Give the log scale of each innovation; their sum is the log volume, for no element moves those before it."""
        way = self._way
        return self._computed(way.log_scale, way.x, x)

    def _computed(self, node: Node, leaf: Node, array: Array) -> Array:
        held = {arg: self.known[arg] for arg in self.law.args if not isinstance(arg, Literal | Extent)}
        evaluator = Evaluator(self.instance, self.backend, held)
        evaluator.set(leaf, array, batched=array.ndim > len(self.law.shape))
        found = evaluator[node]
        return found.array
