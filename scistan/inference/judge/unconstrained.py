"""A fit's posterior in the coordinates it was sampled in: its draws there, its density, and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scistan.engines.density import StanDensity
from scistan.engines.encoding import to_json
from scistan.inference.fit import Fit
from scistan.inference.subject import Subject
from scistan.messages import sampling as messages

__all__ = ["Posterior", "open_posterior"]


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """`points` are the draws (draws, coordinates); the density there has the Jacobian in and constants dropped."""

    subject: Subject
    density: StanDensity
    points: np.ndarray

    def log_density(self, points: np.ndarray) -> np.ndarray:
        """Give the log density at each point; -inf where Stan rejects it."""
        return np.array([self._at(q) for q in points])

    def _at(self, q: np.ndarray) -> float:
        try:
            value = self.density.log_density_gradient(q)[0]
        except RuntimeError:
            return -np.inf
        return value if np.isfinite(value) else -np.inf

    def latents(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Give the latents at each point, first axis: points."""
        drawn = self.density.columns.gather(np.stack([self.density.constrain_flat(q) for q in points]))
        shapes = {name: (len(points), *self.subject.shape(name)) for name in self.subject.latents}
        return {n: drawn[n].reshape(shape) if n in drawn else np.empty(shape) for n, shape in shapes.items()}


def open_posterior(fit: Fit) -> Posterior:
    """Open the density of what was fitted, and bring its draws into the coordinates of that."""
    subject = fit._need("moment matching").whole
    if any(name not in fit.posterior for name in subject.latents):
        raise messages.not_kept("moment matching")
    density = StanDensity(subject.program.text, to_json(subject.data))
    chains, draws = fit.shape
    flat: Mapping[str, np.ndarray] = {
        name: fit.posterior[name].reshape(chains * draws, *fit.posterior[name].shape[2:]) for name in subject.latents
    }
    instance = subject.sampled or subject.instance
    points = [
        density.unconstrain(subject.program.inits({n: array[k] for n, array in flat.items()}, instance))
        for k in range(chains * draws)
    ]
    return Posterior(subject, density, np.stack(points))
