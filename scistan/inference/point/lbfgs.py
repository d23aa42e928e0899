"""L-BFGS for many starts at once: one tensor program, a line search for each start, finished starts left alone.

torch.optim.LBFGS treats all its numbers as one point and SciPy's takes one point at a time, so this is written here.
Nocedal and Wright, Numerical Optimization, chapter 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scistan.inference.point.history import History, Precondition
from scistan.inference.point.linesearch import search
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.progress import Progress

__all__ = ["Climb", "climb", "runs_away"]

Tensor = Any
Evaluate = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
_STILL_RISING = 1e-2  # slope outwards beyond the limit at which a start is taken to run away
_LOOKOUT = 4  # iterations from one look for runaways to the next
_STALLED = 15  # iterations without any gain after which a start goes no further: it is at a cliff or a kink
_TRIALS = 3  # evaluations for each iteration, on average, after which a climb ends: line searches find but noise
_MORE_TRIALS = 100
_PATIENT = 2  # iterations in a row that must promise too little before a start counts as done


@dataclass(slots=True)
class Climb:
    """Where each start is: the best point met, its log density and gradient, and why it stopped."""

    q: Tensor
    value: Tensor
    gradient: Tensor
    iterations: Tensor
    stopped: list[str] = field(default_factory=list)  # why: see `_stop`
    interrupted: bool = False
    evaluated: int = 0  # points, over all starts

    def row(self, k: int) -> Climb:
        """Give one start."""
        part = slice(k, k + 1)
        return Climb(self.q[part], self.value[part], self.gradient[part], self.iterations[part], [self.stopped[k]],
                     self.interrupted)


def climb(
    objective: Maximized,
    start: Tensor,
    *,
    tolerance: float,
    max_iterations: int,
    progress: Progress | None = None,
    precondition: Precondition | None = None,
    free: Tensor | None = None,
    limit: Tensor | None = None,
    by_row: Evaluate | None = None,
    goal: float = float("inf"),
    begun: tuple[Tensor, Tensor] | None = None,
    most: float = float("inf"),
) -> Climb:
    """Maximize from every row of `start`.

    A start is done when the quasi-Newton model promises less than `tolerance` more of log density, twice running.
    Coordinates where `free` is false stay; a start that still rises beyond `limit` stops, as does one that reaches
    the log density `goal`. `by_row(q, rows)` gives values and gradients where each row has an objective of its own;
    `begun` are those of `start` where they are known. No more points are evaluated than `most`, over all starts, nor
    than a few for each iteration, whatever the line searches would like.
    """
    torch = objective.torch
    most = min(most, (_TRIALS * max_iterations + _MORE_TRIALS) * len(start))

    def evaluate(q: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        state.evaluated += len(q)
        value, gradient = objective.value_and_gradient(q) if by_row is None else by_row(q, rows)
        if free is not None:
            gradient = gradient * (free if free.ndim == 1 else free[rows])
        return -value, -gradient

    x = start.clone()
    state = Climb(x, x.new_full(x.shape[:1], float("-inf")), torch.zeros_like(x), x.new_zeros(x.shape[:1]))
    state.stopped = [""] * len(x)
    try:
        if begun is None:
            loss, slope = evaluate(x, torch.arange(len(x), device=x.device))
            begun = -loss, -slope
        state.value, state.gradient = begun
        _run(torch, evaluate, state, tolerance, max_iterations, progress, precondition, limit, goal, most)
    except KeyboardInterrupt:
        state.interrupted = True
    state.stopped = [why or ("interrupted" if state.interrupted else "limit") for why in state.stopped]
    return state


def _run(
    torch: Any,
    evaluate: Evaluate,
    state: Climb,
    tolerance: float,
    max_iterations: int,
    progress: Progress | None,
    precondition: Precondition | None,
    limit: Tensor | None,
    goal: float,
    most: float,
) -> None:
    active = torch.isfinite(state.value) & torch.isfinite(state.gradient).all(-1)
    _stop(state, ~active, "not finite")
    history = History(torch, state.q, precondition)
    idle, barren = torch.zeros_like(state.value), torch.zeros_like(state.value)
    floor = 8 * torch.finfo(state.q.dtype).eps
    for step in range(max_iterations):
        gradient = -state.gradient
        d = -history.direction(gradient)
        promised = -(gradient * d).sum(-1)
        lost = active & ~((promised > 0) & (promised < float("inf")))
        if bool(lost.any()):
            history.forget(lost)
            d = torch.where(lost[:, None], -gradient, d)
            promised = torch.where(lost, (gradient * gradient).sum(-1), promised)
        small = 0.5 * promised <= tolerance + floor * state.value.abs()
        idle = torch.where(small, idle + 1, 0.0)
        sure = history.known | (precondition is not None)
        done = active & (((idle >= _PATIENT) & sure) | (promised == 0))
        arrived, stalled = state.value >= goal, barren >= _STALLED
        if bool((done | arrived | stalled).any()):
            active = _stopped(state, active, done, "done")
            active = _stopped(state, active, active & arrived, "arrived")
            active = _stopped(state, active, active & stalled, "line search")
        if limit is not None and step % _LOOKOUT == 0:
            active = _stopped(state, active, active & runs_away(state, limit), "escaped")
        if not bool(active.any()) or state.evaluated >= most:
            return
        length = torch.ones_like(promised)
        if precondition is None:
            # Without curvature known, a first step of length at most one.
            length = torch.where(sure & ~lost, length, 1 / d.norm(dim=-1).clamp(min=1.0))
        found = search(torch, evaluate, state.q, -state.value, gradient, d, length, active)
        stuck = active & ~found.moved
        history.remember(found.q - state.q, found.gradient - gradient)
        if bool(stuck.any()):
            again = stuck & history.known
            history.forget(again)
            active = _stopped(state, active, stuck & ~again, "line search")
        barren = torch.where(-found.loss - state.value > floor * state.value.abs(), 0.0, barren + 1)
        state.q, state.value, state.gradient = found.q, -found.loss, -found.gradient
        state.iterations = state.iterations + found.moved
        if progress is not None:
            k = int(torch.argmax(state.value.nan_to_num(-float("inf"))))
            progress.note(-float(state.value[k]), float(state.gradient[k].abs().max()))


def runs_away(state: Climb, limit: Tensor) -> Tensor:
    """Tell which starts still rise beyond the limit."""
    return ((state.q.abs() > limit) & (state.gradient * state.q.sign() > _STILL_RISING)).any(-1)


def _stopped(state: Climb, active: Tensor, rows: Tensor, why: str) -> Tensor:
    """Note why some starts stop; give those that go on."""
    if not bool(rows.any()):
        return active
    _stop(state, rows, why)
    return active & ~rows


def _stop(state: Climb, rows: Tensor, why: str) -> None:
    for k in rows.nonzero().flatten().tolist():
        state.stopped[k] = state.stopped[k] or why
