"""Mini-batches: the density of some observations at a time, and the sum over all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Node
from scistan.graph.walk import topological
from scistan.messages import point as messages
from scistan.shapes import Size, SizeConflict
from scistan.targets.torch.convert import to_tensor
from scistan.targets.torch.density import TorchDensity
from scistan.targets.torch.devices import import_torch
from scistan.targets.torch.fold import fold_data

__all__ = ["Batch", "Batches"]

Tensor = Any
_CHECKED = 32  # observations in each half of the check that halves add up
_SCALES = (0.5, 0.1, 2.0)  # how far from the middle the points are at which that is looked at, until one has a density


@dataclass(frozen=True, slots=True)
class Batch:
    """Some observations on the device, the density that takes them, and how many they are."""

    density: TorchDensity
    inputs: Mapping[Node, Tensor]
    size: int

    def log_density(self, q: Tensor, *, likelihood_only: bool, weight: float, share: float) -> Tensor:
        """Give `share` of the terms that every batch has, and these observations' terms `weight` times."""
        return self.density.log_density(
            q, likelihood_only=likelihood_only, inputs=self.inputs, weight=weight, share=share
        )


class Batches:
    """The observations of a model in batches of `size` along their first axis.

    What the data alone decide is computed on all of them first and its outcome is cut: `v[p]` keeps `v` whole.
    """

    def __init__(self, instance: Instance, size: int, device: str = "cpu", dtype: str = "float64") -> None:
        self.device, self.dtype = device, dtype
        self._torch = import_torch()
        self.term = _longest(instance)
        for summed in instance.summed:
            if not summed.pointwise:  # a sum over states of several rows is no sum over rows
                raise messages.no_batches(self.term.name, f"several of them share states of `{summed.names[0]}`")
        self.instance = instance = fold_data(instance)
        axis = instance.table.reduce(self.term.law.shape[0]) if self.term.law.shape else Size(1)
        self.total = instance.length(axis)
        if not self.total:
            raise messages.no_batches(self.term.name, "there are none")
        self.size = min(size, self.total)
        self._axes = self._along(axis)
        self._terms = [t.name for t in instance.graph.observed if any(leaf in self._axes for leaf in _leaves(t))]
        along = (t for t in instance.graph.observed if t.name in self._terms)
        series = [t.name for t in along if t.law.distribution.rule is not None]
        if series:
            raise messages.no_batches(series[0], "each depends on those before it")
        self._densities: dict[int, TorchDensity] = {}
        self._sources = {leaf: self._source(instance.values[leaf]) for leaf in self._axes}
        self._check()

    def _along(self, axis: Size) -> dict[Data, int]:
        """Find the data that run along the observations, and on which axis of theirs."""
        reduce = self.instance.table.reduce
        for latent in self.instance.graph.latents:
            if any(reduce(s) == axis for s in latent.law.shape) and axis.terms:
                raise messages.no_batches(self.term.name, f"the latent `{latent.name}` runs along them as well")
        found: dict[Data, int] = {}
        for leaf in self.instance.values:
            places = [k for k, size in enumerate(leaf.shape) if reduce(size) == axis]
            if len(places) > 1:
                raise messages.no_batches(self.term.name, "an array runs along them twice")
            if places:
                found[leaf] = places[0]
        if not axis.terms:
            raise messages.no_batches(self.term.name, "there is but one")
        for latent in self.instance.graph.latents:
            if any(leaf in found for leaf in topological(latent.law.inputs)):
                raise messages.no_batches(self.term.name, f"the prior of `{latent.name}` is computed from them")
        return found

    def _source(self, array: np.ndarray) -> Tensor:
        tensor = to_tensor(array, "cpu", self.dtype)
        # Copies from pinned memory run beside the computation.
        return tensor.pin_memory() if self.device.startswith("cuda") else tensor

    def density(self, size: int) -> TorchDensity:
        """Give the density of `size` observations, made once."""
        if size not in self._densities:
            values = dict(self.instance.values)
            for leaf, axis in self._axes.items():
                values[leaf] = np.take(values[leaf], range(size), axis=axis)
            try:
                part = replace(self.instance, values=values)
            except SizeConflict:
                raise messages.no_batches(self.term.name, "other lengths of the model depend on their number") from None
            self._densities[size] = TorchDensity(
                part, self.device, self.dtype, inputs=self._axes, batch=self._terms
            )
        return self._densities[size]

    def take(self, rows: Tensor | slice) -> Batch:
        """Bring some observations to the device."""
        inputs: dict[Node, Tensor] = {}
        size = 0
        for leaf, axis in self._axes.items():
            source = self._sources[leaf]
            if isinstance(rows, slice):
                part = source.narrow(axis, rows.start, rows.stop - rows.start)
            else:
                part = source.index_select(axis, rows)
            size = part.shape[axis]
            inputs[leaf] = part.to(self.device, non_blocking=True)
        return Batch(self.density(size), inputs, size)

    def in_order(self) -> Iterator[Batch]:
        """Go through all observations once."""
        for start in range(0, self.total, self.size):
            yield self.take(slice(start, min(start + self.size, self.total)))

    def shuffled(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Go through the observations in random order, in batches of one size; what is left over waits its turn."""
        order = self._torch.from_numpy(rng.permutation(self.total))
        for start in range(0, self.total - self.size + 1, self.size):
            yield self.take(order[start : start + self.size])

    def log_density(self, q: Tensor, *, likelihood_only: bool) -> Iterator[Tensor]:
        """Give the parts, batch by batch, whose sum is the density of all observations."""
        for batch in self.in_order():
            share = batch.size / self.total
            yield batch.log_density(q, likelihood_only=likelihood_only, weight=1.0, share=share)

    def _check(self) -> None:
        """Refuse a likelihood that is not a sum over observations: two parts must add up to the whole."""
        half = min(_CHECKED, self.total // 2)
        if half < 1 or self.device == "meta":
            return
        rng = np.random.default_rng(0)
        rows = self._torch.from_numpy(rng.permutation(self.total)[: 2 * half])
        for scale in _SCALES:
            try:
                batches = [self.take(part) for part in (rows, rows[:half], rows[half:])]
                q = batches[0].density.backend.constant(rng.uniform(-scale, scale, batches[0].density.dimension))
                parts = [float(b.log_density(q, likelihood_only=True, weight=1.0, share=0.0)) for b in batches]
            except self._torch.linalg.LinAlgError:
                continue  # a matrix that is none of the density's at this point
            except (IndexError, RuntimeError):  # torch's words for rows that are not there
                raise messages.no_batches(self.term.name, "its density reads other rows than its own") from None
            if not np.isfinite(parts).all():
                continue
            slack = 1e-8 if self.dtype == "float64" else 1e-3
            if abs(parts[0] - parts[1] - parts[2]) > slack * (1 + abs(parts[0])):
                raise messages.no_batches(self.term.name, "its density does not split into one term per observation")
            return


def _longest(instance: Instance) -> Term:
    def length(term: Term) -> int:
        return instance.length(term.law.shape[0]) if term.law.shape else 0

    return max(instance.graph.observed, key=length)


def _leaves(term: Term) -> list[Node]:
    return [*topological(term.law.inputs), term.value]
