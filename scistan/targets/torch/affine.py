"""Non-centred latents: `x = location + scale · z`, elementwise or with a Cholesky factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.targets.torch.devices import import_torch

__all__ = ["Affine"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class Affine:
    """The map from standard coordinates `z` to a latent; `is_matrix`: the scale multiplies vectors."""

    location: Tensor
    scale: Tensor
    is_matrix: bool

    def value(self, z: Tensor) -> Tensor:
        """Give the latent at standard coordinates."""
        if self.is_matrix and self.scale.ndim == 2:
            return self.location + z @ self.scale.mT  # one factor for all vectors: one product
        if self.is_matrix:
            return self.location + (self.scale @ z[..., None])[..., 0]
        return self.location + self.scale * z

    def standard(self, x: Tensor) -> Tensor:
        """Give the standard coordinates of a latent."""
        apart = x - self.location
        if not self.is_matrix:
            return apart / self.scale
        solve = import_torch().linalg.solve_triangular
        return solve(self.scale, apart[..., None], upper=False)[..., 0]

    @property
    def slope(self) -> Tensor:
        """How much each element moves with its own coordinate: positive, and its logarithms sum to the log volume."""
        return self.scale.diagonal(dim1=-2, dim2=-1) if self.is_matrix else self.scale
