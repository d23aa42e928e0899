"""Are predictions as sure as they should be? Probability integral transforms of observations left out one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scistan.importance import smoothed_weights

__all__ = ["Band", "Reliability", "ecdf_band", "left_out_chances", "left_out_means", "reliability"]

_SIMULATED = 2000
_POINTS = 100
_RELIABLE_RUNS = 400


def left_out_weights(log_likelihood: np.ndarray) -> np.ndarray:
    """Give weights (draw, observation) that turn the posterior into that without the observation."""
    return np.stack([np.exp(smoothed_weights(-column)[0]) for column in log_likelihood.T], axis=1)


def left_out_chances(drawn: np.ndarray, seen: np.ndarray, weights: np.ndarray, seed: int) -> np.ndarray:
    """Give how likely a draw (draw, observation) is to lie below what was seen; ties are split at random."""
    below = (weights * (drawn < seen)).sum(0)
    equal = (weights * (drawn == seen)).sum(0)
    found: np.ndarray = np.clip(below + equal * np.random.default_rng(seed).uniform(size=len(seen)), 0, 1)
    return found


def left_out_means(drawn: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Give the predicted probability of each observation being 1."""
    found: np.ndarray = np.clip((weights * drawn).sum(0), 0, 1)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Where the share of values below each point may lie, less the point itself, all points at once."""

    points: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def ecdf_band(count: int, probability: float = 0.95) -> Band:
    """Give the band that holds the whole curve of `count` uniform values with `probability`, by simulation."""
    from scipy.stats import binom

    points = np.arange(1, _POINTS) / _POINTS
    bins = np.random.default_rng(0).multinomial(count, np.full(_POINTS, 1 / _POINTS), size=_SIMULATED)
    below = bins.cumsum(1)[:, :-1]
    tails = np.minimum(binom.cdf(below, count, points), binom.sf(below - 1, count, points))
    level = np.quantile(tails.min(1), 1 - probability)
    lower, upper = binom.ppf(level, count, points) / count, binom.isf(level, count, points) / count
    return Band(points, lower - points, upper - points)


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Predicted probabilities in rising order, how often each came true, and where that may lie by chance."""

    predicted: np.ndarray
    came_true: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


def reliability(predicted: np.ndarray, seen: np.ndarray, seed: int) -> Reliability:
    """Estimate how often outcomes come true as a rising function of what was predicted (isotonic regression)."""
    from scipy.optimize import isotonic_regression

    order = np.argsort(predicted, kind="stable")
    p, y = predicted[order], np.asarray(seen, dtype=float)[order]
    rng = np.random.default_rng(seed)
    by_chance = [isotonic_regression(rng.uniform(size=p.size) < p).x for _ in range(_RELIABLE_RUNS)]
    lower, upper = np.quantile(by_chance, (0.05, 0.95), axis=0)
    return Reliability(p, isotonic_regression(y).x, lower, upper)
