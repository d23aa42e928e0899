"""Posterior predictive checks: statistics of the data beside those of data that the fit would draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scistan.diagnostics.statistics import bulk_ess
from scistan.graph.graph import Term
from scistan.messages import model_check as messages

__all__ = ["STATISTICS", "Compared", "Statistic", "compare", "statistics_for"]

Function = Callable[[np.ndarray], np.ndarray]
_CATEGORIES = ("Categorical", "Ordered")
_MOST_CATEGORIES = 12


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number of data; `compute` is given many data sets (first axis) as rows of a matrix."""

    name: str
    compute: Function


@dataclass(frozen=True, slots=True)
class Compared:
    """A statistic of the data, the middle 90 % of the draws', and how often those are larger (ties count half)."""

    variable: str
    statistic: str
    observed: float
    low: float
    high: float
    p: float
    mcse: float

    @property
    def interval(self) -> str:
        return f"{self.low:.4g} … {self.high:.4g}"

    @property
    def two_sided(self) -> float:
        """The chance of a statistic as far out, on either side."""
        return min(1.0, 2 * min(self.p, 1 - self.p))


def _skew(x: np.ndarray) -> np.ndarray:
    away = x - x.mean(1, keepdims=True)
    with np.errstate(all="ignore"):
        found: np.ndarray = (away**3).mean(1) / x.std(1) ** 3
    return np.where(np.isfinite(found), found, 0.0)


STATISTICS: Mapping[str, Function] = {
    "mean": lambda x: x.mean(1),
    "sd": lambda x: x.std(1),
    "min": lambda x: x.min(1),
    "max": lambda x: x.max(1),
    "skew": _skew,
    "zeros": lambda x: (x == 0).mean(1),
}


def statistics_for(term: Term, y: np.ndarray, asked: object) -> list[Statistic]:
    """Give the statistics that suit an observed variable, or those that were asked for."""
    if asked is None:
        return list(_usual(term, y))
    if isinstance(asked, Mapping):
        return [_own(str(name), function) for name, function in asked.items()]
    if callable(asked) or isinstance(asked, str):
        asked = [asked]
    if not isinstance(asked, Sequence):
        raise messages.bad_statistic(asked, STATISTICS)
    return [_named(one) if isinstance(one, str) else _own(getattr(one, "__name__", ""), one) for one in asked]


def _usual(term: Term, y: np.ndarray) -> Iterator[Statistic]:
    d = term.law.distribution
    if d.discrete and d.name.startswith(_CATEGORIES):
        for value in np.unique(y)[:_MOST_CATEGORIES]:
            yield Statistic(f"share of {value:g}", lambda x, value=value: (x == value).mean(1))  # type: ignore[misc]
        return
    if d.discrete and np.isin(y, (0, 1)).all():
        yield _named("mean")  # whose distribution is known by it
        return
    names = ("mean", "sd", "max", "skew", "zeros") if d.discrete else ("mean", "sd", "min", "max", "skew")
    yield from map(_named, names)


def _named(name: str) -> Statistic:
    if name not in STATISTICS:
        raise messages.bad_statistic(name, STATISTICS)
    return Statistic(name, STATISTICS[name])


def _own(name: str, function: object) -> Statistic:
    """Take a function of the user's, which is given one data set at a time."""
    if not callable(function):
        raise messages.bad_statistic(function, STATISTICS)

    def compute(x: np.ndarray) -> np.ndarray:
        found = []
        for row in x:
            try:
                found.append(float(function(row)))
            except Exception as error:
                raise messages.statistic_failed(name, f"{type(error).__name__}: {error}") from error
        return np.array(found)

    return Statistic(name or "statistic", compute)


def compare(variable: str, statistic: Statistic, y: np.ndarray, drawn: np.ndarray) -> Compared:
    """Compare a statistic of `y` with that of each draw (chains, draws, …)."""
    chains, draws = drawn.shape[:2]
    values = statistic.compute(drawn.reshape(chains * draws, -1))
    observed = float(statistic.compute(y.reshape(1, -1))[0])
    p = float((values > observed).mean() + 0.5 * (values == observed).mean())
    total = values.size
    ess = float(bulk_ess(values.reshape(chains, draws))) if draws >= 4 and np.ptp(values) > 0 else total
    counted = min(max(ess, 1.0), total) if np.isfinite(ess) else total
    low, high = np.quantile(values, [0.05, 0.95])
    error = float(np.sqrt(p * (1 - p) / counted))
    return Compared(variable, statistic.name, observed, float(low), float(high), p, error)
