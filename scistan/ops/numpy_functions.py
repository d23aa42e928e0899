"""The NumPy functions that expressions answer to, with NumPy's own argument names."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scistan.messages import expressions as messages
from scistan.ops import composite, indexing, kernels, linear, reductions, shaping, special  # noqa: F401  all are declared
from scistan.ops.coerce import as_node
from scistan.ops.declaration import REGISTRY
from scistan.ops.expression import Expression, function_of
from scistan.ops.tables import NUMPY_FUNCTIONS
from scistan.shapes import ONE, Shape, Size, values_of

_REDUCTIONS = ("sum", "mean", "prod", "min", "max", "amin", "amax", "logsumexp")


def _reduction(name: str) -> Callable[..., Expression]:
    own = getattr(reductions, {"amin": "min", "amax": "max"}.get(name, name))

    def function(a: Any, axis: Any = None, keepdims: bool = False) -> Expression:
        return own(a, axis, keepdims)  # type: ignore[no-any-return]

    return function


def _var(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Expression:
    return reductions.var(a, axis, keepdims, ddof)


def _std(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Expression:
    return reductions.std(a, axis, keepdims, ddof)


def _cumsum(a: Any, axis: int | None = None) -> Expression:
    return reductions.cumsum(a, axis)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Expression:
    return composite.clip(a, a_min if min is None else min, a_max if max is None else max)


def _transpose(a: Any, axes: Sequence[int] | None = None) -> Expression:
    return shaping.transpose(a, axes)


def _reshape(a: Any, shape: Any) -> Expression:
    return shaping.reshape(a, shape)


def _ravel(a: Any) -> Expression:
    return shaping.reshape(a, -1)


def _swapaxes(a: Any, axis1: int, axis2: int) -> Expression:
    order = list(range(len(as_node(a).shape)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return shaping.transpose(a, order)


def _expand_dims(a: Any, axis: int) -> Expression:
    key: list[Any] = [slice(None)] * len(as_node(a).shape)
    key.insert(axis if axis >= 0 else len(key) + 1 + axis, None)
    return Expression(as_node(a))[tuple(key)]


def _squeeze(a: Any, axis: int | tuple[int, ...] | None = None) -> Expression:
    node = as_node(a)
    rank = len(node.shape)
    ones = {k for k, size in enumerate(node.shape) if size == ONE}
    asked = ones if axis is None else {k % max(rank, 1) for k in (axis if isinstance(axis, tuple) else (axis,))}
    if not asked <= ones:
        raise messages.bad_shapes("squeeze", [values_of(node.shape)], f"axis {axis} is not of length 1")
    return Expression(node)[tuple(0 if k in asked else slice(None) for k in range(rank))]


def _moveaxis(a: Any, source: int, destination: int) -> Expression:
    order = list(range(len(as_node(a).shape)))
    order.insert(destination % len(order), order.pop(source))
    return shaping.transpose(a, order)


def _stack(arrays: Sequence[Any], axis: int = 0) -> Expression:
    return shaping.stack(arrays, axis)


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Expression:
    return shaping.concatenate(arrays, axis)


def _column_stack(tup: Sequence[Any]) -> Expression:
    return shaping.stack(tup, axis=1)


def _hstack(tup: Sequence[Any]) -> Expression:
    parts = [_at_least(1, part) for part in tup]
    return shaping.concatenate(parts, axis=0 if parts[0].ndim == 1 else 1)


def _vstack(tup: Sequence[Any]) -> Expression:
    return shaping.concatenate([_at_least(2, part) for part in tup], axis=0)


def _append(arr: Any, values: Any, axis: int | None = None) -> Expression:
    parts = [Expression(as_node(arr)), Expression(as_node(values))]
    return shaping.concatenate([_ravel(p) for p in parts] if axis is None else parts, axis=axis or 0)


def _at_least(rank: int, a: Any) -> Expression:
    """Put axes of length 1 before the others."""
    x = Expression(as_node(a))
    return x[(None,) * (rank - x.ndim)] if x.ndim < rank else x


def _tile(A: Any, reps: int) -> Expression:
    return shaping.concatenate([_at_least(1, A)] * operator.index(reps), axis=-1)


def _repeat(a: Any, repeats: Any, axis: int | None = None) -> Expression:
    x = _ravel(a) if axis is None else Expression(as_node(a))
    at = (axis or 0) % x.ndim
    if np.ndim(repeats):
        return _along(x, at, np.repeat(np.arange(len(repeats)), repeats))[0]
    beside = shaping.stack([x] * operator.index(repeats), axis=at + 1)
    return shaping.reshape(beside, (*x.shape[:at], -1, *x.shape[at + 1 :]))


def _along(a: Any, axis: int, *keys: Any) -> list[Expression]:
    """Index one axis in several ways."""
    x = Expression(as_node(a))
    lead = (slice(None),) * (axis % max(x.ndim, 1))
    return [x[(*lead, key)] for key in keys]


def _take(a: Any, indices: Any, axis: int | None = None) -> Expression:
    return _along(_ravel(a) if axis is None else a, axis or 0, indices)[0]


def _flip(m: Any, axis: int | tuple[int, ...] | None = None) -> Expression:
    x = Expression(as_node(m))
    for one in range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,):
        x = _along(x, one, slice(None, None, -1))[0]
    return x


def _roll(a: Any, shift: int, axis: int | None = None) -> Expression:
    x = Expression(as_node(a))
    if axis is None and x.ndim > 1:
        return shaping.reshape(_roll(_ravel(x), shift), x.shape)
    return shaping.concatenate(_along(x, axis or 0, slice(-shift, None), slice(None, -shift)), axis=axis or 0)


def _diff(a: Any, n: int = 1, axis: int = -1) -> Expression:
    x = Expression(as_node(a))
    for _ in range(operator.index(n)):
        later, earlier = _along(x, axis, slice(1, None), slice(None, -1))
        x = later - earlier
    return x


def _inner(a: Any, b: Any) -> Expression:
    return linear.dot(a, shaping.transpose(b) if _ndim(b) == 2 else b)


def _norm(x: Any, ord: None = None, axis: Any = None, keepdims: bool = False) -> Expression:
    return function_of(REGISTRY["sqrt"])(reductions.sum(function_of(REGISTRY["square"])(x), axis, keepdims))


def _outer_of(name: str) -> Callable[..., Expression]:
    def function(a: Any, b: Any) -> Expression:
        left, right = Expression(as_node(a)), Expression(as_node(b))
        return function_of(REGISTRY[name])(left[(..., *(None,) * right.ndim)], right)

    return function


def _average(a: Any, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Expression:
    if weights is None:
        return reductions.mean(a, axis, keepdims)
    heavy = function_of(REGISTRY["multiply"])(a, weights)
    total = reductions.sum(shaping.broadcast_to(weights, heavy.shape), axis, keepdims)
    return reductions.sum(heavy, axis, keepdims) / total


def _ptp(a: Any, axis: Any = None, keepdims: bool = False) -> Expression:
    return reductions.max(a, axis, keepdims) - reductions.min(a, axis, keepdims)


def _filled(number: float) -> Callable[..., Expression]:
    return lambda a: shaping.broadcast_to(number, as_node(a).shape)


def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Expression:
    result: Any = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = function_of(REGISTRY["where"])(condition, choice, result)
    return Expression(as_node(result))


def _sign(x: Any) -> Expression:
    return function_of(REGISTRY["greater"])(x, 0) - function_of(REGISTRY["less"])(x, 0)


def _trunc(x: Any) -> Expression:
    return _sign(x) * function_of(REGISTRY["floor"])(function_of(REGISTRY["abs"])(x))


def _hypot(x: Any, y: Any) -> Expression:
    square = function_of(REGISTRY["square"])
    return function_of(REGISTRY["sqrt"])(square(x) + square(y))


def _size(a: Any) -> Size:
    shape = as_node(a).shape
    return math.prod(shape[1:], start=shape[0]) if shape else ONE


def _diag(v: Any) -> Expression:
    return linear.diagonal_matrix(v) if len(as_node(v).shape) == 1 else linear.diagonal(v)


def _diagonal(a: Any) -> Expression:
    return linear.diagonal(a)


def _trace(a: Any) -> Expression:
    return linear.trace(a)


def _round(a: Any, decimals: int = 0) -> Expression:
    nearest = function_of(REGISTRY["round"])
    scale = 10**decimals
    return nearest(Expression(as_node(a)) * scale) / scale if decimals else nearest(a)


def _truth(a: Any) -> Expression:
    return function_of(REGISTRY["not_equal"])(a, 0)


def _shape(a: Any) -> Shape:
    return as_node(a).shape


def _ndim(a: Any) -> int:
    return len(as_node(a).shape)


NUMPY_FUNCTIONS.update({
    **{name: function_of(op) for op in REGISTRY.values() if op.elementwise for name in op.answers},
    **{name: _reduction(name) for name in _REDUCTIONS},
    "var": _var,
    "std": _std,
    "cumsum": _cumsum,
    "clip": _clip,
    "round": _round,
    "around": _round,
    "positive": lambda x: Expression(as_node(x)),
    "reciprocal": lambda x: function_of(REGISTRY["divide"])(1, x),
    "floor_divide": composite.floor_divide,
    "remainder": composite.remainder,
    "mod": composite.remainder,
    "logical_and": composite.logical_and,
    "logical_or": composite.logical_or,
    "logical_not": composite.logical_not,
    "bitwise_and": composite.logical_and,
    "bitwise_or": composite.logical_or,
    "matmul": linear.matmul,
    "dot": linear.dot,
    "outer": linear.outer,
    "inv": linear.inverse,
    "cholesky": linear.cholesky,
    "solve": linear.solve,
    "diag": _diag,
    "diagonal": _diagonal,
    "trace": _trace,
    "transpose": _transpose,
    "swapaxes": _swapaxes,
    "expand_dims": _expand_dims,
    "squeeze": _squeeze,
    "reshape": _reshape,
    "ravel": _ravel,
    "stack": _stack,
    "column_stack": _column_stack,
    "concatenate": _concatenate,
    "broadcast_to": shaping.broadcast_to,
    "hstack": _hstack,
    "vstack": _vstack,
    "append": _append,
    "tile": _tile,
    "repeat": _repeat,
    "take": _take,
    "flip": _flip,
    "roll": _roll,
    "diff": _diff,
    "moveaxis": _moveaxis,
    "atleast_1d": lambda a: _at_least(1, a),
    "atleast_2d": lambda a: _at_least(2, a),
    "copy": lambda a: Expression(as_node(a)),
    "inner": _inner,
    "norm": _norm,
    "average": _average,
    "ptp": _ptp,
    "zeros_like": _filled(0),
    "ones_like": _filled(1),
    "full_like": lambda a, fill_value: shaping.broadcast_to(fill_value, as_node(a).shape),
    "select": _select,
    "sign": _sign,
    "trunc": _trunc,
    "hypot": _hypot,
    "deg2rad": lambda x: Expression(as_node(x)) * (math.pi / 180),
    "radians": lambda x: Expression(as_node(x)) * (math.pi / 180),
    "any": lambda a, axis=None, keepdims=False: reductions.max(_truth(a), axis, keepdims),
    "all": lambda a, axis=None, keepdims=False: reductions.min(_truth(a), axis, keepdims),
    "count_nonzero": lambda a, axis=None, *, keepdims=False: reductions.sum(_truth(a), axis, keepdims),
    "logical_xor": lambda x, y: function_of(REGISTRY["not_equal"])(_truth(x), _truth(y)),
    "bitwise_xor": lambda x, y: function_of(REGISTRY["not_equal"])(_truth(x), _truth(y)),
    **{f"{name}_outer": _outer_of(name) for name in ("add", "subtract", "divide")},
    "shape": _shape,
    "ndim": _ndim,
    "size": _size,
})
