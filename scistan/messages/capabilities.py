"""Wording of what a backend cannot do, and why a model cannot go there."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ArgumentError, Place, ScistanError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given


class UnknownBackendError(ArgumentError, KeyError):
    """A backend that there is not."""

    __str__ = Exception.__str__  # a KeyError would show its text in quotes


def unknown_backend(name: object, known: Sequence[str]) -> UnknownBackendError:
    remedy = nearest(str(name), known)
    return UnknownBackendError(f"there is no backend {as_given(name)}.", remedy=remedy, place=user_place())


def reason(error: ScistanError) -> str:
    """Give the first line of what is wrong: the rest is for whoever calls the verb."""
    return error.what.splitlines()[0]


def where(place: Place | None) -> str:
    """Give a line and its text; the file is in the error that the verb would raise."""
    if place is None:
        return ""
    return f"line {place.line}: {place.text}" if place.text else f"line {place.line}"


def not_probed(engine: str) -> str:
    """What a yes rests on where asking the engine itself would have taken long."""
    return f"the data are large: {engine}'s compiler takes the program, and was not given the data"


def first_build() -> str:
    return "after building an executable once"


def from_cache() -> str:
    return "from the cache: no compiler is needed"


def solved_explicitly() -> str:
    return "equations are solved explicitly, which takes long where they are stiff"
