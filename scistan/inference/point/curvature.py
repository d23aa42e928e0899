"""The curvature of the log density at the mode: whether it is a peak, its inverse, and draws of that covariance."""

from __future__ import annotations

from typing import Any, Protocol

from scistan.inference.point.maximized import Maximized

__all__ = ["DENSE", "LEAST_CURVATURE", "Curvature", "Dense", "measure_dense"]

Tensor = Any
DENSE = 1000  # coordinates up to which the whole Hessian is computed without looking for structure
LEAST_CURVATURE = 1e-12  # below which a direction is taken for no flatter than this
_DAMPING = 0.1


class Curvature(Protocol):
    """The negative Hessian over the free coordinates; the others count as known."""

    kind: str
    definite: bool
    lowest: float  # the smallest eigenvalue where every coordinate has curvature 1

    def solve(self, rows: Tensor) -> Tensor:
        """Multiply rows (…, n) by the covariance."""
        ...

    def precondition(self, rows: Tensor) -> Tensor:
        """Multiply rows by something like the covariance that exists in any case."""
        ...

    def draw(self, noise: Tensor, /) -> Tensor | None:
        """Turn rows of standard normals into draws of the covariance; None where that needs an n² matrix."""
        ...

    def deviations(self) -> Tensor | None:
        """Give the standard deviation of every coordinate, 0 where it is not free; None where that is unknown."""
        ...

    def directions(self, count: int, /) -> Tensor:
        """Give the flattest directions (rows), each one standard error long."""
        ...


class Dense:
    """The whole matrix."""

    kind = "dense"

    def __init__(self, torch: Any, precision: Tensor, free: Tensor) -> None:
        self._torch = torch
        self._free = free.nonzero().flatten()
        self._n = len(free)
        self.matrix = precision[self._free][:, self._free]
        diagonal = self.matrix.diagonal()
        scale = torch.where(diagonal > 0, diagonal, torch.where(diagonal < 0, -diagonal, 1.0)).sqrt()
        self._scale = scale
        finite = bool(torch.isfinite(self.matrix).all())
        scaled = self.matrix / (scale[:, None] * scale) if finite else torch.eye(len(scale)).to(self.matrix)
        self._eigenvalues, self._eigenvectors = torch.linalg.eigh(scaled) if len(scale) else (diagonal, scaled)
        self.lowest = float(self._eigenvalues[0]) if len(scale) else 1.0
        rounding = 10 * max(1, len(scale)) * torch.finfo(precision.dtype).eps
        factor, failed = torch.linalg.cholesky_ex(self.matrix)
        self.definite = finite and self.lowest > rounding and int(failed) == 0
        self._factor = factor
        self._damped = self._damp() if finite else None

    def _damp(self) -> Tensor | None:
        shift = max(0.0, -2 * self.lowest) * self._scale.square() + _DAMPING
        factor, failed = self._torch.linalg.cholesky_ex(self.matrix + self._torch.diag(shift))
        return factor if int(failed) == 0 else None

    def _padded(self, rows: Tensor) -> Tensor:
        full = rows.new_zeros((*rows.shape[:-1], self._n))
        full[..., self._free] = rows
        return full

    def _solved(self, factor: Tensor, rows: Tensor) -> Tensor:
        return self._padded(self._torch.cholesky_solve(rows[..., self._free].mT, factor).mT)

    def solve(self, rows: Tensor) -> Tensor:
        return self._solved(self._factor, rows)

    def precondition(self, rows: Tensor) -> Tensor:
        return rows if self._damped is None else self._solved(self._damped, rows)

    @property
    def roots(self) -> Tensor:
        """Rows whose outer products add up to the covariance."""
        eye = self._torch.eye(len(self._free), dtype=self._factor.dtype, device=self._factor.device)
        return self._padded(self._torch.linalg.solve_triangular(self._factor, eye, upper=False))

    def draw(self, noise: Tensor) -> Tensor:
        return noise[..., : len(self._free)] @ self.roots

    def deviations(self) -> Tensor:
        return self.roots.square().sum(0).sqrt()

    def directions(self, count: int) -> Tensor:
        lowest = self._eigenvalues[:count].clamp(min=LEAST_CURVATURE)
        return self._padded((self._eigenvectors[:, :count] / (self._scale[:, None] * lowest.sqrt())).mT)


def measure_dense(objective: Maximized, q: Tensor, free: Tensor) -> Dense:
    """Compute the whole Hessian, exactly."""
    return Dense(objective.torch, -objective.hessian(q), free)
