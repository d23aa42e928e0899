"""SciPy's frozen distributions, and others of the same form for the shapes that SciPy does not have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Bracketed", "Folded", "OnCircle", "Reflected", "special", "stats"]

Array = Any


def stats() -> Any:
    """Import `scipy.stats` when it is first needed: it is slow to load."""
    import scipy.stats

    return scipy.stats


def special() -> Any:
    """Import `scipy.special` when it is first needed."""
    import scipy.special

    return scipy.special


@dataclass(frozen=True, slots=True)
class Folded:
    """The absolute value of a distribution that is symmetric about 0."""

    symmetric: Any

    def logpdf(self, x: Array) -> Array:
        return self.symmetric.logpdf(x) + math.log(2)

    def cdf(self, x: Array) -> Array:
        return 1 - self.sf(x)

    def sf(self, x: Array) -> Array:
        return 2 * self.symmetric.sf(np.maximum(x, 0))

    def ppf(self, q: Array) -> Array:
        return self.symmetric.ppf(0.5 + q / 2)

    def isf(self, q: Array) -> Array:
        return self.symmetric.isf(q / 2)


@dataclass(frozen=True, slots=True)
class Reflected:
    """The distribution of `-X`."""

    other: Any

    def logpdf(self, x: Array) -> Array:
        return self.other.logpdf(-x)

    def cdf(self, x: Array) -> Array:
        return self.other.sf(-x)

    def sf(self, x: Array) -> Array:
        return self.other.cdf(-x)

    def ppf(self, q: Array) -> Array:
        return -self.other.isf(q)

    def isf(self, q: Array) -> Array:
        return -self.other.ppf(q)


def _bisected(probability: Callable[[Array], Array], q: Array, low: Array, high: Array) -> Array:
    """Find where a rising function of the numbers between `low` and `high` reaches `q`, all at once."""
    q, low, high = np.broadcast_arrays(q, low, high)
    for _ in range(64):
        middle = 0.5 * (low + high)
        beyond = probability(middle) > q
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    return 0.5 * (low + high)


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A distribution whose quantiles SciPy finds one by one, slowly; here all are found at once between two ends."""

    inner: Any
    low: Array
    high: Array

    def logpdf(self, x: Array) -> Array:
        return self.inner.logpdf(x)

    def cdf(self, x: Array) -> Array:
        return self.inner.cdf(x)

    def sf(self, x: Array) -> Array:
        return self.inner.sf(x)

    def ppf(self, q: Array) -> Array:
        return _bisected(self.cdf, q, self.low, self.high)

    def isf(self, q: Array) -> Array:
        return _bisected(lambda x: -self.sf(x), -np.asarray(q), self.low, self.high)


@dataclass(frozen=True, slots=True)
class OnCircle:
    """The von Mises distribution about `mu`, cut open at ±π; SciPy's runs on from turn to turn."""

    mu: Array
    kappa: Array

    def _turned(self, x: Array) -> Array:
        """Give the probability from the middle's own opposite to `x`, which may be negative or above 1."""
        middle = np.remainder(self.mu + np.pi, 2 * np.pi) - np.pi
        return stats().vonmises.cdf(np.clip(x, -np.pi, np.pi) - middle, self.kappa)

    def logpdf(self, x: Array) -> Array:
        return stats().vonmises.logpdf(x - self.mu, self.kappa)

    def cdf(self, x: Array) -> Array:
        return np.clip(self._turned(x) - self._turned(-np.pi), 0, 1)

    def sf(self, x: Array) -> Array:
        return np.clip(self._turned(np.pi) - self._turned(x), 0, 1)

    def ppf(self, q: Array) -> Array:
        return _bisected(self.cdf, q, -np.pi, np.pi)

    def isf(self, q: Array) -> Array:
        return _bisected(lambda x: -self.sf(x), -np.asarray(q), -np.pi, np.pi)
