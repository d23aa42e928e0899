"""Columns of Stan's output, `theta[2,1]` or `theta.2.1`, gathered into arrays under their variables' names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

__all__ = ["Layout", "gather"]

_COLUMN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:[\[.]([\d.,]+)\]?)?\Z")


class Layout:
    """Which columns are which elements of which variable: read once, used for every row."""

    def __init__(self, columns: Sequence[str]) -> None:
        positions: dict[str, list[int]] = {}
        indices: dict[str, list[tuple[int, ...]]] = {}
        for at, column in enumerate(columns):
            match = _COLUMN.match(column)
            if match is None:
                continue
            name, index = match.groups()
            positions.setdefault(name, []).append(at)
            place = tuple(int(i) - 1 for i in index.replace(".", ",").split(",")) if index else ()
            indices.setdefault(name, []).append(place)
        self._variables = {name: _ordered(places, indices[name]) for name, places in positions.items()}

    def split(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Split `values` (…, columns) into one array per variable, its own axes last."""
        return {
            name: values[..., places].reshape(*values.shape[:-1], *shape) if shape else values[..., places[0]]
            for name, (places, shape) in self._variables.items()
        }


def _ordered(places: list[int], indices: list[tuple[int, ...]]) -> tuple[np.ndarray, tuple[int, ...]]:
    """Give the columns of one variable in the order of its elements, and its shape."""
    where = np.array(indices, dtype=int).reshape(len(places), -1)
    if where.shape[1] == 0:
        return np.array(places), ()
    shape = tuple(int(n) for n in where.max(axis=0) + 1)
    return np.array(places)[np.argsort(np.ravel_multi_index(tuple(where.T), shape), kind="stable")], shape


def gather(columns: Sequence[str], values: np.ndarray) -> dict[str, np.ndarray]:
    """Split `values` (…, columns) into one array per variable, its own axes last."""
    return Layout(columns).split(values)
