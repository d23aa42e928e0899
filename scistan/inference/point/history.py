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
_SPARE = 5  # further places, so that pairs are moved only now and then


class History:
    """Pairs for every start; a pair without curvature counts for nothing.

    The pairs that are used lie side by side, oldest first, in a window that slides along tables with some room to
    spare. With S, Y the steps and changes and W = H0 Y, the small matrices `_sy` = S Y' (of no pair with earlier
    changes: those are never read) and `_yw` = Y W' are kept up to date.
    """

    def __init__(self, torch: Any, like: Tensor, precondition: Precondition | None) -> None:
        rows, dimension = like.shape
        places = _MEMORY + _SPARE
        self._torch = torch
        self._precondition = precondition
        self._steps = like.new_zeros((rows, places, dimension))
        self._changes = like.new_zeros((rows, places, dimension))
        self._bent = self._changes if precondition is None else like.new_zeros((rows, places, dimension))
        self._sy = like.new_zeros((rows, places, places))
        self._yw = like.new_zeros((rows, places, places))
        self._counts = like.new_zeros((rows, places))  # 1 for a pair that counts
        self._scale = like.new_ones(rows)
        self._first, self._end = 0, 0
        self.known = torch.zeros(rows, dtype=torch.bool, device=like.device)

    def _tables(self) -> list[Tensor]:
        return [self._steps, self._changes, *((self._bent,) if self._precondition else ())]

    def _make_room(self) -> int:
        """Give the place for a new pair: at the end of the window, which goes back to the front when there is none."""
        if self._end == self._steps.shape[1]:
            kept = slice(self._end - _MEMORY + 1, self._end)
            count = _MEMORY - 1
            for table in (*self._tables(), self._counts):
                table[:, :count] = table[:, kept].clone()
            for small in (self._sy, self._yw):
                small[:, :count, :count] = small[:, kept, kept].clone()
            self._first, self._end = 0, count
        self._end += 1
        self._first = max(self._first, self._end - _MEMORY)
        return self._end - 1

    def remember(self, step: Tensor, change: Tensor) -> None:
        """Add a pair, in place of the oldest if there is no room."""
        torch = self._torch
        curvature = (step * change).sum(-1)
        length = (change * change).sum(-1)
        enough = curvature > 1e-10 * ((step * step).sum(-1) * length).sqrt()
        counts = enough.to(step.dtype)
        if not bool(enough.all()):
            step, change = step * counts[:, None], change * counts[:, None]
        place = self._make_room()
        used = slice(self._first, self._end)
        self._steps[:, place], self._changes[:, place] = step, change
        if self._precondition is not None:
            self._bent[:, place] = self._precondition(change)
        self._sy[:, used, place] = (self._steps[:, used] @ change[:, :, None])[..., 0]
        across = (self._changes[:, used] @ self._bent[:, place, :, None])[..., 0]
        self._yw[:, used, place], self._yw[:, place, used] = across, across
        self._counts[:, place] = counts
        self._scale = torch.where(enough, curvature / length.clamp(min=1e-300), self._scale)
        self.known = self.known | enough

    def forget(self, rows: Tensor) -> None:
        """Start afresh where `rows` is true."""
        keep = (~rows).to(self._steps.dtype)
        for table in (*self._tables(), self._sy, self._yw):
            table *= keep[:, None, None]
        self._counts *= keep[:, None]
        self._scale = self._torch.where(rows, 1.0, self._scale)
        self.known = self.known & ~rows

    def direction(self, gradient: Tensor) -> Tensor:
        """Multiply the gradient by the inverse Hessian that the pairs imply."""
        torch = self._torch
        base = self._scale[:, None] * gradient if self._precondition is None else self._precondition(gradient)
        if not self._end:
            return base
        used = slice(self._first, self._end)
        steps, changes, bent = self._steps[:, used], self._changes[:, used], self._bent[:, used]
        sy, yw, counts = self._sy[:, used, used], self._yw[:, used, used], self._counts[:, used]
        if self._precondition is None:
            yw = yw * self._scale[:, None, None]
        # R: the products of each step with its own and later changes; a pair that does not count is left alone.
        diagonal = sy.diagonal(dim1=1, dim2=2)
        r = torch.triu(sy) + torch.diag_embed(1 - counts)
        first = torch.linalg.solve_triangular(r, steps @ gradient[:, :, None], upper=True)
        inner = diagonal[..., None] * first + yw @ first - changes @ base[:, :, None]  # the last is Y H0 g
        second = torch.linalg.solve_triangular(r.mT, inner, upper=False)
        share = (first.mT @ bent)[:, 0]
        result = base + (second.mT @ steps)[:, 0]
        return result - (share if self._precondition is not None else self._scale[:, None] * share)
