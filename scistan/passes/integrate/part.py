"""Multiples of a source: the parts of a value that is linear in latents, and what is done to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from scistan.graph.node import Node
from scistan.ops.expression import Expression

__all__ = ["Part", "but_zeros", "joined", "product", "summed_over", "with_axis"]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Multiples of one source: for each element of a value the sum of `columns * scale * source[positions]`.

    Both arrays have an axis behind those of the value, over what is added up. `source` is None for the number 1, and
    `scale` a number that is sampled, or None for 1.
    """

    source: Node | None
    scale: Node | None
    positions: np.ndarray
    columns: np.ndarray

    def moved(self, change: Callable[[np.ndarray], np.ndarray], positions: bool = True) -> Part:
        """Apply `change` to every column, and to positions as well."""
        return replace(
            self,
            positions=_each(self.positions, change) if positions else self.positions,
            columns=_each(self.columns, change),
        )

    @property
    def shared(self) -> np.ndarray | None:
        """The positions of a row where all rows have the same ones, as those of `X @ b`; None where they may differ."""
        rows_are_one = self.positions.ndim == 2 and (len(self.positions) == 1 or self.positions.strides[0] == 0)
        return self.positions[0] if rows_are_one else None

    def rows(self, which: slice) -> Part:
        """Give some of its rows."""
        return replace(self, positions=self.positions[which], columns=self.columns[which])

    def on(self, shape: tuple[int, ...]) -> Part:
        """Repeat it where a value is broadcast to a shape."""
        if self.columns.shape[:-1] == shape:
            return self
        return replace(self, positions=_broadcast(self.positions, shape), columns=_broadcast(self.columns, shape))

    def times(self, numbers: np.ndarray) -> Part:
        return replace(self, columns=self.columns * numbers[..., None])

    def scaled(self, number: Node, divided: bool = False) -> Part:
        own = Expression(number)
        factor = 1.0 / own if divided else own
        made = factor if self.scale is None else Expression(self.scale) * factor
        return replace(self, scale=made._scistan_node_)


def _each(array: np.ndarray, change: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    return np.stack([change(array[..., k]) for k in range(array.shape[-1])], axis=-1)


def _broadcast(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    missing = len(shape) - (array.ndim - 1)
    return np.broadcast_to(array.reshape((1,) * missing + array.shape), (*shape, array.shape[-1]))


def but_zeros(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Leave out what is nothing, as a location of 0: each part of a product is as large as its matrix."""
    return tuple(part for part in parts if part.columns.any()) or parts[:1]


def product(part: Part, matrix: np.ndarray) -> Part:
    rows, inner = matrix.shape
    if part.source is None:  # numbers: their sum is one column
        return replace(part, columns=(matrix @ part.columns.sum(-1))[:, None], positions=np.zeros((rows, 1), int))
    terms = part.columns.shape[-1]
    if terms == 1 and np.all(part.columns == 1):  # coefficients themselves: millions of rows need not be copied
        columns = matrix
    else:
        columns = (matrix[:, :, None] * part.columns[None]).reshape(rows, inner * terms)
    positions = np.broadcast_to(part.positions[None], (rows, inner, terms)).reshape(rows, inner * terms)
    return replace(part, columns=columns, positions=positions)


def with_axis(part: Part, axis: int, shape: tuple[int, ...]) -> Part:
    positions, columns = (np.expand_dims(array, axis) for array in (part.positions, part.columns))
    return replace(part, positions=positions, columns=columns).on(shape)


def summed_over(part: Part, axis: int) -> Part:
    """Add up along an axis: it joins the one over what is added up."""
    moved = [np.moveaxis(array, axis, -1) for array in (part.positions, part.columns)]
    positions, columns = (array.reshape(*array.shape[:-2], -1) for array in moved)
    return replace(part, positions=positions, columns=columns)


def joined(parts: list[Part]) -> tuple[Part, ...]:
    """Add up the parts that are numbers times one scale: an intercept, what is known."""
    made: list[Part] = []
    plain: dict[Node | None, int] = {}
    for part in parts:
        if part.source is not None or part.scale not in plain:
            if part.source is None:
                plain[part.scale] = len(made)
            made.append(part)
            continue
        at = plain[part.scale]
        shape = np.broadcast_shapes(part.columns.shape[:-1], made[at].columns.shape[:-1])
        total = made[at].on(shape).columns.sum(-1) + part.on(shape).columns.sum(-1)
        made[at] = replace(made[at], columns=total[..., None], positions=np.zeros((*shape, 1), int))
    return tuple(made)
