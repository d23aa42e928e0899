"""The NumPy functions that expressions answer to, with NumPy's own argument names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scistan.ops import composite, linear, reductions, shaping
from scistan.ops.coerce import as_node
from scistan.ops.declaration import REGISTRY
from scistan.ops.expression import Expression, function_of
from scistan.shapes import ONE, Shape

__all__ = ["NUMPY_TWINS"]

_REDUCTIONS = ("sum", "mean", "prod", "min", "max", "amin", "amax", "logsumexp")


def _reduction(name: str) -> Callable[..., Expression]:
    function = getattr(reductions, {"amin": "min", "amax": "max"}.get(name, name))

    def twin(a: Any, axis: Any = None, keepdims: bool = False) -> Expression:
        return function(a, axis, keepdims)  # type: ignore[no-any-return]

    return twin


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


def _squeeze(a: Any) -> Expression:
    node = as_node(a)
    return Expression(node)[tuple(0 if size == ONE else slice(None) for size in node.shape)]


def _stack(arrays: Sequence[Any], axis: int = 0) -> Expression:
    return shaping.stack(arrays, axis)


def _concatenate(arrays: Sequence[Any], axis: int = 0) -> Expression:
    return shaping.concatenate(arrays, axis)


def _column_stack(tup: Sequence[Any]) -> Expression:
    return shaping.stack(tup, axis=1)


def _diag(v: Any) -> Expression:
    return linear.diagonal_matrix(v) if len(as_node(v).shape) == 1 else linear.diagonal(v)


def _diagonal(a: Any) -> Expression:
    return linear.diagonal(a)


def _trace(a: Any) -> Expression:
    return linear.trace(a)


def _round(a: Any) -> Expression:
    return function_of(REGISTRY["round"])(a)


def _shape(a: Any) -> Shape:
    return as_node(a).shape


def _ndim(a: Any) -> int:
    return len(as_node(a).shape)


NUMPY_TWINS: dict[str, Callable[..., Any]] = {
    **{twin: function_of(op) for op in REGISTRY.values() if op.elementwise for twin in op.answers},
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
    "shape": _shape,
    "ndim": _ndim,
}
"""NumPy's function by its name → ours."""
