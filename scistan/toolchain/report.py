"""The doctor's report: rows of what was looked for, what was found, the verdict and the fix."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Report", "Row", "Verdict", "table"]

Verdict = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Row:
    """One thing the doctor looked at."""

    what: str
    found: str
    verdict: Verdict
    fix: str = ""


def table(rows: list[tuple[str, ...]]) -> str:
    """Lay rows out in columns.

    >>> print(table([("a", "bb"), ("ccc", "d")]))
    a    bb
    ccc  d
    """
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """What is installed and whether it serves; prints as a table."""

    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing stands in the way of building and running models."""
        return not any(row.verdict == "problem" for row in self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, what: str) -> Row:
        """Give the row of one thing by its name."""
        return next(row for row in self.rows if row.what == what)

    def __str__(self) -> str:
        head = ("what", "verdict", "found", "fix")
        return table([head, *((row.what, row.verdict, row.found, row.fix) for row in self.rows)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = ((row.what, row.verdict, row.found, row.fix) for row in self.rows)
        cells = ("".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><tr><th>what</th><th>verdict</th><th>found</th><th>fix</th></tr>{body}</table>"
