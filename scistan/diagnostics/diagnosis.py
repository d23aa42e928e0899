"""A diagnosis: a verdict and a list of hints, each with a number, a threshold, a place and a suggestion."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

__all__ = ["Diagnosis", "Hint"]


@dataclass(frozen=True, slots=True)
class Hint:
    """One finding: what was measured, against which threshold, where, and what to try."""

    check: str
    value: float
    threshold: float
    variables: tuple[str, ...]
    fact: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings of every check on a fit."""

    hints: tuple[Hint, ...]
    checks: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.hints

    @property
    def verdict(self) -> str:
        """One line: healthy, or which checks found something."""
        if self.ok:
            return f"healthy: {', '.join(self.checks)} are within their thresholds"
        return f"{len(self.hints)} finding(s): {', '.join(dict.fromkeys(h.check for h in self.hints))}"

    def hint(self, check: str) -> Hint | None:
        """Give the finding of one check; None where it found nothing."""
        return next((h for h in self.hints if h.check == check), None)

    def to_dataframe(self) -> Any:
        """Give the findings as a pandas table."""
        import pandas

        columns = ("check", "value", "threshold", "variables", "fact", "suggestion")
        return pandas.DataFrame([[getattr(h, c) for c in columns] for h in self.hints], columns=list(columns))

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        if self.ok:
            return self.verdict
        lines = [self.verdict]
        for hint in self.hints:
            lines += [f"  {hint.fact}", f"    try: {hint.suggestion}"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        if self.ok:
            return f"<p>{escape(self.verdict)}</p>"
        rows = "".join(
            f"<tr><td>{escape(h.check)}</td><td>{escape(h.fact)}</td><td>{escape(h.suggestion)}</td></tr>"
            for h in self.hints
        )
        return f"<table><tr><th>check</th><th>finding</th><th>suggestion</th></tr>{rows}</table>"
