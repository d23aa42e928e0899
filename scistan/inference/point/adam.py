"""Adam on mini-batches, many starts at once, with a rising and falling step and the best epoch kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.inference.point.lbfgs import Climb
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.progress import Progress

__all__ = ["descend"]

Tensor = Any
_PATIENCE = 8  # epochs without a better point before a run ends
_LEVEL = 1e-9  # slope, relative to the log density, at which there is nothing left to gain
_ENOUGH = 1e-9  # an epoch's relative gain below which it counts as none


def descend(
    objective: Maximized, start: Tensor, *, epochs: int, rate: float, rng: np.random.Generator, progress: Progress
) -> Climb:
    """Maximize from every row of `start`; each epoch ends with the density over all observations."""
    torch = objective.torch
    q = start.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([q], lr=rate)
    batches = objective.batches
    per_epoch = max(1, batches.total // batches.size) if batches else 10
    steps = epochs * per_epoch + 1
    rising = max(0.1, 1.5 / steps)  # the step that ends the rise is this share of all less 1, and torch divides by it
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps, pct_start=rising)
    value, gradient = objective.value_and_gradient(start)
    state = Climb(start.clone(), value, gradient, start.new_zeros(len(start)), [""] * len(start))
    idle, why = 0, "epochs"
    try:
        for _ in range(epochs):
            _epoch(objective, q, optimizer, schedule, rng, per_epoch)
            idle = 0 if _keep_best(objective, q, state, progress) else idle + 1
            if idle >= _PATIENCE or _level(state):
                why = "done"
                break
    except KeyboardInterrupt:
        state.interrupted = True
    finite = torch.isfinite(state.value) & torch.isfinite(state.gradient).all(-1)
    why = "interrupted" if state.interrupted else why
    state.stopped = [why if ok else "not finite" for ok in finite.tolist()]
    return state


def _epoch(
    objective: Maximized, q: Tensor, optimizer: Any, schedule: Any, rng: np.random.Generator, steps: int
) -> None:
    batches = objective.batches
    only = objective.likelihood_only
    for batch in batches.shuffled(rng) if batches else [None] * steps:
        optimizer.zero_grad()
        if batches and batch is not None:
            weight = batches.total / batch.size
            density = batch.log_density(q, likelihood_only=only, weight=weight, share=1.0)
        else:
            density = objective.density.log_density(q, likelihood_only=only)
        # A start that has left the support must not stop the others.
        (-objective.torch.where(objective.torch.isfinite(density), density, 0.0).sum()).backward()
        q.grad.nan_to_num_(0.0, 0.0, 0.0)
        optimizer.step()
        schedule.step()


def _level(state: Climb) -> bool:
    """Tell whether no start has a slope left."""
    level = state.gradient.abs().amax(-1) <= _LEVEL * (1 + state.value.abs())
    return bool((level | ~state.value.isfinite()).all())


def _keep_best(objective: Maximized, q: Tensor, state: Climb, progress: Progress) -> bool:
    torch = objective.torch
    value, gradient = objective.value_and_gradient(q.detach())
    finite = torch.isfinite(value) & torch.isfinite(gradient).all(-1)
    better = finite & ((value > state.value) | ~torch.isfinite(state.value))
    gained = better & ((value - state.value > _ENOUGH * value.abs()) | ~torch.isfinite(state.value))
    state.q = torch.where(better[:, None], q.detach(), state.q)
    state.value = torch.where(better, value, state.value)
    state.gradient = torch.where(better[:, None], gradient, state.gradient)
    state.iterations = state.iterations + 1
    k = int(torch.argmax(torch.where(torch.isfinite(state.value), state.value, -float("inf"))))
    progress.note(-float(state.value[k]), float(state.gradient[k].abs().max()))
    return bool(gained.any())
