"""Wording of what bounds and lengths of a distribution cannot be."""

from __future__ import annotations

import math

from scistan.errors import ModelError
from scistan.graph.places import user_place
from scistan.messages.values import as_given

Lengths = tuple[int, ...]


def no_bounds(name: str) -> ModelError:
    return ModelError(
        f"`{name}` cannot be bounded with `lower` and `upper`: only continuous distributions of one number can.",
        remedy="drop the bounds, or choose a continuous distribution",
        place=user_place(),
    )


def no_truncation(name: str) -> ModelError:
    return ModelError(
        f"`{name}` cannot be truncated: its cumulative probability has no exact form here.",
        remedy="choose a distribution with a cdf, or `ss.Flat(lower=, upper=)`",
        place=user_place(),
    )


def bounds_crossed(name: str, lower: object, upper: object) -> ModelError:
    return ModelError(
        f"`{name}`: lower={lower} is not below upper={upper}.",
        remedy="exchange or correct the bounds",
        place=user_place(),
    )


def bound_outside(name: str, side: str, bound: object, words: str) -> ModelError:
    return ModelError(
        f"`{name}`: {side}={bound} leaves nothing of the support ({words}).",
        remedy=f"correct `{side}`",
        place=user_place(),
    )


def shape_too_small(name: str, given: Lengths, needed: Lengths) -> ModelError:
    return ModelError(
        f"`{name}`: the arguments broadcast to {needed}, which does not fit shape {given}.",
        remedy="drop `shape=`, or correct it",
        place=user_place(),
    )


def bound_at_infinity(name: str, side: str, bound: float) -> ModelError:
    return ModelError(
        f"`{name}`: {side}={bound} leaves nothing of the real line.",
        remedy=f"drop `{side}`, or give it a number; `lower=-inf` and `upper=inf` bound nothing",
        place=user_place(),
    )


def shape_too_large(name: str, shape: Lengths) -> ModelError:
    count = float(min(math.prod(shape), 10**300))
    return ModelError(
        f"`{name}`: shape {as_given(shape)} has {count:.3g} elements, {8 * count / 1e9:.3g} GB for one draw.",
        remedy="correct `shape`; Stan counts to 2147483647",
        place=user_place(),
    )
