"""The modes of a density that is asked at many points at once: Newton's steps on differences, from several starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

__all__ = ["Mode", "climb"]

Heights = Callable[[np.ndarray], np.ndarray]
_STEPS = 40
_NEAR = 1e-3  # what the log density may still have to gain at a mode
# Differences are taken over this at first, then over a part of a standard deviation, within limits.
_FIRST, _PART, _NARROWEST, _WIDEST = 1e-2, 0.2, 1e-8, 0.5
_NARROWER = 0.1  # at an edge of the support
_SHARES = 0.5 ** np.arange(10)  # of a step that are tried
_NOISE = 1e-7  # curvatures below this part of the largest are noise of differences
_FURTHEST = 10.0  # how far one step may lead in any coordinate


@dataclass(frozen=True, slots=True)
class Mode:
    """Where a density is highest, a root of the covariance that its curvature gives, and its log mass as a normal's."""

    centre: np.ndarray
    root: np.ndarray
    mass: float

    def apart(self, other: Mode) -> float:
        """Give how many standard deviations of this mode another is away."""
        return float(np.linalg.norm(np.linalg.solve(self.root, other.centre - self.centre)))


def climb(heights: Heights, starts: np.ndarray) -> list[Mode]:
    """Climb from each start, all at once; give where those that arrived are, the one with the largest mass first."""
    climbers = [_Climber(start) for start in starts]
    for _ in range(_STEPS):
        looking = [one for one in climbers if one.going]
        if not looking:
            break
        for one, found in zip(looking, _asked(heights, [one.around for one in looking]), strict=True):
            one.look(found)
        moving = [one for one in looking if one.step is not None]
        for one, found in zip(moving, _asked(heights, [one.ahead for one in moving]), strict=True):
            one.move(found)
    return sorted((one.arrived for one in climbers if one.arrived is not None), key=lambda mode: -mode.mass)


def _asked(heights: Heights, points: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Ask for the points of all climbers at once."""
    if not points:
        return []
    ends = np.cumsum([len(one) for one in points])[:-1]
    return np.split(heights(np.concatenate(points)), ends)


@cache
def _pairs(d: int) -> tuple[np.ndarray, np.ndarray]:
    return np.tril_indices(d, -1)


@cache
def _stencil(d: int) -> np.ndarray:
    """Give the points that tell value, slope and curvature: the middle, both ways along each axis and each diagonal."""
    axes = np.eye(d)
    i, j = _pairs(d)
    diagonals = axes[i] + axes[j]
    return np.concatenate([np.zeros((1, d)), axes, -axes, diagonals, -diagonals])


class _Climber:
    """One way up: where it is, what it knows of the place, and where it would step."""

    def __init__(self, start: np.ndarray) -> None:
        self.q = start
        self.widths = np.full(len(start), _FIRST)
        self.step: np.ndarray | None = None
        self.arrived: Mode | None = None
        self.going = True
        self._height = -np.inf

    @property
    def around(self) -> np.ndarray:
        """The points that it must know."""
        found: np.ndarray = self.q + _stencil(len(self.q)) * self.widths
        return found

    @property
    def ahead(self) -> np.ndarray:
        """The points along its step."""
        step = np.zeros_like(self.q) if self.step is None else self.step
        found: np.ndarray = self.q + _SHARES[:, None] * step
        return found

    def look(self, found: np.ndarray) -> None:
        """Learn from the heights around; stop where this is a mode, or where nothing can be learnt."""
        self.step = None
        if not np.isfinite(found).all():
            self.widths = self.widths * _NARROWER
            self.going = bool(np.isfinite(found[0]) and self.widths.min() > _NARROWEST)
            return
        self._height = float(found[0])
        slope, bends = self._differences(found)
        sizes, directions = np.linalg.eigh(bends)
        floor = _NOISE * float(np.abs(sizes).max())
        if floor == 0.0:
            self.going = False
            return
        usable = np.maximum(np.abs(sizes), floor)
        step = directions @ ((directions.T @ slope) / usable)
        deviations = np.sqrt(((directions**2) / usable).sum(1))
        settled = bool(np.all(np.abs(np.log(self.widths / np.clip(_PART * deviations, _NARROWEST, _WIDEST))) < 1.0))
        self.widths = np.clip(_PART * deviations, _NARROWEST, _WIDEST)
        if sizes[0] > floor and float(step @ slope) < 2 * _NEAR and settled:
            root = np.linalg.cholesky((directions / usable) @ directions.T)
            mass = self._height + float(np.log(np.diag(root)).sum())
            self.arrived, self.going = Mode(self.q + step, root, mass), False
            return
        self.step = step / max(1.0, float(np.abs(step).max()) / _FURTHEST)

    def move(self, found: np.ndarray) -> None:
        """Go to the highest point ahead; where none is higher, look again by the new differences."""
        best = int(np.argmax(np.where(np.isfinite(found), found, -np.inf)))
        if found[best] > self._height:
            self.q = self.ahead[best]

    def _differences(self, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Give the slope and the negative Hessian by differences."""
        d, w = len(self.q), self.widths
        i, j = _pairs(d)
        middle, (above, below) = found[0], found[1 : 1 + 2 * d].reshape(2, d)
        onward, backward = found[1 + 2 * d :].reshape(2, len(i))
        slope = (above - below) / (2 * w)
        bends = np.diag((2 * middle - above - below) / w**2)
        mixed = -(onward + backward - (above + below)[i] - (above + below)[j] + 2 * middle) / (2 * w[i] * w[j])
        bends[i, j] = bends[j, i] = mixed
        return slope, bends
