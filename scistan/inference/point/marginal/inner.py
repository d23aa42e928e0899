"""The mode over what is integrated, given the rest: Newton's steps with the measured Hessian, and a line search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scistan.inference.point.elimination import Elimination
from scistan.inference.point.marginal.bend import Bend, Split
from scistan.inference.point.marginal.structure import Structure

__all__ = ["Peak", "TooFarError", "find_peak"]

Tensor = Any
_STEPS = 100
_STEPS_OF_CONSTANT = 10  # where the Hessian is the same everywhere one step leads there, and the others mend rounding
_SHORTENED = 40
_RISE = 1e-4  # share of the promised gain that must be there
_CLOSE = 1e5  # machine epsilons to the peak, in standard deviations of each coordinate, that count as being there
_GOOD_ENOUGH = 1e-8  # the same squared, where rounding lets no step come closer
_CLOSE_HALVED = 3  # times that a step so short may be halved: what does not rise then is rounding
_DAMPINGS = 12


class TooFarError(Exception):
    """A beginning is so far from the peak that steps are halved again and again; never shown."""


@dataclass(frozen=True, slots=True)
class Peak:
    """Where the density given `theta` is highest, how high, and its negative Hessian there, factored."""

    u: Tensor
    value: Tensor
    precision: Elimination
    bend: Bend  # the density about it


def find_peak(
    split: Split, structure: Structure, theta: Tensor, u: Tensor, both: bool = False, patience: int | None = None
) -> Peak | None:
    """Climb from `u`; None where there is no density, no peak, or no end.

    `both` is what a `Bend` takes; steps that were halved more often than `patience` allows are a `TooFarError`.
    """
    torch = split.torch
    enough = len(u) * (_CLOSE * torch.finfo(u.dtype).eps) ** 2
    bend = Bend(split, theta, u, both)
    precision: Elimination | None = None
    before, left = float("inf"), float("inf") if patience is None else patience
    for _ in range(_STEPS_OF_CONSTANT if structure.constant else _STEPS):
        if not bool(torch.isfinite(bend.value) & torch.isfinite(bend.slope).all()):
            return None
        if precision is None or not structure.constant:
            precision = Elimination(torch, structure.layout, *structure.blocks_of(bend, torch))
        usable = precision if precision.definite else _damped(torch, precision)
        if usable is None:
            return None
        step = usable.solve(bend.slope[None])[0]
        squared = float((bend.slope * step).sum())
        arrived = squared <= enough or (squared <= len(u) * _GOOD_ENOUGH and squared >= 0.25 * before)
        if precision.definite and arrived:
            return Peak(bend.u.detach(), bend.value, precision, bend)
        before = squared if precision.definite else float("inf")
        close = precision.definite and squared <= len(u) * _GOOD_ENOUGH
        further, halved = _search(split, theta, bend, step, squared, both, _CLOSE_HALVED if close else left)
        if further is None:  # rounding lets nothing rise any more, or the way is too long
            if halved > left and not close:
                raise TooFarError
            return Peak(bend.u.detach(), bend.value, precision, bend) if close else None
        left -= halved
        bend = further
    return None


def _search(
    split: Split, theta: Tensor, bend: Bend, step: Tensor, promised: float, both: bool, most: float
) -> tuple[Bend | None, int]:
    """Give the density a step further, or less where it does not rise as promised, and how often that was halved.

    None where it rises nowhere, or not within the halvings that are left.
    """
    here = float(bend.value)
    noise = 32 * split.torch.finfo(step.dtype).eps * (1 + abs(here))
    share = 1.0
    for halved in range(_SHORTENED):
        if halved > most:
            return None, halved
        there = Bend(split, theta, bend.u.detach() + share * step, both)
        if float(there.value) >= here + _RISE * share * promised - noise:
            return there, halved
        share *= 0.5
    return None, 0


def _damped(torch: Any, precision: Elimination) -> Elimination | None:
    """Add to the diagonal of a matrix that is no peak's until it is."""
    corner, _, hubs, _ = precision.blocks
    if not all(bool(torch.isfinite(block).all()) for block in precision.blocks):
        return None
    largest = max([float(block.abs().max()) for block in (corner, hubs) if block.numel()], default=1.0)
    for power in range(_DAMPINGS):
        found = precision.raised(corner.new_tensor(largest * 4.0 ** (power - _DAMPINGS + 2)))
        if found.definite:
            return found
    return None
