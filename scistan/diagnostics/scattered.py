"""Whether a handful of divergences lies scattered over the posterior, or together where something is wrong.

The level is high on purpose. Few healthy fits have a divergence at all (docs/diagnosis.md has the count), so one in ten
of those costs little; and a strict test of three or four draws would call most funnels scattered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

__all__ = ["few_and_scattered"]

# More than one draw in so many is no handful.
ONE_IN = 1000
# Together, where chance would put them so closely less often than this: shared by the three looks that are taken.
CHANCE = 0.1
_EACH = CHANCE / 3


def few_and_scattered(
    variables: Mapping[str, np.ndarray], diverging: np.ndarray, scales: Collection[str] = ()
) -> bool:
    """Tell whether divergences (chain, draw) are few, and neither in one corner of a variable nor at one time.

    The variables that are `scales` of others are looked at by themselves too: necks of funnels are there, and among
    hundreds of other elements they would be lost.
    """
    count = int(diverging.sum())
    if count * ONE_IN > diverging.size:
        return False
    if not count:
        return True
    flat = diverging.ravel()
    chances = {name: _chances(x.reshape(flat.size, -1), flat) for name, x in variables.items() if x.size}
    looks = (chances.values(), [chances[name] for name in scales if name in chances])
    return not _at_one_time(diverging) and not any(map(_in_a_corner, looks))


def _at_one_time(diverging: np.ndarray) -> bool:
    """Look at the run as one line, chain after chain: the chance that uniform places span so little of it."""
    places = np.flatnonzero(diverging) / diverging.size
    count, span = len(places), float(np.ptp(places))
    return count * span ** (count - 1) - (count - 1) * span**count < _EACH


def _in_a_corner(chances: Iterable[np.ndarray]) -> bool:
    """Tell whether chance would seldom put them so in any of these elements."""
    found = list(chances)
    return bool(found) and sum(map(len, found)) * min(float(each.min()) for each in found) < _EACH


def _chances(draws: np.ndarray, diverging: np.ndarray) -> np.ndarray:
    """Give, for each element, the chance that these draws rank so among all: in one tail, or far from uniform."""
    ranks = np.sort([(draws < one).mean(0) for one in draws[diverging]], axis=0)
    count = len(ranks)
    tails = np.minimum(ranks[-1] + 1 / len(draws), 1 - ranks[0])
    steps = np.arange(1, count + 1)[:, None] / count
    gaps = np.maximum(steps - ranks, ranks - steps + 1 / count).max(0)
    found = np.minimum(2 * tails**count, 2 * np.exp(-2 * count * gaps**2))
    return np.where(np.isfinite(found), found, 1.0)
