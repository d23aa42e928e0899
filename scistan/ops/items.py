"""The items of an index: what each takes of its axis, and where index arrays put theirs."""

from __future__ import annotations

from typing import Any

__all__ = ["FULL", "Item", "are_scattered", "place_of_arrays"]

# One item of an index: ("int", i) · ("slice", start, stop, step) · ("array", rank of the index) · ("new",)
Item = tuple[Any, ...]
FULL: Item = ("slice", None, None, None)  # the whole of an axis


def are_scattered(items: tuple[Item, ...]) -> bool:
    """Tell whether index arrays are apart, so that NumPy puts their axes first."""
    if not any(item[0] == "array" for item in items):
        return False
    advanced = [k for k, item in enumerate(items) if item[0] in ("array", "int")]
    return advanced[-1] - advanced[0] != len(advanced) - 1


def place_of_arrays(items: tuple[Item, ...]) -> int:
    """Give the axis of the result at which the axes of index arrays stand."""
    if are_scattered(items):
        return 0
    return next(k for k, item in enumerate(items) if item[0] in ("array", "int"))
