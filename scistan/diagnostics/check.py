"""What a check is: a measure, its threshold, what it needs, its words, and what another run could do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from scistan.diagnostics.change import Change
from scistan.diagnostics.context import Context
from scistan.diagnostics.diagnosis import Hint, Unassessed
from scistan.diagnostics.statistics import Health
from scistan.diagnostics.sweep import Sweep

__all__ = ["Check", "Cure", "Evidence", "Finding", "Measured"]

PAGE = "docs/diagnosis.md"
_SHOWN = 5


class Cure(Enum):
    """What `engine="auto"` can do about a finding with another run."""

    NONE = "nothing: the finding is told, and no other run is made for it"
    METRIC = "a metric that adapts to correlations"
    STEPS = "smaller steps"
    ENGINE = "another engine, then smaller steps"


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What the checks look at: the sampler's statistics (chain, draw), and what was measured of the draws.

    `health` is empty where chains are too short to be measured, `odd` names variables with draws that are not finite.
    The draws themselves, a `swept` look at them, and what the quick checks found (`symptoms`) are there for the
    thorough checks alone. `certificate` has the error and the tolerance of the engine's density.
    """

    chains: int
    draws: int
    statistics: Mapping[str, np.ndarray] = field(default_factory=dict)
    health: Mapping[str, Health] = field(default_factory=dict)
    odd: tuple[str, ...] = ()
    max_treedepth: int = 10
    context: Context = field(default_factory=Context)
    posterior: Mapping[str, np.ndarray] = field(default_factory=dict)
    swept: Sweep | None = None
    symptoms: tuple[Hint, ...] = ()
    certificate: tuple[float, float] | None = None

    @property
    def proposes(self) -> bool:
        """Whether draws were proposed independently and weighed: there are no trajectories, and no steps."""
        return "log_weight" in self.statistics

    def element(self, number: int) -> str:
        """Call an element of the sweep by its labels."""
        if self.swept is None:
            return ""
        return self.context.element(*self.swept.address(number))

    def named(self, elements: np.ndarray) -> tuple[str, ...]:
        """Call elements of the sweep by their labels."""
        return tuple(self.element(int(k)) for k in elements)

    def column(self, number: int) -> np.ndarray:
        """Give the draws (chain, draw) of an element of the sweep, where they lie."""
        name, at, _ = self.swept.address(number) if self.swept is not None else ("", (), ())
        where: Any = (slice(None), slice(None), *at)
        return np.asarray(self.posterior[name][where])

    def has(self, *checks: str) -> bool:
        """Tell whether one of these quick checks found something."""
        return any(hint.check in checks for hint in self.symptoms)

    @property
    def gravest(self) -> str:
        """The severity of a cause of what was found: that of the gravest symptom."""
        return "error" if any(hint.severity == "error" for hint in self.symptoms) else "warning"


@dataclass(frozen=True, slots=True)
class Measured:
    """The worst number, and the places, worst first, that lie beyond the threshold; `more` is for the words."""

    value: float
    places: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A number beyond its threshold, as a check's words see it."""

    value: float
    limit: float
    places: tuple[str, ...]
    seen: Evidence
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """Some of the places."""
        shown = ", ".join(self.places[:_SHOWN])
        return shown if len(self.places) <= _SHOWN else f"{shown} and {len(self.places) - _SHOWN} more"


def _nothing(found: Finding) -> Change | None:
    return None


def _always(value: float, chains: int, draws: int) -> bool:
    return True


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """One check on draws.

    `measure` is given the evidence and the threshold, and gives what lies beyond it, or None. A check `needs` so many
    draws in each chain, so many chains, and a statistic of the sampler's; with fewer chains it is made nevertheless,
    and said not to be assessed: the halves of one chain show some faults, never all. One that is `of_trajectories` is
    about samplers that have some: it does not concern one that draws by proposals and weights.
    `cure` says what `auto` does about a finding, `curable` (value, chains, draws) for which findings: none unless
    declared. One that is not `listed` can always be made, so that a verdict need not name it.
    `severity` is told of the finding, or depends on it; `nearness` and `learn_more` are the hint's, `change` is what
    the suggestion asks for; the line shown is that of the first place, or of what `about` among `more` names.
    """

    name: str
    threshold: float
    measure: Callable[[Evidence, float], Measured | None]
    fact: Callable[[Finding], str]
    suggestion: Callable[[Finding], str]
    needs_draws: int = 1
    needs_chains: int = 1
    needs_statistic: str = ""
    of_trajectories: bool = False
    threshold_per_chain: bool = False
    cure: Cure = Cure.NONE
    curable: Callable[[float, int, int], bool] = _always
    listed: bool = True
    severity: str | Callable[[Finding], str] = "warning"
    nearness: int | Callable[[Finding], int] = 1
    learn_more: str = ""
    change: Callable[[Finding], Change | None] = _nothing

    def concerns(self, seen: Evidence) -> bool:
        """Tell whether there is anything of the kind in these draws that the check is about."""
        return not (self.of_trajectories and seen.proposes)

    def unassessed(self, seen: Evidence) -> Unassessed | None:
        """Say why these draws do not allow the check; None where they do."""
        if seen.draws < self.needs_draws:
            return Unassessed(self.name, f"needs at least {self.needs_draws} draws in each chain")
        if seen.chains < self.needs_chains:
            return Unassessed(self.name, f"needs at least {self.needs_chains} chains")
        if self.needs_statistic and self.needs_statistic not in seen.statistics:
            return Unassessed(self.name, "the engine recorded nothing of it")
        return None

    def hint(self, seen: Evidence) -> Hint | None:
        """Give what the check finds."""
        if seen.draws < self.needs_draws or (self.needs_statistic and self.needs_statistic not in seen.statistics):
            return None
        limit = self.threshold * seen.chains if self.threshold_per_chain else self.threshold
        found = self.measure(seen, limit)
        if found is None:
            return None
        told = Finding(found.value, limit, found.places, seen, found.more)
        about = str(found.more.get("about", found.places[0] if found.places else ""))
        return Hint(
            self.name,
            found.value,
            limit,
            found.places,
            self.fact(told),
            self.suggestion(told),
            self.severity if isinstance(self.severity, str) else self.severity(told),
            seen.context.line(about) if about else None,
            f"{PAGE}#{self.learn_more or self.name.lower().replace(' ', '-')}",
            self.change(told),
            self.nearness if isinstance(self.nearness, int) else self.nearness(told),
        )

    def asks_for_a_run(self, value: float, chains: int, draws: int) -> bool:
        """Tell whether another run could cure a finding of this value."""
        return self.cure is not Cure.NONE and self.curable(value, chains, draws)
