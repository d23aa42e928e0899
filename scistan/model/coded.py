"""`ss.factor` and `ss.standardize`: data that remember how they became numbers, so that new data go the same way."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.graph.node import Data
from scistan.messages import data as messages
from scistan.ops.coding import factor_leaf, standardized_leaf
from scistan.ops.coerce import read_dims
from scistan.ops.expression import Expression
from scistan.ops.levels import read_levels
from scistan.shapes import values_of

__all__ = ["factor", "standardize"]


def factor(
    values: object, levels: Sequence[object] | None = None, dims: str | Sequence[str] | None = None
) -> Expression:
    """Make labels (text, categories, truth values, anything hashable) into data that pick by label.

    The data are positions, counted from 0, of the levels: `levels`, else the categories in their order, else the
    labels sorted. Assigned as `m.site`, they make the dim `site`, whose coords are the levels. New data are labels too.

    >>> import scistan as ss
    >>> m = ss.Model()
    >>> m.site = ss.factor(["b", "a", "b"])
    >>> m.effect = ss.Normal(0, 1, dims="site")
    >>> m.coords, m.effect[m.site].shape
    ({'site': ['a', 'b']}, (3,))
    """
    names = None if dims is None else read_dims("factor", dims)
    leaf = factor_leaf(values, None if levels is None else read_levels(levels), names)
    return _expression("factor", leaf, names)


def standardize(values: object, dims: str | Sequence[str] | None = None) -> Expression:
    """Make numbers into data with mean 0 and standard deviation 1 (ddof 0), column by column.

    Centre and scale stay those of these values: new data are given in original units.

    >>> import scistan as ss
    >>> m = ss.Model()
    >>> m.x = ss.standardize([1.0, 3.0])
    >>> m.prior(1).constant_data["x"].values, m.with_data(x=[5.0, 2.0]).prior(1).constant_data["x"].values
    (array([-1.,  1.]), array([3., 0.]))
    """
    names = None if dims is None else read_dims("standardize", dims)
    return _expression("standardize", standardized_leaf(values, names), names)


def _expression(what: str, leaf: Data, names: tuple[str, ...] | None) -> Expression:
    if names is not None and len(names) != len(leaf.shape):
        raise messages.dims_rank(what, names, values_of(leaf.shape))
    return Expression(leaf)
