"""When a call began, and whether its packages were still to be imported: taken before anything else is."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from scistan.engines.registry import ENGINES, engine_for_many

__all__ = ["Start", "is_cold"]

# The package whose import is most of a first call.
_COLD = {"stan": ENGINES[engine_for_many()].packages[0], "torch": "torch", "scipy": "arviz"}


def is_cold(target: str) -> bool:
    """Tell whether a first call of this process has its packages still to import."""
    return _COLD.get(target, target) not in sys.modules


@dataclass(frozen=True, slots=True)
class Start:
    """The beginning of a call."""

    task: str
    target: str
    cold: bool
    at: float

    @classmethod
    def now(cls, task: str, target: str) -> Start:
        return cls(task, target, is_cold(target), time.perf_counter())

    @property
    def seconds(self) -> float:
        """How long ago that was."""
        return time.perf_counter() - self.at
