"""Exact draws between bounds, by inverting the cumulative probability in the tail that matters."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.messages import bounds

__all__ = ["draw_truncated"]

Array = Any
_SLOPE_STEP = 1e-6
_NO_MASS = 1e-290  # below this the cumulative probability has too few digits left to invert


def draw_truncated(
    rng: np.random.Generator, size: tuple[int, ...], d: Distribution, args: list[Array], lower: Array, upper: Array
) -> np.ndarray:
    """Draw from `d` between `lower` and `upper`; either may be None."""
    low = -np.inf if lower is None else lower
    high = np.inf if upper is None else upper
    if d.name in ("Normal", "StdNormal"):
        mu, sigma = args or (0.0, 1.0)
        z = _draw_normal(rng.random(size), (low - mu) / sigma, (high - mu) / sigma)
        return np.clip(mu + sigma * z, low, high)
    if d.scipy is None:
        raise bounds.no_truncation(d.title)
    return _draw_inverse(rng.random(size), d.scipy(*args), low, high)


def _draw_normal(u: np.ndarray, low: Array, high: Array) -> np.ndarray:
    """Invert the normal's cumulative probability on the log scale: no bound is too far out."""
    from scipy.special import log_ndtr, ndtri_exp

    # Above 0 the mirrored interval has the digits.
    sign = np.where(np.asarray(low) > 0, -1.0, 1.0)
    left = log_ndtr(np.where(sign > 0, low, -np.asarray(high)))
    right = log_ndtr(np.where(sign > 0, high, -np.asarray(low)))
    return np.asarray(sign * ndtri_exp(np.logaddexp(left + np.log1p(-u), right + np.log(u))))


def _draw_inverse(u: np.ndarray, frozen: Any, low: Array, high: Array) -> np.ndarray:
    below, right = frozen.cdf(low), frozen.sf(low)
    left, above = frozen.cdf(high), frozen.sf(high)
    # In the upper half the survival function keeps the digits that the cdf has lost.
    in_upper_tail = below > 0.5
    draws = np.empty(u.shape)
    if not np.all(in_upper_tail):
        draws[...] = frozen.ppf(below + u * (left - below))
    if np.any(in_upper_tail):
        draws[...] = np.where(in_upper_tail, frozen.isf(above + u * (right - above)), draws)
    mass = np.where(in_upper_tail, right - above, left - below)
    if np.any(mass < _NO_MASS):
        far = np.broadcast_to(mass < _NO_MASS, u.shape)
        draws = np.where(far, _draw_far_out(u, frozen, low, high, in_upper_tail), draws)
    return np.clip(draws, low, high)


def _draw_far_out(u: np.ndarray, frozen: Any, low: Array, high: Array, upper_tail: Array) -> np.ndarray:
    """Draw in a tail whose mass underflows: there the density falls off exponentially from the nearer bound."""
    bound = np.where(upper_tail, low, high)
    outwards = np.where(upper_tail, 1.0, -1.0)
    step = _SLOPE_STEP * np.maximum(1.0, np.abs(bound))
    fall = (frozen.logpdf(bound) - frozen.logpdf(bound + outwards * step)) / step
    width = np.asarray(high) - np.asarray(low)
    return np.asarray(bound - outwards * np.log1p(u * np.expm1(-fall * width)) / fall)
