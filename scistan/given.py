"""Read what a user gives for an option: whole numbers, numbers, switches and words, each in one way for all verbs."""

from __future__ import annotations

import keyword
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scistan.messages import arguments as model_messages
from scistan.messages import options as messages
from scistan.messages.values import as_given

__all__ = [
    "LARGEST", "MOST", "Usual", "as_choice", "as_names", "as_switch", "as_whole", "check_field", "is_name", "is_number",
    "is_switch", "is_whole", "usual",
]

LARGEST = 2**31 - 1  # C's int, in which the engines count
# Of what is begun, held and looked at one by one, far fewer than could be counted.
MOST = {
    "chains": 10_000, "starts": 10_000, "num_paths": 10_000, "threads_per_chain": 10_000,
    "points": 100_000, "replications": 100_000,
}  # fmt: skip


class Usual:
    """Marks the default of a signature: equal to the value it is, and yet told from the same value when it is given."""


class _UsualText(Usual, str):
    """A text that nobody gave."""


class _UsualWhole(Usual, int):
    """A whole number that nobody gave."""


def usual(value: Any) -> Any:
    """Give a text or a whole number as the default of a signature, which settings and plans may replace."""
    return _UsualText(value) if isinstance(value, str) else _UsualWhole(value)


def is_whole(given: object, least: int = 1, most: int | None = LARGEST) -> bool:
    """Tell whether something is a whole number between two others; True and 3.0 are none."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        return False
    return least <= int(given) and (most is None or int(given) <= most)


def is_number(given: object) -> bool:
    """Tell whether something is a finite real number."""
    if isinstance(given, bool) or not isinstance(given, int | float | np.integer | np.floating):
        return False
    try:
        return math.isfinite(float(given))
    except OverflowError:  # a whole number that no float holds
        return False


def is_switch(given: object) -> bool:
    """Tell whether something is True or False."""
    return isinstance(given, bool | np.bool_)


def is_name(given: object) -> bool:
    """Tell whether something is a name of Python's."""
    return isinstance(given, str) and given.isidentifier() and not keyword.iskeyword(given)


def check_field(what: str, field: str, given: object, words: str, holds: bool) -> None:
    """Refuse a field of a declaration that is not what it must be."""
    if not holds:
        raise model_messages.illegal_constant(what, field, words, as_given(given))


def as_whole(name: str, given: object, least: int = 1, most: int | None = LARGEST) -> int:
    """Read a whole number; `most` is what C's int holds unless memory is the limit, or less where `MOST` says so."""
    if not is_whole(given, least, None):
        raise messages.too_few(name, given, least)
    if name in MOST and not is_whole(given, least, MOST[name]):
        raise messages.too_many_of(name, given, MOST[name])
    if not is_whole(given, least, most):
        raise messages.too_many(name, given, most or 0)
    return int(given)  # type: ignore[call-overload, no-any-return]


def as_switch(name: str, given: object) -> bool:
    """Read True or False."""
    if not is_switch(given):
        raise messages.bad_option(name, given, "True or False", "True")
    return bool(given)


def as_names(name: str, given: object) -> list[str]:
    """Read a name, or a list of names."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise messages.bad_option(name, given, "a name or a list of names", "['x']")
    return list(given)


def as_choice(name: str, given: object, choices: Sequence[str]) -> str:
    """Read one of some words."""
    if not isinstance(given, str) or given not in choices:
        raise messages.bad_choice(name, given, choices)
    return given
