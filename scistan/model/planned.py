"""What a model would do and what that costs, told before it is done: `m.plan(task)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from scistan.model.assignment import Assignable

if TYPE_CHECKING:
    from scistan.graph.instance import Instance
    from scistan.inference.plan import Plan

__all__ = ["Planned"]


class Planned(Assignable):
    """What holds variables, and has verbs that can be planned. Abstract."""

    if TYPE_CHECKING:

        def instance(self) -> Instance: ...
        def _on(self, data: Mapping[str, object] | None) -> Self: ...

    def plan(self, task: str = "mcmc", *, data: Mapping[str, object] | None = None, **arguments: Any) -> Plan:
        """Decide how a verb would do its work with these arguments, and predict what it costs, without doing it.

        `task` is the verb: "mcmc", "pathfinder", "laplace", "variational", "map", "mle", "prior", "predict" or
        "compile". The plan prints the decision, the choices with the seconds expected of each, and why;
        `m.mcmc(plan=plan)` follows it, and so does `m.map(plan=plan)`.
        """
        from scistan.inference.planning.decide import plan_for
        from scistan.inference.summed import summed

        return plan_for(task, summed(self._on(data).instance()), **arguments)
