"""Curvature without a matrix: systems by conjugate gradients on products with the Hessian, directions by Lanczos."""

from __future__ import annotations

from typing import Any

from scistan.inference.point.curvature import LEAST_CURVATURE
from scistan.inference.point.lanczos import flattest
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.preconditioner import scattered_diagonal

__all__ = ["Products"]

Tensor = Any
_DIRECTIONS = 4
_MOST = 5000  # products for each system
_ENOUGH_TO_TELL = 1e-6  # of a random vector left over; the share of any one direction in it is far larger


class Products:
    """No matrix at all.

    Whether it is definite is asked along the gradient and a random vector: any direction that curves upwards has a
    share in that one. What it finds there is where Lanczos looks for the flattest directions.
    """

    kind = "products"

    def __init__(self, objective: Maximized, q: Tensor, free: Tensor, tolerance: float = 1e-10) -> None:
        self._torch = torch = objective.torch
        self._q, self._free = q, free.to(q.dtype)
        self._products = objective.products_at(q)
        self._tolerance = tolerance
        self.definite = True
        diagonal = scattered_diagonal(torch, q, self._multiply)
        self._diagonal = torch.ones_like(q) if diagonal is None else torch.where(free, diagonal, 1.0)
        self._upwards: Tensor = None
        _, gradient = objective.value_and_gradient(q[None])
        chance = torch.randn(q.shape, generator=torch.Generator().manual_seed(0), dtype=q.dtype).to(q.device)
        loose = self._solved(torch.cat([gradient, (chance * self._diagonal.sqrt())[None]]), _ENOUGH_TO_TELL)[1]
        self._flat, self._directions = self._flattest(loose if self._upwards is None else self._upwards)
        self.lowest = float(self._flat[0]) if len(self._flat) else 1.0
        self.definite = self.definite and self.lowest > 10 * torch.finfo(q.dtype).eps

    def _multiply(self, rows: Tensor) -> Tensor:
        return -self._products(rows * self._free) * self._free

    def _flattest(self, start: Tensor) -> tuple[Tensor, Tensor]:
        """Look for the flattest directions where every coordinate has curvature 1."""
        scale = self._diagonal.sqrt()
        begun = start * scale * self._free
        if not bool(self._torch.isfinite(begun).all() & (begun.norm() > 0)):
            return self._q.new_zeros(0), self._q.new_zeros((0, len(self._q)))
        values, rows = flattest(self._torch, lambda row: self._multiply(row / scale) / scale, begun, _DIRECTIONS)
        return values, rows / scale / values.clamp(min=LEAST_CURVATURE).sqrt()[:, None]

    def solve(self, rows: Tensor) -> Tensor:
        return self._solved(rows, self._tolerance)

    def _solved(self, rows: Tensor, tolerance: float) -> Tensor:
        torch = self._torch
        b = (rows * self._free).reshape(-1, rows.shape[-1])
        x, r = torch.zeros_like(b), b
        p = z = r / self._diagonal
        size = (r * z).sum(-1, keepdim=True)
        goal = tolerance**2 * size
        noise = torch.finfo(b.dtype).eps
        for _ in range(min(_MOST, 10 * b.shape[-1])):
            open_ = size > goal
            if not bool(open_.any()):
                return x.reshape(rows.shape)
            product = self._multiply(p)
            curvature = (p * product).sum(-1, keepdim=True)
            none = open_ & ~(curvature > noise * (p * p * self._diagonal).sum(-1, keepdim=True))
            if bool(none.any()):
                self._upwards = p[int(none.to(torch.int8).argmax())]
                break
            step = torch.where(open_, size / torch.where(open_, curvature, 1.0), 0.0)
            x, r = x + step * p, r - step * product
            z = r / self._diagonal
            smaller = (r * z).sum(-1, keepdim=True)
            p = z + smaller / size.clamp(min=1e-300) * p
            size = smaller
        self.definite = False  # it curves upwards or not at all, or so little that no end was found
        return x.reshape(rows.shape)

    def precondition(self, rows: Tensor) -> Tensor:
        return rows / self._diagonal

    def draw(self, _: Tensor) -> None:
        return None

    def deviations(self) -> None:
        return None

    def directions(self, count: int) -> Tensor:
        return self._directions[:count]
