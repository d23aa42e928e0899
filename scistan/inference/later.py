"""Labels that go on: the years, days or numbers behind the last."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["labels_after"]


def labels_after(labels: Sequence[object], steps: int) -> list[object]:
    """Go on with labels that are evenly spaced; others are counted on from the last, `+1`, `+2`, …."""
    found = _numbers(labels, steps) or _dates(labels, steps)
    return found or [f"+{k + 1}" for k in range(steps)]


def _numbers(labels: Sequence[object], steps: int) -> list[object]:
    if not labels or not all(isinstance(x, int | float | np.integer | np.floating) for x in labels):
        return []
    numbers: Any = np.asarray(labels)
    apart = np.diff(numbers) if len(numbers) > 1 else np.ones(1, numbers.dtype)
    if numbers.dtype.kind == "b" or not np.allclose(apart, apart[0]) or apart[0] == 0:
        return []
    return [(numbers[-1] + apart[-1] * (k + 1)).item() for k in range(steps)]


def _dates(labels: Sequence[object], steps: int) -> list[object]:
    """Go on with dates that are evenly spaced, in days or in months."""
    if len(labels) < 2 or not all(isinstance(x, np.datetime64 | datetime.date) for x in labels):
        return []
    import pandas as pd

    index = pd.DatetimeIndex(labels)
    apart = np.diff(index.to_numpy())
    if (apart == apart[0]).all():
        return [index[-1] + (k + 1) * pd.Timedelta(apart[0]) for k in range(steps)]
    months = np.diff(index.year * 12 + index.month)
    step = int(months[0])
    offsets = (pd.offsets.MonthEnd, pd.offsets.MonthBegin, None)
    ends = (index.is_month_end.all(), index.is_month_start.all(), len(set(index.day)) == 1)
    if not step or not (months == step).all() or not any(ends):
        return []
    offset: Any = offsets[ends.index(True)]
    return [
        index[-1] + ((k + 1) * step * offset(1) if offset is not None else pd.DateOffset(months=(k + 1) * step))
        for k in range(steps)
    ]
