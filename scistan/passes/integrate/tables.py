"""The data that integrals are written with: sums over rows, and sizes that they share."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scistan.graph.node import Data
from scistan.ops.expression import Expression
from scistan.shapes import DATA, Shape, Size

__all__ = ["Tables"]


@dataclass(slots=True)
class Tables:
    """Makes the data of the program: statistics, with sizes that they share."""

    values: dict[Data, np.ndarray] = field(default_factory=dict)
    sizes: dict[str, Size] = field(default_factory=dict)

    def number(self, value: float) -> Expression:
        """Make a leaf of one number, be it 0."""
        return self.leaf(np.array(float(value)), ())

    def data(self, array: np.ndarray, *axes: str) -> Expression | None:
        """Make a leaf with these axes; None if all of it is 0."""
        if not array.size or not array.any():
            return None
        return self.leaf(np.array(array, order="C"), tuple(map(self.size, axes, array.shape)))

    def size(self, axis: str, length: int) -> Size:
        """Give the size of an axis by its name."""
        return self.sizes.setdefault(axis, Size.new(length, axis, rank=DATA))

    def leaf(self, array: np.ndarray, shape: Shape) -> Expression:
        """Make a leaf of this shape, be it 0."""
        leaf = Data(array, shape, integer=False)
        self.values[leaf] = leaf.default  # type: ignore[assignment]
        return Expression(leaf)
