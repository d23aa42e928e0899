"""What differs between the data of a fit and new data: which arrays, and along which lengths."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.shapes import Size

__all__ = ["changed_data", "replaced_lengths", "replaced_rows"]


def changed_data(fitted: Instance, instance: Instance) -> list[Data]:
    """List the data whose values are not those of the fit; what is observed is drawn anew, and is not among them."""
    observed = {t.value for t in instance.graph.observed}
    return [
        leaf
        for leaf, array in instance.values.items()
        if leaf not in observed and not _same(fitted.values.get(leaf), array)
    ]


def _same(old: np.ndarray | None, new: np.ndarray) -> bool:
    return old is new or (old is not None and np.array_equal(old, new))


def replaced_rows(fitted: Instance, instance: Instance, done: Collection[str] = ()) -> set[Size]:
    """List the lengths along which something is observed and data were given anew.

    What was `done` to the rows of a fit leaves them the rows that they were.
    """
    observed = {instance.table.reduce(size) for t in instance.graph.observed for size in t.law.shape}
    names = instance.graph.data_names
    return observed & _lengths(
        instance, [leaf for leaf in changed_data(fitted, instance) if names.get(leaf) not in done]
    )


def replaced_lengths(fitted: Instance, instance: Instance) -> set[Size]:
    """List the lengths whose positions are not those of the fit: rows given anew, other labels, other numbers."""
    other = {
        instance.table.reduce(size)
        for leaf, name in instance.graph.data_names.items()
        for dim, size in zip(instance.dims[name], leaf.shape, strict=True)
        if size.terms and not _same_positions(fitted, instance, dim, size)
    }
    return replaced_rows(fitted, instance) | other


def _same_positions(fitted: Instance, instance: Instance, dim: str, size: Size) -> bool:
    return fitted.length(size) == instance.length(size) and fitted.coords.get(dim) == instance.coords.get(dim)


def _lengths(instance: Instance, leaves: list[Data]) -> set[Size]:
    return {instance.table.reduce(size) for leaf in leaves for size in leaf.shape if size.terms}
