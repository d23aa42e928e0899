"""What L-BFGS remembers: the last steps and changes of gradient of every start, and the inverse Hessian they imply.

In compact form (Byrd, Nocedal and Schnabel 1994): a few products of matrices instead of a loop over the pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["History"]

Tensor = Any
Precondition = Callable[[Tensor], Tensor]
_MEMORY = 20  # pairs kept


class History:
    """Pairs for every start; a pair without curvature counts for nothing.

    Pairs are kept in a ring; `_order` lists its places from the oldest pair to the newest. With S, Y the steps and
    changes and W = H0 Y, the small matrices `_sy` = S Y' (of no pair with earlier changes: those are never read) and
    `_yw` = Y W' are kept up to date.
    """

    def __init__(self, torch: Any, like: Tensor, precondition: Precondition | None) -> None:
        rows, dimension = like.shape
        self._torch = torch
        self._precondition = precondition
        self._steps = like.new_zeros((rows, _MEMORY, dimension))
        self._changes = like.new_zeros((rows, _MEMORY, dimension))
        self._bent = self._changes if precondition is None else like.new_zeros((rows, _MEMORY, dimension))
        self._sy = like.new_zeros((rows, _MEMORY, _MEMORY))
        self._yw = like.new_zeros((rows, _MEMORY, _MEMORY))
        self._counts = like.new_zeros((rows, _MEMORY))  # 1 for a pair that counts
        self._scale = like.new_ones(rows)
        self._order: list[int] = []
        self.known = torch.zeros(rows, dtype=torch.bool, device=like.device)

    def remember(self, step: Tensor, change: Tensor) -> None:
        """Add a pair, in place of the oldest if there is no room."""
        torch = self._torch
        curvature = (step * change).sum(-1)
        length = (change * change).sum(-1)
        enough = curvature > 1e-10 * ((step * step).sum(-1) * length).sqrt()
        counts = enough.to(step.dtype)
        step, change = step * counts[:, None], change * counts[:, None]
        place = len(self._order) if len(self._order) < _MEMORY else self._order.pop(0)
        self._order.append(place)
        self._steps[:, place], self._changes[:, place] = step, change
        if self._precondition is not None:
            self._bent[:, place] = self._precondition(change)
        used = slice(0, len(self._order))
        self._sy[:, used, place] = (self._steps[:, used] @ change[:, :, None])[..., 0]
        across = (self._changes[:, used] @ self._bent[:, place, :, None])[..., 0]
        self._yw[:, used, place], self._yw[:, place, used] = across, across
        self._counts[:, place] = counts
        self._scale = torch.where(enough, curvature / length.clamp(min=1e-300), self._scale)
        self.known = self.known | enough

    def forget(self, rows: Tensor) -> None:
        """Start afresh where `rows` is true."""
        keep = (~rows).to(self._steps.dtype)
        for table in (self._steps, self._changes, self._sy, self._yw, *((self._bent,) if self._precondition else ())):
            table *= keep[:, None, None]
        self._counts *= keep[:, None]
        self._scale = self._torch.where(rows, 1.0, self._scale)
        self.known = self.known & ~rows

    def direction(self, gradient: Tensor) -> Tensor:
        """Multiply the gradient by the inverse Hessian that the pairs imply."""
        torch = self._torch
        base = self._scale[:, None] * gradient if self._precondition is None else self._precondition(gradient)
        if not self._order:
            return base
        order = self._order
        count = len(order)
        plain = order == list(range(count))
        used = slice(0, count) if plain else order
        steps, bent = self._steps[:, :count], self._bent[:, :count]
        sy, yw, counts = (t[:, used] for t in (self._sy, self._yw, self._counts))
        sy, yw = sy[:, :, used], yw[:, :, used]
        if self._precondition is None:
            yw = yw * self._scale[:, None, None]
        # R: the products of each step with its own and later changes; a pair that does not count is left alone.
        diagonal = sy.diagonal(dim1=1, dim2=2)
        r = torch.triu(sy) + torch.diag_embed(1 - counts)
        along = (steps @ gradient[:, :, None])[:, used]
        across = (self._changes[:, :count] @ base[:, :, None])[:, used]  # Y H0 g
        first = torch.linalg.solve_triangular(r, along, upper=True)
        inner = diagonal[..., None] * first + yw @ first - across
        second = torch.linalg.solve_triangular(r.mT, inner, upper=False)
        to_steps, to_bent = torch.zeros_like(second), torch.zeros_like(first)
        to_steps[:, used], to_bent[:, used] = second, first
        result = base + (to_steps.mT @ steps)[:, 0]
        share = (to_bent.mT @ bent)[:, 0]
        return result - (share if self._precondition is not None else self._scale[:, None] * share)
