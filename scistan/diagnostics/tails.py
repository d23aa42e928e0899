"""Tails so heavy that a standard deviation means nothing, and means that are not known well enough."""

from __future__ import annotations

import math

import numpy as np

from scistan.diagnostics.chance import beyond_chance, effective
from scistan.diagnostics.check import Evidence, Measured
from scistan.importance import tail_shape

__all__ = ["heavy_tails", "nested_rhat", "standard_error"]

AGREE = 1.1
FAR = 8.0  # sds of the farthest draw: 4000 draws of a normal reach 4, of an exponential 8
TAIL = 0.1  # of the draws, the farthest from the median
LIGHT = 0.25  # a shape whose sd has a meaning: Student's t with 4 degrees of freedom
ENOUGH = 200  # effective draws below which a tail cannot be judged


def heavy_tails(seen: Evidence, limit: float) -> Measured | None:
    """Find elements whose tails fall off so slowly that their variance is infinite."""
    s = seen.swept
    if s is None or not s.elements:
        return None
    total = seen.chains * seen.draws
    with np.errstate(all="ignore"):
        far = np.maximum(s.high - s.mean, s.mean - s.low) / s.sd
    enough = effective(s.tail, total)
    looked_at = np.flatnonzero((far > FAR) & (s.rhat < AGREE) & (enough > ENOUGH))
    found: list[tuple[float, int]] = []
    for k in looked_at:
        away = np.abs(seen.column(int(k)) - s.median[k]).ravel()
        shape = tail_shape(away, math.ceil(TAIL * total))
        error = (1 + LIGHT) / math.sqrt(TAIL * float(enough[k]))  # of an estimate where the shape is LIGHT
        if shape > limit and (shape - LIGHT) / error > beyond_chance(len(looked_at)):
            found.append((shape, int(k)))
    if not found:
        return None
    found.sort(reverse=True)
    sd, width = float(s.sd[found[0][1]]), float(np.diff(s.quantiles[[1, 3], found[0][1]])[0])
    return Measured(found[0][0], tuple(seen.element(k) for _, k in found), {"sd": sd, "middle": width})


def standard_error(seen: Evidence, limit: float) -> Measured | None:
    """Find elements whose mean is known badly though no other check complains."""
    s = seen.swept
    if s is None or not s.elements or seen.has("bulk ESS", "tail ESS", "R-hat"):
        return None
    with np.errstate(all="ignore"):
        error = 1 / np.sqrt(s.bulk)
    ill = np.flatnonzero(error > limit)
    if not len(ill):
        return None
    ill = ill[np.argsort(-error[ill], kind="stable")]
    return Measured(float(error[ill[0]]), seen.named(ill))


def nested_rhat(seen: Evidence, limit: float) -> Measured | None:
    """Compare groups of chains that started from one point each (Margossian et al. 2024)."""
    s, groups = seen.swept, np.asarray(seen.context.ran.superchains)
    if s is None or not s.elements or len(groups) != len(s.middles):
        return None
    numbers = np.unique(groups)
    means = np.stack([s.middles[groups == g].mean(0) for g in numbers])
    inside = np.mean([s.middles[groups == g].var(0, ddof=1) for g in numbers], axis=0)
    with np.errstate(all="ignore"):
        excess = means.var(0, ddof=1) / (inside + np.square(s.within))
        # Means of so many independent draws vary by as much: what chance gives the largest of all elements is allowed.
        count = effective(s.bulk, seen.chains * seen.draws) / len(numbers)
        allowed = (1 + beyond_chance(s.elements) * np.sqrt(2 / (len(numbers) - 1))) ** 2 / count
        value = np.sqrt(1 + excess)
    ill = np.flatnonzero((value > limit) & (excess > allowed))
    if not len(ill):
        return None
    ill = ill[np.argsort(-value[ill], kind="stable")]
    return Measured(float(value[ill[0]]), seen.named(ill), {"groups": len(numbers)})
