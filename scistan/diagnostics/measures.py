"""The measures of the checks: the worst of many numbers, and where they lie beyond a threshold."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scistan.diagnostics.check import Evidence, Measured
from scistan.diagnostics.context import Context
from scistan.diagnostics.statistics import Health

__all__ = ["chains_below", "elements_above", "elements_below", "number_above", "number_below"]

Measure = Callable[[Evidence, float], Measured | None]


def elements_above(pick: Callable[[Health], np.ndarray]) -> Measure:
    """Measure every element of every variable; what is large is ill."""
    return lambda seen, limit: _elements(seen, pick, lambda values: values > limit, largest_first=True)


def elements_below(pick: Callable[[Health], np.ndarray]) -> Measure:
    """Measure every element of every variable; what is small is ill."""
    return lambda seen, limit: _elements(seen, pick, lambda values: values < limit, largest_first=False)


def chains_below(pick: Callable[[Evidence], np.ndarray]) -> Measure:
    """Measure every chain; what is small is ill."""

    def measure(seen: Evidence, limit: float) -> Measured | None:
        values = pick(seen)
        ill = np.flatnonzero(values < limit)
        if not len(ill):
            return None
        return Measured(float(values.min()), tuple(f"chain {k}" for k in ill))

    return measure


def number_above(pick: Callable[[Evidence], float]) -> Measure:
    """Measure the run as a whole; what is large is ill."""

    def measure(seen: Evidence, limit: float) -> Measured | None:
        value = float(pick(seen))
        return Measured(value) if value > limit else None

    return measure


def number_below(pick: Callable[[Evidence], float]) -> Measure:
    """Measure the run as a whole; what is small is ill."""

    def measure(seen: Evidence, limit: float) -> Measured | None:
        value = float(pick(seen))
        return Measured(value) if value < limit else None

    return measure


def _elements(
    seen: Evidence,
    pick: Callable[[Health], np.ndarray],
    ill: Callable[[np.ndarray], np.ndarray],
    *,
    largest_first: bool,
) -> Measured | None:
    found: list[tuple[float, str]] = []
    for name, health in seen.health.items():
        values = np.asarray(pick(health))
        found += _named(seen.context, name, values, ill(values))
    if not found:
        return None
    found.sort(reverse=largest_first)
    return Measured(found[0][0], tuple(place for _, place in found))


def _named(context: Context, name: str, values: np.ndarray, ill: np.ndarray) -> list[tuple[float, str]]:
    if not ill.any():
        return []
    return list(zip(values[ill].tolist(), context.elements(name, ill), strict=True))
