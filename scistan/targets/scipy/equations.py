"""Solve differential equations with SciPy: many draws as one system, closer than any engine is asked to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from scistan.targets.equation import Asked, Slope
from scistan.targets.unsolved import Failure

__all__ = ["solve", "solving_within"]

# Of the tolerances asked for. SciPy judges the engines, and is differenced: its error must vanish beside theirs.
_share: ContextVar[float] = ContextVar("scistan_share_of_tolerance", default=1e-4)
_CLOSEST = 1e-12  # what rounding leaves of a step
_FINE = 1e-7  # below this the higher order takes fewer steps
_TOGETHER = {"rk45": 256, "ckrk": 256, "bdf": 16, "adams": 16}  # draws in one system; implicit steps solve for all

SlopeOf = Callable[[Any], Slope]


class _FailedError(Exception):
    """The time that was reached, and why no further."""


@contextmanager
def solving_within(share: float) -> Iterator[None]:
    """Solve within this share of the tolerances that are asked for."""
    token = _share.set(share)
    try:
        yield
    finally:
        _share.reset(token)


def solve(
    slope_of: SlopeOf, starts: np.ndarray, start: np.ndarray, times: np.ndarray, asked: Asked
) -> tuple[np.ndarray, list[Failure]]:
    """Give the states at the times for each row of `starts`, NaN where there is no solution, and what failed."""
    rows, states = starts.shape
    found = np.full((rows, times.shape[-1], states), np.nan)
    failures: list[Failure] = []
    together = _TOGETHER[asked.method]
    waiting = [np.arange(at, min(at + together, rows)) for at in range(0, rows, together)][::-1]
    while waiting:
        chosen = waiting.pop()
        first, series = (a[chosen] if times.ndim > 1 else a for a in (start, times))
        try:
            with np.errstate(all="ignore"):
                found[chosen] = _solved(slope_of(chosen), starts[chosen], first, series, asked)
        except _FailedError as failed:
            if len(chosen) == 1:
                time, reason = failed.args
                failures.append(Failure(int(chosen[0]), time, reason))
            else:  # which of them it is, their halves tell
                waiting += np.array_split(chosen, 2)[::-1]
    return found, failures


def _solved(slope: Slope, y: np.ndarray, start: np.ndarray, times: np.ndarray, asked: Asked) -> np.ndarray:
    """Solve for rows that share their times, or, over a time that runs from 0 to 1 in each piece, for any."""
    if times.ndim == 1:
        return _run(slope, y, float(start), times, asked)
    found = []
    before = start
    for after in times.T:
        span, origin = (after - before), before

        def scaled(s: Any, y: np.ndarray, span: np.ndarray = span, origin: np.ndarray = origin) -> np.ndarray:
            return span[:, None] * slope(origin + s * span, y)

        y = _run(scaled, y, 0.0, np.ones(1), asked)[:, 0]
        found.append(y)
        before = after
    return np.stack(found, 1)


def _run(slope: Slope, y: np.ndarray, start: float, times: np.ndarray, asked: Asked) -> np.ndarray:
    """Take steps until the last time, reading the states at each on the way."""
    rows, states = y.shape

    def flat(t: float, packed: np.ndarray) -> np.ndarray:
        return np.asarray(slope(np.asarray(t), packed.reshape(rows, states)), dtype=float).reshape(-1)

    found = np.empty((rows, len(times), states))
    reached, steps = 0, 0
    try:
        solver = _solver(flat, start, y.reshape(-1).astype(float), float(times[-1]), rows, states, asked)
        while reached < len(times):
            steps += 1
            if steps > asked.max_steps:
                raise _FailedError(solver.t, f"{asked.max_steps} steps (`max_steps`) did not lead to the next time")
            told = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                raise _FailedError(solver.t, _in_words(told))
            last = int(np.searchsorted(times, solver.t, side="right"))
            if last > reached:
                between = solver.dense_output()
                for k in range(reached, last):
                    packed = solver.y if times[k] == solver.t else between(times[k])
                    found[:, k] = packed.reshape(rows, states)
                reached, steps = last, 0
    except (np.linalg.LinAlgError, RuntimeError, ValueError, OverflowError, ZeroDivisionError):
        # what SciPy's implicit solvers say of slopes that are no numbers
        raise _FailedError(start, "its slopes are no finite numbers") from None
    return found


def _in_words(told: str | None) -> str:
    shrunk = told is not None and "step size" in told
    return "the steps shrink to nothing, as where a state runs off to infinity" if shrunk else "a state became infinite"


def _solver(
    flat: Callable[[float, np.ndarray], np.ndarray], start: float, y: np.ndarray, end: float, rows: int, states: int,
    asked: Asked,
) -> Any:  # fmt: skip
    from scipy.integrate import DOP853, RK45, Radau
    from scipy.sparse import block_diag

    # The error of a step is a root mean square over the whole system: divided so, it holds for each draw.
    share = _share.get() / np.sqrt(rows)
    limits = {"rtol": max(asked.rtol * share, _CLOSEST), "atol": max(asked.atol * share, _CLOSEST * 1e-3)}
    if asked.method in ("rk45", "ckrk"):
        explicit = DOP853 if limits["rtol"] < _FINE else RK45
        return explicit(flat, start, y, end, **limits)
    blocks = block_diag([np.ones((states, states))] * rows, format="csc") if rows > 1 else None
    return Radau(flat, start, y, end, jac_sparsity=blocks, **limits)
