"""Non-centred latents: `x = location + scale · z`, elementwise or with a Cholesky factor, in any array library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.ops.libraries import solve_triangular
from scistan.ops.linear import DIAGONAL
from scistan.targets.values import Backend, implementation

__all__ = ["Affine"]

Array = Any


@dataclass(frozen=True, slots=True)
class Affine:
    """The map from standard coordinates `z` to a latent; `is_matrix`: the scale multiplies vectors."""

    location: Array
    scale: Array
    is_matrix: bool
    backend: Backend

    def value(self, z: Array) -> Array:
        """Give the latent at standard coordinates."""
        if self.is_matrix and self.scale.ndim == 2:
            return self.location + z @ self.scale.mT  # one factor for all vectors: one product
        if self.is_matrix:
            return self.location + (self.scale @ z[..., None])[..., 0]
        return self.location + self.scale * z

    def standard(self, x: Array) -> Array:
        """Give the standard coordinates of a latent."""
        apart = x - self.location
        if not self.is_matrix:
            return apart / self.scale
        return solve_triangular(self.backend.module, self.scale, apart[..., None])[..., 0]

    def log_slope(self, _: Array) -> Array:
        """Give the log of how much each element moves with its own coordinate; their sum is the log volume."""
        slope = self.scale
        if self.is_matrix:
            slope = implementation(DIAGONAL, self.backend.column, self.backend.module)(self.scale)
        return self.backend.module.log(slope)
