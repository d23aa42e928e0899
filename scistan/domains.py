"""Where values live: the one source of checks, Stan constraints, bijections and test inputs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = [
    "BINARY",
    "CHOLESKY_CORR",
    "CHOLESKY_COV",
    "CIRCLE",
    "CORR",
    "COUNT",
    "COUNT_VECTOR",
    "COV",
    "INTEGER",
    "LARGEST_INT",
    "LOG_SIMPLEX",
    "MATRIX",
    "NON_NEGATIVE",
    "OPEN_UNIT",
    "ORDERED",
    "POSITIVE",
    "POSITIVE_ORDERED",
    "POSITIVE_VECTOR",
    "REAL",
    "SIMPLEX",
    "SIZE",
    "SUM_TO_ZERO",
    "UNIT",
    "VECTOR",
    "Domain",
    "between",
    "whole",
]

LARGEST_INT = 2**31 - 1  # of Stan, whose whole numbers have 32 bits

Mask = Any  # one truth value, or an array of them
Bound = object  # a float, or a node where the bound is another quantity of the model
_TOLERANCE = 1e-8  # what Stan allows for simplexes, correlations and the like


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
    structure: str = ""
    holds: Callable[[np.ndarray], Mask] | None = None

    @property
    def square(self) -> bool:
        """Whether these are matrices with as many rows as columns."""
        return self.structure in ("cov", "corr", "cholesky_cov", "cholesky_corr")

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


def whole(lower: Bound = None, upper: Bound = None) -> Domain:
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


def _sums_to_one(x: np.ndarray) -> Mask:
    return np.abs(x.sum(-1) - 1) <= _TOLERANCE


def _log_sums_to_one(x: np.ndarray) -> Mask:
    return np.abs(np.exp(x).sum(-1) - 1) <= _TOLERANCE


def _sums_to_zero(x: np.ndarray) -> Mask:
    return np.abs(x.sum(-1)) <= _TOLERANCE * np.maximum(1, np.abs(x).max(-1, initial=0))


def _rises(x: np.ndarray) -> Mask:
    return (np.diff(x, axis=-1) > 0).all(-1)


def _rises_from_zero(x: np.ndarray) -> Mask:
    return _rises(x) & (x > 0).all(-1)


def _symmetric(x: np.ndarray) -> Mask:
    gap = np.abs(x - np.swapaxes(x, -1, -2)).max((-1, -2))
    return gap <= _TOLERANCE * np.maximum(1, np.abs(x).max((-1, -2)))


def _positive_definite(x: np.ndarray) -> Mask:
    symmetric = _symmetric(x)
    usable = np.where(symmetric[..., None, None], x, np.eye(x.shape[-1]))
    try:
        np.linalg.cholesky(usable)  # a tenth of the work, and where all have a factor nothing else is to be told
    except np.linalg.LinAlgError:
        return symmetric & (np.linalg.eigvalsh(usable)[..., 0] > 0)
    return symmetric


def _unit_diagonal(x: np.ndarray) -> Mask:
    return (np.abs(np.diagonal(x, axis1=-2, axis2=-1) - 1) <= _TOLERANCE).all(-1)


def _lower_triangular(x: np.ndarray) -> Mask:
    return (np.triu(x, 1) == 0).all((-1, -2)) & (np.diagonal(x, axis1=-2, axis2=-1) > 0).all(-1)


def _unit_rows(x: np.ndarray) -> Mask:
    return _lower_triangular(x) & (np.abs((x * x).sum(-1) - 1) <= _TOLERANCE).all(-1)


def _correlation(x: np.ndarray) -> Mask:
    return _unit_diagonal(x) & _positive_definite(x)


REAL = Domain("real")
POSITIVE = Domain("positive", lower=0.0, lower_open=True)
NON_NEGATIVE = Domain("not negative", lower=0.0)
UNIT = Domain("between 0 and 1", lower=0.0, upper=1.0)
OPEN_UNIT = Domain("strictly between 0 and 1", lower=0.0, upper=1.0, lower_open=True, upper_open=True)
CIRCLE = between(-math.pi, math.pi)
INTEGER = whole()
COUNT = Domain("a count (0, 1, 2, …)", integer=True, lower=0)
BINARY = Domain("0 or 1", integer=True, lower=0, upper=1)
SIZE = Domain("a length", integer=True, lower=1, structure="size")
VECTOR = Domain("a vector", 1)
POSITIVE_VECTOR = Domain("a vector of positive numbers", 1, lower=0.0, lower_open=True)
COUNT_VECTOR = Domain("a vector of counts", 1, integer=True, lower=0)
MATRIX = Domain("a matrix", 2)
SIMPLEX = Domain(
    "probabilities that sum to 1", 1, lower=0.0, upper=1.0, structure="simplex", holds=_sums_to_one
)
LOG_SIMPLEX = Domain(
    "logarithms of probabilities that sum to 1", 1, upper=0.0, structure="log_simplex", holds=_log_sums_to_one
)
ORDERED = Domain("strictly rising numbers", 1, structure="ordered", holds=_rises)
POSITIVE_ORDERED = Domain(
    "strictly rising positive numbers", 1, structure="positive_ordered", holds=_rises_from_zero
)
SUM_TO_ZERO = Domain("numbers that sum to 0", 1, structure="sum_to_zero", holds=_sums_to_zero)
CHOLESKY_CORR = Domain(
    "a Cholesky factor of a correlation matrix", 2, structure="cholesky_corr", holds=_unit_rows
)
CHOLESKY_COV = Domain(
    "a Cholesky factor of a covariance matrix", 2, structure="cholesky_cov", holds=_lower_triangular
)
CORR = Domain("a correlation matrix", 2, structure="corr", holds=_correlation)
COV = Domain("a positive-definite matrix", 2, structure="cov", holds=_positive_definite)
