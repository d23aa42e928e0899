"""Incomplete gamma and beta functions for torch and JAX, differentiable in every argument, exact in the tails.

The tail that is not near 1 is written as a closed factor times an integral of `exp(phi(v))` over `v > 0`,
where `phi(0) = 0` and `phi` falls from there on. Gauss and Legendre's rule on the stretch where the integrand
is not yet nothing has no cancellation, so the tails keep their digits, and every derivative of any order is
the derivative of a smooth sum. Nothing depends on the numbers but the numbers: the `meta` device, `vmap` and
compilation are all served. The two tails themselves also run on NumPy, which has no logarithms of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from scistan.ops.libraries import fixed, largest, numbers_for, special, together

__all__ = [
    "beta_tail", "gamma_p", "gamma_q", "gamma_tail", "inc_beta", "lbeta", "log_choose", "log_gamma_p", "log_gamma_q",
    "log_i0", "log_inc_beta", "owens_t",
]

Tensor = Any

_NODES = 40
_DEPTH = 38.0  # exp(-38) is below the rounding of 1


@cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    """Give the nodes and weights of Gauss and Legendre's rule on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (nodes + 1) / 2, weights / 2


def _rule_for(xp: Any, like: Tensor) -> tuple[Tensor, Tensor]:
    nodes, weights = _rule()
    return numbers_for(xp, nodes, like), numbers_for(xp, weights, like)


def _lgamma(xp: Any, z: Tensor) -> Tensor:
    return special(xp).gammaln(z)


def _integral(xp: Any, phi: Callable[..., Tensor], end: Tensor, *parameters: Tensor) -> Tensor:
    """Integrate `exp(phi(v, *parameters))` over `0 < v < end`, with more nodes near 0 (`v = end * u^2`)."""
    nodes, weights = _rule_for(xp, end)
    heights = xp.exp(phi(end[..., None] * nodes**2, *(p[..., None] for p in parameters)))
    return end * (heights * (2 * nodes * weights)).sum(-1)


def _where_it_ends(xp: Any, phi: Callable[..., Tensor], slope: Callable[..., Tensor], fall: Tensor, bend: Tensor,
                   *parameters: Tensor) -> Tensor:
    """Find where a concave `phi` reaches `-_DEPTH`, starting from its fall and bend at 0.

    Newton's steps stay on the far side after the first one, so the stretch is never too short.
    """
    held = [fixed(xp, p) for p in parameters]
    fall, bend = fixed(xp, fall), fixed(xp, bend)
    end = 2 * _DEPTH / (fall + xp.sqrt(fall * fall + 2 * _DEPTH * bend))
    for _ in range(8):
        end = end - (phi(end, *held) + _DEPTH) / slope(end, *held)
    return fixed(xp, end)


def _log1m_exp(xp: Any, x: Tensor) -> Tensor:
    near = x > -math.log(2.0)
    close, far = xp.where(near, x, -0.5), xp.where(near, -1.0, x)
    return xp.where(near, xp.log(-xp.expm1(close)), xp.log1p(-xp.exp(far)))


def _log_minus(xp: Any, u: Tensor, ratio: Tensor) -> Tensor:
    """Give `log(ratio) - u` for `ratio = 1 + u`, of which `u` is exact near 1 and `ratio` far from it."""
    near = xp.abs(u) < 0.5
    return xp.where(near, xp.log1p(xp.where(near, u, 0.0)), xp.log(xp.where(near, 1.0, ratio))) - u


def _stirling_rest(xp: Any, z: Tensor) -> Tensor:
    """Give `lgamma(z) - ((z - 1/2) log z - z + log(2 pi) / 2)` without cancellation for large `z`."""
    large = z > 10.0
    far, near = xp.where(large, z, 10.0), xp.where(large, 1.0, z)
    w = 1 / (far * far)
    series = w * (1 / 1188 + w * (-691 / 360360 + w * (1 / 156 - w * 3617 / 122400)))
    series = (1 / 12 + w * (-1 / 360 + w * (1 / 1260 + w * (-1 / 1680 + series)))) / far
    direct = _lgamma(xp, near) - (near - 0.5) * xp.log(near) + near - 0.5 * math.log(2 * math.pi)
    return xp.where(large, series, direct)


# -- the incomplete gamma function ----------------------------------------------------------------
def _gamma_phi(xp: Any) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    # t = x exp(-v) below x and t = x exp(v) above it; `side` is 1 below, -1 above.
    def phi(v: Tensor, a: Tensor, x: Tensor, side: Tensor) -> Tensor:
        return -side * a * v - x * xp.expm1(-side * v)

    def slope(v: Tensor, a: Tensor, x: Tensor, side: Tensor) -> Tensor:
        return side * (x * xp.exp(-side * v) - a)

    return phi, slope


