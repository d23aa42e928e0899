"""How much the posterior moves when the prior, or the likelihood, counts a little more or less (power scaling).

Kallioinen, Paananen, Bürkner and Vehtari (2024). A posterior that moves with the prior and with the likelihood has
two sources that disagree; one that moves with the prior alone is decided by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scistan.diagnostics import Context
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.walk import topological
from scistan.importance import smoothed_weights

__all__ = ["THRESHOLD", "Sensitivity", "sensitivities", "top_level"]

THRESHOLD = 0.05
_POWERS = (0.99, 1.01)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """One element: the distance that its posterior moves when prior or likelihood is doubled, to first order."""

    element: str
    prior: float
    likelihood: float

    @property
    def conflict(self) -> bool:
        return self.prior >= THRESHOLD and self.likelihood >= THRESHOLD

    @property
    def by_prior_alone(self) -> bool:
        return self.prior >= THRESHOLD and self.likelihood < THRESHOLD


def top_level(instance: Instance) -> list[Term]:
    """List the latents whose prior depends on no other latent: scaling the others would change the model instead."""
    latents = {t.value for t in instance.graph.latents}
    return [t for t in instance.graph.latents if latents.isdisjoint(topological(t.law.inputs))]


def sensitivities(
    posterior: Mapping[str, np.ndarray], log_prior: np.ndarray, log_likelihood: np.ndarray, context: Context
) -> list[Sensitivity]:
    """Measure every element of draws (chains, draws, …) that varies."""
    weights = {
        "prior": [_weights(log_prior, power) for power in _POWERS],
        "likelihood": [_weights(log_likelihood, power) for power in _POWERS],
    }
    found = []
    for name, array in posterior.items():
        flat = array.reshape(array.shape[0] * array.shape[1], -1)
        for k, at in enumerate(np.ndindex(array.shape[2:])):
            column = flat[:, k]
            if np.isfinite(column).all() and np.ptp(column) > 0:
                order = np.argsort(column)
                both = {part: _moved(column[order], [w[order] for w in own]) for part, own in weights.items()}
                found.append(Sensitivity(context.element(name, at, array.shape[2:]), **both))
    return found


def _weights(log_component: np.ndarray, power: float) -> np.ndarray:
    return np.asarray(np.exp(smoothed_weights((power - 1) * log_component.ravel())[0]))


def _moved(rising: np.ndarray, weights: list[np.ndarray]) -> float:
    """Give the mean distance for a doubling, from small powers on both sides of 1."""
    steps = [_distance(rising, w) / abs(float(np.log2(p))) for p, w in zip(_POWERS, weights, strict=True)]
    return float(np.mean(steps))


def _distance(rising: np.ndarray, weights: np.ndarray) -> float:
    """Give the cumulative Jensen-Shannon distance between draws and weighted draws, from either end the larger."""
    return max(_one_sided(rising, weights), _one_sided(-rising[::-1], weights[::-1]))


def _one_sided(rising: np.ndarray, weights: np.ndarray) -> float:
    gaps = np.diff(rising)
    p = (np.cumsum(weights) / weights.sum())[:-1]
    q = np.arange(1, rising.size) / rising.size
    middle = (p + q) / 2
    with np.errstate(all="ignore"):
        kl_p = np.where(p > 0, p * np.log2(p / middle), 0.0)
        kl_q = np.where(q > 0, q * np.log2(q / middle), 0.0)
    apart = gaps @ (kl_p + kl_q) / 2
    bound = gaps @ (p + q) / 2
    return float(np.sqrt(max(0.0, apart) / bound)) if bound > 0 else 0.0
