"""The verbs of a model with their plans: follow the one that was given, run, hand one back, remember the cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scistan.graph.instance import Instance
from scistan.history.learnt import failures_noted
from scistan.inference.fit import Fit
from scistan.inference.planned import point_as_planned
from scistan.inference.planning.remember import after_compile, after_mcmc, after_point, after_prior
from scistan.inference.planning.start import Start
from scistan.inference.point.estimate import PointEstimate
from scistan.inference.subject import Fitted, Subject

__all__ = ["compile_planned", "maximize_planned", "prior_planned", "sample_planned"]


def sample_planned(start: Start, instance: Instance, draws: int, warmup: int, *given: Any, **options: Any) -> Fit:
    """Sample the posterior."""
    from scistan.inference.sample import sample

    return after_mcmc(start, sample(instance, draws, warmup, *given, **options), warmup)


def maximize_planned(
    start: Start, instance: Instance, fitted: Fitted, plan: object = None, **options: Any
) -> PointEstimate:
    """Maximize the posterior density or the likelihood."""
    from scistan.inference.point import maximize

    given = options if plan is None else point_as_planned(start.task, plan, options)
    with failures_noted(start.task, "torch"):
        estimate = maximize(instance, start.task, fitted, **given)
    return after_point(start, estimate, instance, given)


def prior_planned(start: Start, instance: Instance, draws: int, seed: int | None) -> Any:
    """Draw from the prior."""
    from scistan.inference.prior import draw_prior

    drawn = draw_prior(instance, draws, seed)
    after_prior(start, instance, draws)
    return drawn


def compile_planned(start: Start, subject: Subject, progress: bool, methods: str) -> Path:
    """Build the executable."""
    from scistan.inference.compile import compile_model

    path = compile_model(subject, progress, methods)
    after_compile(start)
    return path
