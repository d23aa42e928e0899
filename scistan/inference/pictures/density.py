"""A smooth density of draws, for pictures."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["density", "is_discrete"]

_POINTS = 256
_FEWEST = 5
_PILED = 0.2  # of the draws within a standard deviation; a normal distribution has 0.4 in its middle
_MANY = 50  # draws that show two humps


def is_discrete(values: np.ndarray) -> bool:
    """Tell counts, which are drawn as bars, from measurements."""
    finite = values[np.isfinite(values)]
    return values.dtype.kind in "biu" or bool(finite.size and (finite == np.round(finite)).all())


def density(values: np.ndarray, window: tuple[float, float] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Give points and a density at them; what piles up at an end is seen to, what runs out there runs out.

    `window` is the part that is drawn, where tails are so heavy that they would fill the picture.
    """
    values = np.asarray(values, dtype=float)
    first, last = (-math.inf, math.inf) if window is None else window
    inside = values[(values >= first) & (values <= last)]
    low, high = (float(inside.min()), float(inside.max())) if inside.size else (0.0, 0.0)
    if not low < high or inside.size < _FEWEST:
        return np.array([low, high]), np.zeros(2)
    counts, _ = np.histogram(inside, bins=_POINTS, range=(low, high))
    width = _bandwidth(inside, counts / counts.sum(), high - low)
    left, right = (_beyond(inside, end, width, sign) for end, sign in ((low, -1.0), (high, 1.0)))
    step = (right - left) / _POINTS
    counts, _ = np.histogram(inside, bins=_POINTS, range=(left, right))
    # The mirror images at both ends keep the mass that a bound cuts off.
    mirrored = np.concatenate([counts[::-1], counts, counts[::-1]])
    reach = min(_POINTS - 1, math.ceil(4 * width / step) + 1)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * step / width) ** 2)
    smooth = np.convolve(mirrored, kernel / kernel.sum(), mode="same")[_POINTS : 2 * _POINTS]
    points = np.concatenate([[left], left + (np.arange(_POINTS) + 0.5) * step, [right]])
    return points, np.concatenate([smooth[:1], smooth, smooth[-1:]]) / (values.size * step)


def _beyond(values: np.ndarray, end: float, width: float, sign: float) -> float:
    """Give where the curve ends: at the last draw where many lie beside it, else so far out that nothing is left.

    Numbers that are all positive, or all below 1, stay so.
    """
    beside = (np.abs(values - end) < width).mean() / width
    if beside > _PILED / values.std():
        return end
    out = end + sign * 3 * width
    bound = 0.0 if sign < 0 else 1.0
    return bound if (end - bound) * sign <= 0 < (out - bound) * sign and values.min() >= 0 else out


def _bandwidth(values: np.ndarray, shares: np.ndarray, extent: float) -> float:
    """Give the geometric mean of Silverman's width, too wide for two humps, and Botev's, too narrow for chains."""
    upper, lower = np.quantile(values, (0.75, 0.25))
    spread = min(values.std(), (upper - lower) / 1.34) or values.std()
    silverman = 0.9 * spread * values.size**-0.2
    botev = _botev(shares, values.size) if values.size >= _MANY else None
    return float(silverman if botev is None else math.sqrt(silverman * botev * extent))


def _botev(shares: np.ndarray, count: int) -> float | None:
    """Solve Botev, Grotowski and Kroese's (2010) fixed point for the width on the unit interval; None without one."""
    from scipy.fft import dct
    from scipy.optimize import brentq

    k = np.arange(1, len(shares), dtype=float) ** 2
    half = (dct(shares)[1:] / 2) ** 2

    def roughness(order: int, time: float) -> np.float64:
        return np.float64(2 * np.pi ** (2 * order) * (k**order * half * np.exp(-k * np.pi**2 * time)).sum())

    def gap(time: float) -> float:
        value = roughness(7, time)
        for order in range(6, 1, -1):
            constant = (1 + 0.5 ** (order + 0.5)) / 3
            moments = np.prod(np.arange(1, 2 * order, 2)) / math.sqrt(2 * math.pi)
            then = (2 * constant * moments / (count * value)) ** (2 / (3 + 2 * order))
            value = roughness(order, then)
        return float(time - (2 * count * math.sqrt(math.pi) * value) ** -0.4)

    with np.errstate(all="ignore"):
        ends = gap(1e-9), gap(0.1)
        if not np.isfinite(ends).all() or ends[0] * ends[1] > 0:
            return None
        return math.sqrt(brentq(gap, 1e-9, 0.1))
