"""When a call began, and what it had to do for the first time: import packages, or meet a model in this process."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from scistan.engines.registry import ENGINES, engine_for_many

__all__ = ["COLD", "NEW", "WARM", "Start", "how_cold", "is_cold"]

# What a call has behind it: all, not its packages' imports, or not the first call of its model in this process, which
# lowers it and imports what only such models need.
WARM, COLD, NEW = 0, 1, 2

# The package whose import is most of a first call.
_COLD = {"stan": ENGINES[engine_for_many()].packages[0], "torch": "torch", "scipy": "arviz"}


def is_cold(target: str) -> bool:
    """Tell whether a first call of this process has its packages still to import."""
    return _COLD.get(target, target) not in sys.modules


def how_cold(target: str, task: str, key: str) -> int:
    """Tell what a call of a task on models of this structure has still to do for the first time."""
    return COLD if is_cold(target) else WARM if (task, key) in _met else NEW


# Tasks that this process has done on models of a structure.
_met: set[tuple[str, str]] = set()


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

    def ended(self, key: str) -> int:
        """Tell what it had to do for the first time, by the structure of its model; the next has that behind it."""
        found = COLD if self.cold else how_cold(self.target, self.task, key)
        _met.add((self.task, key))
        return found
