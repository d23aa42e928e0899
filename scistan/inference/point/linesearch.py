"""A line search for many starts at once: a bracket each, one batched evaluation per trial.

Weak Wolfe conditions by bracketing (Lewis and Overton 2013), with cubic interpolation inside the bracket, and Hager
and Zhang's approximate conditions (2005) where rounding hides the decrease.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Found", "search"]

Tensor = Any
_DECREASE, _CURVATURE = 1e-4, 0.9
_TRIALS = 30
_WIDEN = 4.0


@dataclass(slots=True)
class Found:
    """Where the search ended: `moved` tells which starts found a better point."""

    q: Tensor
    loss: Tensor
    gradient: Tensor
    moved: Tensor


def search(
    torch: Any,
    evaluate: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
    q: Tensor,
    loss: Tensor,
    gradient: Tensor,
    direction: Tensor,
    length: Tensor,
    active: Tensor,
) -> Found:
    """Search along `direction` from `q`, for the `active` starts only."""
    slope = (gradient * direction).sum(-1)
    eps = torch.finfo(loss.dtype).eps
    slack = 10 * eps * loss.abs()
    finest = eps * q.abs().amax(-1).clamp(min=1)
    low, low_loss, low_slope = torch.zeros_like(length), loss, slope
    high, high_loss = torch.full_like(length, float("inf")), torch.full_like(loss, float("inf"))
    high_slope = torch.zeros_like(slope)
    best = Found(q.clone(), loss.clone(), gradient.clone(), torch.zeros_like(active))
    searching = active.clone()
    for _ in range(_TRIALS):
        rows = searching.nonzero().flatten()
        if not len(rows):
            break
        everyone = len(rows) == len(q)
        t = length if everyone else length[rows]
        at = q + t[:, None] * direction if everyone else q[rows] + t[:, None] * direction[rows]
        new_loss, new_gradient = evaluate(at, rows)
        d, f0, s0 = (direction, loss, slope) if everyone else (direction[rows], loss[rows], slope[rows])
        new_slope = (new_gradient * d).sum(-1)
        finite = torch.isfinite(new_loss) & torch.isfinite(new_gradient).all(-1)
        near = finite & (new_loss <= f0 + slack[rows]) & (new_slope <= (2 * _DECREASE - 1) * s0)
        falls = finite & ((new_loss <= f0 + _DECREASE * t * s0) | near)
        steep = falls & (new_slope < _CURVATURE * s0)
        accepted = falls & ~steep
        if everyone and not bool(best.moved.any()) and bool(accepted.all()):
            return Found(at, new_loss, new_gradient, accepted)  # the usual case: the first step will do
        better = finite & falls & (new_loss <= best.loss[rows] + slack[rows])
        taken = rows[better]
        best.q[taken], best.loss[taken] = at[better], new_loss[better]
        best.gradient[taken], best.moved[taken] = new_gradient[better], True
        low[rows] = torch.where(steep, t, low[rows])
        low_loss = low_loss.index_copy(0, rows, torch.where(steep, new_loss, low_loss[rows]))
        low_slope = low_slope.index_copy(0, rows, torch.where(steep, new_slope, low_slope[rows]))
        over = ~falls
        high[rows] = torch.where(over, t, high[rows])
        high_loss[rows] = torch.where(over, new_loss, high_loss[rows])
        high_slope[rows] = torch.where(over, new_slope, high_slope[rows])
        searching[rows[accepted]] = False
        length = _next(torch, low, low_loss, low_slope, high, high_loss, high_slope)
        searching = searching & ~((high - low) * direction.abs().amax(-1) <= finest)
    return best


def _next(torch: Any, low: Tensor, f: Tensor, s: Tensor, high: Tensor, g: Tensor, r: Tensor) -> Tensor:
    """Choose the next trial: the cubic's minimum well inside the bracket, its middle, or further out if it is open."""
    width = high - low
    theta = 3 * (f - g) / width + s + r
    root = torch.sqrt((theta * theta - s * r).clamp(min=0))
    cubic = high - width * (r + root - theta) / (r - s + 2 * root)
    inside = torch.isfinite(cubic) & (cubic > low + 0.1 * width) & (cubic < high - 0.1 * width)
    middle = torch.where(inside, cubic, low + torch.where(torch.isfinite(g), 0.5, 0.1) * width)
    return torch.where(torch.isfinite(high), middle, _WIDEN * low.clamp(min=1e-300))
