"""Transforms by JAX: its own derivatives, compiled once for every computation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from scistan.graph.node import Node
from scistan.ops.coerce import library_of
from scistan.targets.evaluate import Evaluator
from scistan.targets.jax.backend import JaxBackend, double_precision, find_device, import_jax, jitted
from scistan.targets.jax.still import read_by_latents
from scistan.targets.values import NUMPY, Value
from scistan.transforms.computation import Computation
from scistan.transforms.on_numpy import Numpy

__all__ = ["Jax"]

Array = Any
Arrays = tuple[Array, ...]
Traceable = Callable[[Arrays, Arrays], Any]


class Jax:
    """JAX, in double precision inside; results have the precision of the arrays that came from it, as densities do.

    What does not come from it is of the precision and on the device that are wanted: double, where JAX puts it.
    """

    def __init__(self, device: str | None = None, dtype: str | None = None) -> None:
        self._jax = import_jax()
        self._backend = JaxBackend()
        self._dtype = np.dtype(dtype or "float64")
        self._device = find_device(device)

    def array(self, value: object) -> Array:
        """Read a leaf; an array of JAX's stays one of its own precision, all else is in double precision."""
        xp = self._backend.module
        if library_of(value) == "jax" and xp.issubdtype(value.dtype, xp.floating):  # type: ignore[attr-defined]
            return value
        numbers = Numpy().array(np.asarray(value) if library_of(value) == "jax" else value)
        return self._placed(numbers.astype(self._dtype))

    def filled(self, shape: tuple[int, ...], number: float) -> Array:
        """Give an array of one number."""
        return self._placed(np.full(shape, number, dtype=self._dtype))

    def _placed(self, numbers: np.ndarray) -> Array:
        with double_precision():
            return self._jax.device_put(numbers, self._device)

    def values(self, c: Computation, given: Sequence[Array], rows: Collection[int] = ()) -> list[Array]:
        """Evaluate the outputs."""
        mapped = tuple(k in rows for k in range(len(given)))

        def over_rows(function: Traceable) -> Traceable:
            if not any(mapped):
                return function
            axes = (tuple(0 if one else None for one in mapped), None)
            return self._jax.vmap(function, in_axes=axes)  # type: ignore[no-any-return]

        return list(self._run(c, ("values", mapped), over_rows, given))

    def gradient(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> tuple[Array, list[Array]]:
        """Evaluate, and go back."""
        value, slopes = self._run(
            c, ("gradient", wrt), lambda f: _in_some(self._jax.value_and_grad, _first(f), wrt), given
        )
        return value, list(slopes)

    def jacobian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> list[list[Array]]:
        """Send every unit vector back at once."""
        found = self._run(c, ("jacobian", wrt), lambda f: _in_some(self._jax.jacrev, f, wrt), given)
        return [list(row) for row in found]

    def hessian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> list[list[Array]]:
        """Differentiate the gradient, forwards."""
        found = self._run(c, ("hessian", wrt), lambda f: _in_some(self._jax.hessian, _first(f), wrt), given)
        return [list(row) for row in found]

    def hessian_times(
        self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array], along: Sequence[Array]
    ) -> list[Array]:
        """Differentiate the gradient along a vector."""

        def product(function: Traceable) -> Traceable:
            slopes = _in_some(self._jax.grad, _first(function), wrt)

            def multiplied(arrays: Arrays, data: Arrays) -> Arrays:
                inputs, vector = arrays[: len(given)], arrays[len(given) :]

                def moved(*chosen: Array) -> Arrays:
                    return slopes(_with(inputs, wrt, chosen), data)  # type: ignore[no-any-return]

                return self._jax.jvp(moved, tuple(inputs[k] for k in wrt), vector)[1]  # type: ignore[no-any-return]

            return multiplied

        return list(self._run(c, ("product", wrt), product, [*given, *along]))

    def _run(
        self, c: Computation, key: object, transform: Callable[[Traceable], Traceable], given: Sequence[Array]
    ) -> Any:
        """Compile a transform of a computation once, and call it; what rests on data alone is an argument of it."""
        if ("jax", key) not in c.compiled:
            still = read_by_latents(c.held)
            function = transform(self._traceable(c, still))
            c.compiled["jax", key] = (jitted(self._in_double(function)), self._numbers(c, still))
        compiled, data = c.compiled["jax", key]
        return compiled(tuple(given), data)

    def _traceable(self, c: Computation, still: Sequence[Node]) -> Traceable:
        def evaluate(arrays: Arrays, data: Arrays) -> Arrays:
            held = {node: Value(array) for node, array in zip(still, data, strict=True)}
            evaluator = Evaluator(c.instance, self._backend, held)
            for leaf, array in zip(c.inputs, arrays, strict=False):
                evaluator.set(leaf, array, batched=False)
            return tuple(self._backend.module.asarray(evaluator[root].array, dtype=float) for root in c.held)

        return evaluate

    def _numbers(self, c: Computation, still: Sequence[Node]) -> Arrays:
        evaluator = Evaluator(c.instance, NUMPY)
        with np.errstate(all="ignore"):
            return tuple(np.asarray(evaluator[node].array) for node in still)

    def _in_double(self, function: Traceable) -> Traceable:
        xp, tree = self._backend.module, self._jax.tree

        def call(arrays: Arrays, data: Arrays) -> Any:
            kind = xp.result_type(*arrays) if arrays else float
            found = function(tuple(array.astype(float) for array in arrays), data)
            return tree.map(lambda array: array.astype(kind), found)

        return call


def _first(function: Traceable) -> Traceable:
    return lambda arrays, data: function(arrays, data)[0]


def _with(arrays: Arrays, wrt: tuple[int, ...], chosen: Arrays) -> Arrays:
    known = dict(zip(wrt, chosen, strict=True))
    return tuple(known.get(k, array) for k, array in enumerate(arrays))


def _in_some(transform: Callable[..., Any], function: Traceable, wrt: tuple[int, ...]) -> Traceable:
    """Differentiate in some of the inputs."""

    def call(arrays: Arrays, data: Arrays) -> Any:
        def of_chosen(chosen: Arrays) -> Any:
            return function(_with(arrays, wrt, chosen), data)

        return transform(of_chosen)(tuple(arrays[k] for k in wrt))

    return call
