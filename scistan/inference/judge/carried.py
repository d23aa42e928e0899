"""A model on its way to other processes: as its record, and built there once, however many tasks need it."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scistan.engines.registry import ENGINES
from scistan.graph.instance import Instance
from scistan.inference.prepare import GRAPH_WORK
from scistan.inference.subject import NOTHING_GENERATED, Fitted
from scistan.inference.summed import summed
from scistan.targets.stan.program import StanProgram, lower_to_stan

__all__ = ["GRAPH_WORK", "Carried"]

_ARRIVED: dict[str, Carried] = {}
_KEPT = 4  # models that a worker remembers


@dataclass(eq=False)
class Carried:
    """A model that tasks share: itself in this process, its record elsewhere; lowered once in each process."""

    fitted: Fitted

    @cached_property
    def instance(self) -> Instance:
        return self.fitted.instance()

    @cached_property
    def program(self) -> StanProgram:
        return lower_to_stan(summed(self.instance).graph, **NOTHING_GENERATED)

    def lowered(self, engine: str, instance: Instance) -> Any:
        """Lower the model, on other data, for an engine that runs no Stan program; compiled once in each process."""
        if not ENGINES[engine].lowering:
            return None
        sampled = summed(instance)
        if engine not in self._lowered:
            self._lowered[engine] = ENGINES[engine].lower(sampled)
        return self._lowered[engine].on(sampled)

    @cached_property
    def _lowered(self) -> dict[str, Any]:
        return {}

    @cached_property
    def text(self) -> str:
        return self.program.text

    @cached_property
    def _packed(self) -> tuple[str, bytes]:
        packed = pickle.dumps(self.fitted)
        return hashlib.sha256(packed).hexdigest(), packed

    def __reduce__(self) -> Any:
        return _arrived, self._packed


def _arrived(digest: str, packed: bytes) -> Carried:
    """Build a model that came as a record, or find it where a task before had it built."""
    with GRAPH_WORK:
        if digest not in _ARRIVED:
            while len(_ARRIVED) >= _KEPT:
                _ARRIVED.pop(next(iter(_ARRIVED)))
            _ARRIVED[digest] = Carried(pickle.loads(packed))
        return _ARRIVED[digest]
