"""Normal scores of draws by their ranks, and of their distances from the median: one order serves both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

__all__ = ["Ranked", "rank"]

_SAMPLE = 64


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """Rows of draws in rising order, and the normal scores of the draws (`bulk`) and of |draw - median| (`folded`)."""

    rising: np.ndarray
    bulk: np.ndarray
    folded: np.ndarray


def rank(x: np.ndarray) -> Ranked:
    """Rank each row of `x`; ties share the middle of their ranks."""
    order = _order(x)
    rising = x.take(order)
    half = x.shape[1] // 2
    # Left of the median distances fall, right of it they rise: with the left turned round, two rising runs to merge.
    turned = np.concatenate([rising[:, :half][:, ::-1], rising[:, half:]], axis=1)
    turned -= (rising[:, [half]] + rising[:, [-half - 1]]) / 2
    distances = np.abs(turned, out=turned)
    places = np.concatenate([order[:, :half][:, ::-1], order[:, half:]], axis=1)
    merged = _within(np.argsort(distances, axis=1, kind="stable"))
    return Ranked(rising, _scores(rising, order), _scores(distances.take(merged), places.take(merged)))


def _within(order: np.ndarray) -> np.ndarray:
    """Turn places in a row into places in the array."""
    order += np.arange(0, order.size, order.shape[1])[:, None]
    return order


def _order(x: np.ndarray) -> np.ndarray:
    """Give the places in `x` of each row's numbers, in rising order.

    NumPy sorts 16-bit integers by radix, and what is nearly sorted by merging: together a third of one `argsort`.
    Where the integers tell little apart, the order is the same and takes longer.
    """
    some = np.sort(x[:, :: -(-x.shape[1] // _SAMPLE)], axis=1)
    low, middle, high = (some[:, [some.shape[1] * k // 4]] for k in (1, 2, 3))
    with np.errstate(all="ignore"):
        coarse = x - middle
        coarse /= np.abs(coarse) + (high - low)  # in (-1, 1), however heavy the tails
        coarse *= 32767
        nearly = _within(np.argsort(coarse.astype(np.int16), axis=1, kind="stable"))
    return nearly.take(_within(np.argsort(x.take(nearly), axis=1, kind="stable")))


def _scores(rising: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Give the normal scores of rows in rising order, put to their `places`."""
    count = rising.shape[1]
    table = _normal_scores(count)
    scores = np.empty_like(rising)
    scores[:] = table[2::2]
    same = np.zeros(rising.shape, dtype=bool)  # as the next one
    np.equal(rising[:, 1:], rising[:, :-1], out=same[:, :-1])
    ties = np.flatnonzero(same)
    if len(ties):
        starts = np.flatnonzero(np.diff(ties, prepend=-2) != 1)
        lengths = np.diff(starts, append=len(ties))
        middles = table[2 * (ties[starts] % count) + lengths + 2]
        scores.reshape(-1)[ties] = scores.reshape(-1)[ties + 1] = np.repeat(middles, lengths)
    found = np.empty_like(rising)
    found.reshape(-1)[places.reshape(-1)] = scores.reshape(-1)
    return found


@lru_cache(maxsize=4)
def _normal_scores(count: int) -> np.ndarray:
    """Give the normal quantile of every rank of `count` numbers, at twice the rank: tied ranks may end in a half.

    The standard library's quantiles: SciPy's would cost a first call the import of `scipy.special`.
    """
    from statistics import NormalDist

    chances = (np.arange(2, count + 1) / 2 - 0.375) / (count + 0.25)  # below the middle; the rest is symmetric
    lower = np.fromiter(map(NormalDist().inv_cdf, chances.tolist()), dtype=float, count=len(chances))
    return np.concatenate([[-np.inf, -np.inf], lower, [0.0], -lower[::-1]])
