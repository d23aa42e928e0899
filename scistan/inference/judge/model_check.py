"""What `fit.check_model()` gives back: its tables, its hints, and how they show themselves."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from scistan.diagnostics.diagnosis import Hint, Unassessed
from scistan.given import as_choice
from scistan.inference.judge.loo_pit import Pit
from scistan.inference.judge.predictive import Compared
from scistan.inference.judge.sensitivity import Sensitivity
from scistan.messages import model_check as messages

__all__ = ["ModelCheck"]

_SHOWN = 12
_TABLES = ("statistics", "calibration", "sensitivity", "hints")


@dataclass(frozen=True, slots=True, eq=False)
class ModelCheck:
    """Statistics of the data beside the model's, calibration of its predictions, and what its posterior rests on.

    `hints` have a fact and a suggestion each, as those of `fit.diagnose()`; `level` is the chance of a false alarm, for
    the statistics together and for the calibration. `remarks` say what the fit itself is ill of.
    """

    model: str
    statistics: tuple[Compared, ...]
    calibration: tuple[Pit, ...]
    sensitivity: tuple[Sensitivity, ...]
    hints: tuple[Hint, ...]
    unassessed: tuple[Unassessed, ...]
    level: float
    draws: int
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.hints

    def __bool__(self) -> bool:
        return self.ok

    def hint(self, check: str) -> Hint | None:
        """Give the first finding of one check; None where it found nothing."""
        return next((h for h in self.hints if h.check == check), None)

    def to_dataframe(self, table: str = "statistics") -> Any:
        """Give one of the tables: `statistics`, `calibration`, `sensitivity` or `hints`."""
        import pandas

        columns = _COLUMNS[as_choice("table", table, _TABLES)]
        rows = [[getattr(row, column) for column in columns] for row in getattr(self, table)]
        return pandas.DataFrame(rows, columns=list(columns))

    def plot(self) -> Any:
        """Draw the places of the observations beside the band of calibrated predictions: matplotlib's figure."""
        from scistan.inference.judge.rank_plot import plot_places

        return plot_places({one.variable: one.places for one in self.calibration}, "place of the observation")

    # -- how it shows itself ----------------------------------------------------------------------
    @property
    def verdict(self) -> str:
        """One line."""
        return messages.check_verdict(self.model, [h.check for h in self.hints])

    def _sections(self) -> list[tuple[str, list[str], list[list[str]]]]:
        """Give the tables as text: a title, the columns and the rows of each."""
        spoken = sorted(self.sensitivity, key=lambda m: -max(m.prior, 0))[:_SHOWN]
        return [
            (
                f"statistics of the data, and of {self.draws} data sets drawn by the fit",
                ["variable", "statistic", "observed", "drawn (90 %)", "p"],
                [
                    [c.variable, c.statistic, f"{c.observed:.4g}", c.interval, f"{c.p:.3f} ± {c.mcse:.3f}"]
                    for c in self.statistics
                ],
            ),
            (
                "calibration: where observations lie in predictions made without them",
                ["variable", "mean place", "spread", "p"],
                [[c.variable, f"{c.mean:.2f}", f"{c.spread:.2f}", f"{c.p:.2g}"] for c in self.calibration],
            ),
            (
                "sensitivity: how far a posterior moves with the prior and with the likelihood",
                ["element", "prior", "likelihood"],
                [[m.element, f"{m.prior:.3f}", f"{m.likelihood:.3f}"] for m in spoken],
            ),
        ]

    @property
    def _besides(self) -> list[str]:
        told = [f"{u.check} not assessed: {u.why}" for u in self.unassessed]
        told += [messages.pit_unreliable(c.variable, c.unreliable) for c in self.calibration if c.unreliable]
        more = len(self.sensitivity) - _SHOWN
        return [*told, messages.more_sensitivities(more)] if more > 0 else told

    def __repr__(self) -> str:
        lines = [self.verdict, *(f"  {text}" for text in self.remarks)]
        for hint in self.hints:
            lines += [f"  {hint.fact}", f"    try: {hint.suggestion}"]
        for title, columns, rows in self._sections():
            if rows:
                lines += ["", title, *_aligned([columns, *rows])]
        return "\n".join([*lines, *([""] if self._besides else []), *self._besides])

    def _repr_html_(self) -> str:
        hints = "".join(
            f"<tr><td>{escape(h.check)}</td><td>{escape(h.fact)}</td><td>{escape(h.suggestion)}</td></tr>"
            for h in self.hints
        )
        head = "<table><tr><th>check</th><th>finding</th><th>suggestion</th></tr>"
        told = "".join(f"<p>{escape(text)}</p>" for text in (self.verdict, *self.remarks))
        parts = [told, f"{head}{hints}</table>" if hints else ""]
        for title, columns, rows in self._sections():
            if rows:
                top = "".join(f"<th>{escape(c)}</th>" for c in columns)
                body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
                parts.append(f"<p>{escape(title)}</p><table><tr>{top}</tr>{body}</table>")
        return "".join([*parts, *(f"<p>{escape(text)}</p>" for text in self._besides)])


_COLUMNS = {
    "statistics": ("variable", "statistic", "observed", "low", "high", "p", "mcse"),
    "calibration": ("variable", "mean", "spread", "p", "unreliable"),
    "sensitivity": ("element", "prior", "likelihood"),
    "hints": ("check", "value", "threshold", "variables", "fact", "suggestion"),
}


def _aligned(rows: list[list[str]]) -> list[str]:
    """Put cells below each other: names to the left, numbers to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    put = [str.ljust, *[str.rjust] * (len(widths) - 1)]
    return ["  " + "  ".join(side(cell, w) for side, cell, w in zip(put, row, widths, strict=True)) for row in rows]
