"""A diagnosis: a verdict and a list of hints, each with a number, a threshold, a place and a suggestion."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

__all__ = ["Diagnosis", "Hint", "Unassessed"]


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
class Unassessed:
    """A check that could not be made, and why."""

    check: str
    why: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings of every check on a fit; `checks` are those that were made.

    `remarks` are facts of the model that a healthy run does not show: that nothing was observed, for one.
    """

    hints: tuple[Hint, ...]
    checks: tuple[str, ...]
    unassessed: tuple[Unassessed, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every check was made and none found anything."""
        return not self.hints and not self.unassessed

    @property
    def verdict(self) -> str:
        """One line: what must not be overlooked; then healthy, or which checks found something."""
        return "; ".join((*self.remarks, self._health))

    @property
    def _health(self) -> str:
        if self.ok:
            return f"healthy: {', '.join(self.checks)} are within their thresholds"
        if not self.hints:
            return f"no finding, but not every check could be made: {self._left_out}"
        return f"{len(self.hints)} finding(s): {', '.join(dict.fromkeys(h.check for h in self.hints))}"

    @property
    def _left_out(self) -> str:
        """The checks that were not made, by reason."""
        by_reason: dict[str, list[str]] = {}
        for u in self.unassessed:
            by_reason.setdefault(u.why, []).append(u.check)
        return "; ".join(f"{', '.join(checks)} not assessed ({why})" for why, checks in by_reason.items())

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
        lines = [self.verdict]
        for hint in self.hints:
            lines += [f"  {hint.fact}", f"    try: {hint.suggestion}"]
        return "\n".join(lines + [f"  {self._left_out}"] * self._besides)

    @property
    def _besides(self) -> bool:
        """Whether checks that were not made are to be told beside the findings."""
        return bool(self.hints and self.unassessed)

    def _repr_html_(self) -> str:
        if not self.hints:
            return f"<p>{escape(self.verdict)}</p>"
        rows = "".join(
            f"<tr><td>{escape(h.check)}</td><td>{escape(h.fact)}</td><td>{escape(h.suggestion)}</td></tr>"
            for h in self.hints
        )
        besides = f"<p>{escape(self._left_out)}</p>" * self._besides
        remarks = "".join(f"<p>{escape(line)}</p>" for line in self.remarks)
        return f"{remarks}<table><tr><th>check</th><th>finding</th><th>suggestion</th></tr>{rows}</table>{besides}"
