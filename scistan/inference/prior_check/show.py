"""How a prior check shows itself: as text, as a table in a notebook, and as a DataFrame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from scistan.inference.prior_check.summary import Row, Spread

if TYPE_CHECKING:
    from scistan.inference.prior_check.result import PriorCheck

__all__ = ["as_dataframe", "as_html", "as_text", "number"]

_NAMES = ("mean", "sd", "5 %", "median", "95 %")
_HEAD = ("", "", *_NAMES, "impossible", "far from data")
_LEFT = "style='text-align:left'"


def number(value: float) -> str:
    """Write a number in three digits; what has no meaning is a dash."""
    if math.isnan(value):
        return "–"
    return f"{value:.3g}"


def _spread(spread: Spread) -> list[float]:
    return [spread.mean, spread.sd, spread.low, spread.middle, spread.high]


def _share(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.0%}" if value == 0 or value >= 0.01 else f"{value:.1g}"


def _cells(rows: Sequence[Row]) -> list[list[str]]:
    """Write every variable on a row, the data on one of their own below what was drawn for them."""
    cells = []
    for row in rows:
        name = f"{row.name} [{row.elements}]" if row.elements > 1 else row.name
        word = "prior predictive" if row.role == "observed" else row.role
        cells.append([name, word, *map(number, _spread(row.drawn)), _share(row.impossible), _share(row.outside)])
        if row.data is not None:
            cells.append(["", "data", *map(number, _spread(row.data)), "", ""])
    return cells


def as_text(check: PriorCheck) -> str:
    """Write the verdict, the findings and the table."""
    lines = [f"{check.state.drawn.instance.name}: {check.draws} prior draws, seed {check.seed}"]
    table = [list(_HEAD), *_cells(check.rows)]
    widths = [max(len(row[k]) for row in table) for k in range(len(_HEAD))]
    for row in table:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  " + "  ".join(left + right).rstrip())
    return "\n".join([*lines, repr(check.diagnosis)])


def as_html(check: PriorCheck) -> str:
    """Write the table and the findings for a notebook."""
    head = "".join(f"<th {_LEFT if k < 2 else ''}>{escape(word)}</th>" for k, word in enumerate(_HEAD))
    rows = "".join(
        "<tr>" + "".join(f"<td {_LEFT if k < 2 else ''}>{escape(cell)}</td>" for k, cell in enumerate(row)) + "</tr>"
        for row in _cells(check.rows)
    )
    name = escape(check.state.drawn.instance.name)
    caption = f"<caption {_LEFT}>{name}: {check.draws} prior draws, seed {check.seed}</caption>"
    return f"<table>{caption}<tr>{head}</tr>{rows}</table>{check.diagnosis._repr_html_()}"


def as_dataframe(rows: Sequence[Row]) -> Any:
    """Give the summary as a pandas table, a row for each variable."""
    import pandas

    none = Spread(*[math.nan] * 5)
    columns = ["role", "elements", *_NAMES, "impossible", *(f"data {name}" for name in _NAMES), "outside"]
    values = [
        [r.role, r.elements, *_spread(r.drawn), r.impossible, *_spread(r.data or none), r.outside] for r in rows
    ]
    return pandas.DataFrame(values, columns=columns, index=pandas.Index([r.name for r in rows], name="variable"))
