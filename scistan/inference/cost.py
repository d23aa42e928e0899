"""The counted cost of a whole run by its plan: gradients, and the metric's own work; never the clock."""

from __future__ import annotations

from scistan.engines.declaration import MetricWork
from scistan.engines.registry import ENGINES
from scistan.graph.instance import Instance
from scistan.inference.plan import Plan
from scistan.inference.work import coordinates, gradient_work

__all__ = ["counted_cost"]

# An engine that declares no work of its metrics has some that is small beside a gradient's.
_NONE = MetricWork(step=0.0, coordinate=0.0)


def counted_cost(plan: Plan, steps: float, instance: Instance) -> float:
    """Count the cost of a whole run with so many steps a draw, in nanoseconds."""
    work, size = ENGINES[plan.engine].work.get(plan.metric, _NONE), coordinates(instance)
    run = (plan.warmup + plan.draws) * steps * (gradient_work(instance) + work.of_step(size))
    return plan.chains * (run + plan.warmup * work.of_adaptation(size))
