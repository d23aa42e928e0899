"""Where values live: the source of checks, of bounds in Stan and of test inputs; `constrained/` ties elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = [
    "BINARY",
    "CIRCLE",
    "COUNT",
    "COUNT_VECTOR",
    "INTEGER",
    "LARGEST_INT",
    "MATRIX",
    "NON_NEGATIVE",
    "OPEN_UNIT",
    "POSITIVE",
    "POSITIVE_DEFINITE",
    "POSITIVE_VECTOR",
    "REAL",
    "SIZE",
    "TOLERANCE",
    "UNIT",
    "VECTOR",
    "Domain",
    "Mask",
    "between",
    "integers",
    "is_positive_definite",
]

LARGEST_INT = 2**31 - 1  # of Stan, whose whole numbers have 32 bits

Mask = Any  # one truth value, or an array of them
Bound = object  # a float, or a node where the bound is another quantity of the model
TOLERANCE = 1e-8  # what Stan allows for simplexes, correlations and the like


@dataclass(frozen=True, slots=True)
class Domain:
    """A set of scalars, or of vectors or matrices with a structure."""

    words: str
    event_rank: int = 0
    integer: bool = False
    lower: Bound = None
    upper: Bound = None
    lower_open: bool = False
    upper_open: bool = False
    structure: str = ""  # the constrained type of its values, by name; "size" for lengths
    square: bool = False  # matrices with as many rows as columns
    holds: Callable[[np.ndarray], Mask] | None = None

    def spread(self, event: tuple[int, ...]) -> float:
        """Give how far from 0 random coordinates may lie so that their event is well inside, however large it is.

        What a row of a Cholesky factor leaves for its diagonal is a product over the row, and so is its inverse.
        """
        return 1 / math.sqrt(max(1, event[-1])) if self.square else 1.0

    def within(self, lower: Bound, upper: Bound) -> Domain:
        """Narrow to bounds that a user gave; a bound of None leaves the domain's own."""
        if lower is None and upper is None:
            return self
        low = self.lower if lower is None else lower
        high = self.upper if upper is None else upper
        return replace(self, words="bounded", lower=low, upper=high, lower_open=False, upper_open=False)

    def violations(self, values: np.ndarray) -> np.ndarray:
        """Mark the events of `values` that lie outside; bounds that are nodes are not looked at."""
        values = np.asarray(values)
        bad = self._by_event(~np.isfinite(values))
        return np.asarray(bad | self.excludes(np.where(np.isfinite(values), values, 0.0)))

    def excludes(self, values: np.ndarray) -> np.ndarray:
        """Mark the events outside as `violations` does, but let infinity through where no bound forbids it."""
        values = np.asarray(values)
        if self.square and values.shape[-1:] != values.shape[-2:-1]:
            return np.ones(values.shape[:-2], dtype=bool)
        bad = np.isnan(values)
        if self.integer:
            bad |= values != np.floor(values)
        if isinstance(self.lower, int | float):
            bad |= (values <= self.lower) if self.lower_open else (values < self.lower)
        if isinstance(self.upper, int | float):
            bad |= (values >= self.upper) if self.upper_open else (values > self.upper)
        bad = self._by_event(bad)
        if self.holds is not None:
            bad = bad | ~self.holds(np.where(np.isnan(values), 0.0, values))
        return np.asarray(bad)

    def _by_event(self, bad: np.ndarray) -> np.ndarray:
        return np.asarray(bad.any(axis=tuple(range(-self.event_rank, 0)))) if self.event_rank else bad


def between(lower: Bound, upper: Bound, *, open_ends: bool = False) -> Domain:
    """Give the interval from `lower` to `upper`; either may be None or a node."""
    words = _words("between", "above", "below", lower, upper)
    return Domain(words, lower=lower, upper=upper, lower_open=open_ends, upper_open=open_ends)


def integers(lower: Bound = None, upper: Bound = None) -> Domain:
    """Give the whole numbers from `lower` to `upper`."""
    words = _words("a whole number between", "a whole number from", "a whole number up to", lower, upper)
    return Domain(words, integer=True, lower=lower, upper=upper)


def _words(both: str, from_below: str, from_above: str, lower: Bound, upper: Bound) -> str:
    low, high = ("its bound" if not isinstance(b, int | float) else f"{b:g}" for b in (lower, upper))
    if lower is None and upper is None:
        return "a whole number" if "whole" in both else "real"
    if upper is None:
        return f"{from_below} {low}"
    return f"{from_above} {high}" if lower is None else f"{both} {low} and {high}"


def _symmetric(x: np.ndarray) -> Mask:
    gap = np.abs(x - np.swapaxes(x, -1, -2)).max((-1, -2))
    return gap <= TOLERANCE * np.maximum(1, np.abs(x).max((-1, -2)))


def is_positive_definite(x: np.ndarray) -> Mask:
    """Tell which matrices are symmetric with positive eigenvalues."""
    symmetric = _symmetric(x)
    usable = np.where(symmetric[..., None, None], x, np.eye(x.shape[-1]))
    try:
        np.linalg.cholesky(usable)  # a tenth of the work, and where all have a factor nothing else is to be told
    except np.linalg.LinAlgError:
        return symmetric & (np.linalg.eigvalsh(usable)[..., 0] > 0)
    return symmetric


REAL = Domain("real")
POSITIVE = Domain("positive", lower=0.0, lower_open=True)
NON_NEGATIVE = Domain("not negative", lower=0.0)
UNIT = Domain("between 0 and 1", lower=0.0, upper=1.0)
OPEN_UNIT = Domain("strictly between 0 and 1", lower=0.0, upper=1.0, lower_open=True, upper_open=True)
CIRCLE = between(-math.pi, math.pi)
INTEGER = integers()
COUNT = Domain("a count (0, 1, 2, …)", integer=True, lower=0)
BINARY = Domain("0 or 1", integer=True, lower=0, upper=1)
SIZE = Domain("a length", integer=True, lower=1, structure="size")
VECTOR = Domain("a vector", 1)
POSITIVE_VECTOR = Domain("a vector of positive numbers", 1, lower=0.0, lower_open=True)
COUNT_VECTOR = Domain("a vector of counts", 1, integer=True, lower=0)
MATRIX = Domain("a matrix", 2)
# A constrained type too (`constrained/matrices.py`); it stands here for what ops take.
POSITIVE_DEFINITE = Domain("a positive-definite matrix", 2, structure="cov", square=True, holds=is_positive_definite)
