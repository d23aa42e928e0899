"""Cumulative probabilities that have no closed form: private ops of the distributions that need them."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from scistan.ops import special_formulas as tails
from scistan.ops.declaration import Gap, Never, Op, Template, declare
from scistan.ops.expression import function_of
from scistan.ops.libraries import fixed, log_sum_exp, numbers_for, special, together
from scistan.ops.slopes import declare_slopes

__all__ = [
    "beta_binomial_log_ccdf", "beta_binomial_log_cdf", "skew_normal_log_cdf", "von_mises_log_ccdf",
    "von_mises_log_cdf",
]

Array = Any
_DEPTH = 38.0  # exp(-38) is below the rounding of 1
_LOG2 = math.log(2.0)


def _lbeta(xp: Any, a: Array, b: Array) -> Array:
    return special(xp).betaln(a, b) if xp is np else tails.lbeta(xp, a, b)


def _log1m_exp(xp: Any, x: Array) -> Array:
    near = x > -_LOG2
    close, far = xp.where(near, x, -0.5), xp.where(near, -1.0, x)
    return xp.where(near, xp.log(-xp.expm1(close)), xp.log1p(-xp.exp(far)))


@cache
def _rule() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(64)
    return (nodes + 1) / 2, weights / 2


def _log_integral(xp: Any, heights: Any, end: Array) -> Array:
    """Give the log of the integral of `exp(heights(v))` over `0 < v < end`, by Gauss and Legendre's rule."""
    nodes, weights = (numbers_for(xp, r, end) for r in _rule())
    return xp.log(end) + log_sum_exp(xp, heights(end[..., None] * nodes) + xp.log(weights))


# -- the skew normal ---------------------------------------------------------------------------------
def _skew_lower_tail(xp: Any, z: Array, alpha: Array) -> Array:
    """Give the log of the probability below `z <= 0` for `alpha >= 0`: a falling, log-concave integrand."""
    log_ndtr = special(xp).log_ndtr
    start = -0.5 * z * z + log_ndtr(alpha * z)

    def fall(v: Array, z: Array, alpha: Array, start: Array) -> Array:
        t = z - v
        return -0.5 * t * t + log_ndtr(alpha * t) - start

    held = [fixed(xp, p) for p in (z, alpha, start)]

    def slope(v: Array) -> Array:
        t = held[0] - v
        u = held[1] * t
        return t - held[1] * xp.exp(-0.5 * u * u - 0.5 * math.log(2 * math.pi) - log_ndtr(u))

    # Newton's steps from the far side stay there, so the stretch is never too short.
    first = -slope(0.0 * held[0])
    end = 2 * _DEPTH / (first + xp.sqrt(first * first + 2 * _DEPTH))
    for _ in range(8):
        end = end - (fall(end, *held) + _DEPTH) / slope(end)
    wide = [p[..., None] for p in (z, alpha, start)]
    return _LOG2 - 0.5 * math.log(2 * math.pi) + start + _log_integral(xp, lambda v: fall(v, *wide), end)


def _skew_normal(xp: Any, z: Array, alpha: Array) -> Array:
    # The upper tail is the lower tail of the mirror image, and F(z; a) + F(z; -a) = 2 Phi(z).
    z, alpha = together(xp, z, alpha)
    mirrored = z > 0
    z, alpha = xp.where(mirrored, -z, z), xp.where(mirrored, -alpha, alpha)
    thin = alpha >= 0
    lower = _skew_lower_tail(xp, z, xp.where(thin, alpha, -alpha))
    both = _LOG2 + special(xp).log_ndtr(z)
    tail = xp.where(thin, lower, both + _log1m_exp(xp, xp.where(thin, -1.0, lower - both)))
    return xp.where(mirrored, _log1m_exp(xp, xp.where(mirrored, tail, -1.0)), tail)


