"""Labels of axes that have none of their own: those of the data that they stand beside."""

from __future__ import annotations

import numpy as np

from scistan.graph.instance import Instance
from scistan.graph.labels import Labels, order_of
from scistan.shapes import Size

__all__ = ["labels_along", "labels_beside", "order_beside"]


def labels_along(instance: Instance, dim: str, length: int) -> Labels | None:
    """Give the labels of a dim; rows that nobody labelled are 0, 1, 2, …."""
    if dim in instance.counted:
        return Labels(range(length), implied=True)
    known = instance.coords.get(dim)
    return Labels(known) if known is not None and len(known) == length else None


def labels_beside(instance: Instance) -> dict[Size, tuple[str, Labels]]:
    """Give the labels of the data along each length: a latent that has none of its own stands beside them."""
    found: dict[Size, tuple[str, Labels]] = {}
    for leaf, name in instance.graph.data_names.items():
        for dim, size in zip(instance.dims[name], leaf.shape, strict=True):
            labels = labels_along(instance, dim, instance.length(size))
            if labels is not None and size.terms:
                found.setdefault(instance.table.reduce(size), (dim, labels))
    return found


def order_beside(known: Labels, own: Labels) -> np.ndarray | None:
    """Give the positions that put `own` into the order of `known`; what merely counts 0, 1, 2, … is in order.

    ArviZ counts the elements of axes that have no labels.
    """
    counts = own.implied or (not known.same_set(own) and own == Labels(range(len(own))))
    return None if known.implied or counts else order_of(known, own)
