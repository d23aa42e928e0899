"""The tail of importance ratios: its shape, Pareto k, and weights smoothed by it (PSIS).

The generalized Pareto distribution is fitted to the largest ratios by Zhang and Stephens' (2009) weighted mean of
profile likelihoods, with the weak prior and the size of the tail of Vehtari et al. (2024).
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["pareto_k", "smoothed_weights", "tail_shape"]

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
    return _fitted(np.exp(tail) - math.exp(cutoff))[0]


def tail_shape(values: np.ndarray, length: int) -> float:
    """Give the shape of the tail of positive numbers that their `length` largest make; 1 for Cauchy's.

    >>> round(tail_shape(np.abs(np.random.default_rng(1).standard_cauchy(100_000)), 5_000), 1)
    1.0
    """
    ordered = np.sort(values)
    cutoff = ordered[-length - 1]
    return _fitted(ordered[-length:] - cutoff)[0]


def smoothed_weights(log_ratios: np.ndarray) -> tuple[np.ndarray, float]:
    """Give the logarithms of normalized weights, the largest smoothed by the tail that is fitted to them, and k.

    >>> weights, k = smoothed_weights(np.log(np.random.default_rng(1).pareto(3.0, 4_000)))
    >>> round(float(np.exp(weights).sum()), 6), k < 0.5
    (1.0, True)
    """
    ratios = np.where(np.isnan(log_ratios), -np.inf, log_ratios)
    ratios = ratios - ratios.max()
    shape = pareto_k(ratios) if np.isfinite(ratios).all() else _shape_of_finite(ratios)
    if math.isfinite(shape) and np.ptp(ratios) >= _FLAT:
        length = math.ceil(min(0.2 * ratios.size, 3 * math.sqrt(ratios.size)))
        order = np.argsort(ratios, kind="stable")
        cutoff = max(float(ratios[order[-length - 1]]), math.log(np.finfo(float).tiny))
        tail = order[ratios[order] > cutoff]
        shape, scale = _fitted(np.exp(ratios[tail]) - math.exp(cutoff))
        chances = (np.arange(len(tail)) + 0.5) / len(tail)
        excesses = scale * np.expm1(-shape * np.log1p(-chances)) / shape if shape else -scale * np.log1p(-chances)
        ratios[tail] = np.minimum(np.log(excesses + math.exp(cutoff)), 0.0)
    total = math.log(np.exp(ratios).sum())
    return ratios - total, shape


def _shape_of_finite(ratios: np.ndarray) -> float:
    """Judge ratios of which some are zero: points where the other density has none."""
    some = ratios[np.isfinite(ratios)]
    return pareto_k(np.where(np.isfinite(ratios), ratios, some.min() - 1.0)) if some.size else math.inf


def _fitted(excesses: np.ndarray) -> tuple[float, float]:
    """Estimate the shape and scale of a generalized Pareto distribution from excesses in ascending order."""
    n = len(excesses)
    points = 30 + math.isqrt(n)
    quartile = excesses[int(n / 4 + 0.5) - 1]
    spread = 1 - np.sqrt(points / (np.arange(1, points + 1) - 0.5))
    theta = spread / (3 * quartile) + 1 / excesses[-1]
    shapes = np.log1p(-theta[:, None] * excesses).mean(1)
    profile = n * (np.log(-theta / shapes) - shapes - 1)
    weights = np.exp(profile - profile.max())
    weights /= weights.sum()
    keep = weights >= 10 * np.finfo(float).eps
    mean = float((theta[keep] * weights[keep]).sum() / weights[keep].sum())
    shape = float(np.log1p(-mean * excesses).mean())
    return (n * shape + _PRIOR_WEIGHT * _PRIOR_SHAPE) / (n + _PRIOR_WEIGHT), -shape / mean
