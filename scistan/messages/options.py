"""Wording of what an option cannot be: a number too small or too big, a word that is none of those known."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ModelError
from scistan.graph.places import user_place
from scistan.messages.values import as_given

_USUAL = {
    "draws": 1000, "warmup": 1000, "chains": 4, "seed": 1, "starts": 8, "num_paths": 4, "threads_per_chain": 2,
    "replications": 1000,
}  # fmt: skip


def too_few(what: str, given: object, least: int = 1) -> ModelError:
    return ModelError(
        f"`{what}` must be a whole number of at least {least}, and is {as_given(given)}.",
        remedy=f"write `{what}={_USUAL.get(what, 100)}`",
        place=user_place(),
    )


def too_many(what: str, given: object, most: int) -> ModelError:
    return ModelError(
        f"`{what}` must be at most {most:,}, the largest number that the engines can count to, "
        f"and is {as_given(given)}.",
        remedy=f"write `{what}={_USUAL.get(what, 100)}`",
        place=user_place(),
    )


def too_many_of(what: str, given: object, most: int) -> ModelError:
    return ModelError(
        f"`{what}` must be at most {most:,}, for each of them is begun and held on its own, and is {as_given(given)}.",
        remedy=f"write `{what}={_USUAL.get(what, 100)}`"
        + (", and `draws=` for longer chains: each of them has to warm up" if what == "chains" else ""),
        place=user_place(),
    )


def bad_option(option: str, value: object, words: str, example: str) -> ModelError:
    return ModelError(
        f"`{option}` must be {words}, and is {as_given(value)}.",
        remedy=f"write `{option}={example}`",
        place=user_place(),
    )


def bad_choice(option: str, value: object, choices: Sequence[str]) -> ModelError:
    return bad_option(option, value, " or ".join(map(repr, choices)), repr(choices[0]))
