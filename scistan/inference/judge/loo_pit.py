"""Calibration of predictions: where each observation lies in its predictive distribution without it (LOO-PIT)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from scistan.importance import smoothed_weights
from scistan.inference.judge.uniform import p_value

__all__ = ["Pit", "loo_pit"]


@dataclass(frozen=True, slots=True, eq=False)
class Pit:
    """The places of observations, uniform where predictions are calibrated; `unreliable` have a large Pareto k."""

    variable: str
    places: np.ndarray = field(repr=False)
    p: float
    unreliable: int

    @property
    def mean(self) -> float:
        return float(self.places.mean())

    @property
    def spread(self) -> float:
        """The places' standard deviation beside that of uniform numbers: 1 where predictions are calibrated."""
        return float(self.places.std() * np.sqrt(12))


def loo_pit(variable: str, y: np.ndarray, drawn: np.ndarray, log_likelihood: np.ndarray, seed: int) -> Pit:
    """Weigh predictive draws (chains, draws, …) as if each observation had been left out; ties are broken by chance."""
    total = drawn.shape[0] * drawn.shape[1]
    flat, likelihood = drawn.reshape(total, -1), log_likelihood.reshape(total, -1)
    values = y.ravel()
    chance = np.random.default_rng([seed, 3]).random(values.size)
    places, unreliable = np.empty(values.size), 0
    good = min(1 - 1 / np.log10(total), 0.7)
    for k, value in enumerate(values):
        weights, shape = smoothed_weights(-likelihood[:, k])
        weights = np.exp(weights)
        unreliable += not shape <= good
        below, equal = weights[flat[:, k] < value].sum(), weights[flat[:, k] == value].sum()
        places[k] = min(1.0, below + chance[k] * equal)
    return Pit(variable, places, p_value(places), unreliable)