# -- the von Mises distribution, cut open at ±π --------------------------------------------------------
def _circle_tail(xp: Any, x: Array, kappa: Array) -> Array:
    """Give the log of the probability between -π and `x <= 0` about a middle of 0."""
    inside = x > -math.pi
    x = xp.where(inside, x, -1.0)
    # Where the integrand has fallen by exp(-38), or at -π if it never does.
    low = xp.cos(fixed(xp, x)) - _DEPTH / fixed(xp, kappa)
    reached = low > -1
    end = xp.where(reached, fixed(xp, x) + xp.arccos(xp.where(reached, low, -1.0)), x + math.pi)
    half = _log_integral(
        xp, lambda v: 2 * kappa[..., None] * xp.sin(x[..., None] - 0.5 * v) * xp.sin(0.5 * v), end
    )
    top = -2 * kappa * xp.sin(0.5 * x) ** 2 - xp.log(special(xp).i0e(kappa))
    return xp.where(inside, top + half - math.log(2 * math.pi), -math.inf)


def _von_mises(xp: Any, x: Array, mu: Array, kappa: Array, *, upper: bool) -> Array:
    x, mu, kappa = together(xp, x, mu, kappa)
    x = xp.clip(x, -math.pi, math.pi)
    mu = mu - 2 * math.pi * xp.floor((mu + math.pi) / (2 * math.pi))
    mirrored = mu < 0
    x, mu = xp.where(mirrored, -x, x), xp.where(mirrored, -mu, mu)
    y = x - mu  # from -π - mu, where the circle is cut, up to π - mu
    low, high = y < -math.pi, y > 0
    wrapped = _circle_tail(xp, mu - math.pi, kappa)  # between the cut and -π: beyond π - mu on the other side
    part = _circle_tail(xp, xp.where(low, -y - 2 * math.pi, xp.where(high, -y, y)), kappa)
    less = _log_difference(xp, low, wrapped, part)
    more = _log_difference(xp, high, part, wrapped)
    below = xp.where(low, less, xp.logaddexp(wrapped, xp.where(low | high, -1.0, part)))
    one = xp.where(high, more, below)  # the upper tail where y is high, else the lower one
    # At mu = 0 nothing is wrapped, so its logarithm has no slope; what begins to wrap has: mu · density(π).
    starts = (mu == 0) & (one > -600)
    slope = xp.exp(-2 * kappa - xp.log(2 * math.pi * special(xp).i0e(kappa)) - xp.where(starts, one, 0.0))
    one = one + xp.where(starts, xp.where(high, -mu, mu) * slope, 0.0)
    want_upper = ~mirrored if upper else mirrored
    same = want_upper == high
    return xp.where(same, one, _log1m_exp(xp, xp.where(same, -1.0, one)))


def _log_difference(xp: Any, wanted: Array, x: Array, y: Array) -> Array:
    x, y = xp.where(wanted, x, 0.0), xp.where(wanted, y, -1.0)
    return x + _log1m_exp(xp, xp.where(y < x, y - x, -0.0))


# -- the beta-binomial -----------------------------------------------------------------------------------
def _beta_binomial(xp: Any, y: Array, total: Array, alpha: Array, beta: Array, *, upper: bool) -> Array:
    y, total, alpha, beta = (v[..., None] for v in together(xp, y, total, alpha, beta))
    most = int(fixed(xp, total).max()) if 0 not in total.shape else 0  # pure: counts are data, and this is a length
    k = numbers_for(xp, np.arange(most + 1.0), alpha)  # pure: constants, which `numbers_for` hands over
    counted = (k <= total) & ((k > y) if upper else (k <= y))
    k = xp.where(counted, k, 0.0)
    rest = xp.where(counted, total - k, 0.0)
    ways = -xp.log1p(k + rest) - _lbeta(xp, rest + 1, k + 1)
    logs = ways + _lbeta(xp, k + alpha, rest + beta) - _lbeta(xp, alpha, beta)
    some = counted.any(-1)
    logs = xp.where(counted | ~some[..., None], logs, -math.inf)
    everything = (y < 0 if upper else y >= total)[..., 0]
    return xp.where(everything, 0.0, xp.where(some, log_sum_exp(xp, logs), -math.inf))


