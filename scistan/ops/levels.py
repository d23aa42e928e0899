"""Factors: labels as the positions of their levels."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.graph.labelled import Labelled
from scistan.graph.node import Data, Node
from scistan.messages import coding as messages
from scistan.messages import values as values_messages
from scistan.ops.coerce import described, is_missing, library_of, read_any, rows_in_table

__all__ = [
    "Levels",
    "codes_of",
    "is_categorical",
    "is_factor",
    "level_labels",
    "level_name",
    "own_levels",
    "read_levels",
    "refuse_codes",
]


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a factor; where they are `given` their order is the user's own, else it was read from the data."""

    levels: tuple[object, ...]
    given: bool = False

    @property
    def by_alphabet(self) -> bool:
        """Tell whether labels stand in an order that nobody has chosen."""
        text = all(isinstance(level, str) for level in self.levels)
        return text and not self.given and list(self.levels) == sorted(map(str, self.levels))

    def read(self, value: object, name: str) -> Labelled:
        """Turn labels into positions; those that are no level are refused by name."""
        labels = level_labels(value, name)
        return codes_of(labels, self.levels, name)

    def to_plain(self) -> dict[str, Any]:
        """Write the levels: text, numbers and truth values."""
        return {"kind": "levels", "levels": list(self.levels), "given": self.given}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Levels:
        """Read the levels back."""
        return cls(tuple(plain["levels"]), plain["given"])


def level_name(label: object) -> object:
    """Give what a level is known by: text, a number or a truth value; None where it is missing.

    Dates are known by their ISO text, whichever library they come from, and all else by its own text.
    """
    if isinstance(label, np.datetime64):
        label = label.astype("datetime64[us]").item()
    elif isinstance(label, np.generic) and not isinstance(label, np.timedelta64):
        label = label.item()
    if is_missing(label):
        return None
    if isinstance(label, bool | int | float | str):
        return label
    if isinstance(label, datetime.datetime):
        midnight = label.tzinfo is None and label.time() == datetime.time()
        return label.date().isoformat() if midnight else label.isoformat(sep=" ")
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def level_labels(value: object, name: str = "", *, assigned: bool = False) -> Labelled:
    """Read an array of labels; missing ones are refused by row."""
    read = _read_objects(value)
    labels = np.empty(read.values.shape, dtype=object)
    labels.reshape(-1)[:] = _names_of(read.values.reshape(-1).tolist())
    if None in set(labels.flat):
        bad = np.array([one is None for one in labels.flat], dtype=bool).reshape(labels.shape)
        at = rows_in_table(value, bad) or tuple(map(int, np.argwhere(bad)[0]))
        raise messages.missing_labels(described(value, name, assigned=assigned), int(bad.sum()), at)
    return Labelled(labels, read.dims, read.labels)


def _names_of(labels: Sequence[Any]) -> list[object]:
    """Name each label, those that repeat only once: columns are long, and levels few."""
    try:
        known = {label: level_name(label) for label in dict.fromkeys(labels)}
        return [known[label] for label in labels]
    except TypeError:  # what cannot be hashed is known by its text
        return [level_name(label) for label in labels]


def _read_objects(value: object) -> Labelled:
    """Read an array of whatever stands in it: two types side by side stay two types."""
    if isinstance(value, set | frozenset | dict):
        raise values_messages.not_a_value(value, "its elements have no order")
    if library_of(value) == "pandas" and getattr(value, "ndim", 1) == 2:
        raise messages.factor_of_a_table(list(value.columns))  # type: ignore[attr-defined]
    if isinstance(value, np.ma.MaskedArray):
        return Labelled(np.array(value.tolist(), dtype=object))  # what is masked is None there
    if isinstance(value, list | tuple):
        array = np.array(value, dtype=object)
        if any(isinstance(one, list) for one in array.reshape(-1)):
            raise values_messages.not_a_value(value, "its rows have different lengths")
        return Labelled(array)
    if library_of(value) == "pandas":
        objects = np.asarray(value, dtype=object)
        if not hasattr(value, "index"):
            return Labelled(objects)
        positions = read_any(value.isna())  # type: ignore[attr-defined]  # numbers with the same dims and labels
        return Labelled(objects, positions.dims, positions.labels)
    read = read_any(value)
    objects = np.empty(read.values.shape, dtype=object)
    objects.reshape(-1)[:] = list(read.values.reshape(-1))
    return Labelled(objects, read.dims, read.labels)


def is_categorical(value: object) -> bool:
    """Tell whether pandas says that values are categories."""
    return library_of(value) == "pandas" and getattr(getattr(value, "dtype", None), "name", "") == "category"


def is_ordered(value: object) -> bool:
    """Tell whether values are categories whose order their owner has declared."""
    return is_categorical(value) and bool(value.dtype.ordered)  # type: ignore[attr-defined]


def own_levels(value: object, labels: np.ndarray) -> tuple[object, ...]:
    """Give the levels that values have themselves: the categories, used or not, else their labels sorted."""
    if is_categorical(value):
        return tuple(map(level_name, value.dtype.categories))  # type: ignore[attr-defined]
    return tuple(_sorted(set(labels.flat)))


def _sorted(labels: Iterable[Any]) -> list[object]:
    found = list(labels)
    try:
        return sorted(found)
    except TypeError:  # text beside numbers
        return sorted(found, key=str)


def read_levels(levels: object) -> tuple[object, ...]:
    """Read levels that the user gives, each once, in their order."""
    if isinstance(levels, str) or not isinstance(levels, Iterable):
        raise messages.bad_levels(levels)
    known = [level_name(one) for one in levels]
    repeated = [one for k, one in enumerate(known) if one in known[:k]]
    if not known or None in known or repeated:
        raise messages.bad_levels(levels)
    return tuple(known)


def is_factor(node: Node) -> bool:
    """Tell whether a node is data of labels."""
    return isinstance(node, Data) and isinstance(node.coding, Levels)


def refuse_codes(name: str, unknown: Sequence[object], levels: Sequence[object]) -> None:
    """Refuse numbers for a factor none of whose levels is one: positions of levels, most likely."""
    if all(map(_is_number, unknown)) and not any(map(_is_number, levels)):
        raise messages.codes_for_labels(name, unknown, levels)


def _is_number(label: object) -> bool:
    return isinstance(label, int | float) and not isinstance(label, bool)


def codes_of(labels: Labelled, levels: Sequence[object], name: str) -> Labelled:
    """Give the position of each label among the levels; those that are no level are refused by name."""
    places = {level: k for k, level in enumerate(levels)}
    flat = labels.values.reshape(-1).tolist()
    unknown = [one for one in dict.fromkeys(flat) if one not in places]
    if unknown:
        refuse_codes(name, unknown, levels)
        raise messages.unknown_labels(name, unknown, levels)
    codes = np.array([places[one] for one in flat], dtype=np.int64).reshape(labels.values.shape)
    return Labelled(codes, labels.dims, labels.labels)
