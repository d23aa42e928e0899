"""`ss.data`: arrays that belong to a model and can be swapped without recompiling."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.messages import data as messages
from scistan.ops.coerce import data_leaf, read_dims
from scistan.ops.expression import Expression
from scistan.shapes import values_of

__all__ = ["data"]


def data(values: object, *, dims: str | Sequence[str] | None = None) -> Expression:
    """Make values into data of a model; dims and coords are read from pandas and xarray.

    >>> import scistan as ss
    >>> m = ss.Model()
    >>> m.x = ss.data([1.0, 2.0, 3.0], dims="time")
    >>> m.x.shape
    (3,)
    """
    names = None if dims is None else read_dims("data", dims)
    leaf = data_leaf(values, names, assigned=True)
    if names is not None and len(names) != len(leaf.shape):
        raise messages.dims_rank("data", names, values_of(leaf.shape))
    return Expression(leaf)
