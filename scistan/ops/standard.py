"""Standardized numbers: centre and scale of the first ones, applied to all that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.graph.labelled import Coding, Labelled
from scistan.messages import coding as messages
from scistan.ops.coerce import described, read_array
from scistan.ops.levels import level_name

__all__ = ["Standard"]


@dataclass(frozen=True, slots=True)
class Standard:
    """Centre and scale of each column, or of the one there is, in the order of `columns` where those have labels.

    `before` is how the values became numbers in the first place: dates are days before they are standardized.
    """

    center: tuple[float, ...]
    scale: tuple[float, ...]
    columns: tuple[object, ...] | None = None
    before: Coding | None = None

    def read(self, value: object, name: str) -> Labelled:
        """Turn values in original units into standardized ones, column by column."""
        read = _numbers(value, name, self.before)
        places = self._places(read, name)
        center, scale = (np.asarray(numbers)[places] for numbers in (self.center, self.scale))
        return Labelled((read.values - center) / scale, read.dims, read.labels)

    def _places(self, read: Labelled, name: str) -> np.ndarray:
        """Tell which centre and scale each column has: by its label, where both have labels."""
        if read.values.ndim != 2:
            return np.asarray(0)
        labels = read.labels[1] if read.labels else None
        if labels is None or self.columns is None:
            if read.values.shape[1] != len(self.center):
                raise messages.other_columns(name, len(self.center), read.values.shape[1])
            return np.arange(len(self.center))
        given = [level_name(label) for label in labels]
        unknown = [label for label in given if label not in self.columns]
        if unknown:
            raise messages.unknown_columns(name, unknown, self.columns)
        return np.array([self.columns.index(label) for label in given], dtype=np.intp)

    @classmethod
    def of(cls, value: object, before: Coding | None) -> Standard:
        """Measure centre and scale (ddof 0) over the rows; a column that is constant has no scale."""
        name = described(value, assigned=True)
        read = _numbers(value, "", before)
        if read.values.ndim not in (1, 2):
            raise messages.not_a_column(name, read.values.shape)
        if not read.values.size:
            raise messages.nothing_to_standardize(name)
        table = read.values.reshape(len(read.values), -1).astype(float)
        labels = read.labels[1] if read.values.ndim == 2 and read.labels else None
        constant = np.flatnonzero(np.ptp(table, axis=0) == 0)
        if constant.size:
            named: Sequence[object] = list(labels) if labels is not None else range(table.shape[1])
            columns = [named[int(k)] for k in constant] if read.values.ndim == 2 else []
            raise messages.constant_column(name, columns, float(table[0, constant[0]]))
        center, scale = (tuple(map(float, f(table, axis=0))) for f in (np.mean, np.std))
        labelled = labels is not None and not labels.implied
        return cls(center, scale, tuple(map(level_name, labels or ())) if labelled else None, before)

    def to_plain(self) -> dict[str, Any]:
        """Write centres, scales and the labels of their columns."""
        return {
            "kind": "standard",
            "center": list(self.center),
            "scale": list(self.scale),
            "columns": None if self.columns is None else list(self.columns),
            "before": None if self.before is None else self.before.to_plain(),
        }


def _numbers(value: object, name: str, before: Coding | None) -> Labelled:
    return read_array(value, name, assigned=not name) if before is None else before.read(value, name)
