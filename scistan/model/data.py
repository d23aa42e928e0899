"""`ss.data`: arrays that belong to a model and can be swapped without recompiling."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.messages import data as messages
from scistan.ops.coding import coded_leaf
from scistan.ops.coerce import read_dims
from scistan.ops.expression import Expression
from scistan.shapes import values_of

__all__ = ["data"]


def data(values: object, *, dims: str | Sequence[str] | None = None) -> Expression:
    """Make values into data of a model; dims and coords are read from pandas and xarray.

    Text and categories become a factor, as by `ss.factor`, and a warning says so. Dates become days since the earliest
    of them, spans of time days; dates of new data count from the same day.

    >>> import scistan as ss
    >>> m = ss.Model()
    >>> m.x = ss.data([1.0, 2.0, 3.0], dims="time")
    >>> m.x.shape
    (3,)
    """
    names = None if dims is None else read_dims("data", dims)
    leaf = coded_leaf(values, names)
    if names is not None and len(names) != len(leaf.shape):
        raise messages.dims_rank("data", names, values_of(leaf.shape))
    return Expression(leaf)
