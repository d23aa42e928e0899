"""A hint: what was measured, against which threshold, where in the model, and what to try."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Protocol

from scistan.diagnostics.change import Change
from scistan.errors import Place
from scistan.messages import diagnosis as messages

__all__ = ["CAUSE", "SEVERITIES", "Hint", "Owner"]

SEVERITIES = ("error", "warning", "note")
CAUSE = 0  # the nearness of a hint that names what lies behind others


class Owner(Protocol):
    """The fit that a hint is about."""

    def _try_hint(self, hint: Hint, draws: int | None, seed: int | None) -> Any:
        """Run a short trial of what a hint suggests."""
        ...


@dataclass(frozen=True, slots=True)
class Hint:
    """One finding.

    An "error" says that the draws cannot stand for the posterior, a "warning" that they or the model deserve a look,
    a "note" that nothing is wrong but something should be known. `line` is where the user wrote what it is about,
    `learn_more` a section of the docs, `change` the suggestion for a machine; `nearness` orders hints of one severity:
    causes first, then what they bring about.
    """

    check: str
    value: float
    threshold: float
    variables: tuple[str, ...]
    fact: str
    suggestion: str
    severity: str = "warning"
    line: Place | None = None
    learn_more: str = ""
    change: Change | None = None
    nearness: int = 1
    owner: Owner | None = field(default=None, repr=False, compare=False)

    @property
    def order(self) -> tuple[int, int]:
        """Where it stands among others."""
        return SEVERITIES.index(self.severity), self.nearness

    def try_it(self, draws: int | None = None, seed: int | None = None) -> Any:
        """Run a short trial of the suggestion and show before and after; `fit.refit(hint)` makes a whole run of it."""
        if self.change is None:
            raise messages.nothing_to_try(self.check, self.suggestion)
        if self.owner is None:
            raise messages.no_fit(self.check)
        return self.owner._try_hint(self, draws, seed)

    def to_plain(self) -> dict[str, Any]:
        """Give it as plain values, for JSON, which has no number that is not finite."""
        return {
            "check": self.check,
            "severity": self.severity,
            "value": self.value if math.isfinite(self.value) else str(self.value),
            "threshold": self.threshold,
            "variables": list(self.variables),
            "fact": self.fact,
            "suggestion": self.suggestion,
            "line": None if self.line is None else {"file": self.line.file, "line": self.line.line},
            "learn_more": self.learn_more,
            "change": None if self.change is None else self.change.to_plain(),
        }

    def __str__(self) -> str:
        parts = [f"{self.severity}: {self.fact}"]
        parts += [f"  at {self.line}"] if self.line is not None else []
        parts += [f"  try: {self.suggestion}"]
        return "\n".join(parts)
