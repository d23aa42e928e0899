"""What values hold that are no numbers, told as such: dates, spans of time, text, missing values."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from scistan.errors import ScistanError
from scistan.messages import values as messages

__all__ = ["check_columns", "is_missing", "looks_like_numbers", "unreadable"]

_KINDS = {"U": "text", "S": "bytes", "c": "complex numbers", "O": "objects"}
_TIMES: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("dates", (datetime.date, np.datetime64)),
    ("spans of time", (datetime.timedelta, np.timedelta64)),
)


def is_missing(one: object) -> bool:
    """Tell whether this is how Python or pandas says that there is nothing."""
    return one is None or type(one).__name__ in ("NAType", "NaTType") or (isinstance(one, float) and one != one)


def check_columns(table: Any) -> None:
    """Refuse a table whose columns are none, or cannot be told apart."""
    if not len(table.columns):
        raise messages.no_columns(len(table))
    if not table.columns.is_unique:
        raise messages.repeated_columns(list(table.columns[table.columns.duplicated()].unique()))


def unreadable(value: object, why: str = "") -> ScistanError:
    """Say what a value holds that is no number; `why` where nothing better is known."""
    held = _held(value)
    present = [one for one in held if not is_missing(one)]
    gaps = len(held) - len(present)
    if gaps and not present and value is not None:
        return messages.holds_nothing(value, gaps)
    if value is None or not present:
        return messages.not_a_value(value, why if value is not None else "")
    if all(type(one).__name__ == "Period" for one in present):
        return messages.holds_periods(value)
    for words, types in _TIMES:
        if all(isinstance(one, types) for one in present):
            return messages.holds_dates(value, words)
    if all(isinstance(one, str) for one in present):
        if looks_like_numbers(present):
            return messages.numbers_as_text(value, str(present[0]))
        return messages.text_with_gaps(value, gaps) if gaps else messages.not_a_value(value, "it holds text")
    if gaps and all(isinstance(one, int | float | np.number) for one in present):
        first = next(k for k, one in enumerate(held) if is_missing(one))
        return messages.none_among_numbers(value, gaps, first)
    kinds = {_kind(one) for one in present}
    words = next((word for kind, word in _KINDS.items() if kind in kinds), "")
    alone = len(present) == 1 and present[0] is value
    return messages.not_a_value(value, f"it holds {words}" if words and not alone else why)


def looks_like_numbers(texts: Sequence[Any]) -> bool:
    """Tell whether every text is a number that was left as text."""
    with suppress(ValueError):
        return bool(texts) and all(np.isfinite(float(one)) for one in texts)
    return False


def _kind(value: object) -> str:
    """Give the kind of number that a value is for NumPy; "O" for what no array holds."""
    try:
        return np.asarray(value).dtype.kind
    except (ValueError, TypeError, RuntimeError):
        return "O"


def _held(value: object) -> list[object]:
    """List what stands in a value of any shape; nothing where its rows are ragged."""
    try:
        return list(np.asarray(value, dtype=object).reshape(-1))
    except (ValueError, TypeError, RuntimeError):
        return []
