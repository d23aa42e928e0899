"""What `fit.kfold()` gives back: the log predictive density of rows that were left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from scistan.diagnostics import Context
from scistan.messages import judge
from scistan.messages import leaving_out as messages

__all__ = ["CrossValidation"]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Expected log predictive densities by refitting, one for each element of the observed variable.

    `folds` has the fold of each row, `group_of` its group, `ill` the verdict on each fold's fit that is not healthy,
    `whole_fit` what the fit of all rows is ill of, on which `p` rests.
    """

    model: str
    variable: str
    by: str | None
    folds: np.ndarray
    elpd_pointwise: np.ndarray
    mcse_pointwise: np.ndarray
    in_sample: np.ndarray
    groups: tuple[object, ...]
    group_of: np.ndarray
    axis: int
    ill: Mapping[int, str]
    seed: int
    reused: int = 0
    whole_fit: str = ""
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    coords: Mapping[str, Sequence[object]] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """How many folds there are."""
        return int(self.folds.max()) + 1

    @property
    def elpd(self) -> float:
        """The sum of the log predictive densities of all that was left out."""
        return float(self.elpd_pointwise.sum())

    @property
    def se(self) -> float:
        """The standard error of `elpd`, from how much observations differ."""
        return float(np.sqrt(self.elpd_pointwise.size) * self.elpd_pointwise.std(ddof=1))

    @property
    def mcse(self) -> float:
        """The Monte-Carlo error of `elpd`: what other seeds would change."""
        return float(np.sqrt(np.square(self.mcse_pointwise).sum()))

    @property
    def p(self) -> float:
        """The effective number of parameters: how much better rows are predicted that were fitted; without `by`."""
        return float(self.in_sample.sum()) - self.elpd

    @property
    def ok(self) -> bool:
        """Whether every fold's fit is healthy."""
        return not self.ill

    def to_dataframe(self) -> Any:
        """Give every element: its fold, its group, its log predictive density and the error of that."""
        import pandas

        context, shape = Context(self.dims, self.coords), self.elpd_pointwise.shape
        rows = []
        for at in np.ndindex(shape):
            row = at[self.axis]
            group = [self.groups[self.group_of[row]]] if self.groups else []
            label = context.element(self.variable, at, shape)
            rows.append([label, int(self.folds[row]), *group, self.elpd_pointwise[at], self.mcse_pointwise[at]])
        named = [self.by or "group"] if self.groups else []
        return pandas.DataFrame(rows, columns=["element", "fold", *named, "elpd", "mcse"]).set_index("element")

    def by_group(self) -> dict[object, float]:
        """Give the log predictive density of each group, summed over its elements."""
        each = np.moveaxis(self.elpd_pointwise, self.axis, 0).reshape(len(self.folds), -1).sum(1)
        sums = np.bincount(self.group_of, weights=each)
        return dict(zip(self.groups, map(float, sums), strict=True)) if self.groups else {}

    # -- how it shows itself ----------------------------------------------------------------------
    @property
    def _rows(self) -> list[tuple[str, str]]:
        found = [("elpd", f"{self.elpd:.1f} ± {self.se:.1f}"), ("Monte-Carlo error", f"{self.mcse:.2g}")]
        # Where groups are left out, other quantities are predicted than in the fit: the difference counts nothing.
        return [*found, ("p", f"{self.p:.1f}")] if self.by is None else found

    @property
    def _head(self) -> str:
        return messages.kfold_verdict(self.model, self.variable, self.k, self.by, self.elpd_pointwise.size)

    @property
    def _told(self) -> list[str]:
        told = [messages.folds_ill(self.ill, self.k)] if self.ill else []
        told += [messages.whole_fit_ill(self.whole_fit)] if self.whole_fit and self.by is None else []
        return [*told, judge.results_reused(self.reused)] if self.reused else told

    def __repr__(self) -> str:
        lines = [f"  {name:<18} {value}" for name, value in self._rows]
        return "\n".join([self._head, *lines, *(f"  {text}" for text in self._told)])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in self._rows)
        told = "".join(f"<p>{escape(text)}</p>" for text in self._told)
        return f"<p>{escape(self._head)}</p><table>{rows}</table>{told}"
