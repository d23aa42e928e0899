"""Which coding data have: what text, categories and dates become when a user gives them as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scistan.graph.labelled import Coding
from scistan.graph.node import Data
from scistan.graph.places import warn_at_users_line
from scistan.messages import coding as messages
from scistan.messages import data as data_messages
from scistan.messages.model import ModelWarning
from scistan.ops.coerce import data_leaf, described, leaf_of, library_of, objects_in
from scistan.ops.days import Dates, Spans, is_dates, is_spans
from scistan.ops.levels import Levels, codes_of, is_categorical, is_ordered, level_labels, own_levels
from scistan.ops.standard import Standard
from scistan.ops.turn import contradicts
from scistan.ops.unreadable import looks_like_numbers

__all__ = ["coded_leaf", "coding_from_plain", "factor_leaf", "standardized_leaf"]


def coded_leaf(value: object, dims: tuple[str | None, ...] | None = None) -> Data:
    """Make a data leaf of what a user gives: text becomes a factor, and says so; dates and spans become days."""
    if is_categorical(value) or _is_text(value):
        leaf = factor_leaf(value, None, dims)
        if isinstance(leaf.coding, Levels):
            name = described(value, assigned=True)
            what = "categories" if is_categorical(value) else "text"
            levels = leaf.coding.levels
            numbers = all(isinstance(level, str) for level in levels) and looks_like_numbers(levels)
            warn_at_users_line(messages.taken_as_factor(name, what, levels, numbers), ModelWarning)
        return leaf
    coding = _time_coding(value)
    if coding is not None:
        return leaf_of(coding.read(value, ""), dims, coding)
    return data_leaf(value, dims, assigned=True)


def factor_leaf(value: object, levels: tuple[object, ...] | None, dims: tuple[str | None, ...] | None) -> Data:
    """Make a data leaf of labels: the positions of their levels."""
    labels = level_labels(value, assigned=True)
    if not labels.values.ndim:
        raise messages.one_label(labels.values.item())
    coding = Levels(levels or own_levels(value, labels.values), given=levels is not None or is_ordered(value))
    return leaf_of(codes_of(labels, coding.levels, described(value, assigned=True)), dims, coding)


def standardized_leaf(value: object, dims: tuple[str | None, ...] | None) -> Data:
    """Make a data leaf of standardized numbers, from numbers, dates or spans of time."""
    coding = Standard.of(value, _time_coding(value))
    read = coding.read(value, "")
    if dims is not None and contradicts(read.dims or (), dims):  # which axis are the columns?
        raise data_messages.dims_differ(described(value, assigned=True), dims, read.dims or ())
    return leaf_of(read, dims, coding)


def _time_coding(value: object) -> Coding | None:
    return Dates.of(value, "") if is_dates(value) else Spans() if is_spans(value) else None


def _is_text(value: Any) -> bool:
    """Tell whether values are text alone, in one column."""
    if getattr(value, "ndim", 1) == 2 and library_of(value) == "pandas":
        return False
    held = objects_in(value)
    return bool(held) and all(isinstance(one, str) for one in held)


def _standard(plain: Mapping[str, Any]) -> Standard:
    columns, before = plain["columns"], plain["before"]
    return Standard(
        tuple(plain["center"]),
        tuple(plain["scale"]),
        None if columns is None else tuple(columns),
        None if before is None else coding_from_plain(before),
    )


_KINDS: dict[str, Callable[[Any], Coding]] = {
    "levels": Levels.from_plain,
    "dates": Dates.from_plain,
    "spans": Spans.from_plain,
    "standard": _standard,
}


def coding_from_plain(plain: Mapping[str, Any]) -> Coding:
    """Read a coding back from what its `to_plain` wrote."""
    return _KINDS[plain["kind"]](plain)
