"""Are numbers uniform: the empirical distribution with simultaneous bands, and an exact p-value.

At a point z the empirical distribution of n uniform numbers is a binomial share. Intervals of equal chance at many
points together hold it with a chance that is computed exactly, by the chain of counts from point to point (Säilynoja,
Bürkner and Vehtari 2022).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

__all__ = ["band", "p_value", "points_of"]

_MOST_POINTS = 100
_HALVINGS = 24
_ROUNDING = 1e-10


def points_of(n: int) -> np.ndarray:
    """Give the points at which the empirical distribution of `n` numbers is looked at."""
    count = min(n, _MOST_POINTS)
    return np.arange(1, count) / count if count > 1 else np.array([0.5])


def p_value(places: np.ndarray) -> float:
    """Give the chance that as many uniform numbers lie as unevenly as these somewhere.

    >>> rng = np.random.default_rng(1)
    >>> p_value(rng.random(100)) > 0.01, p_value(rng.beta(2, 2, 100)) < 0.01
    (True, True)
    """
    n = len(places)
    if n == 0:
        return float("nan")
    from scipy.stats import binom

    points = points_of(n)
    counts = np.searchsorted(np.sort(places), points, side="right")
    low, high = binom.cdf(counts, n, points), binom.sf(counts - 1, n, points)
    return _chance_outside(n, float(2 * np.minimum(low, high).min()))


def band(n: int, level: float = 0.05) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give points, and between which shares the empirical distribution lies at all of them at once."""
    low, high = level / (10 * len(points_of(n))), level  # of one interval, between which the band's is found
    for _ in range(_HALVINGS):
        middle = float(np.sqrt(low * high))
        if _chance_outside(n, middle) > level:
            high = middle
        else:
            low = middle
    bottom, top = _strictly_inside(n, low)
    return points_of(n), bottom / n, top / n


@lru_cache(maxsize=4096)
def _chance_outside(n: int, chance: float) -> float:
    """Give the chance that at some point a count is as rare as `chance`, both sides together."""
    points = points_of(n)
    bottom, top = _strictly_inside(n, chance)
    if (bottom > top).any():
        return 1.0
    logs = _log_factorials(n)
    alive, known, before = np.array([1.0]), np.array([0]), 0.0
    for z, low, high in zip(points, bottom, top, strict=True):
        counts = np.arange(low, high + 1)
        moves = _binomial(logs, counts[None, :] - known[:, None], n - known[:, None], (z - before) / (1 - before))
        alive, known, before = alive @ moves, counts, z
    left = 1.0 - float(alive.sum())
    # What is lost by rounding is known better as the sum over all points, which is never too small.
    return left if left > _ROUNDING else min(_ROUNDING, chance * len(points))


def _binomial(logs: np.ndarray, k: np.ndarray, n: np.ndarray, p: float) -> np.ndarray:
    possible = (k >= 0) & (k <= n)
    k = np.where(possible, k, 0)
    terms = logs[n] - logs[k] - logs[n - k] + k * np.log(p) + (n - k) * np.log1p(-p)
    return np.where(possible, np.exp(terms), 0.0)


@lru_cache(maxsize=16)
def _log_factorials(n: int) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])


def _strictly_inside(n: int, chance: float) -> tuple[np.ndarray, np.ndarray]:
    """Give the intervals of counts that are less rare than `chance`."""
    from scipy.stats import binom

    points = points_of(n)
    counts = np.arange(n + 1)
    rare = chance * (1 + 1e-9) / 2
    inside = (binom.cdf(counts, n, points[:, None]) > rare) & (binom.sf(counts - 1, n, points[:, None]) > rare)
    some = inside.any(1)
    bottom = np.where(some, inside.argmax(1), 1)
    return bottom, np.where(some, n - inside[:, ::-1].argmax(1), 0)
