"""Make a run as a plan says: what the plan has settled is not asked again, and nothing else may be said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scistan.engines.registry import ENGINES
from scistan.given import Usual
from scistan.inference.plan import Plan
from scistan.messages import planning as messages

if TYPE_CHECKING:
    from scistan.inference.asked import Asked
    from scistan.inference.prepare import Prepared

__all__ = ["as_planned", "check_plan", "plan_that_ran"]


def check_plan(plan: object, task: str) -> Plan:
    """Refuse what is no plan, or one for something else."""
    if not isinstance(plan, Plan):
        raise messages.no_plan(plan)
    if plan.task != task:
        raise messages.plan_of_other(task, plan.task)
    return plan


def as_planned(
    plan: object, draws: int, warmup: int, chains: int, engine: str, inits: object, options: Mapping[str, Any]
) -> tuple[int, int, int, str, Mapping[str, Any]]:
    """Give draws, warm-up, chains, engine and options as planned; what was given beside must say the same."""
    found = check_plan(plan, "mcmc")
    given = {"draws": draws, "warmup": warmup, "chains": chains, "engine": engine}
    for name, value in given.items():
        planned = getattr(found, name)
        if not isinstance(value, Usual) and value != planned:
            raise messages.beside_the_plan(name, value, planned)
    for name, value in options.items():
        if name not in found.options or (found.options[name] is not value and found.options[name] != value):
            raise messages.beside_the_plan(name, value, found.options.get(name))
    if inits is not None:
        raise messages.beside_the_plan("inits", inits, found.starts)
    return found.draws, found.warmup, found.chains, found.engine, found.options


def plan_that_ran(plan: Plan, asked: Asked, prepared: Prepared) -> Plan:
    """Give the plan of a run with all that it takes to make it again."""
    return replace(
        plan,
        draws=asked.draws,
        chains=asked.chains,
        threads=int(plan.options.get("threads_per_chain") or 1),
        compiled=ENGINES[plan.engine].compiled,
        chosen=asked.engine == "auto",
        merged=prepared.subject.sampled is not prepared.subject.instance,
        integrated=tuple(name for made in prepared.subject.instance.integrated for name in made.names),
        starts=prepared.request.inits if plan.starts is None else plan.starts,
        centring=prepared.subject.centring,
    )
