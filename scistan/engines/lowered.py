"""The density of engines that run no Stan program, and its Jacobian, for the certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

__all__ = ["Lowered", "LoweredDensity", "LoweredJacobian"]


class Lowered(Protocol):
    """A model on its data as a target has it: its density over free coordinates, Jacobian in, and the latents there."""

    @property
    def dimension(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    def value_and_gradient(self, q: Any) -> tuple[Any, Any]: ...
    def log_jacobian(self, q: Any) -> Any: ...
    def constrain(self, q: Any) -> dict[str, Any]: ...
    def unconstrain(self, values: Mapping[str, Any]) -> Any: ...


class LoweredDensity:
    """What the engine's chains evaluate, asked one point at a time."""

    def __init__(self, density: Lowered) -> None:
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

    def unconstrain(self, values: Mapping[str, np.ndarray]) -> np.ndarray:
        """Give the coordinates of latents."""
        return np.asarray(self._density.unconstrain(values))


class LoweredJacobian(LoweredDensity):
    """The log Jacobian alone, of constraints and of non-centring."""

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Give the log Jacobian; its gradient is of no use to anyone."""
        return float(self._density.log_jacobian(q)), np.full(q.shape, np.nan)
