"""The density as the JAX engine computes it, and its Jacobian, for the certificate."""

from __future__ import annotations

import numpy as np

from scistan.targets.jax import JaxDensity

__all__ = ["LoweredDensity", "LoweredJacobian"]


class LoweredDensity:
    """What JAX's chains evaluate, asked one point at a time."""

    def __init__(self, density: JaxDensity) -> None:
        self._density = density

    @property
    def dimension(self) -> int:
        return self._density.dimension

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Give the log density, Jacobian in, and its gradient."""
        value, gradient = self._density.value_and_gradient(q)
        return float(value), np.asarray(gradient)

    def constrain(self, q: np.ndarray) -> dict[str, np.ndarray]:
        """Give the latents."""
        found = self._density.constrain(q)
        return {name: np.asarray(found[name]) for name in self._density.names}


class LoweredJacobian(LoweredDensity):
    """The log Jacobian alone, of constraints and of non-centring."""

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Give the log Jacobian; its gradient is of no use to anyone."""
        return float(self._density.log_jacobian(q)), np.full(q.shape, np.nan)
