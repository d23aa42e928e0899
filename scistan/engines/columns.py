"""Columns of Stan's output, `theta[2,1]` or `theta.2.1`, gathered into arrays under their variables' names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

__all__ = ["Columns", "gather"]

_COLUMN = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:[\[.]([\d.,]+)\]?)?\Z")


class Columns:
    """The columns of an output, taken apart once: where each variable's elements lie, in the order of its own axes."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.count = len(columns)
        self.places: dict[str, np.ndarray] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        for name, places, indices in _by_variable(columns):
            where = np.array(indices, dtype=int).reshape(len(places), -1)
            if where.shape[1] == 0:
                self.places[name], self.shapes[name] = np.array(places[:1]), ()
                continue
            shape = tuple(int(n) for n in where.max(axis=0) + 1)
            order = np.argsort(np.ravel_multi_index(tuple(where.T), shape), kind="stable")
            self.places[name], self.shapes[name] = np.array(places)[order], shape

    def gather(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Split `values` (…, columns) into one array per variable, its own axes last."""
        lead = values.shape[:-1]
        return {name: values[..., places].reshape((*lead, *self.shapes[name])) for name, places in self.places.items()}


def _by_variable(columns: Sequence[str]) -> Iterator[tuple[str, list[int], list[tuple[int, ...]]]]:
    """Give each variable's columns and the indices of its elements."""
    found: dict[str, tuple[list[int], list[tuple[int, ...]]]] = {}
    for at, column in enumerate(columns):
        match = _COLUMN.match(column)
        if match is None:
            continue
        name, index = match.groups()
        places, indices = found.setdefault(name, ([], []))
        places.append(at)
        indices.append(tuple(int(i) - 1 for i in re.split(r"[.,]", index)) if index else ())
    for name, (places, indices) in found.items():
        yield name, places, indices


def gather(columns: Sequence[str], values: np.ndarray) -> dict[str, np.ndarray]:
    """Split `values` (…, columns) into one array per variable, its own axes last."""
    return Columns(columns).gather(values)
