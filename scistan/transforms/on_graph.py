"""Transforms inside a trace or a model: what goes in and what comes out are expressions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from scistan.graph.node import Data, Node
from scistan.ops import FUNCTIONS
from scistan.ops.coerce import as_node
from scistan.ops.expression import Expression
from scistan.shapes import Size, values_of
from scistan.transforms.computation import Computation
from scistan.transforms.substitute import substituted

__all__ = ["OnGraph"]


class OnGraph:
    """Expressions as the arrays of a backend: a transform of them is an expression again."""

    def array(self, value: object) -> Expression:
        """Read a leaf as an expression."""
        return Expression(as_node(value))

    def filled(self, shape: tuple[int, ...], number: float) -> Expression:
        """Give an expression of one number."""
        return FUNCTIONS["broadcast_to"](float(number), shape) if shape else Expression(as_node(float(number)))

    def values(self, c: Computation, given: Sequence[Expression], _: Collection[int] = ()) -> list[Expression]:
        """Put the arguments in."""
        return self._put_in(c, c.outputs, given)

    def _put_in(
        self, c: Computation, roots: Sequence[Node], given: Sequence[Expression],
        more: Mapping[Node, Node] | None = None,
    ) -> list[Expression]:
        known = {leaf: e._scistan_node_ for leaf, e in zip(c.inputs, given, strict=True)}
        return [Expression(node) for node in substituted(roots, {**known, **(more or {})})]

    def gradient(
        self, c: Computation, wrt: tuple[int, ...], given: Sequence[Expression]
    ) -> tuple[Expression, list[Expression]]:
        """Put the arguments into the graph of the gradient."""
        value, *slopes = self._put_in(c, (c.outputs[0], *c.gradient(wrt)), given)
        return value, slopes

    def jacobian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Expression]) -> list[list[Expression]]:
        """Send unit vectors back one by one."""
        return [self._rows(c, output, wrt, given) for output in c.outputs]

    def hessian(self, c: Computation, wrt: tuple[int, ...], given: Sequence[Expression]) -> list[list[Expression]]:
        """Differentiate the gradient."""
        return [self._rows(c, slope, wrt, given) for slope in c.gradient(wrt)]

    def _rows(
        self, c: Computation, output: Node, wrt: tuple[int, ...], given: Sequence[Expression]
    ) -> list[Expression]:
        shape = values_of(output.shape)
        back, seed = c.back(output, wrt), c.seed_of(output)
        units = np.eye(int(np.prod(shape, dtype=np.int64)))
        rows = [self._put_in(c, back, given, {seed: _constant(unit.reshape(shape))}) for unit in units]
        found = []
        for k, slope in enumerate(back):
            stacked = FUNCTIONS["stack"]([row[k] for row in rows])
            whole = (*shape, *values_of(slope.shape))
            found.append(FUNCTIONS["reshape"](stacked, whole) if len(shape) != 1 else stacked)
        return found

    def hessian_times(
        self, c: Computation, wrt: tuple[int, ...], given: Sequence[Expression], along: Sequence[Expression]
    ) -> list[Expression]:
        """Put the vector into the derivative of the gradient along it."""
        seeds = {c.seed_of(s): v._scistan_node_ for s, v in zip(c.gradient(wrt), along, strict=True)}
        return self._put_in(c, c.hessian_times(wrt), given, seeds)


def _constant(array: Any) -> Node:
    return Data(array, tuple(map(Size, array.shape)), integer=False)
