"""A distribution to draw a few numbers from: Student's t about their mode, wider where their density is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import lgamma, log, pi

import numpy as np
from scipy.special import chdtrc, chdtri, ndtr, ndtri

from scistan.importance import smoothed_weights

__all__ = ["Offered", "Proposal", "adapted", "freedom_for"]

_LEAST_FREEDOM = 6.0
_LOOKS = 256  # draws that show how to draw
_ROUNDS = 4
_GOOD_SHARE = 0.6  # of independent draws that a look must be worth, or the next is drawn about what it found
# Standard deviations out at which the sides of the density are measured: the logarithm of a scale that may be 0 has an
# exponential tail, which begins further out than the curvature says anything of.
_OUT = (2.0, 4.0, 6.0)
_SIDES = (0.5, 4.0)  # how much narrower or wider than the curvature says a side may be

# Kinds of images: do they cross the middle, and do they change what lies beyond into what lies before?
_CROSSES, _TURNS = (np.array(kinds)[:, None] for kinds in ([True, False, True], [False, True, True]))
# A row in the very middle has images at the very ends: the smallest share there, and the smallest below 1.
_LEAST_TAIL, _LEAST_ROUNDED = 1e-17, 2.0**-53

Heights = Callable[[np.ndarray], np.ndarray]


def freedom_for(dimension: int) -> float:
    """Give degrees of freedom: heavy tails for a few numbers; for many they would put every draw too far out."""
    return max(_LEAST_FREEDOM, dimension**2 / 2)


@dataclass(frozen=True, slots=True)
class Offered:
    """Rows that were drawn, and how: the side of each axis, how many deviations out, and by what they are stretched."""

    rows: np.ndarray
    is_below: np.ndarray
    out: np.ndarray
    stretch: np.ndarray


@dataclass(frozen=True, slots=True)
class Proposal:
    """Student's t with the scale `root root'` about `centre`, each axis of `root` with two sides of their own width."""

    centre: np.ndarray
    root: np.ndarray
    below: np.ndarray = field(default_factory=lambda: np.ones(0))
    above: np.ndarray = field(default_factory=lambda: np.ones(0))

    def __post_init__(self) -> None:
        if len(self.below) != len(self.centre):
            object.__setattr__(self, "below", np.ones(len(self.centre)))
            object.__setattr__(self, "above", np.ones(len(self.centre)))

    @property
    def freedom(self) -> float:
        return freedom_for(len(self.centre))

    def draw(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Draw rows."""
        return self.offer(rng, count).rows

    def offer(self, rng: np.random.Generator, count: int) -> Offered:
        """Draw rows and remember how, for their images."""
        out = np.abs(rng.standard_normal((count, len(self.centre))))
        stretch = np.sqrt(self.freedom / rng.chisquare(self.freedom, count))[:, None]
        # A side is as probable as it is wide: so the density has no step at the centre.
        is_below = rng.random(out.shape) * (self.below + self.above) < self.below
        return Offered(self._rows(is_below, out * stretch), is_below, out, stretch)

    def images(self, offered: Offered, which: np.ndarray) -> np.ndarray:
        """Give the three images of rows: in every axis each is in another quarter of the proposal, (rows, 3, axes).

        Of a share u of the proposal that lies below in an axis they make 1 - u, ½ - u and ½ + u, the last two up to a
        whole: so rows of the proposal give rows of the proposal, images of images are images, and an image of the same
        kind of it is the row.
        """
        is_below, stretch = offered.is_below[which], offered.stretch[which]
        below, above = (width / (self.below + self.above) for width in (self.below, self.above))
        own = 2 * np.where(is_below, below, above) * ndtr(-offered.out[which])  # what lies beyond, on its side
        is_low, tail = np.where(own <= 0.5, is_below, ~is_below), np.minimum(own, 1 - own)
        is_low = is_low[:, None] ^ _CROSSES
        tail = np.where(_TURNS, np.maximum(0.5 - tail[:, None], _LEAST_TAIL), tail[:, None])
        share, other = np.where(is_low, below, above), np.where(is_low, above, below)
        stays = tail <= share
        out = -ndtri(np.where(stays, tail / (2 * share), (1 - tail) / (2 * other)))
        return self._rows(np.where(stays, is_low, ~is_low), out * self._stretches(stretch))

    def _stretches(self, stretch: np.ndarray) -> np.ndarray:
        """Give the images of stretches in their own distribution, (rows, 3, 1)."""
        nu = self.freedom
        share = chdtrc(nu, nu / stretch**2)
        images = np.stack([1 - share, (0.5 - share) % 1, (0.5 + share) % 1], axis=1)
        return np.asarray(np.sqrt(nu / chdtri(nu, np.clip(images, _LEAST_TAIL, 1 - _LEAST_ROUNDED))))

    def _rows(self, is_below: np.ndarray, out: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.centre + np.where(is_below, -self.below * out, self.above * out) @ self.root.T
        return found

    def log_density(self, rows: np.ndarray) -> np.ndarray:
        """Give the log density of each row."""
        d, nu = len(self.centre), self.freedom
        wide = np.linalg.solve(self.root, (rows - self.centre).T).T if d else np.zeros((len(rows), 0))
        widths = np.where(wide < 0, self.below, self.above)
        squares = ((wide / widths) ** 2).sum(-1)
        constant = lgamma((nu + d) / 2) - lgamma(nu / 2) - 0.5 * d * log(nu * pi) - np.linalg.slogdet(self.root)[1]
        constant -= np.log((self.below + self.above) / 2).sum()
        found: np.ndarray = constant - 0.5 * (nu + d) * np.log1p(squares / nu)
        return found

    def sided(self, heights: Heights) -> Proposal:
        """Measure how far the density reaches to both sides of the centre along each axis."""
        d = len(self.centre)
        ends = [side * out * np.eye(d) for out in _OUT for side in (-1, 1)]
        found = heights(np.concatenate([np.zeros((1, d)), *ends]) @ self.root.T + self.centre)
        fall = 2 * (found[0] - found[1:]).reshape(len(_OUT), 2, d)
        out = np.array(_OUT)[:, None, None]
        with np.errstate(all="ignore"):
            widths = np.where(fall > 0, out / np.sqrt(fall), _SIDES[1])
        below, above = np.clip(np.where(np.isfinite(fall), widths, 0.0).max(0), *_SIDES)
        return Proposal(self.centre, self.root, below, above)


def adapted(first: Proposal, heights: Heights, rng: np.random.Generator) -> Proposal:
    """Look at draws until they are worth enough: about the mode, then about the mean and with the spread found."""
    proposal = best = first.sided(heights)
    most = 0.0
    for _ in range(_ROUNDS):
        rows = proposal.draw(rng, _LOOKS)
        found = heights(rows)
        ratios = np.where(np.isfinite(found), found - proposal.log_density(rows), -np.inf)
        if not np.isfinite(ratios).any():
            break
        weights = np.exp(smoothed_weights(ratios)[0])
        worth = float(1 / (weights**2).sum()) / _LOOKS
        if worth > most:
            best, most = proposal, worth
        made = _of_moments(rows, weights)
        if worth >= _GOOD_SHARE or made is None:
            break
        proposal = made
    return best


def _of_moments(rows: np.ndarray, weights: np.ndarray) -> Proposal | None:
    """Give Student's t with the mean and the spread of weighted rows; None where they lie in a plane."""
    mean = weights @ rows
    away = rows - mean
    covariance = (weights[:, None] * away).T @ away / max(1e-3, 1 - float((weights**2).sum()))
    try:
        return Proposal(mean, np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        return None
