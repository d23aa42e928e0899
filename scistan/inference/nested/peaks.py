"""The modes of what is approximated given rows of the rest, found for all rows at once by Newton's steps."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi
from typing import Any

from scistan.inference.nested.field import Curved, Field
from scistan.inference.point.elimination import Elimination, multiply_blocks

__all__ = ["Peaks", "count_modes", "find_peaks"]

Tensor = Any
_STEPS = 60
_SHORTENED = 30
_RISE = 1e-4  # share of the promised gain that must be there
_NEAR = 1e-8  # squared distance to the peak for each coordinate, in standard deviations: draws are weighed in any case
_DAMPINGS = 14
_AS_HIGH = 5.0  # log density by which another mode may be lower and still matter
_APART = 3.0  # standard deviations at the best mode from which on another is another


@dataclass(frozen=True, slots=True)
class Peaks:
    """For each row: the mode, the negative Hessian there, factored, the log density integrated as a normal's.

    `found` tells for which rows there is one; the others' numbers mean nothing.
    """

    u: Tensor
    precision: Elimination
    height: Tensor
    found: Tensor


def find_peaks(field: Field, theta: Tensor, u: Tensor) -> Peaks:
    """Climb from the rows of `u`, each until it is there."""
    torch = field.torch
    u = u.clone()
    if field.inner:
        open_ = torch.arange(len(u), device=u.device)
        for _ in range(_STEPS):
            open_ = _step(field, theta, u, open_)
            if not len(open_):
                break
    last = field.curved(theta, u)
    near, step = _there(field, last)
    if bool(near.any()):
        u = torch.where(near[:, None], u + step, u)
    height = last.value - 0.5 * last.precision.log_determinant() + 0.5 * field.inner * log(2 * pi)
    found = near & torch.isfinite(height)
    return Peaks(u, last.precision, torch.where(found, height, -float("inf")), found)


def count_modes(field: Field, peaks: Peaks, best: int) -> int:
    """Count the modes that climbs of one density ended at, of those that hold a share of it that matters."""
    blocks = tuple(block[best] for block in peaks.precision.blocks)
    apart: list[Tensor] = [peaks.u[best]]
    for row in (peaks.found & (peaks.height >= peaks.height[best] - _AS_HIGH)).nonzero().flatten().tolist():
        away = field.torch.stack([peaks.u[row] - other for other in apart])
        squared = (multiply_blocks(field.torch, field.structure.layout, blocks, away) * away).sum(-1)
        if bool((squared > _APART**2).all()):
            apart.append(peaks.u[row])
    return len(apart)


def _there(field: Field, at: Curved) -> tuple[Tensor, Tensor]:
    """Tell which rows are at their peak, and give the last step to it."""
    step = at.precision.solve(at.slope[:, None])[:, 0]
    squared = (at.slope * step).sum(-1)
    there = at.precision.each_definite & (squared.abs() <= max(1, field.inner) * 100 * _NEAR)
    return there & field.torch.isfinite(at.value), step


def _step(field: Field, theta: Tensor, u: Tensor, open_: Tensor) -> Tensor:
    """Move the rows that are on their way, in place; give those that still are."""
    torch = field.torch
    here = field.curved(theta[open_], u[open_])
    usable = _damped(torch, here.precision)
    step = usable.solve(here.slope[:, None])[:, 0]
    promised = (here.slope * step).sum(-1)
    can = usable.each_definite & torch.isfinite(here.value) & torch.isfinite(promised)
    arrived = here.precision.each_definite & (promised <= field.inner * _NEAR)
    share = torch.where(can & ~arrived, torch.ones_like(promised), torch.zeros_like(promised))
    noise = 64 * torch.finfo(u.dtype).eps * (1 + here.value.abs())
    trying = share > 0
    for _ in range(_SHORTENED):
        if not bool(trying.any()):
            break
        rows = open_[trying]
        there = field.value(theta[rows], u[rows] + share[trying, None] * step[trying])
        rises = there >= (here.value + _RISE * share * promised - noise)[trying]
        left = trying.clone()
        left[trying] = ~rises
        trying = left
        share = torch.where(trying, 0.5 * share, share)
    share = torch.where(trying, torch.zeros_like(share), share)
    u[open_] = torch.where(share[:, None] > 0, u[open_] + share[:, None] * step, u[open_])
    return open_[share > 0]


def _damped(torch: Any, precision: Elimination) -> Elimination:
    """Add to the diagonal of matrices that are no peak's until they are."""
    if precision.definite:
        return precision
    corner, _, hubs, _ = precision.blocks
    lead = corner.shape[:-2]
    largest = torch.stack(
        [block.abs().reshape(*lead, -1).nan_to_num(0.0, 0.0, 0.0).amax(-1) for block in (corner, hubs) if block.numel()]
    ).amax(0)
    made = precision
    for power in range(_DAMPINGS):
        if made.definite:
            break
        added = largest * 4.0 ** (power - _DAMPINGS + 3) * ~precision.each_definite
        made = precision.raised(added)
    return made
