"""How far chance alone takes a number when thousands are looked at: thresholds that hold over all of them."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

__all__ = ["FALSE_ALARMS", "beyond_chance", "share_allowed"]

# The chance that a thorough check finds something in a fit where there is nothing.
FALSE_ALARMS = 1e-3


def share_allowed(looked_at: int) -> float:
    """Give each of many looks its share of false alarms (Bonferroni)."""
    return FALSE_ALARMS / max(1, looked_at)


def beyond_chance(looked_at: int) -> float:
    """Give the standard errors that chance exceeds once in `1 / FALSE_ALARMS` fits, whatever is looked at in each.

    >>> round(beyond_chance(1), 1), round(beyond_chance(10_000), 1)
    (3.1, 5.2)
    """
    return NormalDist().inv_cdf(1 - share_allowed(looked_at))


def effective(bulk: np.ndarray, total: int) -> np.ndarray:
    """Give effective numbers of draws to reckon with: not more than there are, and not less than one."""
    found: np.ndarray = np.clip(np.nan_to_num(bulk, nan=1.0), 1.0, total)
    return found
