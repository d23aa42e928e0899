"""Axes that are known by name, put into the order that is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scistan.graph.labelled import Labelled
from scistan.messages import data as messages

__all__ = ["contradicts", "turned"]


def contradicts(own: Sequence[str | None], dims: Sequence[str | None]) -> bool:
    """Tell whether an axis has a name that another one is to have."""
    return len(own) == len(dims) and any(
        name is not None and name != dim and name in dims for name, dim in zip(own, dims, strict=True)
    )


def turned(labelled: Labelled, name: str, dims: Sequence[str | None]) -> Labelled:
    """Put named axes into the order of `dims`, which may also name them anew; what fits neither is refused."""
    own = labelled.dims or ()
    if not contradicts(own, dims):
        return labelled
    if set(own) != set(dims) or len(set(own)) < len(own):
        raise messages.dims_differ(name, dims, own)
    order = [own.index(dim) for dim in dims]
    labels = tuple(labelled.labels[k] for k in order) if labelled.labels else ()
    return Labelled(np.transpose(labelled.values, order), tuple(dims), labels)
