"""Labels as plain values that JSON can hold, and back."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scistan.graph.labels import Labels

__all__ = ["label_from_plain", "label_to_plain", "labels_from_plain", "labels_to_plain"]

_AS_THEY_ARE = (bool, int, float, str, type(None))


def labels_to_plain(labels: Labels) -> dict[str, Any]:
    """Write the labels of an axis."""
    values = labels.values
    if isinstance(values, range):
        return {"range": [values.start, values.stop, values.step], "implied": labels.implied}
    return {"values": [label_to_plain(label) for label in values], "implied": labels.implied}


def labels_from_plain(plain: Mapping[str, Any]) -> Labels:
    """Read the labels of an axis."""
    values = range(*plain["range"]) if "range" in plain else [label_from_plain(one) for one in plain["values"]]
    return Labels(values, implied=bool(plain["implied"]))


def label_to_plain(label: object) -> object:
    """Write one label; a kind that is not known here is known by its text from then on."""
    if type(label) in _AS_THEY_ARE:
        return label
    if isinstance(label, tuple):
        return {"tuple": [label_to_plain(one) for one in label]}
    if isinstance(label, np.datetime64 | np.timedelta64):
        return {type(label).__name__: [int(label.astype(np.int64)), np.datetime_data(label.dtype)[0]]}
    if isinstance(label, np.generic):
        return label_to_plain(label.item())
    kind = type(label).__name__
    return {kind: _WRITERS[kind](label)} if kind in _WRITERS else str(label)


def label_from_plain(plain: object) -> object:
    """Read one label."""
    if not isinstance(plain, dict):
        return plain
    ((kind, value),) = plain.items()
    return _READERS[kind](value)


def _pandas(kind: str) -> Callable[..., Any]:
    def make(value: Any) -> Any:
        import pandas as pd

        return getattr(pd, kind)(*value) if isinstance(value, list) else getattr(pd, kind)(value)

    return make


_WRITERS: Mapping[str, Callable[[Any], object]] = {
    "Timestamp": lambda label: label.isoformat(),
    "Timedelta": lambda label: label.isoformat(),
    "Period": lambda label: [str(label), label.freqstr],
    "Interval": lambda label: [label_to_plain(label.left), label_to_plain(label.right), label.closed],
    "datetime": lambda label: label.isoformat(),
    "date": lambda label: label.isoformat(),
    "time": lambda label: label.isoformat(),
}
_READERS: Mapping[str, Callable[[Any], object]] = {
    "tuple": lambda value: tuple(label_from_plain(one) for one in value),
    "datetime64": lambda value: np.datetime64(*value),
    "timedelta64": lambda value: np.timedelta64(*value),
    "Timestamp": _pandas("Timestamp"),
    "Timedelta": _pandas("Timedelta"),
    "Period": _pandas("Period"),
    "Interval": lambda value: _pandas("Interval")([label_from_plain(one) for one in value]),
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
}
