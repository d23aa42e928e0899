"""Columns of Stan's output, `theta[2,1]` or `theta.2.1`, gathered into arrays under their variables' names."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

__all__ = ["gather"]

_COLUMN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:[\[.]([\d.,]+)\]?)?\Z")


def gather(columns: Sequence[str], values: np.ndarray) -> dict[str, np.ndarray]:
    """Split `values` (…, columns) into one array per variable, its own axes last."""
    positions: dict[str, list[int]] = {}
    indices: dict[str, list[tuple[int, ...]]] = {}
    for at, column in enumerate(columns):
        match = _COLUMN.match(column)
        if match is None:
            continue
        name, index = match.groups()
        positions.setdefault(name, []).append(at)
        indices.setdefault(name, []).append(tuple(int(i) - 1 for i in re.split(r"[.,]", index)) if index else ())
    result: dict[str, np.ndarray] = {}
    for name, places in positions.items():
        where = np.array(indices[name], dtype=int).reshape(len(places), -1)
        if where.shape[1] == 0:
            result[name] = values[..., places[0]]
            continue
        shape = tuple(where.max(axis=0) + 1)
        order = np.argsort(np.ravel_multi_index(tuple(where.T), shape), kind="stable")
        taken = values[..., np.array(places)[order]]
        result[name] = taken.reshape(*values.shape[:-1], *shape)
    return result
