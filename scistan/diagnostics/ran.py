"""What was run: the engine and the settings of every attempt, so that nothing is advised that was done already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from scistan.engines.declaration import LOW_RANK
from scistan.engines.registry import ENGINES, preferred

__all__ = ["Ran"]

# Stan's own, where a run said nothing.
DELTA, DEPTH, LONG = 0.8, 10, 1000
DELTAS = (0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Ran:
    """The run that gave the draws, and the `attempts` that `auto` made before it took this one.

    `superchains` numbers chains by the point they started from, where several started from one.
    """

    engine: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    attempts: tuple[Mapping[str, Any], ...] = ()
    superchains: tuple[int, ...] = ()

    @classmethod
    def of(cls, engine: str, settings: Mapping[str, Any]) -> Ran:
        """Read what a fit recorded of its run."""
        attempts, groups = settings.get("attempts", ()), settings.get("superchains", ())
        return cls(engine, settings, tuple(attempts), tuple(groups))

    @property
    def starts(self) -> str:
        """How the chains were started: "prior", "pathfinder", "given", or "" for the engine's own way."""
        return str(self.settings.get("starts", ""))

    @property
    def warmup(self) -> int:
        return int(self.settings.get("warmup") or LONG)

    @property
    def draws(self) -> int:
        return int(self.settings.get("draws") or LONG)

    @property
    def most_warmup(self) -> int:
        """The longest warm-up of all attempts."""
        return max((int(a.get("warmup") or LONG) for a in self._all), default=LONG)

    @property
    def highest_delta(self) -> float:
        """The largest `adapt_delta` of all attempts."""
        return max((float(a.get("adapt_delta") or DELTA) for a in self._all), default=DELTA)

    @property
    def next_delta(self) -> float | None:
        """The next larger `adapt_delta` worth trying; None where the largest was tried."""
        return next((delta for delta in DELTAS if delta > self.highest_delta), None)

    @property
    def max_treedepth(self) -> int:
        return int(self.settings.get("max_treedepth") or DEPTH)

    @property
    def adapts_to_correlations(self) -> bool:
        """Whether a metric that adapts to correlations was tried; an engine with a low-rank one takes it unasked."""
        return any((a.get("metric") or _own_metric(a)) in (LOW_RANK, "dense", "dense_e") for a in self._all)

    @property
    def low_rank(self) -> dict[str, Any] | None:
        """The options that ask for a metric that adapts to correlations; None where that was tried or cannot be."""
        quick = preferred(ENGINES, lambda engine: engine.low_rank)
        if self.adapts_to_correlations or not quick:
            return None
        return {"metric": LOW_RANK} if self.engine in quick else {"engine": quick[0], "metric": LOW_RANK}

    @property
    def low_rank_words(self) -> str:
        """The same as one writes it; "" where there is nothing to advise."""
        return ", ".join(f"{name}={value!r}" for name, value in (self.low_rank or {}).items())

    @property
    def stans(self) -> str:
        """The engine that ran where it has Stan's own sampler, which takes starting values; else one that has."""
        known = preferred(ENGINES, lambda engine: engine.stans_nuts)
        return self.engine if self.engine in known else known[0]

    @property
    def _all(self) -> tuple[Mapping[str, Any], ...]:
        return (*self.attempts, {"engine": self.engine, **self.settings})


def _own_metric(attempt: Mapping[str, Any]) -> str:
    """Give the metric that an engine takes where none is named."""
    engine = ENGINES.get(str(attempt.get("engine", "")))
    return LOW_RANK if engine is not None and engine.low_rank else ""
