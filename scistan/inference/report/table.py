"""`fit.table`: the posterior as a table for a paper, in LaTeX, Markdown or HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from scistan.diagnostics.checks import MEASURABLE
from scistan.diagnostics.statistics import measure
from scistan.given import as_whole
from scistan.inference.pictures.elements import Names, asked_for, elements_of, share
from scistan.inference.pictures.marginals import as_probability
from scistan.messages import pictures as messages

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = [
    "Line", "Table", "interval_cells", "number", "posterior_table", "quantile_head", "row_decimals", "table",
]

_DIGITS = 2  # of the standard deviation: what else there is of a mean is noise
_LARGE = 1e6
_ABSENT = "–"


@dataclass(frozen=True, slots=True)
class Line:
    """What a row is called, and its cells."""

    label: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A head, rows, and what is said below."""

    head: tuple[str, ...]
    lines: tuple[Line, ...]
    note: str = ""


def table(fit: Fit, format: str, var_names: Names, probability: float, limit: int | None) -> str:
    """Write the posterior, or some of it, as text of a format."""
    if not isinstance(format, str) or format not in _FORMATS:
        raise messages.unknown_format(format, list(_FORMATS))
    rows = None if limit is None else as_whole("limit", limit, most=None)
    return _FORMATS[format](posterior_table(fit, var_names, as_probability(probability), rows))


def posterior_table(
    fit: Fit, var_names: Names = None, probability: float = 0.9, limit: int | None = None
) -> Table:
    """Summarize every number: mean, sd, median and interval, and for chains R-hat and effective sample sizes."""
    wanted = asked_for(fit, var_names)
    sizes = {name: len(places) for name, places in wanted.items()}
    taken = sizes if limit is None else share(sizes, limit)
    elements = elements_of(fit, [(name, at) for name, count in taken.items() for at in wanted[name][:count]])
    health = measure({"shown": np.stack([e.draws for e in elements], axis=2)})["shown"] if _has_chains(fit) else None
    lines = []
    for k, element in enumerate(elements):
        cells = summary_cells(element.flat, probability)
        if health is not None:
            rhat, bulk, tail = (float(part[k]) for part in (health.rhat, health.bulk_ess, health.tail_ess))
            cells += (_rhat(rhat), _whole(bulk), _whole(tail))
        lines.append(Line(element.label, cells))
    total = sum(sizes.values())
    note = messages.rows_left_out(len(lines), total) if len(lines) < total else ""
    head = ("mean", "sd", *quantile_head(probability))
    return Table((*head, "R-hat", "bulk ESS", "tail ESS") if health is not None else head, tuple(lines), note)


def _has_chains(fit: Fit) -> bool:
    return fit.method == "mcmc" and fit.shape[1] >= MEASURABLE and bool(fit.posterior)


def quantile_head(probability: float) -> tuple[str, str, str]:
    """Name the columns of an interval and its middle."""
    tail = 50 * (1 - probability)
    return f"{tail:.3g} %", "median", f"{100 - tail:.4g} %"


def summary_cells(values: np.ndarray, probability: float) -> tuple[str, ...]:
    """Give mean, sd, lower end, median and upper end, with as many decimals as the sd has to tell."""
    if not values.size:
        return (_ABSENT,) * 5
    tail = (1 - probability) / 2
    mean, sd = float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
    decimals = row_decimals(sd)
    return tuple(number(float(x), decimals) for x in (mean, sd, *np.quantile(values, (tail, 0.5, 1 - tail))))


def row_decimals(spread: float) -> int:
    """Give how many decimals show two digits of a spread.

    >>> row_decimals(3.2), row_decimals(0.041), row_decimals(250.0)
    (1, 3, 0)
    """
    if not (spread > 0 and math.isfinite(spread)):
        return 3
    return max(0, _DIGITS - 1 - math.floor(math.log10(spread)))


def number(value: float, decimals: int) -> str:
    """Write a number; very large and very small ones by powers of ten."""
    if not math.isfinite(value):
        return _ABSENT
    if value and (abs(value) >= _LARGE or decimals > 6):
        return f"{value:.3g}"
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if not float(text) else text


def interval_cells(*ends: float) -> tuple[str, ...]:
    """Write the ends of an interval: by its width, or by digits of their own where it lies on one side of zero.

    >>> interval_cells(-1.6452, 0.0088, 1.6787), interval_cells(0.0371, 4.98, 61.23)
    (('-1.6', '0.0', '1.7'), ('0.0371', '4.98', '61.2'))
    """
    if not all(map(math.isfinite, ends)) or ends[0] * ends[-1] > 0:
        return tuple(f"{value:.3g}" if math.isfinite(value) else _ABSENT for value in ends)
    decimals = row_decimals((ends[-1] - ends[0]) / 3)
    return tuple(number(value, decimals) for value in ends)


def _rhat(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else _ABSENT


def _whole(value: float) -> str:
    return f"{value:.0f}" if math.isfinite(value) else _ABSENT


# -- formats -------------------------------------------------------------------------------------
def _as_markdown(found: Table) -> str:
    rows = [["", *found.head], *([_marked(line.label), *line.cells] for line in found.lines)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]

    def line(row: Sequence[str]) -> str:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        return f"| {' | '.join(cells)} |"

    rule = f"|:{'-' * (widths[0] + 1)}|" + "".join(f"{'-' * (width + 1)}:|" for width in widths[1:])
    text = [line(rows[0]), rule, *map(line, rows[1:])]
    return "\n".join([*text, *(["", found.note] if found.note else [])]) + "\n"


def _marked(label: str) -> str:
    """Keep a label's signs from being read as Markdown's."""
    return "".join(f"\\{sign}" if sign in _MARKS else sign if sign.isprintable() else " " for sign in label)


_MARKS = "\\|*_`<>[]#$~"
_TEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", _ABSENT: "--",
}  # fmt: skip


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign if sign.isprintable() else " ") for sign in text)


def _tex_number(text: str) -> str:
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        return rf"${mantissa} \times 10^{{{int(exponent)}}}$"
    return f"${text}$" if text.startswith("-") else _tex(text)


def _as_latex(found: Table) -> str:
    head = " & ".join(["", *({"R-hat": r"$\widehat{R}$"}.get(word) or _tex(word) for word in found.head)])
    rows = [" & ".join([_tex(line.label), *map(_tex_number, line.cells)]) for line in found.lines]
    body = "\n".join(f"{row} \\\\" for row in rows)
    note = f"% {found.note}\n" if found.note else ""
    columns = "l" + "r" * len(found.head)
    return f"{note}\\begin{{tabular}}{{{columns}}}\n\\hline\n{head} \\\\\n\\hline\n{body}\n\\hline\n\\end{{tabular}}\n"


def _as_html(found: Table) -> str:
    head = "".join(f"<th>{escape(word)}</th>" for word in ("", *found.head))
    body = "".join(
        f"<tr><th style='text-align:left'>{escape(line.label)}</th>"
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in line.cells)}</tr>\n"
        for line in found.lines
    )
    note = f"<p>{escape(found.note)}</p>\n" if found.note else ""
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n{note}"


_FORMATS: Mapping[str, Callable[[Table], str]] = {"latex": _as_latex, "markdown": _as_markdown, "html": _as_html}
