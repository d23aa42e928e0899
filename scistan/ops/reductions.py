"""The ops that combine along axes: sums, means, extremes, cumulative sums, softmax and their kin."""

from __future__ import annotations

import operator
from typing import Any

from scistan.given import as_switch, is_number
from scistan.graph.node import Node
from scistan.messages import expressions as messages
from scistan.messages import options as option_messages
from scistan.messages.values import as_given
from scistan.ops import axes as flow
from scistan.ops import elementwise as e
from scistan.ops import reductions_back as back
from scistan.ops.coerce import as_node
from scistan.ops.declaration import AlongAxis, Attributes, Gradient, Op, Reduction, declare
from scistan.ops.expression import Expression, build
from scistan.ops.libraries import log_sum_exp, special
from scistan.ops.special_stan import PRODUCTS_OF_OTHERS
from scistan.shapes import ONE, Equality, Shape

Axis = int | tuple[int, ...] | None


def _reduced(shapes: tuple[Shape, ...], attributes: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    (shape,) = shapes
    axes: Any = attributes["axes"]
    rank = len(shape)
    kept = [
        (ONE if axis - rank in axes else size)
        for axis, size in enumerate(shape)
        if attributes["keepdims"] or axis - rank not in axes
    ]
    return tuple(kept), ()


def _same(shapes: tuple[Shape, ...], _: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    return shapes[0], ()


def _numpy_reduction(name: str) -> Any:
    def implementation(xp: Any, x: Any, *, axes: tuple[int, ...], keepdims: bool) -> Any:
        return getattr(xp, name)(x, axis=axes, keepdims=keepdims)

    return implementation


def _torch_reduction(name: str) -> Any:
    def implementation(xp: Any, x: Any, *, axes: tuple[int, ...], keepdims: bool) -> Any:
        return getattr(xp, name)(x, dim=axes, keepdim=keepdims) if axes else x

    return implementation


def _logsumexp(xp: Any, x: Any, *, axes: tuple[int, ...], keepdims: bool) -> Any:
    return log_sum_exp(xp, x, axes, keepdims) if axes else x


def _torch_prod(xp: Any, x: Any, *, axes: tuple[int, ...], keepdims: bool) -> Any:
    for axis in sorted(axes):
        x = xp.prod(x, dim=axis, keepdim=True)
    return x if keepdims else xp.squeeze(x, axes) if axes else x


def _reduction(
    name: str, doc: str, gradient: Gradient, numpy: Any = None, torch: Any = None, stan: Reduction | None = None,
    integer: bool = False, carries: bool = False,
) -> Op:
    return declare(name, doc, numpy=numpy or _numpy_reduction(name), torch=torch or _torch_reduction(name),
                   stan=stan or Reduction(name), shape=_reduced, axes=flow.reduced, stacks=True, integer=integer,
                   gradient=gradient, carries=carries)


SUM = _reduction("sum", "The sum along axes.", back.of_sum, integer=True, carries=True)
MEAN = _reduction("mean", "The mean along axes.", back.of_mean, carries=True)
# stanli multiplies the elements of vectors alone.
PROD = _reduction("prod", "The product along axes.", back.of_prod, torch=_torch_prod,
                  stan=Reduction("prod", vectors_only=True), integer=True)
MIN = _reduction("min", "The smallest along axes.", back.of_extreme, torch=_torch_reduction("amin"), integer=True)
MAX = _reduction("max", "The largest along axes.", back.of_extreme, torch=_torch_reduction("amax"), integer=True)
LOGSUMEXP = _reduction("logsumexp", "`log(sum(exp(x)))` along axes.", back.of_logsumexp, numpy=_logsumexp,
                       torch=_logsumexp, stan=Reduction("log_sum_exp"))


def _along(
    name: str, doc: str, gradient: Gradient, numpy: Any, torch: Any, stan: AlongAxis,
    rule: flow.AxesRule = flow.normalized, integer: bool = False, **fields: Any,
) -> Op:
    return declare(name, doc, numpy=numpy, torch=torch, stan=stan, shape=_same, axes=rule, stacks=True,
                   integer=integer, gradient=gradient, **fields)


CUMSUM = _along("cumsum", "The running sum along an axis.", back.of_cumsum,
                lambda xp, x, *, axis: xp.cumsum(x, axis=axis), lambda xp, x, *, axis: xp.cumsum(x, dim=axis),
                AlongAxis("cumulative_sum"), flow.running, integer=True, carries=True)
SOFTMAX = _along("softmax", "`exp(x) / sum(exp(x))` along an axis.", back.of_softmax,
                 lambda xp, x, *, axis: special(xp).softmax(x, axis=axis),
                 lambda xp, x, *, axis: xp.softmax(x, dim=axis), AlongAxis("softmax"), jax="jax.nn:softmax")
LOG_SOFTMAX = _along("log_softmax", "The logarithm of `softmax` along an axis.", back.of_log_softmax,
                     lambda xp, x, *, axis: special(xp).log_softmax(x, axis=axis),
                     lambda xp, x, *, axis: xp.log_softmax(x, dim=axis), AlongAxis("log_softmax"),
                     jax="jax.nn:log_softmax")


def _products_of_others(xp: Any, x: Any, *, axis: int) -> Any:
    """Multiply what stands before each element along an axis by what stands behind it."""
    def part(z: Any, which: slice) -> Any:
        return z[(..., which, *(slice(None),) * (-1 - axis))]

    def before(z: Any) -> Any:
        return xp.cumprod(xp.concatenate([xp.ones_like(part(z, slice(0, 1))), part(z, slice(0, -1))], axis), axis)

    return before(x) * xp.flip(before(xp.flip(x, (axis,))), (axis,))


OTHERS = _along("products_of_others", "The product of all others along an axis, for each.", back.of_others,
                _products_of_others, _products_of_others,
                AlongAxis("products_of_others", functions=PRODUCTS_OF_OTHERS), public=False)


def _axes(name: str, node: Node, axis: Axis) -> tuple[int, ...]:
    rank = len(node.shape)
    asked = range(rank) if axis is None else axis if isinstance(axis, list | tuple) else (axis,)
    found: list[int] = []
    for one in asked:
        try:
            at = operator.index(one)
        except TypeError:
            raise messages.bad_axis(name, as_given(one), rank) from None
        if not -rank <= at < rank or at % rank - rank in found:
            raise messages.bad_axis(name, f"{at} (asked for twice)" if -rank <= at < rank else at, rank)
        found.append(at % rank - rank)
    return tuple(sorted(found))


def _reduce(op: Op, x: object, axis: Axis, keepdims: bool) -> Expression:
    node = as_node(x)
    return build(op, Expression(node), axes=_axes(op.name, node, axis), keepdims=as_switch("keepdims", keepdims))


def _scan(op: Op, x: object, axis: int) -> Expression:
    node = as_node(x)
    axes = _axes(op.name, node, axis)
    if len(axes) != 1:
        raise messages.bad_axis(op.name, as_given(axis), len(node.shape))
    return build(op, Expression(node), axis=axes[0])


def sum(x: object, axis: Axis = None, keepdims: bool = False) -> Expression:
    """Sum along `axis` (all axes by default)."""
    return _reduce(SUM, x, axis, keepdims)


def mean(x: object, axis: Axis = None, keepdims: bool = False) -> Expression:
    """Average along `axis` (all axes by default)."""
    return _reduce(MEAN, x, axis, keepdims)


def prod(x: object, axis: Axis = None, keepdims: bool = False) -> Expression:
    """Multiply along `axis` (all axes by default)."""
    return _reduce(PROD, x, axis, keepdims)


def min(x: object, axis: Axis = None, keepdims: bool = False) -> Expression:
    """Give the smallest along `axis` (all axes by default)."""
    return _reduce(MIN, x, axis, keepdims)


def max(x: object, axis: Axis = None, keepdims: bool = False) -> Expression:
    """Give the largest along `axis` (all axes by default)."""
    return _reduce(MAX, x, axis, keepdims)


def logsumexp(x: object, axis: Axis = None, keepdims: bool = False) -> Expression:
    """Compute `log(sum(exp(x)))` along `axis` without overflow."""
    return _reduce(LOGSUMEXP, x, axis, keepdims)


def var(x: object, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Expression:
    """Give the variance along `axis`, with divisor `n - ddof` as in NumPy."""
    node = as_node(x)
    if not is_number(ddof):
        raise option_messages.bad_option("ddof", ddof, "a number", "1")
    away = build(e.square, build(e.subtract, Expression(node), mean(Expression(node), axis, keepdims=True)))
    if not ddof:
        return mean(away, axis, keepdims)
    count: object = 1
    for at in _axes("var", node, axis):
        count = build(e.multiply, count, node.shape[at])
    return build(e.divide, sum(away, axis, keepdims), build(e.subtract, count, ddof))


def std(x: object, axis: Axis = None, keepdims: bool = False, ddof: float = 0) -> Expression:
    """Give the standard deviation along `axis`, with divisor `n - ddof` as in NumPy."""
    return build(e.sqrt, var(x, axis, keepdims, ddof))


def cumsum(x: object, axis: int | None = None) -> Expression:
    """Give the running sum along `axis`; without one, of all elements row by row, as in NumPy."""
    node = as_node(x)
    if axis is not None or len(node.shape) == 1:
        return _scan(CUMSUM, Expression(node), -1 if axis is None else axis)
    from scistan.ops.shaping import reshape

    return _scan(CUMSUM, reshape(Expression(node), -1), -1)


def softmax(x: object, axis: int = -1) -> Expression:
    """Give `exp(x) / sum(exp(x))` along `axis`."""
    return _scan(SOFTMAX, x, axis)


def log_softmax(x: object, axis: int = -1) -> Expression:
    """Give the logarithm of `softmax` along `axis`."""
    return _scan(LOG_SOFTMAX, x, axis)


def normalize(x: object, axis: Axis = -1) -> Expression:
    """Divide by the sum along `axis` (None: over all of them), so that the result sums to 1."""
    expression = Expression(as_node(x))
    return build(e.divide, expression, sum(expression, axis, keepdims=True))
