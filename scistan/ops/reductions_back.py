"""How slopes go back through sums, products, extremes and their kin: to every element that took part."""

from __future__ import annotations

from functools import reduce
from typing import Any

from scistan.ops.declaration import REGISTRY
from scistan.ops.expression import Expression, build
from scistan.ops.tables import FUNCTIONS
from scistan.shapes import ONE

__all__ = [
    "of_cumsum", "of_extreme", "of_log_softmax", "of_logsumexp", "of_mean", "of_others", "of_prod", "of_softmax",
    "of_sum", "widened",
]


def _call(name: str, *args: object, **options: Any) -> Expression:
    return FUNCTIONS[name](*args, **options)


def widened(value: Expression, x: Expression, axes: tuple[int, ...], keepdims: bool) -> Expression:
    """Give what was reduced its axes back, with a length of 1."""
    if keepdims or not axes:
        return value
    rank = len(x.shape)
    gone = {axis + rank for axis in axes}
    return value[tuple(None if axis in gone else slice(None) for axis in range(rank))]


def _spread(upstream: Expression, x: Expression, axes: tuple[int, ...], keepdims: bool) -> Expression:
    wide = widened(upstream, x, axes, keepdims)
    return build(REGISTRY["broadcast_to"], wide, shape=tuple(x.shape), rank=len(wide.shape)) if axes else wide


def of_sum(upstream: Expression, _: Expression, x: Expression, axes: Any, keepdims: bool) -> tuple[Expression]:
    """Give every summand what comes for the sum."""
    return (_spread(upstream, x, axes, keepdims),)


def of_mean(upstream: Expression, _: Expression, x: Expression, axes: Any, keepdims: bool) -> tuple[Expression]:
    """Give every summand its share of what comes for the mean."""
    count: Any = reduce(lambda total, size: total * size, (x.shape[axis] for axis in axes), ONE)
    return (_spread(upstream / count if axes else upstream, x, axes, keepdims),)


def of_prod(upstream: Expression, _: Expression, x: Expression, axes: Any, keepdims: bool) -> tuple[Expression]:
    """Multiply what comes by the product of all others: right where some are 0, too."""
    slope = widened(upstream, x, axes, keepdims)
    before = x
    for axis in axes:
        slope = slope * build(REGISTRY["products_of_others"], before, axis=axis)
        before = _call("prod", before, axis=axis, keepdims=True)
    return (slope,)


def of_others(upstream: Expression, _: Expression, x: Expression, axis: int) -> tuple[Expression]:
    """Differentiate each product of others once more: over pairs of elements."""
    rank = len(x.shape)
    last = [k for k in range(rank) if k != axis + rank] + [axis + rank]
    back = sorted(range(rank), key=last.__getitem__)
    places = _call("arange", x.shape[axis])
    itself = _call("equal", places[:, None], places)
    others = _call("where", itself, 1.0, _call("transpose", x, last)[..., None, :])  # a row of others for each element
    slope = build(REGISTRY["products_of_others"], others, axis=-1) * _call("where", itself, 0.0, 1.0)
    total = _call("sum", slope * _call("transpose", upstream, last)[..., :, None], axis=-2)
    return (_call("transpose", total, back),)


def of_extreme(upstream: Expression, out: Expression, x: Expression, axes: Any, keepdims: bool) -> tuple[Expression]:
    """Share what comes among the elements that are the extreme, as torch does."""
    those = _call("equal", x, widened(out, x, axes, keepdims))
    share = those / _call("sum", those, axis=axes, keepdims=True) if axes else those
    return (widened(upstream, x, axes, keepdims) * share,)


def of_logsumexp(upstream: Expression, out: Expression, x: Expression, axes: Any, keepdims: bool) -> tuple[Expression]:
    """Share what comes by the elements' parts of the sum; nothing where all of them are -∞."""
    total = widened(out, x, axes, keepdims)
    some = _call("where", total > float("-inf"), total, 0.0)
    return (widened(upstream, x, axes, keepdims) * _call("exp", x - some),)


def of_cumsum(upstream: Expression, _: Expression, x: Expression, axis: int) -> tuple[Expression]:
    """Sum what comes from the end backwards."""
    turn = (*(slice(None),) * (axis + len(x.shape)), slice(None, None, -1))
    return (_call("cumsum", upstream[turn], axis=axis)[turn],)


def of_softmax(upstream: Expression, out: Expression, x: Expression, axis: int) -> tuple[Expression]:
    """Take from what comes its mean under the softmax."""
    return (out * (upstream - _call("sum", upstream * out, axis=axis, keepdims=True)),)


def of_log_softmax(upstream: Expression, out: Expression, x: Expression, axis: int) -> tuple[Expression]:
    """Take from what comes the softmax's share of its sum."""
    return (upstream - _call("softmax", x, axis=axis) * _call("sum", upstream, axis=axis, keepdims=True),)
