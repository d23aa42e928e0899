"""The shape of the tail of importance ratios: Pareto k, as in Pareto smoothed importance sampling.

The generalized Pareto distribution is fitted to the largest ratios by Zhang and Stephens' (2009) weighted mean of
profile likelihoods, with the weak prior and the size of the tail of Vehtari et al. (2024).
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["pareto_k", "tail_shape"]

_FEWEST = 25  # ratios below which nothing can be said
_FLAT = 1e-8  # a spread of log ratios below which they count as equal
_PRIOR_WEIGHT, _PRIOR_SHAPE = 10, 0.5


def pareto_k(log_ratios: np.ndarray) -> float:
    """Give the shape of the ratios' tail; equal ratios have none, too few or infinite ones cannot be judged.

    >>> round(pareto_k(np.log(np.random.default_rng(1).pareto(2.0, 100_000))), 1)
    0.5
    """
    if log_ratios.size < _FEWEST or not np.isfinite(log_ratios).all():
        return math.inf
    if np.ptp(log_ratios) < _FLAT:
        return 0.0
    length = math.ceil(min(0.2 * log_ratios.size, 3 * math.sqrt(log_ratios.size)))
    ordered = np.sort(log_ratios - log_ratios.max())
    # Beyond the smallest double's logarithm a ratio is nothing.
    cutoff = max(float(ordered[-length - 1]), math.log(np.finfo(float).tiny))
    tail = ordered[ordered > cutoff]
    if len(tail) <= 4:
        return math.inf
    return _shape(np.exp(tail) - math.exp(cutoff))


def tail_shape(values: np.ndarray, length: int) -> float:
    """Give the shape of the tail of positive numbers that their `length` largest make; 1 for Cauchy's.

    >>> round(tail_shape(np.abs(np.random.default_rng(1).standard_cauchy(100_000)), 5_000), 1)
    1.0
    """
    ordered = np.sort(values)
    cutoff = ordered[-length - 1]
    return _shape(ordered[-length:] - cutoff)


def _shape(excesses: np.ndarray) -> float:
    """Estimate the shape of a generalized Pareto distribution from excesses in ascending order."""
    n = len(excesses)
    points = 30 + math.isqrt(n)
    quartile = excesses[int(n / 4 + 0.5) - 1]
    spread = 1 - np.sqrt(points / (np.arange(1, points + 1) - 0.5))
    theta = spread / (3 * quartile) + 1 / excesses[-1]
    shapes = np.log1p(-theta[:, None] * excesses).mean(1)
    profile = n * (np.log(-theta / shapes) - shapes - 1)
    weights = 1 / np.exp(profile - profile[:, None]).sum(1)
    keep = weights >= 10 * np.finfo(float).eps
    mean = float((theta[keep] * weights[keep]).sum() / weights[keep].sum())
    shape = float(np.log1p(-mean * excesses).mean())
    return (n * shape + _PRIOR_WEIGHT * _PRIOR_SHAPE) / (n + _PRIOR_WEIGHT)
