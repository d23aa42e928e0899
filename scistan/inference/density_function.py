"""`m.log_density_fn`: the log density over a flat vector of free coordinates, for anyone's sampler or optimizer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from scistan.engines.density import StanDensity
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.density import check_complete, latent_values
from scistan.messages import transforms as messages
from scistan.passes import run_passes
from scistan.settings import said
from scistan.targets.scipy import JointDensity
from scistan.targets.stan.program import lower_to_stan
from scistan.targets.stan.twin import flat_twin
from scistan.transforms.backends import BACKENDS, Wanted, open_backend
from scistan.transforms.computation import Computation
from scistan.transforms.on_numpy import Numpy
from scistan.transforms.unconstrained import Unconstrained

__all__ = ["DensityFunction", "log_density_fn"]

Array = Any


class _Column(Protocol):
    """A backend's log density, gradient and transform."""

    dimension: int

    def value_and_gradient(self, q: np.ndarray, propto: bool, jacobian: bool, /) -> tuple[float, Array]: ...

    def constrain(self, q: np.ndarray) -> dict[str, Array]: ...

    def unconstrain(self, values: Mapping[str, object]) -> Array: ...


class DensityFunction:
    """The log density at a flat vector of unconstrained coordinates, as BridgeStan has it.

    `jacobian=True` counts the Jacobian of the way to the values, `propto=True` lets constants be dropped: Stan drops
    them, the others keep them. Outside of the support it is -∞, and the gradient NaN. Coordinates are as in Stan:
    logarithms, logits, standard ones for non-centred latents. Two things differ by backend: Stan has matrices column
    by column, where the others have them row by row, and versions of Stan have coordinates of their own for simplexes.
    """

    def __init__(self, instance: Instance, backend: str) -> None:
        self.backend = backend
        self.names = tuple(term.name for term in instance.graph.latents)
        self.shapes = {term.name: instance.shape(term.law.shape) for term in instance.graph.latents}
        self._column: _Column = _OnStan(instance) if backend == "stan" else _OnGraph(instance, backend)

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return self._column.dimension

    def __call__(self, q: Array, *, propto: bool = True, jacobian: bool = True) -> float:
        """Give the log density."""
        return self.value_and_gradient(q, propto=propto, jacobian=jacobian)[0]

    def gradient(self, q: Array, *, propto: bool = True, jacobian: bool = True) -> Array:
        """Give the gradient of the log density."""
        return self.value_and_gradient(q, propto=propto, jacobian=jacobian)[1]

    def value_and_gradient(self, q: Array, *, propto: bool = True, jacobian: bool = True) -> tuple[float, Array]:
        """Give the log density and its gradient."""
        return self._column.value_and_gradient(self._read(q), propto, jacobian)

    def constrain(self, q: Array) -> dict[str, Array]:
        """Give the latents' values at coordinates."""
        return self._column.constrain(self._read(q))

    def unconstrain(self, values: Mapping[str, object]) -> Array:
        """Give the coordinates of the latents' values."""
        return self._column.unconstrain(values)

    def _read(self, q: Array) -> Array:
        try:
            shape = tuple(np.shape(q))
        except (ValueError, TypeError, RuntimeError):  # rows of several lengths, or nested too deep for an array
            raise messages.bad_leaf(q) from None
        if shape != (self.dimension,):
            raise messages.wrong_dimension(shape, self.dimension)
        return q

    def __repr__(self) -> str:
        latents = ", ".join(f"{name}{list(shape) or ''}" for name, shape in self.shapes.items())
        return f"<log density over {self.dimension} coordinates of {latents}, by {self.backend}>"


