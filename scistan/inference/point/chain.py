"""Blocks along a line, each tied to the next, factored: every other block is eliminated, again and again.

That is Cholesky's method in an order in which half of what is left comes at once (cyclic reduction): a chain of J
blocks takes log J steps instead of J. Blocks without ties need none. The axes of many matrices come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Chain"]

Tensor = Any


@dataclass(frozen=True, slots=True)
class _Gone:
    """Blocks 1, 3, … of a chain, eliminated: their factor, and what of them follows each neighbour (…, j, K, K)."""

    factor: Tensor
    to_left: Tensor  # H[j, j]⁻¹ H[j, j - 1]
    to_right: Tensor  # H[j, j]⁻¹ H[j, j + 1]; the last of an even number of blocks has no such neighbour

    def minus_neighbours(self, own: Tensor, kept: Tensor) -> Tensor:
        """Take from each block (…, j, K, R) what follows its neighbours, the blocks that were kept."""
        count = self.to_right.shape[-3]
        found = own - self.to_left @ kept[..., : own.shape[-3], :, :]
        found[..., :count, :, :] -= self.to_right @ kept[..., 1:, :, :]
        return found


# Blocks of one number are most common, and thousands of them: LAPACK, called for each, takes ten times as long.
def _factored(torch: Any, blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Give Cholesky's factor of each block (…, J, K, K), and whether all J are definite."""
    if blocks.shape[-1] == 1:
        return blocks.abs().sqrt(), (blocks > 0).all((-3, -2, -1))
    factor, failed = torch.linalg.cholesky_ex(blocks)
    return factor, (failed == 0).all(-1)


def _solved(torch: Any, right: Tensor, factor: Tensor) -> Tensor:
    """Give the inverse of each block, of which this is the factor, times `right`."""
    return right / factor.square() if factor.shape[-1] == 1 else torch.cholesky_solve(right, factor)


def _inverse(torch: Any, factor: Tensor) -> Tensor:
    return factor.square().reciprocal() if factor.shape[-1] == 1 else torch.cholesky_inverse(factor)


class Chain:
    """`H[j, j]` of `hubs` (…, J, K, K) and `H[j + 1, j]` of `links` (…, J - 1, K, K), or of none, factored."""

    def __init__(self, torch: Any, hubs: Tensor, links: Tensor) -> None:
        self._torch = torch
        self._gone: list[_Gone] = []
        sound = torch.ones(hubs.shape[:-3], dtype=torch.bool, device=hubs.device)
        while links.shape[-3]:
            from_left, to_right = links[..., 0::2, :, :], links[..., 1::2, :, :]
            count = to_right.shape[-3]
            factor, definite = _factored(torch, hubs[..., 1::2, :, :])
            sound = sound & definite
            left = _solved(torch, from_left, factor)
            right = _solved(torch, to_right.mT, factor[..., :count, :, :])
            self._gone.append(_Gone(factor, left, right))
            hubs = hubs[..., 0::2, :, :].clone()
            hubs[..., : left.shape[-3], :, :] -= from_left.mT @ left
            hubs[..., 1:, :, :] -= to_right @ right
            links = -to_right @ left[..., :count, :, :]
        self.factor, definite = _factored(torch, hubs)
        self.each_definite = sound & definite

    def solve(self, right: Tensor) -> Tensor:
        """Give the inverse times `right` (…, J, K, R)."""
        waiting: list[Tensor] = []
        for gone in self._gone:
            odd, even = right[..., 1::2, :, :], right[..., 0::2, :, :].clone()
            even[..., : odd.shape[-3], :, :] -= gone.to_left.mT @ odd
            even[..., 1:, :, :] -= gone.to_right.mT @ odd[..., : gone.to_right.shape[-3], :, :]
            waiting.append(_solved(self._torch, odd, gone.factor))
            right = even
        found = _solved(self._torch, right, self.factor)
        for gone, own in zip(reversed(self._gone), reversed(waiting), strict=True):
            found = self._woven(found, gone.minus_neighbours(own, found))
        return found

    def draw(self, noise: Tensor) -> Tensor:
        """Turn standard normals (…, J, K, R) into draws of the inverse."""
        triangular = self._torch.linalg.solve_triangular
        waiting: list[Tensor] = []
        for gone in self._gone:
            waiting.append(triangular(gone.factor.mT, noise[..., 1::2, :, :], upper=True))
            noise = noise[..., 0::2, :, :]
        found = triangular(self.factor.mT, noise, upper=True)
        for gone, own in zip(reversed(self._gone), reversed(waiting), strict=True):
            found = self._woven(found, gone.minus_neighbours(own, found))
        return found

    def _woven(self, even: Tensor, odd: Tensor) -> Tensor:
        """Give blocks by turns of both."""
        result = even.new_zeros((*even.shape[:-3], even.shape[-3] + odd.shape[-3], *even.shape[-2:]))
        result[..., 0::2, :, :], result[..., 1::2, :, :] = even, odd
        return result

    def log_determinant(self) -> Tensor:
        """Give the logarithm of the determinant."""
        factors = [self.factor, *(gone.factor for gone in self._gone)]
        return 2 * sum(factor.diagonal(dim1=-2, dim2=-1).log().sum((-2, -1)) for factor in factors)

    def inverse_blocks(self) -> tuple[Tensor, Tensor]:
        """Give the inverse's blocks where the matrix has some: (…, J, K, K), and `[j + 1, j]` (…, J - 1, K, K)."""
        hubs = _inverse(self._torch, self.factor)
        links = hubs[..., :0, :, :]
        for gone in reversed(self._gone):
            count = gone.to_right.shape[-3]
            left, right = gone.to_left, gone.to_right
            # Those eliminated follow their neighbours, which are tied to each other by the links of what was kept.
            with_left = -left @ hubs[..., : left.shape[-3], :, :]
            with_left[..., :count, :, :] -= right @ links
            with_right = -(left[..., :count, :, :] @ links.mT + right @ hubs[..., 1:, :, :])
            own = _inverse(self._torch, gone.factor) - with_left @ left.mT
            own[..., :count, :, :] -= with_right @ right.mT
            links = self._woven(with_left, with_right.mT)
            hubs = self._woven(hubs, 0.5 * (own + own.mT))
        return hubs, links
