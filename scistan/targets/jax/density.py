"""`m.to_jax()`: a model's log density as JAX functions, for blackjax, NumPyro, optimistix and one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from scistan.graph.instance import Instance
from scistan.messages import targets as messages
from scistan.passes import run_passes
from scistan.passes.branches import hold_branches
from scistan.targets.jax.backend import double_precision, import_jax, jitted
from scistan.targets.jax.point import PointDensity

__all__ = ["JaxDensity", "lower_to_jax"]

Array = Any
Coordinates = Any  # a flat vector, or a dict of each latent's coordinates by its name


def lower_to_jax(instance: Instance) -> JaxDensity:
    """Lower a model on its data to JAX, by way of the same passes as to Stan."""
    return JaxDensity(instance.on(run_passes(instance.graph).plain))


class JaxDensity:
    """A model's log density over free coordinates, with the Jacobian of the constraints: what samplers move on.

    The coordinates are a flat vector of `dimension` numbers, or a dict with those of each latent. Arithmetic is in
    double precision, whatever JAX is set to; results have the precision of the coordinates. `data` holds all that
    rests on the model's data: it is an argument of every function, so that a function that is jitted around them can
    take it as one too, where large data would slow the compiler down.
    """

    def __init__(self, instance: Instance) -> None:
        with double_precision():
            self._point = PointDensity(instance.on(hold_branches(instance.graph)))
            self.data: tuple[Array, ...] = tuple(map(import_jax().numpy.asarray, self._point.data))
        self._compiled: dict[object, Any] = {}
        self._compiling = Lock()

    def on(self, instance: Instance) -> JaxDensity:
        """Give the density of the same model on other data of the same shapes: what was compiled is good for it too."""
        other = copy(self)
        with double_precision():
            data = PointDensity(instance.on(self._point.instance.graph)).data
            other.data = tuple(map(import_jax().numpy.asarray, data))
        return other

    def once(self, key: object, make: Callable[[], Any]) -> Any:
        """Keep what an engine compiles of this density, for its next run on other data."""
        with self._compiling:
            if key not in self._compiled:
                self._compiled[key] = make()
            return self._compiled[key]

    @property
    def dimension(self) -> int:
        """How many free coordinates there are."""
        return self._point.dimension

    @property
    def names(self) -> list[str]:
        """The latents, in the order of their coordinates."""
        return [block.term.name for block in self._point.blocks]

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each latent's value."""
        instance = self._point.instance
        return {block.term.name: instance.shape(block.term.law.shape) for block in self._point.blocks}

    @property
    def coordinate_shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each latent's free coordinates: a simplex of three has two."""
        return {block.term.name: block.shape for block in self._point.blocks}

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} {list(shape)}" if shape else name for name, shape in self.shapes.items())
        return f"<log density in JAX over {self.dimension} coordinates: {listed}>"

    # -- what samplers and optimizers call --------------------------------------------------------
    def log_density(self, q: Coordinates, data: tuple[Array, ...] | None = None) -> Array:
        """Give the log density at free coordinates, all constants kept, with the Jacobian of the constraints."""
        self._check(q)
        return self._log_density(q, self.data if data is None else data)

    def value_and_gradient(self, q: Coordinates, data: tuple[Array, ...] | None = None) -> tuple[Array, Coordinates]:
        """Give the log density and its gradient, which has the form of the coordinates."""
        self._check(q)
        found: tuple[Array, Coordinates] = self._value_and_gradient(q, self.data if data is None else data)
        return found

    def constrain(self, q: Coordinates, data: tuple[Array, ...] | None = None) -> dict[str, Array]:
        """Give latents and derived quantities by name, at free coordinates."""
        self._check(q)
        found: dict[str, Array] = self._constrain(q, self.data if data is None else data)
        return found

    def unconstrain(self, values: Mapping[str, object], data: tuple[Array, ...] | None = None) -> Array:
        """Give the flat vector of free coordinates of the latents' values."""
        self._check_names(values)
        given = {name: np.asarray(values[name], dtype=float) for name in self.names}
        for name, shape in self.shapes.items():
            if given[name].shape != shape:
                raise messages.wrong_shape(name, shape, given[name].shape)
        return self._unconstrain(given, self.data if data is None else data)

    def split(self, q: Array) -> dict[str, Array]:
        """Take a flat vector apart: each latent's coordinates by its name."""
        return {b.term.name: q[b.start : b.stop].reshape(b.shape) for b in self._point.blocks}

    def at_values(self, values: Mapping[str, np.ndarray]) -> tuple[Array, Array, Array]:
        """Give the coordinates of latents' values, the log density over the values, and its gradient over coordinates.

        One function that is compiled in haste: for a few points, where compiling is all that it costs.
        """
        given = {name: np.asarray(values[name], dtype=float) for name in self.names}
        with double_precision():
            found: tuple[Array, Array, Array] = self._at_values(given, self.data)
        return found

    def log_jacobian(self, q: Coordinates) -> Array:
        """Give what of the log density is Jacobian: the rest is that over the latents' values, as `m.log_density`."""
        self._check(q)
        return self._log_jacobian(q, self.data)

    def _check(self, q: Coordinates) -> None:
        """Refuse what cannot be coordinates, before JAX sees it."""
        if not isinstance(q, Mapping):
            if np.shape(q) != (self.dimension,):
                raise messages.wrong_coordinates("", (self.dimension,), np.shape(q))
            return
        self._check_names(q)
        for name, shape in self.coordinate_shapes.items():
            if np.shape(q[name]) != shape:
                raise messages.wrong_coordinates(name, shape, np.shape(q[name]))

    def _check_names(self, given: Mapping[str, object]) -> None:
        missing = [name for name in self.names if name not in given]
        unknown = [name for name in given if name not in self.names]
        if missing or unknown:
            raise messages.other_latents(missing, unknown, self.names)

    # -- as functions that JAX compiles -----------------------------------------------------------
    def traced(self, q: Array, data: tuple[Array, ...]) -> Array:
        """Compute the log density at a flat vector in a trace of double precision: for what is jitted as a whole."""
        found = self._point.at(q, data)
        return found.log_density + found.log_jacobian

    def traced_latents(self, q: Array, data: tuple[Array, ...]) -> dict[str, Array]:
        """Compute the latents at a flat vector in such a trace."""
        values, _, _ = self._point.place(q, data)
        return {block.term.name: values[block.term.value].array for block in self._point.blocks}

    def _flat(self, q: Coordinates) -> tuple[Array, Any]:
        """Give coordinates as one vector in double precision, and the precision that they came in."""
        xp = import_jax().numpy
        pieces = [xp.ravel(q[name]) for name in self.names] if isinstance(q, Mapping) else [xp.asarray(q)]
        flat = xp.concatenate(pieces) if pieces else xp.zeros(0)
        kind = flat.dtype if xp.issubdtype(flat.dtype, xp.floating) else xp.float64
        return flat.astype(xp.float64), kind

    @cached_property
    def _log_density(self) -> Callable[..., Array]:
        def log_density(q: Coordinates, data: tuple[Array, ...]) -> Array:
            flat, kind = self._flat(q)
            return self.traced(flat, data).astype(kind)

        return jitted(log_density)

    @cached_property
    def _value_and_gradient(self) -> Callable[..., Any]:
        return jitted(import_jax().value_and_grad(self._log_density))

    @cached_property
    def _at_values(self) -> Callable[..., Any]:
        jax = import_jax()

        def at_values(values: dict[str, Array], data: tuple[Array, ...]) -> tuple[Array, Array, Array]:
            q = self._point.coordinates(values, data)

            def both(q: Array) -> tuple[Array, Array]:
                found = self._point.at(q, data)
                return found.log_density + found.log_jacobian, found.log_density - found.log_scaling

            (_, over_values), gradient = jax.value_and_grad(both, has_aux=True)(q)
            return q, over_values, gradient

        return jax.jit(at_values, compiler_options={"xla_llvm_disable_expensive_passes": True})  # type: ignore[no-any-return]

    @cached_property
    def _constrain(self) -> Callable[..., Any]:
        def constrain(q: Coordinates, data: tuple[Array, ...]) -> dict[str, Array]:
            flat, kind = self._flat(q)
            values, _, _ = self._point.place(flat, data)
            derived = self._point.instance.graph.derived
            nodes = {**{b.term.name: b.term.value for b in self._point.blocks}, **derived}
            return {name: values[node].array.astype(kind) for name, node in nodes.items()}

        return jitted(constrain)

    @cached_property
    def _unconstrain(self) -> Callable[..., Array]:
        return jitted(self._point.coordinates)

    @cached_property
    def _log_jacobian(self) -> Callable[..., Array]:
        def log_jacobian(q: Coordinates, data: tuple[Array, ...]) -> Array:
            flat, kind = self._flat(q)
            found = self._point.at(flat, data)
            return (found.log_jacobian + found.log_scaling).astype(kind)

        return jitted(log_jacobian)
