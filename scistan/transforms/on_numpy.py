"""Transforms by NumPy: derivatives are graphs, evaluated like any other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from scistan.graph.node import Node
from scistan.messages import transforms as messages
from scistan.ops.coerce import library_of
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import NUMPY
from scistan.transforms.computation import Computation

__all__ = ["Numpy"]

Array = Any


class Numpy:
    """NumPy, in double precision: derivatives are graphs."""

    def array(self, value: object) -> np.ndarray:
        """Read a leaf as numbers."""
        if library_of(value) == "torch":
            value = value.detach().cpu().numpy()  # type: ignore[attr-defined]
        try:
            found = np.asarray(value)
        except (ValueError, TypeError):
            raise messages.bad_leaf(value) from None
        if found.dtype.kind not in "biuf":
            raise messages.bad_leaf(value)
        return found.astype(float)

    def filled(self, shape: tuple[int, ...], number: float) -> np.ndarray:
        """Give an array of one number."""
        return np.full(shape, number, dtype=float)

    def values(self, c: Computation, given: Sequence[Array], rows: Collection[int] = ()) -> list[Array]:
        """Evaluate the outputs."""
        leaves = dict(zip(c.inputs, given, strict=True))
        return _computed(c, c.outputs, leaves, [c.inputs[k] for k in rows])

    def gradient(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> tuple[Array, list[Array]]:
        """Evaluate the graph of the gradient, and the value beside it."""
        leaves = dict(zip(c.inputs, given, strict=True))
        value, *slopes = _computed(c, (c.outputs[0], *c.gradient(wrt)), leaves)
        return value, slopes

    def jacobian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> list[list[Array]]:
        """Send every unit vector back at once."""
        leaves = dict(zip(c.inputs, given, strict=True))
        return [self._rows(c, output, wrt, leaves) for output in c.outputs]

    def hessian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array]) -> list[list[Array]]:
        """Differentiate the gradient."""
        leaves = dict(zip(c.inputs, given, strict=True))
        return [self._rows(c, slope, wrt, leaves) for slope in c.gradient(wrt)]

    def _rows(self, c: Computation, output: Node, wrt: tuple[int, ...], leaves: Mapping[Node, Array]) -> list[Array]:
        shape = c.instance.shape(output.shape)
        count = int(np.prod(shape, dtype=np.int64))
        seed = c.seed_of(output)
        units = np.eye(count).reshape(count, *shape)
        found = _computed(c, c.back(output, wrt), {**leaves, seed: units}, [seed])
        return [rows.reshape((*shape, *rows.shape[1:])) for rows in found]

    def hessian_times(
        self, c: Computation, wrt: tuple[int, ...], given: Sequence[Array], along: Sequence[Array]
    ) -> list[Array]:
        """Differentiate the gradient along a vector."""
        leaves = dict(zip(c.inputs, given, strict=True))
        seeds = [c.seed_of(slope) for slope in c.gradient(wrt)]
        return _computed(c, c.hessian_times(wrt), {**leaves, **dict(zip(seeds, along, strict=True))})


def _computed(
    c: Computation, roots: Sequence[Node], leaves: Mapping[Node, Array], rows: Collection[Node] = ()
) -> list[Array]:
    """Evaluate nodes; where some leaves run over rows, all results do."""
    evaluator = Evaluator(c.instance, NUMPY)
    for leaf, array in leaves.items():
        evaluator.set(leaf, array, batched=leaf in rows)
    try:
        with np.errstate(all="ignore"):
            evaluator.compute(roots)
    except np.linalg.LinAlgError:
        raise messages.no_factor(None) from None
    count = next((len(leaves[leaf]) for leaf in rows), 0)
    found = []
    for root in roots:
        value = evaluator[root]
        array = np.asarray(value.array, dtype=float)
        found.append(array if value.batched or not rows else np.broadcast_to(array, (count, *array.shape)))
    return found