class _OnGraph:
    """Backends that evaluate the graph."""

    def __init__(self, instance: Instance, backend: str) -> None:
        self._plain = instance
        self._runner = open_backend(Wanted(backend, said("dtype"), said("device")))
        self._free = Unconstrained(instance.on(run_passes(instance.graph).plain))
        self._densities: dict[bool, Computation] = {}
        self.dimension = self._free.dimension

    @cached_property
    def _joint(self) -> JointDensity:
        return JointDensity(self._free.instance)

    def value_and_gradient(self, q: Array, _: bool, jacobian: bool) -> tuple[float, Array]:
        """Ask the graph, where the density is not zero."""
        at = self._runner.array(q)
        if math.isinf(self._joint.at(self._latents(at))[0]):
            return -math.inf, self._runner.filled((self.dimension,), math.nan)
        density = self._densities.get(jacobian) or self._densities.setdefault(jacobian, self._free.density(jacobian))
        value, slopes = self._runner.gradient(density, (0,), [at])
        return float(value), slopes[0]

    def _latents(self, at: Array) -> dict[Any, np.ndarray]:
        terms = self._free.instance.graph.latents
        values = self._runner.values(self._free.values, [at])
        return {term.value: Numpy().array(value) for term, value in zip(terms, values, strict=True)}

    def constrain(self, q: Array) -> dict[str, Array]:
        """Evaluate the bijections."""
        values = self._runner.values(self._free.values, [self._runner.array(q)])
        return dict(zip(self._free.places, values, strict=True))

    def unconstrain(self, values: Mapping[str, object]) -> Array:
        """Evaluate them backwards."""
        latents = latent_values(self._plain, values)
        given = [self._runner.array(latents[term.value]) for term in self._plain.graph.latents]
        parts = self._runner.values(self._free.coordinates, given)
        numbers = [Numpy().array(part).reshape(-1) for part in parts]
        return self._runner.array(np.concatenate([np.zeros(0), *numbers]))


class _OnStan:
    """Stan's own program, run by stanli, which drops constants and counts the Jacobian.

    The Jacobian is what the flat twin has, and the constants are what SciPy has beside Stan, at the first point.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._program = lower_to_stan(instance.graph, log_lik=False, predictive=False, log_prior=False)
        data = self._program.data(instance)
        self._density = StanDensity(self._program.text, data)
        twin = flat_twin(self._program)
        self._twin = None if twin is None else StanDensity(twin.text, twin.data(data))
        self._dropped: float | None = None
        self.dimension = self._density.dimension

    def value_and_gradient(self, q: Array, propto: bool, jacobian: bool) -> tuple[float, Array]:
        """Ask Stan; a point that it rejects has no density."""
        at, none = np.asarray(q, dtype=float), (0.0, np.zeros(self.dimension))
        try:
            value, slope = self._density.log_density_gradient(at)
            of_twin = none if self._twin is None else self._twin.log_density_gradient(at)
        except RuntimeError:
            value = -math.inf
        if not math.isfinite(value):
            return -math.inf, np.full(self.dimension, math.nan)
        if not propto:
            value += self._constants(at, value - of_twin[0])
        return (value, slope) if jacobian else (value - of_twin[0], slope - of_twin[1])

    def _constants(self, at: np.ndarray, value: float) -> float:
        if self._dropped is None:
            values = self.constrain(at)
            latents: dict[Node, np.ndarray] = {t.value: values[t.name] for t in self._instance.graph.latents}
            self._dropped = JointDensity(self._instance).at(latents)[0] - value
        return self._dropped

    def constrain(self, q: Array) -> dict[str, Array]:
        """Let Stan transform."""
        found = self._density.constrain(np.asarray(q))
        shapes = {t.name: self._instance.shape(t.law.shape) for t in self._instance.graph.latents}
        return {n: found[n].reshape(shape) if n in found else np.empty(shape) for n, shape in shapes.items()}

    def unconstrain(self, values: Mapping[str, object]) -> Array:
        """Let Stan transform back."""
        latents = latent_values(self._instance, values)
        named = {term.name: latents[term.value] for term in self._instance.graph.latents}
        return self._density.unconstrain(self._program.inits(named, self._instance))


def log_density_fn(instance: Instance, backend: object) -> DensityFunction:
    """Open a model's log density on a backend."""
    check_complete(instance)
    known = [*BACKENDS, "stan"]
    if not isinstance(backend, str) or backend not in (*known, "scipy"):
        raise messages.no_density_function(backend, known)
    return DensityFunction(instance, "numpy" if backend == "scipy" else backend)
