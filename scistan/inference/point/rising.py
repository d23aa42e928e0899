"""Densities without a maximum: tell whether a coordinate that ran out still raises the density as it goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scistan.inference.point.curvature import Curvature
from scistan.inference.point.domains import bounded_blocks, latent_at
from scistan.inference.point.lbfgs import climb
from scistan.inference.point.maximized import Maximized
from scistan.messages import point as messages

__all__ = ["FURTHER", "OUT", "refuse_if_rising", "refuse_if_rising_outwards"]

Tensor = Any
OUT, FURTHER = 5.0, 10.0  # how far a suspect is moved; coordinates of bounded latents are logarithms, or nearly
_FAR = 6.0  # from where a coordinate may be on its way out
_OUTER = 3.0  # the same where a climb has found no end
_STEEP = 0.1  # slope outwards that says it still is
_SUSPECTS = 3


def refuse_if_rising_outwards(
    objective: Maximized, q: Tensor, value: float, free: Tensor, verb: str, measure: Callable[..., Curvature]
) -> None:
    """Look ahead where a climb has found no end: move what is far out further, and let the rest follow by Newton steps.

    Along a ridge (noise that vanishes as the latents come to fit every observation) no slope tells it: each coordinate
    is at its best given the others, and the climb goes on for as long as it may.
    """
    for k in _furthest(objective, q, q.abs() > _OUTER):
        gains = []
        rest = free.clone()
        rest[k] = False
        row = q.clone()
        for _ in range(2):
            row[k] += float(q[k].sign()) * OUT
            curvature = measure(objective, row, rest)
            moved = climb(objective, row[None], tolerance=1e-3, max_iterations=50, free=rest.to(q.dtype),
                          precondition=curvature.precondition)
            row = moved.q[0].clone()
            gains.append(float(moved.value[0]) - value)
        if gains[0] > _STEEP and gains[1] > 1.5 * gains[0]:
            raise messages.unbounded([latent_at(objective, k)], verb, gains[0])


def refuse_if_rising(objective: Maximized, q: Tensor, value: float, gradient: Tensor, free: Tensor, verb: str) -> None:
    """Look back along the way: if the density rose steadily and still rises, there is no maximum, and that is said.

    The other coordinates follow: a hierarchical scale raises the density only where its members close up with it.
    """
    torch = objective.torch
    for k in _furthest(objective, q, (q.abs() > _FAR) & (gradient * q.sign() > _STEEP)):
        rows = q.repeat(2, 1)
        rows[0, k] -= float(q[k].sign()) * OUT
        rows[1, k] -= float(q[k].sign()) * FURTHER
        rest = free.to(q.dtype).clone()
        rest[k] = 0.0
        back = climb(objective, rows, tolerance=1e-3, max_iterations=200, free=rest)
        rise = (value - torch.where(torch.isfinite(back.value), back.value, -float("inf"))).tolist()
        if rise[0] > _STEEP and rise[1] > 1.5 * rise[0]:
            raise messages.unbounded([latent_at(objective, k)], verb, rise[0])


def _furthest(objective: Maximized, q: Tensor, out: Tensor) -> list[int]:
    """List the coordinates of bounded latents that are `out`, the furthest first, and no more than a few."""
    bounded = objective.torch.zeros_like(out)
    for start, stop, _, _ in bounded_blocks(objective):
        bounded[start:stop] = True
    at = (out & bounded).nonzero().flatten()
    order = q[at].abs().argsort(descending=True, stable=True)[:_SUSPECTS]
    return at[order].tolist()  # type: ignore[no-any-return]
