"""Dates and spans of time as numbers of days."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.graph.labelled import Labelled
from scistan.messages import coding as messages
from scistan.ops.coerce import described, library_of, objects_in, read_any, rows_in_table
from scistan.ops.unreadable import is_missing

__all__ = ["Dates", "Spans", "dates_in", "is_dates", "is_spans"]

_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, slots=True)
class Dates:
    """Dates as days since the earliest of the first ones, parts of a day included; those with a zone in UTC."""

    origin: str

    def read(self, value: object, name: str) -> Labelled:
        """Turn dates, or their ISO text, into days since the origin."""
        dates = dates_in(value, name)
        return Labelled((dates.values - np.datetime64(self.origin)) / _DAY, dates.dims, dates.labels)

    def to_plain(self) -> dict[str, Any]:
        """Write the origin."""
        return {"kind": "dates", "origin": self.origin}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Dates:
        """Read the origin back."""
        return cls(plain["origin"])

    @classmethod
    def of(cls, value: object, name: str) -> Dates:
        """Count from the earliest date."""
        dates = dates_in(value, name).values
        return cls(str(dates.min()) if dates.size else "1970-01-01")


@dataclass(frozen=True, slots=True)
class Spans:
    """Spans of time as days."""

    def read(self, value: object, name: str) -> Labelled:
        """Turn spans into days."""
        spans = _timed(value, name, "m", "spans of time")
        return Labelled(spans.values / _DAY, spans.dims, spans.labels)

    def to_plain(self) -> dict[str, Any]:
        """Write the kind, which is all there is."""
        return {"kind": "spans"}

    @classmethod
    def from_plain(cls, _: dict[str, Any]) -> Spans:
        """Read it back."""
        return cls()


def is_dates(value: object) -> bool:
    """Tell whether values are dates."""
    return _kind(value) == "M"


def is_spans(value: object) -> bool:
    """Tell whether values are spans of time."""
    return _kind(value) == "m"


def dates_in(value: object, name: str) -> Labelled:
    """Read dates; missing ones are refused by row, and what is no date by name."""
    return _timed(value, name, "M", "dates")


def _kind(value: object) -> str:
    """Give `M` for dates, `m` for spans of time, else another letter or none."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    if isinstance(kind, str) and kind != "O":
        return kind
    held = objects_in(value)
    for letter, types in (("M", datetime.date | np.datetime64), ("m", datetime.timedelta | np.timedelta64)):
        if held and all(isinstance(one, types) for one in held):
            return letter
    first = next(iter(value), None) if isinstance(value, list | tuple) else None
    return first.dtype.kind if isinstance(first, np.datetime64 | np.timedelta64) else ""


def _timed(value: Any, name: str, letter: str, words: str) -> Labelled:
    zone = getattr(value, "dt", None) if library_of(value) == "pandas" else None
    if getattr(zone, "tz", None) is not None:
        value = value.dt.tz_convert("UTC").dt.tz_localize(None)
    elif getattr(value, "tz", None) is not None and library_of(value) == "pandas":
        value = value.tz_convert("UTC").tz_localize(None)
    read = read_any(value)
    values = read.values
    if values.dtype.kind in "OU" if letter == "M" else values.dtype.kind == "O":
        try:
            gaps = [is_missing(one) for one in values.flat]  # pandas' own NaT is nothing that NumPy can convert
            values = np.where(np.reshape(gaps, values.shape), np.array(None), values) if any(gaps) else values
            values = values.astype(f"{letter}8[us]")
        except (ValueError, TypeError):
            raise messages.not_of_this_kind(name, words) from None
    if values.dtype.kind != letter:
        raise messages.not_of_this_kind(name, words)
    missing = np.isnat(values)
    if missing.any():
        at = rows_in_table(value, missing) or tuple(map(int, np.argwhere(missing)[0]))
        raise messages.missing_dates(described(value, name, assigned=not name), int(missing.sum()), at)
    return Labelled(values, read.dims, read.labels)
