"""The gradient of a user's own op, held to differences of its function when it is declared."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from scistan.errors import ModelError, Place, ScistanError
from scistan.graph.node import Node, Variable
from scistan.messages import transforms as messages
from scistan.ops.declaration import Never, NotYet, Op
from scistan.ops.derivative import names_of
from scistan.shapes import Size, SizeConflict
from scistan.transforms.computation import Computation, instance_of
from scistan.transforms.on_numpy import Numpy

__all__ = ["check_gradient"]

_SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (3, 3))
_RANGES = ((-2.0, 2.0), (0.2, 3.0), (0.1, 0.9))  # where arguments are tried: all, positive ones, probabilities
_STEP = 1e-4
_TOLERANCE = 1e-5


def check_gradient(op: Op, place: Place | None) -> None:
    """Compare at points where the function has values; refuse a gradient that differs, or cannot be compared."""
    compared = False
    for shapes in _shapes_for(op):
        for low, high in _RANGES:
            rng = np.random.default_rng(len(shapes))
            for _ in range(2):
                values = [rng.uniform(low, high, shape) for shape in shapes]
                compared = _compare(op, values, place) or compared
        if compared:
            return
    raise messages.gradient_failed(op.name, "could not be checked: its function has no values to compare with", place)


def _shapes_for(op: Op) -> list[tuple[tuple[int, ...], ...]]:
    """List shapes of arguments that the op takes, the simplest first."""
    count = op.arity or 1
    if op.elementwise:
        return [((3,),) * count]
    fits = []
    for shapes in product(_SHAPES, repeat=count):
        try:
            op.result_shape(tuple(tuple(map(Size, shape)) for shape in shapes), {})
        except (ScistanError, SizeConflict):
            continue
        fits.append(shapes)
    return fits


def _compare(op: Op, values: list[np.ndarray], place: Place | None) -> bool:
    """Compare the slopes in every argument at one point; False where the function has no value near it."""
    inputs = tuple(Variable(f"x{k}", tuple(map(Size, v.shape)), None, None) for k, v in enumerate(values))
    runner = Numpy()
    try:
        out = op.build(tuple(inputs))
        value = runner.values(Computation(inputs, (out,), instance_of(out)), values)[0]
    except ModelError:
        return False
    if not np.isfinite(value).all():
        return False
    weights = np.random.default_rng(0).uniform(0.5, 1.5, np.shape(value))
    computation = Computation(inputs, (out,), instance_of(out))
    slopes = _slopes(op, computation, values, weights, place)
    compared = False
    for k, given in enumerate(slopes):
        if given is None:
            continue
        for at in np.ndindex(values[k].shape):
            compared = _compare_one(op, computation, values, weights, k, at, float(given[at]), place) or compared
    return compared


def _slopes(
    op: Op, c: Computation, values: list[np.ndarray], weights: np.ndarray, place: Place | None
) -> list[np.ndarray | None]:
    declared = op.gradient if isinstance(op.gradient, tuple) else (op.gradient,) * len(values)
    wrt = tuple(k for k, slope in enumerate(declared) if not isinstance(slope, Never | NotYet))
    try:
        nodes: tuple[Node, ...] = c.back(c.outputs[0], wrt)
        seed = c.seed_of(c.outputs[0])
        with_seed = Computation((*c.inputs, seed), nodes, instance_of(*nodes))
        found = Numpy().values(with_seed, [*values, weights])
    except ScistanError:
        raise
    except Exception as error:  # whatever a function of the user's does
        raise messages.gradient_failed(op.name, f"fails ({type(error).__name__}: {error})", place) from error
    slopes: list[np.ndarray | None] = [None] * len(values)
    for k, slope in zip(wrt, found, strict=True):
        if slope.shape != values[k].shape:
            why = f"has shape {slope.shape} for an argument of shape {values[k].shape}"
            raise messages.gradient_failed(op.name, why, place)
        slopes[k] = slope
    return slopes


def _compare_one(
    op: Op, c: Computation, values: list[np.ndarray], weights: np.ndarray, k: int, at: tuple[int, ...], given: float,
    place: Place | None,
) -> bool:
    def weighted(step: float) -> float:
        moved = [v.copy() for v in values]
        moved[k][at] += step
        return float(np.sum(weights * Numpy().values(c, moved)[0]))

    near, far = ((weighted(h) - weighted(-h)) / (2 * h) for h in (_STEP, 2 * _STEP))
    if not np.isfinite([near, far]).all():
        return False
    allowed = _TOLERANCE * (1 + abs(near)) + 10 * abs(near - far)
    if not abs(given - near) <= allowed:
        names: Any = names_of(op)
        shown = ", ".join(f"{n} = {np.array2string(v, precision=4)}" for n, v in zip(names, values, strict=True))
        raise messages.wrong_gradient(op.name, names[k], shown, given, near, place)
    return True
