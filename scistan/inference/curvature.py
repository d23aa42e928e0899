"""How a posterior bends at its mode: a few of Newton's steps on the engine's own gradients, where coordinates are few.

What a metric is worth follows from it without a trial. With a diagonal metric NUTS takes steps as short as the
narrowest direction that is left asks for, until it has crossed the widest: their ratio is the root of the *condition*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scistan.engines.embedded import Density

__all__ = ["Shape", "shape_at_mode"]

# Newton's steps before a mode is given up; how much the log density may still have to gain where one is found.
MOST_STEPS, NEAR = 25, 0.1
# Differences of gradients are taken over so much of a coordinate, or of 1; a step is halved so often at most.
STEP, HALVINGS = 1e-5, 10
# Curvatures below this part of the largest are noise of the differences.
NOISE = 1e-9


@dataclass(frozen=True, slots=True)
class Shape:
    """A normal approximation at the mode: the condition that a diagonal metric leaves, and the gradients it took."""

    condition: float
    gradients: int


def shape_at_mode(density: Density) -> Shape | None:
    """Find the mode from 0 and give the shape there; None where there is none in reach."""
    counted = _Counted(density)
    here = counted.at(np.zeros(density.dimension))
    if here is None:
        return None
    for _ in range(MOST_STEPS):
        bends = counted.curvature(here)
        if bends is None:
            return None
        sizes, directions = np.linalg.eigh(bends)
        floor = NOISE * np.abs(sizes).max()
        step = directions @ ((directions.T @ here.gradient) / np.maximum(np.abs(sizes), floor))
        gain = float(step @ here.gradient) / 2
        if gain < NEAR and sizes[0] > floor:
            return Shape(_condition(bends), counted.gradients)
        found = counted.uphill(here, step)
        if found is None:
            return None
        here = found
    return None


def _condition(bends: np.ndarray) -> float:
    """Give the condition in the metric that nutpie's diagonal adaptation tends to on a normal density.

    It measures a coordinate by the root of the ratio of its draws' variance to its gradients'.
    """
    scale = np.sqrt(np.sqrt(np.diag(np.linalg.inv(bends)) / np.diag(bends)))
    left = np.linalg.eigvalsh(bends * np.outer(scale, scale))
    return float(left[-1] / left[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Point:
    q: np.ndarray
    value: float
    gradient: np.ndarray


class _Counted:
    """A density whose gradients are counted; where it has none there is no point."""

    def __init__(self, density: Density) -> None:
        self.density = density
        self.gradients = 0

    def at(self, q: np.ndarray) -> _Point | None:
        self.gradients += 1
        try:
            value, gradient = self.density.log_density_gradient(q)
        except RuntimeError:
            return None
        return _Point(q, value, gradient) if np.isfinite(value) and np.isfinite(gradient).all() else None

    def curvature(self, here: _Point) -> np.ndarray | None:
        """Give the negative Hessian by differences of gradients."""
        rows = []
        for k, width in enumerate(STEP * np.maximum(1.0, np.abs(here.q))):
            moved = here.q.copy()
            moved[k] += width
            point = self.at(moved)
            if point is None:
                return None
            rows.append((here.gradient - point.gradient) / width)
        bends = np.array(rows)
        symmetric: np.ndarray = (bends + bends.T) / 2
        return symmetric

    def uphill(self, here: _Point, step: np.ndarray) -> _Point | None:
        """Go along a step as far as it leads uphill."""
        for halving in range(HALVINGS):
            part = 0.5**halving
            point = self.at(here.q + part * step)
            if point is not None and point.value >= here.value + 0.1 * part * float(step @ here.gradient):
                return point
        return None
