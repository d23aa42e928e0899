"""What array libraries spell differently, for the formulas that several of them share.

A formula is given the library itself: NumPy, torch, `jax.numpy`, or NumPy's numbers with a slope (`duals.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

__all__ = [
    "apart", "as_positions", "fixed", "largest", "log_add_exp", "log_sum_exp", "numbers_for", "solve_triangular",
    "special", "together",
]

Array = Any
_DUALS = "scistan.ops.duals"  # NumPy's numbers with a slope
_SPECIAL = {"numpy": "scipy.special", "torch": "torch.special", "jax.numpy": "jax.scipy.special", _DUALS: _DUALS}


def special(xp: Any) -> Any:
    """Give the module of a library's special functions."""
    return import_module(_SPECIAL[xp.__name__])


def fixed(xp: Any, x: Array) -> Array:
    """Give a value through which no derivative runs."""
    if xp.__name__ == "torch":
        return x.detach()
    if xp.__name__ == _DUALS:
        return xp.fixed(x)
    return x if xp is np else import_module("jax.lax").stop_gradient(x)


def together(xp: Any, *values: Array) -> list[Array]:
    """Bring arguments to one floating type and shape."""
    if xp.__name__ == "torch":
        kind = xp.get_default_dtype()
        for value in values:
            kind = xp.promote_types(kind, value.dtype)
        return list(xp.broadcast_tensors(*[value.to(kind) for value in values]))
    if xp.__name__ == _DUALS:
        return list(values)  # which they are when they get a slope
    if xp is np:
        return [np.asarray(v, dtype=float) for v in np.broadcast_arrays(*values)]
    kind = xp.promote_types(xp.result_type(*values), xp.float32)
    return [v.astype(kind) for v in xp.broadcast_arrays(*values)]


def numbers_for(xp: Any, numbers: np.ndarray, like: Array) -> Array:
    """Give constants of a formula as an array like another one: its precision, its device."""
    if xp.__name__ == "torch":
        kind = str(like.dtype).removeprefix("torch.")
        own = numbers.astype(kind) if hasattr(np, kind) else numbers  # NumPy has no bfloat16
        return xp.as_tensor(own, dtype=like.dtype, device=like.device)
    return numbers if xp is np or xp.__name__ == _DUALS else xp.asarray(numbers, dtype=like.dtype)


def largest(xp: Any, like: Array) -> float:
    """Give a number so large that no more is needed, and which the precision of an array has."""
    single = xp.__name__ != "numpy" and xp.__name__ != _DUALS and xp.finfo(like.dtype).bits < 64
    return 1e30 if single else 1e300


def as_positions(xp: Any, positions: Array) -> Array:
    """Give whole numbers as what a library takes for positions."""
    if xp.__name__ == "torch":
        return positions.long()
    return np.asarray(positions).astype(np.int64, copy=False) if xp is np else xp.asarray(positions).astype(int)


def log_sum_exp(xp: Any, x: Array, axes: tuple[int, ...] = (-1,), keepdims: bool = False) -> Array:
    """Give `log(sum(exp(x)))` along axes; where all elements are -∞, their slopes are 0."""
    if xp.__name__ == _DUALS:
        return xp.logsumexp(x, axis=axes[0])  # which only formulas of distributions use, along the last axis
    if xp is np:
        return special(xp).logsumexp(x, axis=axes, keepdims=keepdims)
    # Both libraries subtract the largest element, and have NaN for the slopes where that is -∞.
    nothing = xp.all(x == -np.inf, axis=axes, keepdims=True)
    some, function = xp.where(nothing, 0.0, x), special(xp).logsumexp
    total = function(some, axes, True) if xp.__name__ == "torch" else function(some, axes, keepdims=True)
    total = xp.where(nothing, -np.inf, total)
    return total if keepdims else xp.squeeze(total, axes)


def log_add_exp(xp: Any, x: Array, y: Array) -> Array:
    """Give `log(exp(x) + exp(y))`; where both are -∞, their slopes are 0."""
    if xp is np:
        return np.logaddexp(x, y)
    # Written out, for torch's own has NaN for second derivatives already where one of the two is -∞.
    same = (x == y) & xp.isinf(y)
    one, other = xp.where(same, 0.0, x), xp.where(same, 0.0, y)
    top = xp.maximum(one, other)
    return xp.where(same, fixed(xp, x), top + xp.log1p(xp.exp(xp.minimum(one, other) - top)))


def apart(xp: Any, mask: Array, value: float, function: Callable[[Array, Array], Array], x: Array, y: Array) -> Array:
    """Give a function of two arguments, but this value, with slopes of 0, where the mask is true."""
    return xp.where(mask, value, function(xp.where(mask, 1.0, x), xp.where(mask, 1.0, y)))


def solve_triangular(xp: Any, a: Array, b: Array) -> Array:
    """Solve `a @ x = b` for lower triangles and columns, either of them in stacks."""
    if xp.__name__ == "torch":
        return xp.linalg.solve_triangular(a, b, upper=False)
    if xp is np:
        return np.linalg.solve(np.tril(a), b)
    stacks = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (xp.broadcast_to(x, (*stacks, *x.shape[-2:])) for x in (a, b))
    return import_module("jax.lax.linalg").triangular_solve(a, b, left_side=True, lower=True)
