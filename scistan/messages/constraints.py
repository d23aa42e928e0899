"""Wording of constraints between elements: what cannot be normalized, and which constant is left out."""

from __future__ import annotations

from scistan.errors import UnsupportedError
from scistan.graph.places import user_place

_WHY = {
    "ordered": "the probability of their order has no exact form where the elements' arguments differ",
    "positive_ordered": "the probability of their order has no exact form for these arguments",
    "sum_to_zero": "the density of their sum has an exact form for normals alone",
}
_REMEDIES = {
    "ordered": "give all elements the same arguments, or make the order of positive steps, "
    "`m.first + ss.cumsum(m.steps)`",
    "positive_ordered": "give all elements the same arguments, or make the order of positive steps, "
    "`ss.cumsum(m.steps)`",
    "sum_to_zero": "use `ss.Normal`, or let a latent scale multiply a variable that has none: "
    "`m.x = m.scale * m.z` with constraint=\"sum_to_zero\" on `m.z`",
}


def unknown_mass(distribution: str, constraint: str, parameters: list[str]) -> UnsupportedError:
    """A normalizing constant that depends on latents and is unknown: without it the prior would be another."""
    shown = ", ".join(f"`{p}`" for p in parameters)
    return UnsupportedError(
        f"`{distribution}` with constraint={constraint!r} cannot have latents in {shown}: {_WHY[constraint]}, "
        "and without it the prior of those latents would be another than the one written.",
        remedy=_REMEDIES[constraint],
        place=user_place(),
    )


def missing_constant(name: str, constraint: str) -> str:
    """Say that a log density lacks a constant, which no posterior feels."""
    return (
        f"the log density of `{name}` lacks a constant: with constraint={constraint!r}, {_WHY[constraint]}. It depends "
        "on no latent, so draws and estimates are exact; differences of log densities between models are not."
    )


def bad_constraint(name: str, constraint: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`{name}` cannot take constraint={as_given(constraint)}.",
        remedy=nearest(name_given(constraint), known),
        place=user_place(),
    )


def constraint_and_bounds(name: str, constraint: str) -> ModelError:
    return ModelError(
        f"`{name}`: constraint={as_given(constraint)} cannot be joined with `lower` and `upper`.",
        remedy="drop one of them; constraint='positive_ordered' starts at 0",
        place=user_place(),
    )


def constraint_needs_axis(name: str, constraint: str) -> ModelError:
    return ModelError(
        f"`{name}` is a single number, and constraint={as_given(constraint)} relates several.",
        remedy="give it a `shape=` or `dims=`",
        place=user_place(),
    )


def constraint_and_support(name: str, constraint: str, words: str) -> ModelError:
    return ModelError(
        f"`{name}` cannot take constraint={as_given(constraint)}: its values are {words}.",
        remedy="choose a distribution on the real line, or a positive one with 'positive_ordered'",
        place=user_place(),
    )
