"""Compare what the three targets say of points: relative errors of densities and gradients, less rounding's share."""

from __future__ import annotations

import numpy as np

from scistan.inference.solver_error import SLOPES
from scistan.inference.tolerance import DENSITY_TOLERANCE
from scistan.inference.witnesses import Seen, Witnesses

__all__ = ["allowed", "base_of", "directions_of", "errors_at"]

_FEW = 50  # up to so many coordinates each has its own derivative; of more, some in directions that move them all
_DIRECTIONS = 4


def allowed(slopes: float) -> np.ndarray:
    """Give the errors that are allowed: of torch's density, of Stan's density, and of the gradient."""
    return np.array([DENSITY_TOLERANCE, DENSITY_TOLERANCE, slopes])


def directions_of(dimension: int, rng: np.random.Generator) -> np.ndarray:
    """Give each coordinate's own direction, or of many coordinates some that move every one as far as any other."""
    if dimension <= _FEW:
        return np.eye(dimension)
    return rng.choice([-1.0, 1.0], size=(_DIRECTIONS, dimension))


def base_of(found: list[Seen]) -> Seen | None:
    """Give the point from which changes of the density are counted: that with the smallest parts."""
    return min((s for s in found if np.isfinite(s.densities).all()), key=lambda seen: seen.size, default=None)


def errors_at(witnesses: Witnesses, seen: Seen, base: Seen | None, directions: np.ndarray) -> np.ndarray:
    """Give the relative errors at a point: torch's density, Stan's density, and the gradient."""
    finite = np.isfinite(seen.densities)
    if base is None or not finite.all():
        return np.array([np.inf if one != finite[0] else 0.0 for one in finite[1:]] + [0.0])
    by_torch = abs(seen.scipy - seen.torch) - seen.noise - seen.solver
    # Stan drops constants, so its densities are known up to one number.
    by_stan = abs((seen.stan - base.stan) - (seen.scipy - base.scipy)) - seen.noise - base.noise
    by_stan -= seen.solver + base.solver
    sizes = np.maximum(1.0, [seen.size, seen.size + base.size])
    densities = np.maximum(0.0, [by_torch, by_stan]) / sizes
    return np.array([*densities, _gradient_error(witnesses, seen, directions)])


def _gradient_error(witnesses: Witnesses, seen: Seen, directions: np.ndarray) -> float:
    """Give the largest error in a direction; errors of many coordinates add up as random numbers do."""
    if not np.isfinite(seen.gradient).all() or not np.isfinite(seen.slopes).all():
        return np.inf
    each = directions.shape[0] == directions.shape[1]
    size = np.max(np.abs(seen.gradient), initial=0.0) if each else np.linalg.norm(seen.gradient)
    worst = 0.0
    for direction in directions:
        expected, lost = witnesses.derivative(seen, direction)
        off = abs(float(seen.gradient @ direction) - expected) - lost - seen.slope_noise - SLOPES * seen.solver
        worst = max(worst, off if np.isfinite(off) else np.inf)
    return float(worst / max(1.0, size))