def _gamma_factor(xp: Any, a: Tensor, x: Tensor) -> Tensor:
    """Give `log(x^a exp(-x) / Gamma(a + 1))`."""
    large = a > 10.0
    far, near = xp.where(large, a, 10.0), xp.where(large, 1.0, a)
    powers = far * _log_minus(xp, (x - far) / far, x / far)
    by_stirling = powers - 0.5 * xp.log(2 * math.pi * far) - _stirling_rest(xp, far)
    return xp.where(large, by_stirling, near * xp.log(x) - x - _lgamma(xp, near + 1))


def gamma_tail(xp: Any, a: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Give whether the lower tail is the one written, and its logarithm (else the upper one's)."""
    lower = (x < a) | (x < 1)
    side = xp.where(lower, xp.ones_like(x), -xp.ones_like(x))
    # P(a, x) = factor + P(a + 1, x): raised by one, the integrand has no slow end for small a.
    raised = xp.where(lower, a + 1, a)
    phi, slope = _gamma_phi(xp)
    end = _where_it_ends(xp, phi, slope, side * (raised - x), x, raised, x, side)
    area = _integral(xp, phi, end, raised, x, side)
    return lower, _gamma_factor(xp, a, x) + xp.where(lower, xp.log1p(x * area), xp.log(a * area))


def _gamma(xp: Any, a: Tensor, x: Tensor, want_lower: bool, log: bool) -> Tensor:
    a, x = together(xp, a, x)
    inside = (x > 0) & (a > 0)
    safe_x = xp.clip(xp.where(inside, x, 1.0), None, largest(xp, x))
    lower, tail = gamma_tail(xp, xp.where(inside, a, 1.0), safe_x)
    value = _either(xp, lower if want_lower else ~lower, tail, log)
    limit = float(not want_lower) if not log else -math.inf if want_lower else 0.0
    at_zero = xp.where((x == 0) & (a > 0), limit, xp.full_like(x, math.nan))
    return xp.where(inside, value, at_zero)


def _either(xp: Any, written: Tensor, tail: Tensor, log: bool) -> Tensor:
    """Give the tail that is written, else its complement to 1."""
    if not log:
        # torch derives expm1 as its value plus 1, which is nothing where the value is near -1.
        near = tail > -1.0
        complement = xp.where(near, -xp.expm1(xp.where(near, tail, -1.0)), 1 - xp.exp(tail))
        return xp.where(written, xp.exp(tail), complement)
    return xp.where(written, tail, _log1m_exp(xp, xp.where(written, -1.0, tail)))


def gamma_p(xp: Any, a: Tensor, x: Tensor) -> Tensor:
    """Give the regularized lower incomplete gamma function."""
    return _gamma(xp, a, x, want_lower=True, log=False)


def gamma_q(xp: Any, a: Tensor, x: Tensor) -> Tensor:
    """Give the regularized upper incomplete gamma function."""
    return _gamma(xp, a, x, want_lower=False, log=False)


def log_gamma_p(xp: Any, a: Tensor, x: Tensor) -> Tensor:
    """Give the logarithm of `gamma_p`."""
    return _gamma(xp, a, x, want_lower=True, log=True)


def log_gamma_q(xp: Any, a: Tensor, x: Tensor) -> Tensor:
    """Give the logarithm of `gamma_q`."""
    return _gamma(xp, a, x, want_lower=False, log=True)


# -- the incomplete beta function -----------------------------------------------------------------
def _beta_phi(xp: Any) -> tuple[Callable[..., Tensor], Callable[..., Tensor]]:
    # t = x exp(-v), with `a` raised by one and odds = x / (1 - x)
    def phi(v: Tensor, a: Tensor, b: Tensor, odds: Tensor) -> Tensor:
        return -(a + 1) * v + (b - 1) * xp.log1p(-odds * xp.expm1(-v))

    def slope(v: Tensor, a: Tensor, b: Tensor, odds: Tensor) -> Tensor:
        return (b - 1) * odds * xp.exp(-v) / (1 - odds * xp.expm1(-v)) - (a + 1)

    return phi, slope


def _beta_factor(xp: Any, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """Give `log(x^a (1 - x)^b / (a B(a, b)))`."""
    n = a + b
    off = x * b - (1 - x) * a
    powers = a * _log_minus(xp, off / a, x * n / a) + b * _log_minus(xp, -off / b, (1 - x) * n / b)
    rest = _stirling_rest(xp, n) - _stirling_rest(xp, a) - _stirling_rest(xp, b)
    return powers + rest + 0.5 * xp.log(b / (2 * math.pi * a * n))


def _beta(xp: Any, a: Tensor, b: Tensor, x: Tensor, log: bool) -> Tensor:
    a, b, x = together(xp, a, b, x)
    legal = (a > 0) & (b > 0)
    inside = legal & (x > 0) & (x < 1)
    a, b, middle = xp.where(legal, a, 1.0), xp.where(legal, b, 1.0), xp.where(inside, x, 0.5)
    lower, tail = beta_tail(xp, a, b, middle)
    value = _either(xp, lower, tail, log)
    one = xp.where(x == 1, 0.0 if log else 1.0, xp.full_like(x, math.nan))
    ends = xp.where(x == 0, -math.inf if log else 0.0, one)
    return xp.where(inside, value, xp.where(legal, ends, math.nan))


def beta_tail(xp: Any, a: Tensor, b: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Give whether the lower tail is the one written, and its logarithm (else the upper one's)."""
    lower = x * (a + b + 2) < a + 1
    # The upper tail of (a, b) at x is the lower tail of (b, a) at 1 - x.
    p, q = xp.where(lower, a, b), xp.where(lower, b, a)
    z, rest = xp.where(lower, x, 1 - x), xp.where(lower, 1 - x, x)
    odds = z / rest
    more = xp.clip(q - 1, 0.0, None) * odds
    phi, slope = _beta_phi(xp)
    end = _where_it_ends(xp, phi, slope, p + 1 - more, more * (1 + odds), p, q, odds)
    area = _integral(xp, phi, end, p, q, odds)
    return lower, _beta_factor(xp, p, q, z) + xp.log1p((p + q) * odds * area)


def inc_beta(xp: Any, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """Give the regularized incomplete beta function."""
    return _beta(xp, a, b, x, log=False)


def log_inc_beta(xp: Any, a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """Give the logarithm of `inc_beta`."""
    return _beta(xp, a, b, x, log=True)


def lbeta(xp: Any, a: Tensor, b: Tensor) -> Tensor:
    """Give the logarithm of the beta function, exact also where one argument is much the larger."""
    a, b = together(xp, a, b)
    n = a + b
    rest = _stirling_rest(xp, a) + _stirling_rest(xp, b) - _stirling_rest(xp, n)
    powers = -a * xp.log1p(b / a) - b * xp.log1p(a / b)
    return powers + 0.5 * xp.log(2 * math.pi * (1 / a + 1 / b)) + rest


def log_choose(xp: Any, n: Tensor, k: Tensor) -> Tensor:
    """Give the logarithm of the binomial coefficient."""
    n, k = together(xp, n, k)
    return -xp.log1p(n) - lbeta(xp, n - k + 1, k + 1)


# -- others ---------------------------------------------------------------------------------------
def log_i0(xp: Any, x: Tensor) -> Tensor:
    """Give the logarithm of the modified Bessel function of the first kind and order 0."""
    (x,) = together(xp, x)
    small = xp.abs(x) < 2
    near, far = xp.where(small, x, 1.0), xp.where(small, 2.0, x)
    w = near * near / 4
    series = w * 0
    for k in range(14, 0, -1):  # sum of w^k / (k!)^2 for k >= 1
        series = w / (k * k) * (1 + series)
    return xp.where(small, xp.log1p(series), xp.log(special(xp).i0e(far)) + xp.abs(far))


def owens_t(xp: Any, h: Tensor, a: Tensor) -> Tensor:
    """Give Owen's T: the normal probability of `X > h` and `0 < Y < a X`."""
    h, a = together(xp, h, a)
    side = xp.where(a < 0, -xp.ones_like(a), xp.ones_like(a))  # which at 0 has a slope to go through
    size = side * a
    wide = size > 1
    narrow = xp.where(wide, 1.0, size)
    inverse = 1 / xp.where(wide, size, 1.0)
    height = xp.where(wide, h * size, h)
    inner = _owens_integral(xp, height, xp.where(wide, inverse, narrow))
    # T(h, a) + T(a h, 1 / a) = (Q(h) + Q(a h)) / 2 - Q(h) Q(a h) for a > 0, with upper tails Q of |h|
    q, r = (special(xp).erfc(xp.abs(z) / math.sqrt(2)) / 2 for z in (h, height))
    return side * xp.where(wide, (q + r) / 2 - q * r - inner, inner)


def _owens_integral(xp: Any, h: Tensor, a: Tensor) -> Tensor:
    nodes, weights = _rule_for(xp, h)
    # Beyond 9 / h the integrand is nothing beside its start.
    end = xp.minimum(a, 9 / xp.clip(xp.abs(fixed(xp, h)), 1.0, None))
    t = end[..., None] * nodes
    heights = xp.exp(-0.5 * (h * h)[..., None] * (1 + t * t)) / (1 + t * t)
    return end * (heights * weights).sum(-1) / (2 * math.pi)
