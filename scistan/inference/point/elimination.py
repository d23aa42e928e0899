"""Matrices shaped like an arrow, factored: groups are eliminated, and what is left of the corner is dense.

Groups are apart from each other, or a chain in which each is tied to the next. All of it works for many matrices of one
layout at once: their axes come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.inference.point.chain import Chain

__all__ = ["Blocks", "Elimination", "Layout", "multiply_blocks", "probes_of", "read_blocks", "trace_rows"]

Tensor = Any
Blocks = tuple[Tensor, Tensor, Tensor, Tensor]
"""Corner (…, G, G), arms (…, G, J, K), hubs (…, J, K, K), and the links of each group (but the first) with the one
before it (…, J - 1, K, K): none of them where groups are apart."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which coordinates are global (G,), and which belong to each group (J, K).

    Groups are apart where `steps` is 0; else each is that many steps of a chain, tied to the groups beside it.
    """

    globals: Tensor
    locals: Tensor
    steps: int = 0

    @property
    def colours(self) -> int:
        """How many kinds of groups there are, so that no group has two neighbours of a kind, itself included."""
        return min(3, len(self.locals)) if self.steps else 1

    @property
    def probes(self) -> int:
        """How many vectors measure it."""
        return len(self.globals) + self.colours * int(self.locals.shape[1])


def probes_of(torch: Any, layout: Layout, like: Tensor) -> Tensor:
    """Give the vectors whose products hold every number of a layout: groups of one colour share theirs."""
    few, many, colours = layout.globals, layout.locals, layout.colours
    probes = like.new_zeros((layout.probes, len(like)))
    probes[torch.arange(len(few), device=like.device), few] = 1.0
    for k in range(many.shape[1]):
        for colour in range(colours):
            probes[len(few) + k * colours + colour, many[colour::colours, k]] = 1.0
    return probes


def read_blocks(torch: Any, layout: Layout, products: Tensor) -> Blocks:
    """Read the blocks off the products (probes, …, n); rows behind those are none of its business."""
    few, many, colours = layout.globals, layout.locals, layout.colours
    head = products[: len(few)]
    corner, arms = head[..., few].movedim(0, -2), head[..., many].movedim(0, -3)
    tail = products[len(few) : layout.probes].unflatten(0, (many.shape[1], colours))[..., many]
    tail = tail.movedim((0, 1), (-1, -2))  # (…, J, K, colours, K)
    own, before, after = (tail[..., at, :, colour, :].movedim(0, -3) for at, colour in _places(torch, layout))
    return 0.5 * (corner + corner.mT), arms, 0.5 * (own + own.mT), 0.5 * (before + after.mT)


def _places(torch: Any, layout: Layout) -> list[tuple[Tensor, Tensor]]:
    """List groups and the colour of each itself; those with one before them, and its colour; those with one after."""
    at = torch.arange(len(layout.locals), device=layout.locals.device)
    tied = at[1:] if layout.steps else at[:0]
    return [(at, at % layout.colours), (tied, (tied - 1) % layout.colours), (tied - 1, tied % layout.colours)]


def trace_rows(torch: Any, layout: Layout, inverse: Blocks, like: Tensor) -> Tensor:
    """Give the rows `w` for which the sum of `w' M v` over the probes `v` is the trace of the inverse times `M`."""
    few, many, colours = layout.globals, layout.locals, layout.colours
    among, across, within, beside = inverse
    rows = like.new_zeros((layout.probes, like.shape[-1]))
    rows[: len(few), few] = among
    rows[: len(few), many.flatten()] = 2 * across.movedim(-1, 0).flatten(-2)
    groups, width = many.shape
    tail = like.new_zeros((groups, width, colours, width))
    for (at, colour), part in zip(_places(torch, layout), (within, beside, beside.mT), strict=True):
        tail[at, :, colour, :] = part
    rows[len(few) :, many.flatten()] = tail.permute(3, 2, 0, 1).reshape(width * colours, groups * width)
    return rows


def multiply_blocks(torch: Any, layout: Layout, blocks: Blocks, rows: Tensor) -> Tensor:
    """Multiply rows by the matrix of these blocks."""
    corner, arms, hubs, links = blocks
    few, many = rows[:, layout.globals], rows[:, layout.locals]
    result = torch.zeros_like(rows)
    result[:, layout.globals] = few @ corner + torch.einsum("gjk,rjk->rg", arms, many)
    own = torch.einsum("gjk,rg->rjk", arms, few) + torch.einsum("jkl,rjl->rjk", hubs, many)
    if len(links):
        own[:, 1:] += torch.einsum("jkl,rjl->rjk", links, many[:, :-1])
        own[:, :-1] += torch.einsum("jlk,rjl->rjk", links, many[:, 1:])
    result[:, layout.locals] = own
    return result


class Elimination:
    """`[[A, B], [B', D]]` with `corner` A (…, G, G), `arms` B (…, G, J, K), `hubs` and `links` of D, factored."""

    def __init__(self, torch: Any, layout: Layout, corner: Tensor, arms: Tensor, hubs: Tensor, links: Tensor) -> None:
        self._torch = torch
        self.layout, self.arms, self.blocks = layout, arms, (corner, arms, hubs, links)
        self.chain = Chain(torch, hubs, links)
        self.ties = self.chain.solve(arms.movedim(-3, -1))  # D⁻¹ B' (…, J, K, G)
        schur = corner - torch.einsum("...gjk,...jkh->...gh", arms, self.ties)
        self.schur = 0.5 * (schur + schur.mT)
        self.factor, failed = torch.linalg.cholesky_ex(self.schur)
        self.each_definite = self.chain.each_definite & (failed == 0)
        self.hubs_definite = bool(self.chain.each_definite.all())
        self.definite = bool(self.each_definite.all())

    @property
    def factor_hubs(self) -> Tensor:
        """The factor of each group (…, J, K, K), of those that are apart."""
        return self.chain.factor

    def raised(self, added: Tensor) -> Elimination:
        """Add a number, or one to each matrix, to the diagonal."""
        corner, arms, hubs, links = self.blocks
        few, many = (self._torch.eye(block.shape[-1]).to(block) for block in (corner, hubs))
        raised = corner + added[..., None, None] * few, arms, hubs + added[..., None, None, None] * many, links
        return Elimination(self._torch, self.layout, *raised)

    def solve(self, rows: Tensor, factor: Tensor = None) -> Tensor:
        """Multiply rows (…, R, n) by the inverse; `factor` is another one of what is left of the corner."""
        torch = self._torch
        few, many = rows[..., self.layout.globals], rows[..., self.layout.locals]
        inner = self.chain.solve(many.movedim(-3, -1)).movedim(-1, -3)
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
        few = self._torch.linalg.solve_triangular(self.factor.mT, noise[..., self.layout.globals].mT, upper=True).mT
        many = self.chain.draw(noise[..., self.layout.locals].movedim(-3, -1))
        return self._together(noise, few, many.movedim(-1, -3))

    def log_determinant(self) -> Tensor:
        """Give the logarithm of the determinant."""
        return 2 * self.factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self.chain.log_determinant()

    def inverse_blocks(self) -> Blocks:
        """Give the inverse where the matrix has blocks, of each group with the globals as (…, J, K, G)."""
        few = self._torch.cholesky_inverse(self.factor)
        across = -self.ties @ few[..., None, :, :]  # (…, J, K, G)
        within, beside = self.chain.inverse_blocks()
        tied = beside.shape[-3]
        beside = beside - across[..., 1 : tied + 1, :, :] @ self.ties[..., :tied, :, :].mT
        return few, across, within - across @ self.ties.mT, beside
