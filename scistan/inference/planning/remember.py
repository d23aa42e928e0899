"""What every verb does when it is done: hand back its plan, and leave behind what it cost."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scistan.engines.registry import COMPILING
from scistan.graph.instance import Instance
from scistan.history import Run, record
from scistan.inference.plan import Plan
from scistan.inference.planning.machine import machine_now
from scistan.inference.planning.seconds import BUILT_IN, Effort, expected
from scistan.inference.planning.start import Start
from scistan.inference.planning.workload import Workload, workload_of

if TYPE_CHECKING:
    pass

__all__ = ["FROM_CACHE", "after_compile", "after_prior", "completed", "high_water", "sizes"]

FROM_CACHE = 1.0  # seconds: what takes longer was built


def after_prior(start: Start, instance: Instance, draws: int) -> None:
    """Remember what draws of the prior cost."""
    seconds = start.seconds
    fixed = min(seconds, BUILT_IN["scipy"].fixed) if not start.cold else seconds
    workload = workload_of(instance, start.task)
    record(
        Run(
            start.task, "scipy", **sizes(workload), iterations=draws, evaluations=draws,
            cold=start.ended(workload.key), seconds=seconds, fixed=fixed, sampling=seconds - fixed, memory=high_water(),
        )
    )


def after_compile(start: Start) -> None:
    """Remember what a compilation took; one that came from the cache took none."""
    if start.seconds > FROM_CACHE:
        record(Run("compile", "stan", COMPILING, seconds=start.seconds, compile=start.seconds))


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


def high_water() -> int:
    """Give the most memory that this process has ever held, in bytes; 0 where the system does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit
