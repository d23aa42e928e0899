"""Numbers of prior draws: where each variable lies, and the data beside what was drawn for them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.domains import LARGEST_INT
from scistan.graph.graph import Term
from scistan.graph.node import Data
from scistan.targets.scipy.redraw import Drawn

__all__ = ["Row", "Spread", "data_of", "describe", "impossible", "outside_share", "plausible_range", "rows_of"]

_QUANTILES = (0.05, 0.5, 0.95)
_NORMAL_WIDTH = 3.29  # sds of a normal between the 5 % and 95 % quantiles
_HEAVY = 2.5  # times the sd of a normal with these quantiles: then a few far draws make the sd, and it says nothing


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean, sd and quantiles of what is finite; mean and sd are NaN where a few far draws would make them."""

    mean: float
    sd: float
    low: float
    middle: float
    high: float

    @property
    def width(self) -> float:
        """How wide the middle 90 % are."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Row:
    """A variable of the prior; of an observed one also the data, and how much of the prior lies far from them."""

    name: str
    role: str
    elements: int
    drawn: Spread
    impossible: float
    data: Spread | None = None
    outside: float = math.nan


def describe(array: np.ndarray, *, data: bool = False) -> Spread:
    """Describe numbers, leaving out those that are not finite; the mean and sd of data are what they are."""
    flat = np.asarray(array, dtype=float).reshape(-1)
    if not np.isfinite(flat.min(initial=0.0)) or not np.isfinite(flat.max(initial=0.0)):
        flat = flat[np.isfinite(flat)]
    if not flat.size:
        return Spread(*[math.nan] * 5)
    # One partition serves every quantile: they cost more than the draws.
    places = [q * (flat.size - 1) for q in _QUANTILES]
    ordered = np.partition(flat, sorted({k for at in places for k in (math.floor(at), math.ceil(at))}))
    low, middle, high = (_between(ordered, at) for at in places)
    with np.errstate(all="ignore"):
        mean, sd = float(flat.mean()), float(flat.std())
    heavy = not math.isfinite(sd) or (high > low and sd > _HEAVY * (high - low) / _NORMAL_WIDTH)
    return Spread(*(math.nan,) * 2 if heavy and not data else (mean, sd), low, middle, high)


def _between(ordered: np.ndarray, at: float) -> float:
    """Give the number at a place between two of them, as `np.quantile` does."""
    below, above = float(ordered[math.floor(at)]), float(ordered[math.ceil(at)])
    return below + (above - below) * (at - math.floor(at))


def rows_of(drawn: Drawn) -> list[Row]:
    """Describe every variable: what is observed first, then latents and derived quantities in the user's order."""
    graph = drawn.instance.graph
    observed = [_observed(drawn, term) for term in graph.observed]
    latents = [_row(drawn, term.name, "latent", _discrete(term)) for term in graph.latents]
    return [*observed, *latents, *(_row(drawn, name, "derived", False) for name in graph.derived)]


def _row(drawn: Drawn, name: str, role: str, discrete: bool) -> Row:
    array = drawn.arrays[name]
    bad = impossible(array, discrete).reshape(drawn.draws, -1).any(axis=1)
    return Row(name, role, int(array[0].size), describe(array), float(bad.mean()))


def _observed(drawn: Drawn, term: Term) -> Row:
    row, data = _row(drawn, term.name, "observed", _discrete(term)), data_of(drawn, term)
    if data is None or not data.size:
        return row
    share = outside_share(drawn.arrays[term.name], data)
    return Row(row.name, row.role, row.elements, row.drawn, row.impossible, describe(data, data=True), share)


def _discrete(term: Term) -> bool:
    d: Distribution = term.law.distribution
    return d.discrete


def data_of(drawn: Drawn, term: Term) -> np.ndarray | None:
    """Give the values that were observed; None where they are still to come."""
    return drawn.instance.values.get(term.value) if isinstance(term.value, Data) else None


def impossible(array: np.ndarray, discrete: bool) -> np.ndarray:
    """Mark what no data can be: NaN, infinity, and counts that Stan cannot hold."""
    if np.issubdtype(array.dtype, np.floating):
        bad = ~np.isfinite(array)
        return np.asarray(bad | (np.abs(array) > LARGEST_INT)) if discrete else bad
    return np.asarray((array > LARGEST_INT) | (array < -LARGEST_INT))


def plausible_range(data: np.ndarray) -> tuple[float, float]:
    """Give the range of the data, widened by as much again to either side."""
    low, high = float(np.min(data)), float(np.max(data))
    width = (high - low) or max(abs(low), 1.0)
    return low - width, high + width


def outside_share(array: np.ndarray, data: np.ndarray) -> float:
    """Give the share of draws outside the data's plausible range; what is not finite lies outside."""
    low, high = plausible_range(data)
    return 1.0 - float(np.mean((array >= low) & (array <= high)))
