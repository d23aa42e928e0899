"""A chain in rounds of four steps: one to a place that is proposed anew, then to the images of where it stands.

Of the tries of a new place one is picked by weight, the density over the proposal's. With w the weight where the chain
stands and w₁, … those of the tries, the pick k is accepted with the probability (Σ wⱼ) / (Σ wⱼ - w_k + w), at most 1:
the rule of several tries that are proposed independently (Liu, Liang and Wong 2000), which leaves the density as it is
whatever the proposal. With one try it is that of Metropolis and Hastings.

An image lies in another quarter of the proposal (`Proposal.images`). It is of the proposal if the place is, and its own
image of the same kind is the place: so the ratio of their weights is what accepts it. Where the proposal fits, the four
places of a round are a stratified sample of the posterior, whose mean is nearer to the posterior's than that of four
independent draws.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

from scistan.engines.proposal import Proposal

__all__ = ["ROUND", "Walk", "acceptance", "log_weights"]

ROUND = 4  # steps: one anew, then by images of where the chain stands
_KINDS = (1, 3, 1)  # of image, in their order: the exclusive or of the numbers of the places before and after
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
    """A chain: where it stands, the places it has been at, and the log weights of all it has tried anew.

    `offer` draws what is tried anew in the next rounds, `pick` is given the log densities there and answers with the
    images that must be known too, `go` is given theirs: so several chains can ask for densities at once.
    """

    def __init__(self, proposal: Proposal, tries: int, rng: np.random.Generator) -> None:
        self._proposal, self._tries, self._rng = proposal, tries, rng
        self._standing: _Places | None = None  # where it stands, and the images of that
        self._tried, self._picks = np.zeros((0, tries)), np.zeros(0, dtype=int)
        self._offered = proposal.offer(rng, 0)
        self._picked = _Places(*(array[:, None] for array in (self._offered.rows, np.zeros(0), np.zeros(0))))
        self.points = np.zeros((0, len(proposal.centre)))
        self.heights, self.chances, self.weights, self.log_weights = (np.zeros(0) for _ in range(4))

    def offer(self, rounds: int) -> np.ndarray:
        """Draw the tries of so many rounds; before the first, those of which the first place is picked."""
        self._offered = self._proposal.offer(self._rng, _FIRST if self._standing is None else rounds * self._tries)
        return self._offered.rows

    def pick(self, heights: np.ndarray) -> np.ndarray:
        """Pick of each round's tries the one that may be accepted; give the images of all picks, one after another."""
        rows = self._offered.rows
        logs = log_weights(heights, rows, self._proposal)
        self.log_weights = np.concatenate([self.log_weights, logs])
        if self._standing is None:
            picks = np.array([np.argmax(logs + self._rng.gumbel(size=len(logs)))])
        else:
            self._tried = logs.reshape(-1, self._tries)
            self._picks = _picked(_relative(self._tried), self._rng.random(len(self._tried)))
            picks = np.arange(len(self._tried)) * self._tries + self._picks
        self._picked = _Places(rows[picks, None], heights[picks, None], logs[picks, None])
        return self._proposal.images(self._offered, picks).reshape(-1, rows.shape[1])

    def go(self, images: np.ndarray, heights: np.ndarray) -> None:
        """Take the steps, now that the picks' images and the log densities there are known."""
        logs = log_weights(heights, images, self._proposal)
        seen = _Places(images.reshape(-1, 3, images.shape[1]), heights.reshape(-1, 3), logs.reshape(-1, 3))
        made = self._picked.joined(seen, 1)
        if self._standing is None:
            self._standing = made
            return
        known = self._standing.joined(made, 0)
        where, chances = self._walked(known.log_weights.ravel().tolist())
        self._standing = known.standing(where[-1]) if len(where) else self._standing
        self.points = np.concatenate([self.points, known.rows.reshape(-1, images.shape[1])[where]])
        self.heights = np.concatenate([self.heights, known.heights.ravel()[where]])
        self.weights = np.concatenate([self.weights, known.log_weights.ravel()[where]])
        self.chances = np.concatenate([self.chances, chances])

    def _walked(self, weights: list[float]) -> tuple[np.ndarray, np.ndarray]:
        """Accept or stay, step by step; give the places after each: four times the round, and which of its four."""
        rounds = len(self._tried)
        # Every round on a scale of its own: the weights of a whole run need not be doubles.
        scales = self._tried.max(1, initial=-np.inf)
        relative = _relative(self._tried)
        totals = relative.sum(1)
        rests = totals - relative[np.arange(rounds), self._picks]
        limits = self._rng.random((rounds, ROUND)).tolist()
        at, weight = 0, weights[0]
        where, chances = [], []
        figures = zip(scales.tolist(), totals.tolist(), rests.tolist(), limits, strict=True)
        for k, (scale, total, rest, (limit, *others)) in enumerate(figures, start=1):
            chance = 0.0
            if total > 0:
                chance = min(1.0, total / max(rest + math.exp(min(weight - scale, _LARGEST)), _SMALLEST))
            if limit < chance:
                at = ROUND * k
                weight = weights[at]
            where.append(at)
            chances.append(chance)
            for kind, limit in zip(_KINDS, others, strict=True):
                other = weights[at ^ kind]
                chance = math.exp(min(other - weight, 0.0))
                if limit < chance:
                    at, weight = at ^ kind, other
                where.append(at)
                chances.append(chance)
        return np.array(where, dtype=int), np.array(chances)

    def forget(self) -> None:
        """Drop what has been walked so far, but for the weights of what was tried."""
        self.points, self.heights, self.chances, self.weights = self.points[:0], *(np.zeros(0) for _ in range(3))


def _relative(tried: np.ndarray) -> np.ndarray:
    """Give the weights of each round's tries over their largest."""
    scales = tried.max(1, initial=-np.inf)
    return np.asarray(np.exp(tried - np.where(np.isfinite(scales), scales, 0.0)[:, None]))


@dataclass(frozen=True, slots=True)
class _Places:
    """Places, each with its images (n, up to 4, …): log densities and log weights."""

    rows: np.ndarray
    heights: np.ndarray
    log_weights: np.ndarray

    def joined(self, others: _Places, axis: int) -> _Places:
        return _Places(
            np.concatenate([self.rows, others.rows], axis),
            np.concatenate([self.heights, others.heights], axis),
            np.concatenate([self.log_weights, others.log_weights], axis),
        )

    def standing(self, at: int) -> _Places:
        """Give one place alone with its images, itself first."""
        k, which = divmod(int(at), ROUND)
        order = [which ^ kind for kind in range(ROUND)]
        return _Places(self.rows[k, order][None], self.heights[k, order][None], self.log_weights[k, order][None])
