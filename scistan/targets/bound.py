"""Which runner a node has that is more than a function of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.targets.drawing import DerivedDraw
from scistan.targets.equation import Equation
from scistan.targets.recurrence import Recurrence
from scistan.targets.values import Backend

__all__ = ["runner_of"]

_RUNNERS: dict[str, Any] = {"scan": Recurrence, "ode": Equation, "drawn": DerivedDraw}


def runner_of(instance: Instance, backend: Backend, node: Apply, batched: Sequence[bool]) -> Callable[..., Any]:
    """Give what runs a node; `batched` says which arguments have a first axis over draws."""
    run: Callable[..., Any] = _RUNNERS[node.op.name](instance, backend, node, batched, runner_of).run
    return run
