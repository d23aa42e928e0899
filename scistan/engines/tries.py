"""A chain whose steps are proposed without looking at where it stands: several tries, one of them accepted or none.

Of a step's tries one is picked by weight, the density over the proposal's. With w the weight where the chain stands
and w₁, … those of the tries, the pick k is accepted with the probability (Σ wⱼ) / (Σ wⱼ - w_k + w), at most 1: the rule
of several tries that are proposed independently (Liu, Liang and Wong 2000), which leaves the density as it is whatever
the proposal. With one try it is that of Metropolis and Hastings.
"""

from __future__ import annotations

import math
import sys

import numpy as np

from scistan.engines.proposal import Proposal

__all__ = ["Walk", "acceptance", "log_weights"]

_FIRST = 32  # tries of which a chain's first place is picked
_LARGEST, _SMALLEST = 700.0, sys.float_info.min  # a logarithm whose exponential is a double, and the smallest one


def log_weights(heights: np.ndarray, rows: np.ndarray, proposal: Proposal) -> np.ndarray:
    """Give the logarithms of the density over the proposal's; -∞ where there is no density."""
    return np.where(np.isfinite(heights), heights - proposal.log_density(rows), -np.inf)


def acceptance(weights: np.ndarray, tries: int, rng: np.random.Generator) -> float:
    """Estimate how often a chain would move, from weights of draws of its proposal."""
    steps = 4 * len(weights)
    here = rng.choice(weights, steps, p=weights / weights.sum())
    offered = rng.choice(weights, (steps, tries))
    total = offered.sum(1)
    rest = total - offered[np.arange(steps), _picked(offered, rng.random(steps))]
    return float(np.minimum(1.0, total / np.maximum(rest + here, _SMALLEST)).mean())


def _picked(weights: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Choose a place in each row, by weight."""
    sums = np.cumsum(weights, axis=1)
    found: np.ndarray = np.minimum((sums <= uniform[:, None] * sums[:, -1:]).sum(1), weights.shape[1] - 1)
    return found


class Walk:
    """A chain: where it stands, the places it has been at, and the log weights of all it has tried.

    `offer` draws what is tried next, `go` is given the log densities there: so several chains can ask for them at once.
    """

    def __init__(self, proposal: Proposal, tries: int, rng: np.random.Generator) -> None:
        self._proposal, self._tries, self._rng = proposal, tries, rng
        self._rows = self.points = np.zeros((0, len(proposal.centre)))
        self.heights, self.chances, self.weights, self.log_weights = (np.zeros(0) for _ in range(4))
        self._here: tuple[np.ndarray, float, float] | None = None

    def offer(self, steps: int) -> np.ndarray:
        """Draw the tries of so many steps; before the first step, those of which the first place is picked."""
        self._rows = self._proposal.draw(self._rng, _FIRST if self._here is None else steps * self._tries)
        return self._rows

    def go(self, heights: np.ndarray) -> None:
        """Take the steps whose tries have these log densities."""
        rows = self._rows
        logs = log_weights(heights, rows, self._proposal)
        self.log_weights = np.concatenate([self.log_weights, logs])
        if self._here is None:
            first = int(np.argmax(logs + self._rng.gumbel(size=len(logs))))
            self._here = rows[first], float(heights[first]), float(logs[first])
            return
        q, height, before = self._here
        tried = logs.reshape(-1, self._tries)
        where, chances, weight = self._walked(tried, before)
        # First: where it stood.
        places, found, own = np.concatenate([q[None], rows]), np.append(height, heights), np.append(before, logs)
        self._here = places[where[-1]], float(found[where[-1]]), weight
        self.points = np.concatenate([self.points, places[where]])
        self.heights = np.concatenate([self.heights, found[where]])
        self.chances = np.concatenate([self.chances, chances])
        self.weights = np.concatenate([self.weights, own[where]])

    def _walked(self, tried: np.ndarray, weight: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Accept or stay, step by step; give the places after each, 0 for where it stood, and the last weight."""
        steps, tries = tried.shape
        # Every step on a scale of its own: the weights of a whole run need not be doubles.
        scales = tried.max(1)
        relative = np.exp(tried - np.where(np.isfinite(scales), scales, 0.0)[:, None])
        picks = _picked(relative, self._rng.random((steps,)))
        totals = relative.sum(1)
        rests = totals - relative[np.arange(steps), picks]
        where, chances = np.zeros(steps, dtype=int), np.zeros(steps)
        at = 0
        limits = self._rng.random((steps,)).tolist()
        figures = zip(scales.tolist(), totals.tolist(), rests.tolist(), picks.tolist(), strict=True)
        for k, (scale, total, rest, pick) in enumerate(figures):
            chance = 0.0
            if total > 0:
                chance = min(1.0, total / max(rest + math.exp(min(weight - scale, _LARGEST)), _SMALLEST))
            if limits[k] < chance:
                at, weight = 1 + k * tries + pick, float(tried[k, pick])
            where[k], chances[k] = at, chance
        return where, chances, weight

    def forget(self) -> None:
        """Drop what has been walked so far, but for the weights of what was tried."""
        self.points, self.heights, self.chances, self.weights = self.points[:0], *(np.zeros(0) for _ in range(3))
