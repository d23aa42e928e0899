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
    tried = None
    if bool(active.all()):
        tried = _try(torch, evaluate, q, length, direction, torch.arange(len(q), device=q.device))
        accepted = _weigh(torch, tried, length, loss, slope, slack)[1]
        if bool(accepted.all()):  # the usual case: the first step will do
            return Found(tried[0], tried[1], tried[2], accepted)
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
        t = length[rows]
        if tried is None:
            tried = _try(torch, evaluate, q[rows], t, direction[rows], rows)
        at, new_loss, new_gradient, new_slope = tried
        falls, accepted = _weigh(torch, tried, t, loss[rows], slope[rows], slack[rows])
        steep, tried = falls & ~accepted, None
        better = falls & (new_loss <= best.loss[rows] + slack[rows])
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


def _try(
    torch: Any,
    evaluate: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]],
    q: Tensor,
    t: Tensor,
    d: Tensor,
    rows: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Give the point at distance `t`, its loss and gradient, and the slope along the way."""
    at = torch.addcmul(q, t[:, None], d)
    loss, gradient = evaluate(at, rows)
    return at, loss, gradient, (gradient * d).sum(-1)


def _weigh(
    torch: Any, tried: tuple[Tensor, ...], t: Tensor, loss: Tensor, slope: Tensor, slack: Tensor
) -> tuple[Tensor, Tensor]:
    """Tell which trials fall far enough, and which of those are flat enough to be accepted."""
    _, new_loss, new_gradient, new_slope = tried
    near = (new_loss <= loss + slack) & (new_slope <= (2 * _DECREASE - 1) * slope)
    falls = (new_loss <= loss + _DECREASE * t * slope) | near
    falls = falls & torch.isfinite(new_loss) & torch.isfinite(new_gradient).all(-1)
    return falls, falls & (new_slope >= _CURVATURE * slope)


def _next(torch: Any, low: Tensor, f: Tensor, s: Tensor, high: Tensor, g: Tensor, r: Tensor) -> Tensor:
    """Choose the next trial: the cubic's minimum well inside the bracket, its middle, or further out if it is open."""
    width = high - low
    theta = 3 * (f - g) / width + s + r
    root = torch.sqrt((theta * theta - s * r).clamp(min=0))
    cubic = high - width * (r + root - theta) / (r - s + 2 * root)
    inside = torch.isfinite(cubic) & (cubic > low + 0.1 * width) & (cubic < high - 0.1 * width)
    middle = torch.where(inside, cubic, low + torch.where(torch.isfinite(g), 0.5, 0.1) * width)
    return torch.where(torch.isfinite(high), middle, _WIDEN * low.clamp(min=1e-300))
