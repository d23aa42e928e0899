"""Hessians shaped like an arrow: a few global coordinates, and groups that meet each other only through them.

Hierarchical models have it: with J groups the inverse costs J small matrices instead of one of J². The shape is
not read off the model but guessed from lengths, measured with a few products, and checked with random vectors.
"""

from __future__ import annotations

from typing import Any

from scistan.inference.point.curvature import LEAST_CURVATURE
from scistan.inference.point.elimination import Blocks, Elimination, Layout, multiply_blocks, probes_of, read_blocks
from scistan.inference.point.maximized import Maximized

__all__ = ["Arrow", "guess_layout", "measure_arrow"]

Tensor = Any
_FEWEST_GROUPS = 50
_MOST_GLOBALS = 1000
_MOST_LOCALS = 50
_CHECKS = 3
_DAMPING = 0.1


def guess_layout(objective: Maximized) -> Layout | None:
    """Take as groups the first axis of the longest latents; None where that leaves too much over."""
    torch = objective.torch
    blocks = objective.density.blocks
    counts: dict[int, int] = {}
    for block in blocks:
        if block.shape and block.shape[0] >= _FEWEST_GROUPS:
            counts[block.shape[0]] = counts.get(block.shape[0], 0) + block.stop - block.start
    if not counts:
        return None
    groups = max(counts, key=lambda n: counts[n])
    inside = [b for b in blocks if b.shape and b.shape[0] == groups]
    outside = [b for b in blocks if b not in inside]
    ranges = [torch.arange(b.start, b.stop) for b in outside]
    few = torch.cat(ranges) if ranges else torch.zeros(0, dtype=torch.int64)
    many = torch.cat([torch.arange(b.start, b.stop).reshape(groups, -1) for b in inside], -1)
    if len(few) > _MOST_GLOBALS or many.shape[1] > _MOST_LOCALS:
        return None
    device = objective.density.backend.device
    return Layout(few.to(device), many.to(device))


def measure_arrow(objective: Maximized, q: Tensor, free: Tensor, layout: Layout) -> Arrow | None:
    """Measure the blocks of an arrow with G + K products; None where random vectors show that it is none."""
    torch = objective.torch
    signs = torch.randint(0, 2, (_CHECKS, len(q)), generator=torch.Generator().manual_seed(0)) * 2.0 - 1
    probes = torch.cat([probes_of(torch, layout, q), signs.to(q)])
    products = -objective.hessian_products(q, probes)
    arrow = Arrow(torch, layout, free, read_blocks(torch, layout, products))
    expected = arrow.multiply(probes[-_CHECKS:])
    size = expected.abs().max()
    slack = 1e-7 if q.dtype == torch.float64 else 1e-3
    if not bool(torch.isfinite(size)) or float((products[-_CHECKS:] - expected).abs().max()) > slack * float(size):
        return None
    arrow.factorize()
    return arrow


class Arrow:
    """`[[A, B], [B', D]]` with `corner` A (G, G), `arms` B (G, J, K) and D: J blocks of K × K, apart or in a chain."""

    kind = "arrow"

    def __init__(self, torch: Any, layout: Layout, free: Tensor, blocks: Blocks) -> None:
        self._torch = torch
        self.layout = layout
        self._n = len(free)
        self._free = free
        self.blocks = blocks
        self.definite = False
        self.lowest = float("nan")

    def multiply(self, rows: Tensor) -> Tensor:
        """Multiply rows by the matrix."""
        return multiply_blocks(self._torch, self.layout, self.blocks, rows)

    def factorize(self) -> None:
        """Eliminate the groups; what is left of the corner decides whether the whole is a peak."""
        torch = self._torch
        corner, arms, hubs, links = self.blocks
        free_few = self._free[self.layout.globals].to(corner)
        free_many = self._free[self.layout.locals].to(corner)
        # A coordinate that is not free has no ties to the others.
        corner = corner * free_few[:, None] * free_few + torch.diag(1 - free_few)
        arms = arms * free_few[:, None, None] * free_many
        hubs = hubs * free_many[..., None] * free_many[:, None, :] + torch.diag_embed(1 - free_many)
        tied = len(links)
        links = links * free_many[1 : tied + 1, :, None] * free_many[:tied, None, :]
        self._eliminated = made = Elimination(torch, self.layout, corner, arms, hubs, links)
        self.definite = made.definite
        schur = made.schur
        scale = schur.diagonal().abs().clamp(min=1e-300).sqrt()
        finite = bool(torch.isfinite(schur).all())
        scaled = schur / (scale[:, None] * scale)
        self.lowest = float(torch.linalg.eigvalsh(scaled)[0]) if finite and len(scale) else 1.0
        damped, refused = torch.linalg.cholesky_ex(
            schur + torch.diag(max(0.0, -2 * self.lowest) * scale.square() + _DAMPING)
        )
        self._damped = damped if int(refused) == 0 and made.hubs_definite else None

    def _solved(self, rows: Tensor, factor: Tensor = None) -> Tensor:
        flat = (rows * self._free.to(rows.dtype)).reshape(-1, rows.shape[-1])
        return self._eliminated.solve(flat, factor).reshape(rows.shape)

    def solve(self, rows: Tensor) -> Tensor:
        return self._solved(rows)

    def precondition(self, rows: Tensor) -> Tensor:
        return rows if self._damped is None else self._solved(rows, self._damped)

    def draw(self, noise: Tensor) -> Tensor:
        return self._eliminated.draw(noise * self._free.to(noise.dtype))

    def group_covariance(self) -> tuple[Tensor, Tensor, Tensor]:
        """Give the covariances among globals (G, G), of each group with them (J, K, G), and within groups (J, K, K)."""
        return self._eliminated.inverse_blocks()[:3]

    def deviations(self) -> Tensor:
        few, _, within = self.group_covariance()
        result = few.new_zeros(self._n)
        result[self.layout.globals] = few.diagonal().clamp(min=0).sqrt()
        result[self.layout.locals] = within.diagonal(dim1=-2, dim2=-1).clamp(min=0).sqrt()
        return result * self._free.to(result.dtype)

    def directions(self, count: int) -> Tensor:
        """Give the flattest directions of the globals, the groups following."""
        scale = self._eliminated.schur.diagonal().abs().clamp(min=1e-300).sqrt()
        values, vectors = self._torch.linalg.eigh(self._eliminated.schur / (scale[:, None] * scale))
        few = (vectors[:, :count] / (scale[:, None] * values[:count].clamp(min=LEAST_CURVATURE).sqrt())).mT
        result = few.new_zeros((len(few), self._n))
        result[:, self.layout.globals] = few
        result[:, self.layout.locals] = -self._torch.einsum("jkg,rg->rjk", self._eliminated.ties, few)
        return result
