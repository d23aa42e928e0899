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
_FIRST = 10  # steps that may be as small as they like
_SMALLEST, _SMALL = 1e-9, 1e-7  # a step of this share of the whole leads nowhere; leaves others behind
_GROWS = 1e6  # times that a state would grow by a factor of e at its speed: it runs off to infinity
_TINY, _SHARE = 1e-7, 0.3  # of a state, to see its speed; of the largest speed, to be blamed for small steps
_FINE = 1e-7  # below this the higher order takes fewer steps; above, errors are those of the engines' methods
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
    """Rows go no further together: why, the time, how many of the times are done, the states, and who is to blame."""

    def __init__(
        self, reason: str, time: float, done: int, states: np.ndarray, blamed: np.ndarray, certain: np.ndarray
    ) -> None:
        self.reason, self.time, self.done = reason, time, done
        self.states, self.blamed, self.certain = states, blamed, certain


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
                part, left, lost = _solved(_of(slope_of, chosen), starts[chosen], first, series, asked, how)
        except _FailedError as failed:  # of one alone
            failures.append(Failure(int(chosen[0]), failed.time, failed.reason))
            continue
        found[chosen[left]] = part[left]
        failures += [Failure(int(chosen[row]), time, messages.RUNS_OFF) for row, time in lost.items()]
        waiting += [chosen[[row]] for row in range(len(chosen)) if row not in lost and row not in left]
    return found, failures


def _of(slope_of: SlopeOf, chosen: np.ndarray) -> SlopeOf:
    return lambda rows: slope_of(chosen[rows])


def _solved(
    slope_of: SlopeOf, y: np.ndarray, start: np.ndarray, times: np.ndarray, asked: Asked, how: Solving
) -> tuple[np.ndarray, np.ndarray, dict[int, float]]:
    """Solve for rows that share their times, or, over a time that runs from 0 to 1 in each piece, for any.

    Gives the states, the rows that could go all the way together, and those that certainly cannot, with the time.
    """
    if times.ndim == 1:
        return _run(slope_of, y, float(start), times, asked, how)
    found = np.full((*times.shape, y.shape[1]), np.nan)
    left, before = np.arange(len(y)), start
    for k, after in enumerate(times.T):
        piece = _scaled(_of(slope_of, left), before[left], (after - before)[left])
        try:
            part, kept, _ = _run(piece, y, 0.0, np.ones(1), asked, how)
        except _FailedError as failed:
            failed.time = float(before[left[0]] + failed.time * (after - before)[left[0]])
            raise
        left, y, before = left[kept], part[kept, 0], after
        found[left, k] = y
    return found, left, {}


def _scaled(slope_of: SlopeOf, origin: np.ndarray, span: np.ndarray) -> SlopeOf:
    """Give the slopes over a time that runs from 0 to 1 from each row's `origin` to the end of its `span`."""

    def of(rows: Any) -> Slope:
        slope, first, length = slope_of(rows), origin[rows], span[rows]
        return lambda s, y: np.asarray(length[:, None] * slope(first + s * length, y))

    return of


def _run(
    slope_of: SlopeOf, y: np.ndarray, start: float, times: np.ndarray, asked: Asked, how: Solving
) -> tuple[np.ndarray, np.ndarray, dict[int, float]]:
    """Take steps until the last time; rows that the others cannot go on with are left behind."""
    lost: dict[int, float] = {}
    found = np.full((len(y), len(times), y.shape[1]), np.nan)
    left, t, done = np.arange(len(y)), start, 0
    while done < len(times) and len(left):
        try:
            for k, states in _steps(slope_of(left), y, t, times, done, asked, how):
                found[left, k], done = states, k + 1
        except _FailedError as failed:
            if len(found) == 1:
                raise
            lost |= dict.fromkeys(left[failed.certain].tolist(), failed.time)
            stay = ~(failed.blamed | failed.certain)
            left, y, t, done = left[stay], failed.states[stay], failed.time, failed.done
    return found, left, lost


