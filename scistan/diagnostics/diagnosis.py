"""A diagnosis: a verdict and a list of hints, the one to act on first."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from scistan.diagnostics.hint import SEVERITIES, Hint, Owner

if TYPE_CHECKING:
    from scistan.diagnostics.check import Evidence

__all__ = ["Diagnosis", "Hint", "Unassessed", "in_order"]

_COLUMNS = (
    "severity", "check", "value", "threshold", "variables", "fact", "suggestion", "line", "learn_more", "change",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Unassessed:
    """A check that could not be made, and why."""

    check: str
    why: str


def in_order(hints: Iterable[Hint]) -> tuple[Hint, ...]:
    """Sort hints: the severest first, and of those the one nearest to the cause."""
    return tuple(sorted(hints, key=lambda hint: hint.order))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings of every check on a fit; `checks` are those that were made.

    `remarks` are facts of the model that a healthy run does not show: that nothing was observed, for one. `evidence`
    is what the checks looked at, so that more of them can be made without measuring twice.
    """

    hints: tuple[Hint, ...]
    checks: tuple[str, ...]
    unassessed: tuple[Unassessed, ...] = ()
    remarks: tuple[str, ...] = ()
    evidence: Evidence | None = field(default=None, repr=False, compare=False)

    @property
    def findings(self) -> tuple[Hint, ...]:
        """The hints that ask for something to be done: all but notes."""
        return tuple(hint for hint in self.hints if hint.severity != SEVERITIES[-1])

    @property
    def notes(self) -> tuple[Hint, ...]:
        """The hints that tell what is good to know, and nothing that is wrong."""
        return tuple(hint for hint in self.hints if hint.severity == SEVERITIES[-1])

    @property
    def ok(self) -> bool:
        """Whether every check was made and none found anything wrong; a note is nothing wrong."""
        return not self.findings and not self.unassessed

    @property
    def verdict(self) -> str:
        """One line: what must not be overlooked; then healthy, or which checks found something; then what to know."""
        told = (f"to know: {_names(self.notes)}",) if self.notes else ()
        return "; ".join((*self.remarks, self._health, *told))

    @property
    def _health(self) -> str:
        if self.ok:
            told = {hint.check for hint in self.notes}
            return f"healthy: {', '.join(c for c in self.checks if c not in told)} are within their thresholds"
        if not self.findings:
            return f"no finding, but not every check could be made: {self._left_out}"
        return f"{len(self.findings)} finding(s): {_names(self.findings)}"

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

    def owned_by(self, owner: Owner) -> Diagnosis:
        """Give the same findings as those of a fit, so that suggestions can be tried on it."""
        return replace(self, hints=tuple(replace(hint, owner=owner) for hint in self.hints))

    def to_dataframe(self) -> Any:
        """Give the findings as a pandas table."""
        import pandas

        rows = [[_cell(getattr(h, c)) for c in _COLUMNS] for h in self.hints]
        return pandas.DataFrame(rows, columns=list(_COLUMNS))

    def to_json(self, indent: int | None = None) -> str:
        """Give everything as a JSON text."""
        plain = {
            "ok": self.ok,
            "verdict": self.verdict,
            "hints": [hint.to_plain() for hint in self.hints],
            "checks": list(self.checks),
            "unassessed": [{"check": u.check, "why": u.why} for u in self.unassessed],
            "remarks": list(self.remarks),
        }
        return json.dumps(plain, indent=indent, ensure_ascii=False, allow_nan=False)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        lines = [self.verdict]
        for hint in self.hints:
            lines += [f"  {line}" for line in str(hint).splitlines()]
        return "\n".join(lines + [f"  {self._left_out}"] * self._besides)

    @property
    def _besides(self) -> bool:
        """Whether checks that were not made are to be told beside the findings."""
        return bool(self.findings and self.unassessed)

    def _repr_html_(self) -> str:
        if not self.hints:
            return f"<p>{escape(self.verdict)}</p>"
        head = "".join(f"<th>{word}</th>" for word in ("", "check", "finding", "where", "suggestion", "more"))
        rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _cells(h))}</tr>" for h in self.hints)
        besides = f"<p>{escape(self._left_out)}</p>" * self._besides
        return f"<p>{escape(self.verdict)}</p><table><tr>{head}</tr>{rows}</table>{besides}"


def _names(hints: Iterable[Hint]) -> str:
    return ", ".join(dict.fromkeys(h.check for h in hints))


def _cell(value: object) -> object:
    """Leave numbers and names as they are; places and changes become text."""
    return value if value is None or isinstance(value, str | float | tuple) else str(value)


def _cells(hint: Hint) -> tuple[str, ...]:
    where = "" if hint.line is None else str(hint.line)
    return hint.severity, hint.check, hint.fact, where, hint.suggestion, hint.learn_more
