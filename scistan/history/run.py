"""What is remembered of a run: numbers, and hashes of a structure and a machine; no data, names or text of a model."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields
from typing import Any

from scistan.history.machine import machine_key
from scistan.version import __version__

__all__ = ["COLUMNS", "Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what was done where, how large it was, and what it cost.

    `asked` are the iterations that were asked for, `iterations` those that were made; `evaluations` counts gradients,
    or densities, of `work` units each; `effective` is the smallest effective number of draws. `chosen` is 1 where
    `auto` chose the engine; `cold` is 1 where packages were still to be imported, 2 where the process had not met its
    model yet. `fixed` are the seconds beside the engine's own, `memory` the process's high water in bytes. A run that
    failed has its error's class in `failure`.
    """

    task: str
    backend: str
    engine: str = ""
    metric: str = ""
    device: str = ""
    structure: str = ""
    parameters: int = 0
    rows: int = 0
    data_size: int = 0
    work: float = 0.0
    chains: int = 0
    at_once: int = 1
    chosen: int = 0
    cold: int = 0
    asked: int = 0
    iterations: int = 0
    evaluations: float = 0.0
    seconds: float = 0.0
    fixed: float = 0.0
    compile: float = 0.0
    trial: float = 0.0
    sampling: float = 0.0
    effective: float = 0.0
    memory: int = 0
    failure: str = ""
    at: float = field(default_factory=time.time)
    machine: str = field(default_factory=machine_key)
    version: str = __version__

    @property
    def good(self) -> bool:
        return not self.failure

    def values(self) -> tuple[Any, ...]:
        """Give the numbers in the order of the columns."""
        return tuple(getattr(self, name) for name in COLUMNS)


# Column -> its type in SQLite.
COLUMNS = {f.name: {"str": "TEXT", "int": "INTEGER", "float": "REAL"}[str(f.type)] for f in fields(Run)}