_UNCOUNTED = Gap("it adds up to as many terms as the largest total says, and a trace knows no numbers")


def _declare(name: str, doc: str, arity: int, implementation: Any, stan: str, **fields: Any) -> Op:
    return declare(
        name, doc, arity=arity, numpy=implementation, torch=implementation, stan=Template(stan), public=False, **fields
    )


def _upper(implementation: Any) -> Any:
    return lambda xp, *args: implementation(xp, *args, upper=True)


def _lower(implementation: Any) -> Any:
    return lambda xp, *args: implementation(xp, *args, upper=False)


# The log densities of von Mises at `x`, and where the circle is cut.
_AT = "kappa * cos(x - mu) - log_i0(kappa) - 1.8378770664093453"
_CUT = "-kappa * cos(mu) - log_i0(kappa) - 1.8378770664093453"
_COUNTED = (Never("counts are whole numbers"), Never("counts are whole numbers"))


def _in_kappa(name: str, formula: Any) -> Any:
    return declare_slopes(name, formula, ("x", "mu", "kappa"), wrt=("kappa",))["kappa"]


def _in_shapes(name: str, formula: Any) -> tuple[Any, ...]:
    names = ("y", "total", "alpha", "beta")
    return (*_COUNTED, *declare_slopes(name, formula, names, wrt=names[2:], whole=names[:2], jax=_UNCOUNTED).values())


skew_normal_log_cdf = function_of(_declare(
    "skew_normal_log_cdf", "The log of the standard skew normal's cumulative probability.", 2, _skew_normal,
    "skew_normal_lcdf({0} | 0, 1, {1})", arguments=("z", "alpha"),
    gradient=("exp(log_Phi(alpha * z) - 0.5 * z ** 2 - out) * 0.7978845608028654",
              "-exp(-0.5 * z ** 2 * (1 + alpha ** 2) - out) / (3.141592653589793 * (1 + alpha ** 2))")))
von_mises_log_cdf = function_of(_declare(
    "von_mises_log_cdf", "The log of the von Mises probability from -π.", 3, _lower(_von_mises),
    "von_mises_lcdf({0} | {1}, {2})", arguments=("x", "mu", "kappa"),
    gradient=(f"exp({_AT} - out)", f"exp({_CUT} - out) - exp({_AT} - out)",
              _in_kappa("von_mises_log_cdf", _lower(_von_mises)))))
von_mises_log_ccdf = function_of(_declare(
    "von_mises_log_ccdf", "The log of the von Mises probability up to π.", 3, _upper(_von_mises),
    "von_mises_lccdf({0} | {1}, {2})", arguments=("x", "mu", "kappa"),
    gradient=(f"-exp({_AT} - out)", f"exp({_AT} - out) - exp({_CUT} - out)",
              _in_kappa("von_mises_log_ccdf", _upper(_von_mises)))))
beta_binomial_log_cdf = function_of(_declare(
    "beta_binomial_log_cdf", "The log of the beta-binomial probability of at most a count.", 4, _lower(_beta_binomial),
    "beta_binomial_lcdf({0} | {1}, {2}, {3})", jax=_UNCOUNTED,
    gradient=_in_shapes("beta_binomial_log_cdf", _lower(_beta_binomial))))
beta_binomial_log_ccdf = function_of(_declare(
    "beta_binomial_log_ccdf", "The log of the beta-binomial probability of more than a count.", 4,
    _upper(_beta_binomial), "beta_binomial_lccdf({0} | {1}, {2}, {3})", jax=_UNCOUNTED,
    gradient=_in_shapes("beta_binomial_log_ccdf", _upper(_beta_binomial))))