def _steps(
    slope: Slope, y: np.ndarray, start: float, times: np.ndarray, done: int, asked: Asked, how: Solving
) -> Iterator[tuple[int, np.ndarray]]:
    """Step on, and give the states at each time on the way, with the number of that time."""
    shape = y.shape

    def flat(t: float, packed: np.ndarray) -> np.ndarray:
        return np.asarray(slope(np.asarray(t), packed.reshape(shape)), dtype=float).reshape(-1)

    def failed(reason: str, t: float, states: np.ndarray) -> _FailedError:
        at = states.reshape(shape)
        certain = _runs_off(slope, t, at, float(times[-1]) - start) & (reason == messages.RUNS_OFF)
        return _FailedError(reason, t, done, at, _blamed(slope, t, at), certain)

    taken, least = 0, (_SMALL if len(y) > 1 else _SMALLEST) * (float(times[-1]) - start)
    try:
        solver = _solver(flat, start, y.reshape(-1).astype(float), float(times[-1]), shape, asked, how.share)
        while done < len(times):
            taken += 1
            how.steps += 1
            if taken > asked.max_steps:
                raise failed(messages.too_many_steps(asked.max_steps), solver.t, solver.y)
            solver.step()
            shrunk = taken > _FIRST and solver.status == "running" and solver.step_size < least
            if shrunk or solver.status == "failed":
                raise failed(messages.RUNS_OFF, solver.t, solver.y)
            last = int(np.searchsorted(times, solver.t, side="right"))
            if last > done:
                taken, between = 0, solver.dense_output()
                for k in range(done, last):
                    packed = solver.y if times[k] == solver.t else between(times[k])
                    yield k, packed.reshape(shape)
                done = last
    except (np.linalg.LinAlgError, RuntimeError, ValueError, OverflowError, ZeroDivisionError):
        # what SciPy's implicit solvers say of slopes that are no numbers
        every = np.ones(len(y), dtype=bool)
        raise _FailedError(messages.NO_SLOPES, start, done, y, every, ~every) from None


def _runs_off(slope: Slope, t: float, y: np.ndarray, span: float) -> np.ndarray:
    """Tell which rows grow as fast as only what is infinite soon does."""
    here = np.asarray(slope(np.asarray(t), y))
    growth = (y * here).sum(1) / (1.0 + (y * y).sum(1)) * span
    return np.asarray(~(growth < _GROWS))


def _blamed(slope: Slope, t: float, y: np.ndarray) -> np.ndarray:
    """Tell which rows let the steps be small: where slopes change most with the state."""
    here = np.asarray(slope(np.asarray(t), y))
    step = _TINY * (1.0 + np.abs(y))
    moved = np.abs(np.asarray(slope(np.asarray(t), y + step)) - here) / step
    speed = np.nan_to_num(moved, nan=np.inf, posinf=np.inf).max(1)
    return np.asarray(~(speed < _SHARE * speed.max()))


def _solver(
    flat: Callable[[float, np.ndarray], np.ndarray], start: float, y: np.ndarray, end: float,
    shape: tuple[int, int], asked: Asked, share: float,
) -> Any:  # fmt: skip
    from scipy.integrate import BDF, DOP853, RK45, Radau
    from scipy.sparse import block_diag, coo_array

    # The error of a step is a root mean square over the whole system: divided so, it holds for each draw.
    rows, states = shape
    share = share / np.sqrt(rows)
    limits = {"rtol": max(asked.rtol * share, _CLOSEST), "atol": max(asked.atol * share, _CLOSEST * 1e-3)}
    if asked.method in ("rk45", "ckrk"):
        explicit = DOP853 if limits["rtol"] < _FINE else RK45
        return explicit(flat, start, y, end, **limits)
    blocks = block_diag([coo_array(np.ones((states, states)))] * rows, format="csc") if rows > 1 else None
    implicit = Radau if limits["rtol"] < _FINE else BDF
    return implicit(flat, start, y, end, jac_sparsity=blocks, **limits)
