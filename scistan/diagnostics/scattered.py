"""Whether a handful of divergences lies scattered over the posterior, or together where something is wrong."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

__all__ = ["few_and_scattered"]

# More than one draw in so many is no handful.
ONE_IN = 1000
# Fewer lie nowhere: two of anything are close by chance.
PLACED = 3
# Together, where chance would put them so closely less often than this, over all that is looked at.
CHANCE = 0.01


def few_and_scattered(variables: Mapping[str, np.ndarray], diverging: np.ndarray) -> bool:
    """Tell whether divergences (chain, draw) are few, and neither in one corner of a variable nor at one time."""
    count = int(diverging.sum())
    if count * ONE_IN > diverging.size:
        return False
    return count < PLACED or (not _at_one_time(diverging) and not _in_a_corner(variables, diverging.ravel()))


def _at_one_time(diverging: np.ndarray) -> bool:
    """Look at the run as one line, chain after chain: the chance that uniform places span so little of it."""
    places = np.flatnonzero(diverging) / diverging.size
    count, span = len(places), float(np.ptp(places))
    return count * span ** (count - 1) - (count - 1) * span**count < CHANCE


def _in_a_corner(variables: Mapping[str, np.ndarray], diverging: np.ndarray) -> bool:
    """Look at the ranks of these draws among all, for each element: all in one tail, or far from uniform."""
    parts = [array.reshape(diverging.size, -1) for array in variables.values() if array.size]
    elements = sum(part.shape[1] for part in parts)
    return any(2 * elements * float(_chances(part, diverging).min()) < CHANCE for part in parts)


def _chances(draws: np.ndarray, diverging: np.ndarray) -> np.ndarray:
    """Give, for each element, the chance that uniform ranks lie so."""
    ranks = np.sort([(draws < one).mean(0) for one in draws[diverging]], axis=0)
    count = len(ranks)
    tails = np.minimum(ranks[-1] + 1 / len(draws), 1 - ranks[0])
    steps = np.arange(1, count + 1)[:, None] / count
    gaps = np.maximum(steps - ranks, ranks - steps + 1 / count).max(0)
    found = np.minimum(2 * tails**count, 2 * np.exp(-2 * count * gaps**2))
    return np.where(np.isfinite(found), found, 1.0)
