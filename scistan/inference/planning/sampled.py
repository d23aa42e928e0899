"""What `m.mcmc()` does when it has its draws: complete the plan, remember the cost, build what pays where allowed."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from scistan.engines.assemble import cores_for
from scistan.history import Run, record
from scistan.inference.planning.background import compile_beside
from scistan.inference.planning.remember import FROM_CACHE, completed, high_water, sizes
from scistan.inference.planning.seconds import Effort
from scistan.inference.planning.start import Start
from scistan.inference.planning.workload import workload_of
from scistan.settings import setting

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["after_mcmc"]


def after_mcmc(start: Start, fit: Fit, warmup: int) -> Fit:
    """Complete the plan of a fit with what was expected of it, then remember what it cost.

    `warmup` is the one that was asked for: `auto` may have made less.
    """
    if fit.plan is None or fit.subject is None:
        return fit
    seconds, plan = start.seconds, fit.plan
    chains = fit.shape[0]
    iterations = chains * (plan.draws + plan.warmup)
    at_once = cores_for(plan.chains, plan.options.get("parallel_chains"), plan.threads)
    workload = workload_of(fit.subject.instance, "mcmc")
    compiled = float(fit.timing.get("build", 0.0)) if plan.compiled else 0.0
    cold = start.ended(workload.key)
    effort = Effort("mcmc", plan.engine, iterations, at_once, cold, compiled > FROM_CACHE)
    fit.plan = completed(plan, effort, workload)
    sampling = float(fit.timing.get("sample", 0.0))
    steps = fit.draws.statistics.get("n_steps")
    record(
        Run(
            "mcmc", "stan", plan.engine, plan.metric, plan.device, **sizes(workload), chains=chains, at_once=at_once,
            chosen=int(plan.chosen), cold=cold, iterations=iterations,
            asked=chains * (plan.draws + (warmup if plan.chosen else plan.warmup)),
            evaluations=iterations * float(np.mean(steps)) if steps is not None and steps.size else 0.0,
            seconds=seconds, fixed=max(0.0, seconds - sampling - compiled), compile=compiled, sampling=sampling,
            effective=_effective(fit), memory=high_water(),
        )
    )
    if setting("background_compile"):
        compile_beside(fit)
    return fit


def _effective(fit: Fit) -> float:
    """Give the smallest effective number of draws, as the quick checks found it."""
    evidence = fit._quick_diagnosis().evidence
    if evidence is None or not evidence.health:
        return 0.0
    found = min(float(np.nanmin(health.bulk_ess, initial=np.inf)) for health in evidence.health.values())
    return found if isfinite(found) else 0.0
