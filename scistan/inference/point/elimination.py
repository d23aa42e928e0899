"""Matrices shaped like an arrow, factored: groups are eliminated, and what is left of the corner is dense.

All of it works for many matrices of one layout at once: their axes come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Elimination", "Layout", "multiply_blocks", "probes_of", "read_blocks"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class Layout:
    """Which coordinates are global (G,), and which belong to each group (J, K)."""

    globals: Tensor
    locals: Tensor


def probes_of(torch: Any, layout: Layout, like: Tensor) -> Tensor:
    """Give the G + K vectors whose products hold every number of an arrow: all groups share theirs."""
    few, many = layout.globals, layout.locals
    width = many.shape[1]
    probes = like.new_zeros((len(few) + width, len(like)))
    probes[torch.arange(len(few), device=like.device), few] = 1.0
    for k in range(width):
        probes[len(few) + k, many[:, k]] = 1.0
    return probes


def read_blocks(torch: Any, layout: Layout, products: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Read corner (…, G, G), arms (…, G, J, K) and hubs (…, J, K, K) off the products (G + K, …, n) with them."""
    few, many = layout.globals, layout.locals
    head = products[: len(few)]
    corner, arms = head[..., few].movedim(0, -2), head[..., many].movedim(0, -3)
    groups, width = many.shape
    hubs = products.new_zeros((*products.shape[1:-1], groups, width, width))
    for k in range(width):
        hubs[..., k] = products[len(few) + k][..., many]
    return 0.5 * (corner + corner.mT), arms, 0.5 * (hubs + hubs.mT)


def multiply_blocks(torch: Any, layout: Layout, blocks: tuple[Tensor, Tensor, Tensor], rows: Tensor) -> Tensor:
    """Multiply rows by the matrix of these blocks."""
    corner, arms, hubs = blocks
    few, many = rows[:, layout.globals], rows[:, layout.locals]
    result = torch.zeros_like(rows)
    result[:, layout.globals] = few @ corner + torch.einsum("gjk,rjk->rg", arms, many)
    result[:, layout.locals] = torch.einsum("gjk,rg->rjk", arms, few) + torch.einsum("jkl,rjl->rjk", hubs, many)
    return result


class Elimination:
    """`[[A, B], [B', D]]` with `corner` A (…, G, G), `arms` B (…, G, J, K), `hubs` D (…, J, K, K), factored."""

    def __init__(self, torch: Any, layout: Layout, corner: Tensor, arms: Tensor, hubs: Tensor) -> None:
        self._torch = torch
        self.layout, self.arms, self.blocks = layout, arms, (corner, arms, hubs)
        self.factor_hubs, failed_hubs = torch.linalg.cholesky_ex(hubs)
        self.ties = torch.cholesky_solve(arms.movedim(-3, -1), self.factor_hubs)  # D⁻¹ B' (…, J, K, G)
        schur = corner - torch.einsum("...gjk,...jkh->...gh", arms, self.ties)
        self.schur = 0.5 * (schur + schur.mT)
        self.factor, failed = torch.linalg.cholesky_ex(self.schur)
        sound_hubs = (failed_hubs == 0).all(-1)
        self.each_definite = sound_hubs & (failed == 0)
        self.hubs_definite = bool(sound_hubs.all())
        self.definite = bool(self.each_definite.all())

    def solve(self, rows: Tensor, factor: Tensor = None) -> Tensor:
        """Multiply rows (…, R, n) by the inverse; `factor` is another one of what is left of the corner."""
        torch = self._torch
        few, many = rows[..., self.layout.globals], rows[..., self.layout.locals]
        inner = torch.cholesky_solve(many.movedim(-3, -1), self.factor_hubs).movedim(-1, -3)
        left = (few - torch.einsum("...gjk,...rjk->...rg", self.arms, inner)).mT
        few = torch.cholesky_solve(left, self.factor if factor is None else factor).mT
        return self._together(rows, few, inner)

    def _together(self, like: Tensor, few: Tensor, many: Tensor) -> Tensor:
        """Give rows of all coordinates, the groups following the globals as they are tied to them."""
        result = self._torch.zeros_like(like)
        result[..., self.layout.globals] = few
        result[..., self.layout.locals] = many - self._torch.einsum("...jkg,...rg->...rjk", self.ties, few)
        return result

    def draw(self, noise: Tensor) -> Tensor:
        """Turn rows (…, R, n) of standard normals into draws of the inverse."""
        triangular = self._torch.linalg.solve_triangular
        few = triangular(self.factor.mT, noise[..., self.layout.globals].mT, upper=True).mT
        many = triangular(self.factor_hubs.mT, noise[..., self.layout.locals].movedim(-3, -1), upper=True)
        return self._together(noise, few, many.movedim(-1, -3))

    def log_determinant(self) -> Tensor:
        """Give the logarithm of the determinant."""
        few, many = (factor.diagonal(dim1=-2, dim2=-1).log() for factor in (self.factor, self.factor_hubs))
        return 2 * (few.sum(-1) + many.sum((-2, -1)))

    def inverse_blocks(self) -> tuple[Tensor, Tensor, Tensor]:
        """Give the inverse among globals (…, G, G), of each group with them (…, J, K, G), and within (…, J, K, K)."""
        few = self._torch.cholesky_inverse(self.factor)
        across = -self.ties @ few[..., None, :, :]
        return few, across, self._torch.cholesky_inverse(self.factor_hubs) - across @ self.ties.mT
