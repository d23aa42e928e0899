"""Tables of a profile, as text and in a notebook; what users named is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from scistan.errors import Place

__all__ = ["as_html_table", "as_table", "duration", "short_place", "size"]

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def duration(seconds: float) -> str:
    """Write seconds in three digits: 1.23 s, 45.6 ms, 789 µs."""
    if seconds <= 0:
        return "0 s"
    if seconds >= 1000:
        return f"{seconds:.0f} s"
    scale, unit = next(((s, u) for s, u in _UNITS if seconds >= 0.9995 * s), _UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"


def size(amount: float) -> str:
    """Write bytes in three digits: 12 B, 3.4 kB, 567 MB."""
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if amount >= 0.9995 * scale:
            return f"{amount / scale:.3g} {unit}"
    return f"{amount:.0f} B"


def short_place(place: Place | None) -> str:
    """Write the user's line without its folder and its text."""
    return "" if place is None else f"{Path(str(place).partition(', line ')[0]).name}, line {place.line}"


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Write a table as text; the columns of `left` begin at the left."""
    cells = [list(head), *map(list, rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = []
    for row in cells:
        shown = [c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(shown).rstrip())
    return "\n".join(lines)


def as_html_table(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Write a table for a notebook."""
    sides = ["left;white-space:pre" if k in left else "right" for k in range(len(head))]
    aligned = [f"padding:1px 8px;text-align:{side}" for side in sides]
    first = "".join(f"<th style='{a}'>{escape(c)}</th>" for a, c in zip(aligned, head, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td style='{a}'>{escape(c)}</td>" for a, c in zip(aligned, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f"<table style='border-collapse:collapse'><tr>{first}</tr>{body}</table>"
