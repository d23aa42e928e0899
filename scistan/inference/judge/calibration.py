"""What `m.sbc()` gives back: ranks of the true values, whether they are uniform, and how that shows itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from scistan.diagnostics import Context
from scistan.inference.judge.uniform import p_value
from scistan.messages import judge as messages

__all__ = ["Calibration", "Row"]

_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Row:
    """One element: where the truth lay on average (0.5 if right), how widely (1 if right), and its p-value."""

    element: str
    replications: int
    mean_place: float
    spread: float
    draws: int
    p: float

    @property
    def reading(self) -> str:
        """What the ranks look like: a fact of this sample, whatever its p-value."""
        return messages.rank_shape(self.mean_place, self.spread, self.replications)


@dataclass(frozen=True, eq=False)
class Calibration:
    """The ranks of true values among posterior draws, over replications (first axis).

    `places` are the ranks between 0 and 1, uniform where the fits are right; NaN where an element never varies.
    `level` is the chance that `ok` is False for a model that is right, over all elements together (Bonferroni).
    """

    model: str
    ranks: Mapping[str, np.ndarray]
    among: Mapping[str, np.ndarray]
    places: Mapping[str, np.ndarray]
    numbers: tuple[int, ...]
    divergences: tuple[int, ...]
    failed: Mapping[int, str]
    asked: int
    reused: int
    interrupted: bool
    seed: int
    level: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coords: Mapping[str, Sequence[object]] = field(default_factory=dict)

    @property
    def replications(self) -> int:
        """How many replications were made."""
        return len(self.numbers)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every element that varies, in the model's order."""
        context = Context(self.dims, self.coords)
        found = []
        for name, places in self.places.items():
            for at in np.ndindex(places.shape[1:]):
                own = places[(slice(None), *at)]
                used = own[np.isfinite(own)]
                if not used.size:
                    continue
                found.append(
                    Row(
                        context.element(name, at, places.shape[1:]),
                        used.size,
                        float(used.mean()),
                        float(used.std() * np.sqrt(12)),
                        int(np.median(self.among[name][(slice(None), *at)])),
                        p_value(used),
                    )
                )
        return tuple(found)

    @property
    def p_values(self) -> dict[str, float]:
        """The p-value of each element: exact for independent draws."""
        return {row.element: row.p for row in self.rows}

    @property
    def threshold(self) -> float:
        """The p-value below which an element counts as not calibrated."""
        return self.level / max(1, len(self.rows))

    @property
    def uncalibrated(self) -> tuple[Row, ...]:
        """The elements whose ranks are not uniform, worst first."""
        return tuple(sorted((r for r in self.rows if r.p < self.threshold), key=lambda r: r.p))

    @property
    def ok(self) -> bool:
        """Whether every replication was made and every element's ranks are uniform."""
        return not self.uncalibrated and not self.failed and self.replications == self.asked

    def __bool__(self) -> bool:
        return self.ok

    def to_dataframe(self) -> Any:
        """Give the elements as a pandas table."""
        import pandas

        columns = ("element", "replications", "mean_place", "spread", "draws", "p")
        table = pandas.DataFrame([[getattr(r, c) for c in columns] for r in self.rows], columns=list(columns))
        return table.assign(ok=table["p"] >= self.threshold).set_index("element")

    table = to_dataframe

    def plot(self, var_names: Sequence[str] | str | None = None, kind: str = "both", most: int = 12) -> Any:
        """Draw rank histograms and differences of the empirical distribution, with bands: matplotlib's figure."""
        from scistan.inference.judge.rank_plot import plot_ranks

        return plot_ranks(self, var_names, kind, most)

    # -- how it shows itself ----------------------------------------------------------------------
    @property
    def verdict(self) -> str:
        """One line."""
        bad = [r.element for r in self.uncalibrated]
        made = messages.replications_made(self.replications, self.asked, self.interrupted)
        return messages.sbc_verdict(self.model, made, len(self.rows), bad, self.level)

    @property
    def _told(self) -> list[str]:
        """What else must not be overlooked."""
        diverged = sum(count > 0 for count in self.divergences)
        told = [messages.sbc_divergences(diverged, self.replications)] if diverged else []
        if self.failed:
            told.append(messages.sbc_failures(self.failed, self.asked))
        if self.reused:
            told.append(messages.results_reused(self.reused))
        return told

    def _listed(self) -> tuple[list[Row], int]:
        """Give the rows to show: all of them, or the smallest p-values."""
        if len(self.rows) <= _SHOWN:
            return list(self.rows), 0
        worst = sorted(self.rows, key=lambda r: r.p)[:_SHOWN]
        return worst, len(self.rows) - _SHOWN

    def __repr__(self) -> str:
        rows, more = self._listed()
        width = max([len(r.element) for r in rows] + [8])
        lines = [self.verdict, f"  {'element':<{width}}  mean place  spread  draws        p"]
        for r in rows:
            told = f"  {r.reading}" if r.p < self.threshold else ""
            numbers = f"{r.mean_place:10.2f}  {r.spread:6.2f}  {r.draws:5d}  {r.p:7.2g}"
            lines.append(f"  {r.element:<{width}}  {numbers}{told}")
        lines += [f"  … and {more} more, with larger p"] * bool(more)
        return "\n".join([*lines, *(f"  {text}" for text in self._told)])

    def _repr_html_(self) -> str:
        rows, more = self._listed()
        cells = "".join(
            f"<tr><td>{escape(r.element)}</td><td>{r.mean_place:.2f}</td><td>{r.spread:.2f}</td><td>{r.draws}</td>"
            f"<td>{r.p:.2g}</td><td>{escape(r.reading) if r.p < self.threshold else ''}</td></tr>"
            for r in rows
        )
        head = "<tr><th>element</th><th>mean place</th><th>spread</th><th>draws</th><th>p</th><th></th></tr>"
        besides = "".join(f"<p>{escape(text)}</p>" for text in self._told)
        rest = f"<p>… and {more} more, with larger p</p>" * bool(more)
        return f"<p>{escape(self.verdict)}</p><table>{head}{cells}</table>{rest}{besides}"
