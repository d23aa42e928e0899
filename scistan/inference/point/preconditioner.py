"""What conjugate gradients are preconditioned by: an arrow where few products measure it, else a diagonal, or nothing.

The diagonal is read from products with scattered signs: of every seventh coordinate at a time, so that what is tied to
its neighbours only, in a chain or on a grid, does not disturb it. Where coordinates far apart are tied, two sets of
signs tell different diagonals, and there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.inference.point.arrow import guess_layout, measure_arrow
from scistan.inference.point.elimination import Layout
from scistan.inference.point.maximized import Maximized

__all__ = ["Preconditioner", "scattered_diagonal"]

Tensor = Any
_COLORS = 7
_FEW_PRODUCTS = 24  # with which an arrow may be measured anew at every step
_NOISY = 0.3  # difference between two readings of the diagonal, relative and in the middle, at which neither is used
_LEAST = 1e-6  # of the middle of the diagonal


class Preconditioner:
    """Gives `M⁻¹ v` for the point it was last measured at; what did not work once is not tried again."""

    def __init__(self, objective: Maximized, free: Tensor) -> None:
        self._objective = objective
        self._free = free
        layout = guess_layout(objective)
        self._layout: Layout | None = None
        if layout is not None and len(layout.globals) + layout.locals.shape[1] <= _FEW_PRODUCTS:
            self._layout = layout
        self._diagonal = True

    def measure(self, q: Tensor, multiply: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        """Measure at a point; `multiply` gives products with the negative Hessian there."""
        free = self._free.to(q.dtype)
        if self._layout is not None:
            arrow = measure_arrow(self._objective, q, self._free, self._layout)
            if arrow is not None:
                return lambda row: arrow.precondition(row) * free
            self._layout = None
        if self._diagonal:
            diagonal = scattered_diagonal(self._objective.torch, q, multiply)
            if diagonal is not None:
                return lambda row: row / diagonal * free
            self._diagonal = False
        return lambda row: row * free


def scattered_diagonal(torch: Any, like: Tensor, multiply: Callable[[Tensor], Tensor]) -> Tensor | None:
    """Read the diagonal of a matrix from a few products, positive throughout; None where it cannot be read so."""
    first, second = (_reading(torch, like, multiply, seed) for seed in (1, 2))
    both = 0.5 * (first + second)
    size = both.abs()
    middle = size.median()
    if not bool(torch.isfinite(middle)) or float(middle) <= 0:
        return None
    if float(((first - second).abs() / size.clamp(min=1e-300)).median()) > _NOISY:
        return None
    return torch.where(torch.isfinite(size), size, middle).clamp(min=_LEAST * middle)


def _reading(torch: Any, like: Tensor, multiply: Callable[[Tensor], Tensor], seed: int) -> Tensor:
    n = len(like)
    signs = torch.randint(0, 2, (n,), generator=torch.Generator().manual_seed(seed)).to(like) * 2 - 1
    color = torch.arange(n, device=like.device) % _COLORS
    colors = torch.arange(min(_COLORS, n), device=like.device)
    probes = torch.where(color == colors[:, None], signs, torch.zeros_like(signs))
    return (multiply(probes) * probes).sum(0)
