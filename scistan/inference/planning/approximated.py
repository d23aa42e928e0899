"""What `m.pathfinder()` and its kin do when they have their draws: complete the plan, and remember the cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scistan.engines.registry import ENGINES
from scistan.history import Run, record
from scistan.inference.plan import Plan
from scistan.inference.planning.remember import FROM_CACHE, completed, high_water, sizes
from scistan.inference.planning.seconds import approximating
from scistan.inference.planning.start import Start
from scistan.inference.planning.workload import workload_of

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["after_approximation"]


def after_approximation(start: Start, fit: Fit) -> Fit:
    """Give an approximation its plan, then remember what it cost."""
    if fit.subject is None:
        return fit
    seconds, draws = start.seconds, fit.shape[0] * fit.shape[1]
    workload = workload_of(fit.subject.instance, start.task)
    is_compiled = fit.engine in ENGINES and ENGINES[fit.engine].compiled
    compiled = float(fit.timing.get("build", 0.0)) if is_compiled else 0.0
    cold = start.ended(workload.key)
    effort = approximating(start.task, fit.engine, draws, compiled > FROM_CACHE, cold)
    options = {name: value for name, value in fit.settings.items() if name not in ("draws", "seed")}
    plan = Plan(
        fit.engine, options, 0, fit.why, task=start.task, draws=draws, chains=1, target=start.target,
        compiled=is_compiled,
    )
    fit.plan = completed(plan, effort, workload)
    running = float(fit.timing.get("sample", 0.0)) or seconds
    record(
        Run(
            start.task, start.target, fit.engine, **sizes(workload), chains=1, cold=cold, seconds=seconds,
            iterations=round(effort.iterations), evaluations=effort.iterations, compile=compiled,
            fixed=max(0.0, seconds - running - compiled), sampling=running, memory=high_water(),
        )
    )
    return fit
