"""What the history teaches: which engine won on models of a structure, and who failed how often."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from scistan.errors import SamplingError, ToolchainError, UnsupportedError
from scistan.history.machine import machine_key
from scistan.history.run import Run
from scistan.history.store import generation, record, runs

__all__ = ["Counts", "Winner", "counts", "failures_noted", "of_engine", "of_structure", "remembered_winner"]

_NEAR = 4.0  # sizes that differ by no more than this factor teach something of each other
_RECENT = 64


@dataclass(frozen=True, slots=True)
class Counts:
    """How often something was used, and how often it failed."""

    succeeded: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Winner:
    """The engine and metric that gave the most effective draws a second, and in how many runs it was seen."""

    engine: str
    metric: str
    runs: int


class _Cached:
    """What was read of the file, until this process writes to it."""

    def __init__(self) -> None:
        self._at = -1
        self._found: dict[Any, list[Run]] = {}

    def __call__(self, key: Any, condition: str, given: tuple[Any, ...]) -> list[Run]:
        now = generation()
        if now != self._at:
            self._at, self._found = now, {}
        if key not in self._found:
            self._found[key] = runs(condition, given, _RECENT)
        return self._found[key]


_cached = _Cached()


def of_structure(task: str, structure: str) -> list[Run]:
    """Give the last good runs of models of this structure on this machine."""
    key = machine_key(), structure, task
    return _cached(key, "machine = ? AND structure = ? AND task = ? AND failure = ''", key)


def of_engine(task: str, engine: str) -> list[Run]:
    """Give the last good runs of an engine, or a backend, on this machine, whatever the model."""
    key = machine_key(), task, engine
    condition = "machine = ? AND task = ? AND (CASE engine WHEN '' THEN backend ELSE engine END) = ? AND failure = ''"
    return _cached(key, condition, key)


def remembered_winner(structure: str, sizes: tuple[int, int]) -> Winner | None:
    """Tell which engine and metric won on models of this structure; `sizes` are parameters and rows.

    Never to be asked where a seed was given: the same seed must give the same draws, whatever was run before.
    """
    rates: dict[tuple[str, str], list[float]] = {}
    for run in of_structure("mcmc", structure):
        if run.seconds > 0 and run.effective > 0 and _near(run.parameters, sizes[0]) and _near(run.rows, sizes[1]):
            rates.setdefault((run.engine, run.metric), []).append(run.effective / run.seconds)
    if not rates:
        return None
    engine, metric = max(rates, key=lambda who: median(rates[who]))
    return Winner(engine, metric, len(rates[engine, metric]))


def _near(one: int, other: int) -> bool:
    return max(one, other, 1) <= _NEAR * max(min(one, other), 1)


def counts() -> Mapping[str, Counts]:
    """Count successes and failures of each engine, and of each backend that is no engine."""
    found: dict[str, Counts] = {}
    for run in runs():
        name = run.engine or run.backend
        before = found.get(name, Counts())
        found[name] = Counts(before.succeeded + run.good, before.failed + (not run.good))
    return found


@contextmanager
def failures_noted(task: str, backend: str, engine: str = "") -> Iterator[None]:
    """Remember that an engine or a backend failed in the block, whose error goes on."""
    try:
        yield
    except (SamplingError, UnsupportedError, ToolchainError, MemoryError) as error:
        record(Run(task, backend, engine, failure=type(error).__name__))
        raise
