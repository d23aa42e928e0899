"""What every verb does when it is done: hand back its plan, and leave behind what it cost."""

from __future__ import annotations

import sys
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.engines.assemble import cores_for
from scistan.graph.instance import Instance
from scistan.history import Run, record
from scistan.inference.plan import Plan
from scistan.inference.planning.machine import machine_now
from scistan.inference.planning.seconds import BUILT_IN, Effort, expected
from scistan.inference.planning.start import Start
from scistan.inference.planning.workload import Workload, workload_of
from scistan.settings import setting

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["after_compile", "after_mcmc", "after_prior", "completed", "high_water", "sizes"]

_FROM_CACHE = 1.0  # seconds: what takes longer was built


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
    effort = Effort("mcmc", plan.engine, iterations, at_once, start.cold, compiled > _FROM_CACHE)
    fit.plan = completed(plan, effort, workload)
    sampling = float(fit.timing.get("sample", 0.0))
    steps = fit.draws.statistics.get("n_steps")
    record(
        Run(
            "mcmc", "stan", plan.engine, plan.metric, plan.device, **sizes(workload), chains=chains, at_once=at_once,
            chosen=int(plan.chosen), cold=int(start.cold), iterations=iterations,
            asked=chains * (plan.draws + (warmup if plan.chosen else plan.warmup)),
            evaluations=iterations * float(np.mean(steps)) if steps is not None and steps.size else 0.0,
            seconds=seconds, fixed=max(0.0, seconds - sampling - compiled), compile=compiled, sampling=sampling,
            effective=_effective(fit), memory=high_water(),
        )
    )
    if setting("background_compile"):
        from scistan.inference.planning.background import compile_beside

        compile_beside(fit)
    return fit


def after_prior(start: Start, instance: Instance, draws: int) -> None:
    """Remember what draws of the prior cost."""
    seconds = start.seconds
    fixed = min(seconds, BUILT_IN["scipy"].fixed) if not start.cold else seconds
    record(
        Run(
            start.task, "scipy", **sizes(workload_of(instance, start.task)), iterations=draws, evaluations=draws,
            cold=int(start.cold), seconds=seconds, fixed=fixed, sampling=seconds - fixed, memory=high_water(),
        )
    )


def after_compile(start: Start) -> None:
    """Remember what a compilation took; one that came from the cache took none."""
    if start.seconds > _FROM_CACHE:
        record(Run("compile", "stan", "cmdstan", seconds=start.seconds, compile=start.seconds))


def completed(plan: Plan, effort: Effort, workload: Workload) -> Plan:
    """Add to a plan what its run is expected to cost."""
    found = expected(effort, workload)
    return replace(
        plan, workload=workload, machine=machine_now(), seconds=found.seconds, costs=dict(found.costs),
        learnt=found.learnt,
    )


def sizes(workload: Workload) -> dict[str, Any]:
    """Give what is remembered of some work."""
    return {
        "structure": workload.key, "parameters": workload.parameters, "rows": workload.rows,
        "data_size": workload.data_size, "work": workload.work,
    }


def _effective(fit: Fit) -> float:
    """Give the smallest effective number of draws, as the quick checks found it."""
    evidence = fit._quick_diagnosis().evidence
    if evidence is None or not evidence.health:
        return 0.0
    found = min(float(np.nanmin(health.bulk_ess, initial=np.inf)) for health in evidence.health.values())
    return found if isfinite(found) else 0.0


def high_water() -> int:
    """Give the most memory that this process has ever held, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
