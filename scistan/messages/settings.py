"""Wording of what a setting cannot be, and of what is forbidden."""

from __future__ import annotations

from collections.abc import Iterable

from scistan.errors import ArgumentError, ModelError
from scistan.graph.places import user_place
from scistan.messages.values import as_given, name_given


def bad_setting(whose: str, given: object, words: str) -> ModelError:
    return ModelError(
        f"{whose} must be {words}, and is {as_given(given)}.",
        remedy="`ss.defaults()` shows every setting, its value and where it comes from",
        place=user_place(),
    )


def unknown_setting(verb: str, name: object, known: Iterable[str]) -> ArgumentError:
    return ArgumentError(
        f"`{verb}` knows no setting `{name_given(name)}`.",
        remedy=f"the settings are {', '.join(known)}",
        place=user_place(),
    )


def unknown_disabled(variable: str, name: str, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"the environment variable {variable} names {as_given(name)}, which is nothing of SciStan's.",
        remedy=f"it may name, separated by commas, {', '.join(known)}",
        place=user_place(),
    )
