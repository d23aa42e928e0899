"""Solve differential equations with SciPy: many draws as one system, closer than any engine is asked to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.messages import equations as messages
from scistan.targets.equation import Asked, Slope
from scistan.targets.unsolved import Failure

__all__ = ["Solving", "solve", "solving"]

_CLOSEST = 1e-12  # what rounding leaves of a step
_FIRST, _SMALLEST = 10, 1e-11  # steps that are this share of the whole lead nowhere, but for the first ones
_FAR = 1e3  # times the median size of the states
_FINE = 1e-7  # below this the higher order takes fewer steps
_TOGETHER = {"rk45": 1024, "ckrk": 1024, "bdf": 16, "adams": 16}  # draws in one system; implicit steps solve for all



@dataclass(slots=True)
class Solving:
    """How equations are solved: within which share of the user's tolerances, by which method; and steps so far.

    SciPy judges the engines, and is differenced: its error must vanish beside theirs.
    """

    share: float = 1e-4
    method: str = ""  # the equation's own
    steps: int = 0


_how: ContextVar[Solving | None] = ContextVar("scistan_solving", default=None)

SlopeOf = Callable[[Any], Slope]


class _FailedError(Exception):
    """An equation went no further than a time: why, and the states of all rows there."""

    def __init__(self, time: float, reason: str, states: np.ndarray) -> None:
        self.time, self.reason, self.states = time, reason, states


@contextmanager
def solving(share: float, method: str = "") -> Iterator[Solving]:
    """Solve within this share of the tolerances that are asked for, by another method where one is given."""
    how = Solving(share, method)
    token = _how.set(how)
    try:
        yield how
    finally:
        _how.reset(token)


def solve(
    slope_of: SlopeOf, starts: np.ndarray, start: np.ndarray, times: np.ndarray, asked: Asked
) -> tuple[np.ndarray, list[Failure]]:
    """Give the states at the times for each row of `starts`, NaN where there is no solution, and what failed."""
    rows, states = starts.shape
    found = np.full((rows, times.shape[-1], states), np.nan)
    failures: list[Failure] = []
    how = _how.get() or Solving()
    asked = replace(asked, method=how.method or asked.method)
    together = _TOGETHER[asked.method]
    waiting = [np.arange(at, min(at + together, rows)) for at in range(0, rows, together)][::-1]
    while waiting:
        chosen = waiting.pop()
        first, series = (a[chosen] if times.ndim > 1 else a for a in (start, times))
        try:
            with np.errstate(all="ignore"):
                found[chosen] = _solved(slope_of(chosen), starts[chosen], first, series, asked, how)
        except _FailedError as failed:
            if len(chosen) == 1:
                failures.append(Failure(int(chosen[0]), failed.time, failed.reason))
            else:
                waiting += [part for part in _parted(chosen, failed.states) if len(part)]
    return found, failures


def _parted(chosen: np.ndarray, states: np.ndarray) -> list[np.ndarray]:
    """Part rows that cannot go on together: those far out are looked at apart, and else each half is."""
    size = np.nan_to_num(np.abs(states), nan=np.inf, posinf=np.inf).max(1)
    far = ~(size < _FAR * max(1.0, float(np.median(size))))
    if far.all() or not far.any():
        return list(np.array_split(chosen, 2))
    return [chosen[~far], *np.array_split(chosen[far], min(int(far.sum()), 2))]


def _solved(
    slope: Slope, y: np.ndarray, start: np.ndarray, times: np.ndarray, asked: Asked, how: Solving
) -> np.ndarray:
    """Solve for rows that share their times, or, over a time that runs from 0 to 1 in each piece, for any."""
    if times.ndim == 1:
        return _run(slope, y, float(start), times, asked, how)
    found = []
    before = start
    for after in times.T:
        span, origin = (after - before), before

        def scaled(s: Any, y: np.ndarray, span: np.ndarray = span, origin: np.ndarray = origin) -> np.ndarray:
            return np.asarray(span[:, None] * slope(origin + s * span, y))

        try:
            y = _run(scaled, y, 0.0, np.ones(1), asked, how)[:, 0]
        except _FailedError as failed:
            reached = float(before[0] + failed.time * span[0])
            raise _FailedError(reached, failed.reason, failed.states) from None
        found.append(y)
        before = after
    return np.stack(found, 1)


def _run(slope: Slope, y: np.ndarray, start: float, times: np.ndarray, asked: Asked, how: Solving) -> np.ndarray:
    """Take steps until the last time, reading the states at each on the way."""
    rows, states = y.shape

    def flat(t: float, packed: np.ndarray) -> np.ndarray:
        return np.asarray(slope(np.asarray(t), packed.reshape(rows, states)), dtype=float).reshape(-1)

    found = np.empty((rows, len(times), states))
    reached, steps, span = 0, 0, float(times[-1]) - start
    try:
        packed = y.reshape(-1).astype(float)
        solver = _solver(flat, start, packed, float(times[-1]), rows, states, asked, how.share)
        while reached < len(times):
            steps += 1
            how.steps += 1
            if steps > asked.max_steps:
                raise _FailedError(solver.t, messages.too_many_steps(asked.max_steps), solver.y.reshape(rows, states))
            solver.step()
            shrunk = steps > _FIRST and solver.status == "running" and solver.step_size < _SMALLEST * span
            if shrunk or solver.status == "failed" or not np.isfinite(solver.y).all():
                raise _FailedError(solver.t, messages.RUNS_OFF, solver.y.reshape(rows, states))
            last = int(np.searchsorted(times, solver.t, side="right"))
            if last > reached:
                between = solver.dense_output()
                for k in range(reached, last):
                    packed = solver.y if times[k] == solver.t else between(times[k])
                    found[:, k] = packed.reshape(rows, states)
                reached, steps = last, 0
    except (np.linalg.LinAlgError, RuntimeError, ValueError, OverflowError, ZeroDivisionError):
        # what SciPy's implicit solvers say of slopes that are no numbers
        raise _FailedError(start, messages.NO_SLOPES, y) from None
    return found


def _solver(
    flat: Callable[[float, np.ndarray], np.ndarray], start: float, y: np.ndarray, end: float, rows: int, states: int,
    asked: Asked, share: float,
) -> Any:  # fmt: skip
    from scipy.integrate import DOP853, RK45, Radau
    from scipy.sparse import block_diag

    # The error of a step is a root mean square over the whole system: divided so, it holds for each draw.
    share = share / np.sqrt(rows)
    limits = {"rtol": max(asked.rtol * share, _CLOSEST), "atol": max(asked.atol * share, _CLOSEST * 1e-3)}
    if asked.method in ("rk45", "ckrk"):
        explicit = DOP853 if limits["rtol"] < _FINE else RK45
        return explicit(flat, start, y, end, **limits)
    blocks = block_diag([np.ones((states, states))] * rows, format="csc") if rows > 1 else None
    return Radau(flat, start, y, end, jac_sparsity=blocks, **limits)
