"""Rows of words as a table: as text, in a notebook, in Markdown, as a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from scistan.toolchain.report import table

__all__ = ["Shown", "markdown"]

Record = Mapping[str, object]


class Shown:
    """What shows itself as the table of its records; each has the same keys."""

    def records(self) -> Sequence[Record]:
        """Give the rows, a mapping from column to value each."""
        raise NotImplementedError

    def columns(self) -> Sequence[str]:
        """Give the columns that are printed; a DataFrame has them all."""
        return list(self.records()[0]) if self.records() else []

    def _cells(self) -> Iterator[tuple[str, ...]]:
        for record in self.records():
            yield tuple(words(record[column]) for column in self.columns())

    def __repr__(self) -> str:
        return table([tuple(self.columns()), *self._cells()])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns())
        rows = ("".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) for row in self._cells())
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    def to_dataframe(self) -> Any:
        """Give the rows as a DataFrame."""
        import pandas as pd

        return pd.DataFrame([dict(record) for record in self.records()])


def markdown(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Give the lines of a table of a page."""
    head = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    escaped = ((words(cell).replace("|", "\\|") for cell in row) for row in rows)
    return head + [f"| {' | '.join(row)} |" for row in escaped]


def words(value: object) -> str:
    """Write a value of a cell: what is true as yes, what is not as nothing, several with commas."""
    if isinstance(value, bool) or value is None:
        return "yes" if value else ""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {what}".strip() for name, what in value.items())
    if isinstance(value, tuple | list | frozenset):
        return ", ".join(map(str, value))
    return str(value)
