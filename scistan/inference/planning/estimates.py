"""`m.map()` and `m.mle()` with their plans: follow the one that was given, run, hand one back, remember the cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from scistan.given import Usual
from scistan.graph.instance import Instance
from scistan.history import Run, record
from scistan.history.learnt import failures_noted
from scistan.inference.plan import Plan
from scistan.inference.planned import check_plan
from scistan.inference.planning.remember import completed, high_water, sizes
from scistan.inference.planning.seconds import Effort
from scistan.inference.planning.start import Start
from scistan.inference.planning.workload import workload_of
from scistan.inference.point import PointEstimate, maximize
from scistan.inference.point.options import Options
from scistan.inference.subject import Fitted
from scistan.messages import planning as messages

__all__ = ["maximize_planned"]

# What a plan of an estimate leaves to the call, and what it can keep as plain data.
_OF_A_CALL = ("seed", "progress")
_PLAIN = (bool, int, float, str, Mapping, list, tuple)


def maximize_planned(
    start: Start, instance: Instance, fitted: Fitted, plan: object = None, **options: Any
) -> PointEstimate:
    """Maximize the posterior density or the likelihood."""
    given = options if plan is None else _as_planned(start.task, plan, options)
    with failures_noted(start.task, "torch"):
        estimate = maximize(instance, start.task, fitted, **given)
    return _remembered(start, estimate, instance, given)


def _options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options of an estimate that are not as usual, as far as plain data can say them."""
    usual = {f.name: f.default for f in fields(Options)}
    kept = {n: v for n, v in options.items() if n not in _OF_A_CALL and (n == "inits" or v != usual.get(n))}
    return {name: value for name, value in kept.items() if isinstance(value, _PLAIN) and not isinstance(value, Usual)}


def _as_planned(verb: str, plan: object, options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options of an estimate as planned; what was given beside must say the same."""
    found = check_plan(plan, verb)
    planned = {**found.options, "device": found.device, "dtype": found.dtype}
    for name, value in _options(options).items():
        if name not in planned or (planned[name] is not value and planned[name] != value):
            raise messages.beside_the_plan(name, value, planned.get(name))
    return {**planned, **{name: options[name] for name in _OF_A_CALL if name in options}}


def _remembered(
    start: Start, estimate: PointEstimate, instance: Instance, options: Mapping[str, Any]
) -> PointEstimate:
    """Give an estimate its plan, then remember what it cost."""
    workload = workload_of(instance, start.task)
    optimizing = float(estimate.timing.get("optimize", 0.0))
    plan = Plan(
        "", _options(options), 0, task=start.task, target="torch", draws=0, chains=0, device=estimate.device,
        dtype=estimate.dtype, batch_size=options.get("batch_size"),
    )
    seconds, cold = start.seconds, start.ended(workload.key)
    made = replace(estimate, plan=completed(plan, Effort(start.task, "torch", 1, 1, cold), workload))
    record(
        Run(
            start.task, "torch", device=estimate.device, **sizes(workload), iterations=1, cold=cold,
            evaluations=float(estimate.evaluations), seconds=seconds, fixed=max(0.0, seconds - optimizing),
            sampling=optimizing, memory=high_water(),
        )
    )
    return made
