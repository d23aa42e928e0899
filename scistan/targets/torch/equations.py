"""Solve differential equations with torchdiffeq: all starts as one system, with gradients of every order."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any

from scistan.messages import equations as words
from scistan.messages import packages as messages
from scistan.surface import checked
from scistan.targets.equation import Asked, Slope
from scistan.targets.torch.devices import import_torch
from scistan.targets.unsolved import Failure

__all__ = ["import_torchdiffeq", "solve"]

Tensor = Any
SlopeOf = Callable[[Any], Slope]
_METHOD = "dopri8"  # explicit for stiff equations too: their solution is the same, and takes more steps
_COARSEST = 1e-5  # of single precision, whose numbers have seven digits


@cache
def import_torchdiffeq() -> Any:
    """Import torchdiffeq when it is first needed, or say how to get it."""
    try:
        return checked("torchdiffeq", import_module("torchdiffeq"))
    except ImportError:
        raise messages.target_missing("torchdiffeq", "torch") from None


def solve(
    slope_of: SlopeOf, starts: Tensor, start: Tensor, times: Tensor, asked: Asked
) -> tuple[Tensor, list[Failure]]:
    """Give the states at the times for each row of `starts`, NaN where there is no solution, and what failed."""
    torch, rows = import_torch(), len(starts)
    try:
        return _solved(slope_of(slice(None)), starts, start, times, asked), []
    except AssertionError as failed:  # what torchdiffeq says of steps that shrink to nothing, or are too many
        if rows == 1:
            nowhere = starts[:, None, :] * float("nan")
            lost = nowhere.expand(1, times.shape[-1], starts.shape[1])
            return lost, [Failure(0, float(start.reshape(-1)[0]), _in_words(str(failed), asked))]
    vary = times.ndim > 1
    found, failures = [], []
    for k in range(rows):  # one start that cannot be solved must not stop the others
        own = slice(k, k + 1)
        first, series = (a[own] if vary else a for a in (start, times))
        one, failed_here = solve(partial(_chosen, slope_of, own), starts[own], first, series, asked)
        found.append(one)
        failures += [Failure(k, each.time, each.reason) for each in failed_here]
    return torch.cat(found), failures


def _chosen(slope_of: SlopeOf, own: slice, _: object) -> Slope:
    return slope_of(own)


def _in_words(told: str, asked: Asked) -> str:
    if "max_num_steps" in told:
        return words.too_many_steps(asked.max_steps)
    return words.RUNS_OFF


def _solved(slope: Slope, y: Tensor, start: Tensor, times: Tensor, asked: Asked) -> Tensor:
    """Solve for rows that share their times, or, over a time that runs from 0 to 1 in each piece, for any."""
    torch = import_torch()
    if times.ndim == 1:
        return _run(slope, y, torch.cat([start.reshape(1), times]), asked)
    found = []
    before, unit = start, y.new_tensor([0.0, 1.0])
    for after in times.unbind(-1):
        span, origin = after - before, before

        def scaled(s: Tensor, y: Tensor, span: Tensor = span, origin: Tensor = origin) -> Tensor:
            return span[:, None] * slope(origin + s * span, y)

        y = _run(scaled, y, unit, asked)[:, 0]
        found.append(y)
        before = after
    return torch.stack(found, 1)


def _run(slope: Slope, y: Tensor, times: Tensor, asked: Asked) -> Tensor:
    least = _COARSEST if y.element_size() < 8 else 0.0
    # Steps end at the times, where torchdiffeq would interpolate with less order than it solves.
    options = {"norm": _worst_row, "max_num_steps": asked.max_steps, "step_t": times[1:].detach()}
    limits = {"rtol": max(asked.rtol, least), "atol": max(asked.atol, least)}
    found = import_torchdiffeq().odeint(slope, y, times.to(y), method=_METHOD, options=options, **limits)
    return found[1:].movedim(0, 1)


def _worst_row(errors: Tensor) -> Tensor:
    """Give the largest error of a row: a tolerance holds for each start, not for all on average."""
    return errors.pow(2).mean(-1).max().sqrt()
