"""Numbers with a slope, for NumPy: a formula that is given this module as its array library is computed with its slope.

What `jvp` does for torch and JAX. A slope may have a slope itself, then of all arguments alike: second derivatives.
Only what the formulas of `special_formulas.py` and `distributions/cumulative.py` use is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as _special

__all__ = ["Dual", "along"]

Array = Any


class Dual:
    """A value and its slope."""

    __slots__ = ("slope", "value")
    __array_ufunc__ = None  # arrays on the left leave the arithmetic to it

    def __init__(self, value: Array, slope: Array) -> None:
        self.value, self.slope = value, slope

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(_plain(self))

    def __getitem__(self, key: Any) -> Dual:
        return Dual(self.value[key], self.slope[key])

    def sum(self, axis: int) -> Dual:
        return Dual(self.value.sum(axis), self.slope.sum(axis))

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __add__(self, other: Array) -> Dual:
        return Dual(self.value + _value(other), self.slope + _slope(other))

    def __mul__(self, other: Array) -> Dual:
        return Dual(self.value * _value(other), self.slope * _value(other) + self.value * _slope(other))

    def __sub__(self, other: Array) -> Dual:
        return Dual(self.value - _value(other), self.slope - _slope(other))

    def __rsub__(self, other: Array) -> Dual:
        return Dual(other - self.value, -self.slope)

    def __truediv__(self, other: Array) -> Dual:
        ratio = self.value / _value(other)
        return Dual(ratio, (self.slope - ratio * _slope(other)) / _value(other))

    def __rtruediv__(self, other: Array) -> Dual:
        ratio = other / self.value
        return Dual(ratio, -ratio * self.slope / self.value)

    def __pow__(self, power: int) -> Dual:
        return Dual(self.value**power, power * self.value ** (power - 1) * self.slope)

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Array) -> Array:
        return _plain(self) < _plain(other)

    def __le__(self, other: Array) -> Array:
        return _plain(self) <= _plain(other)

    def __gt__(self, other: Array) -> Array:
        return _plain(self) > _plain(other)

    def __ge__(self, other: Array) -> Array:
        return _plain(self) >= _plain(other)

    def __eq__(self, other: object) -> Array:
        return _plain(self) == _plain(other)

    __hash__ = None  # type: ignore[assignment]


def along(formula: Callable[..., Array], library: Any, args: tuple[Array, ...], *wrt: int) -> np.ndarray:
    """Differentiate a formula of NumPy's arrays in one argument, or in one and then another."""
    numbers = np.broadcast_arrays(*(np.asarray(arg, dtype=float) for arg in args))
    given: list[Array] = list(numbers)
    for level, k in enumerate(wrt):
        given = [Dual(x, _unit(j == k, numbers[0].shape, level)) for j, x in enumerate(given)]
    with np.errstate(all="ignore"):
        found = formula(library, *given)
    for _ in wrt:
        found = _slope(found)
    return np.broadcast_to(_plain(found), numbers[0].shape)


def _unit(chosen: bool, shape: tuple[int, ...], level: int) -> Array:
    slope: Array = np.full(shape, float(chosen))
    for _ in range(level):
        slope = Dual(slope, np.zeros(shape))
    return slope


def _value(x: Array) -> Array:
    return x.value if isinstance(x, Dual) else x


def _slope(x: Array) -> Array:
    return x.slope if isinstance(x, Dual) else np.zeros(np.shape(x))


def _plain(x: Array) -> Array:
    while isinstance(x, Dual):
        x = x.value
    return x


def fixed(x: Array) -> Array:
    """Give the value alone."""
    return _plain(x)


def _chain(function: Callable[[Array], Array], slope: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Make a function of numbers with a slope from one of arrays, and from its derivative."""

    def extended(x: Array) -> Array:
        if not isinstance(x, Dual):
            return function(x)
        return Dual(extended(x.value), slope(x.value) * x.slope)

    return extended


# -- as NumPy has them ----------------------------------------------------------------------------------
Function = Callable[[Array], Array]
exp: Function = _chain(np.exp, lambda x: exp(x))
expm1 = _chain(np.expm1, lambda x: exp(x))
log = _chain(np.log, lambda x: 1 / x)
log1p = _chain(np.log1p, lambda x: 1 / (1 + x))
sqrt: Function = _chain(np.sqrt, lambda x: 0.5 / sqrt(x))
sin: Function = _chain(np.sin, lambda x: cos(x))
cos: Function = _chain(np.cos, lambda x: -sin(x))
arccos = _chain(np.arccos, lambda x: -1 / sqrt(1 - x * x))
floor = _chain(np.floor, lambda x: np.zeros(np.shape(_plain(x))))
abs = _chain(np.abs, lambda x: np.sign(_plain(x)))


def where(chosen: Array, x: Array, y: Array) -> Array:
    """Choose; the slope of what is not chosen is not felt."""
    if not isinstance(x, Dual) and not isinstance(y, Dual):
        return np.where(chosen, x, y)
    return Dual(where(chosen, _value(x), _value(y)), where(chosen, _slope(x), _slope(y)))


def clip(x: Array, low: float | None, high: float | None) -> Array:
    """Limit; beyond the limits there is no slope."""
    at = _plain(x)
    limited = np.clip(at, low, high)
    return where(limited == at, x, limited)


def minimum(x: Array, y: Array) -> Array:
    """Take the smaller one."""
    return where(_plain(x) <= _plain(y), x, y)


def logaddexp(x: Array, y: Array) -> Array:
    """Add what two logarithms stand for."""
    top = np.maximum(_plain(x), _plain(y))
    top = np.where(np.isfinite(top), top, 0.0)
    return top + log(exp(x - top) + exp(y - top))


def ones_like(x: Array) -> np.ndarray:
    return np.ones(np.shape(_plain(x)))


def full_like(x: Array, number: float) -> np.ndarray:
    return np.full(np.shape(_plain(x)), number)


# -- as SciPy has them ----------------------------------------------------------------------------------
def _polygamma(order: int) -> Callable[[Array], Array]:
    def function(x: Array) -> Array:
        return _special.digamma(x) if order == 0 else _special.polygamma(order, x)

    return _chain(function, lambda x: _polygamma(order + 1)(x))


gammaln = _chain(_special.gammaln, lambda x: _polygamma(0)(x))
erfc = _chain(_special.erfc, lambda x: exp(-(x * x)) * (-2 / math.sqrt(math.pi)))
i0e: Function = _chain(_special.i0e, lambda x: i1e(x) - i0e(x) * np.sign(_plain(x)))
i1e: Function = _chain(_special.i1e, lambda x: i0e(x) - i1e(x) * (np.sign(_plain(x)) + 1 / x))


def logsumexp(x: Array, axis: int) -> Array:
    """Add along an axis what logarithms stand for."""
    top = np.max(_plain(x), axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.squeeze(top, axis) + log(exp(x - top).sum(axis))
