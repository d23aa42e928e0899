"""Wording about latents that are integrated out of an estimate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scistan.errors import ArgumentError, ModelError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{n}`" for n in names)


def bad_integrate(given: object) -> ModelError:
    return ModelError(
        f"`integrate` is {as_given(given)}.",
        remedy="give 'auto' (random effects), True (all that can be), False (nothing), 'reml' (`m.mle` of a linear "
        "mixed model) or a list of names of latents",
        place=user_place(),
    )


def unknown_latent(name: object, known: Iterable[str]) -> ArgumentError:
    return ArgumentError(
        f"`integrate` names {as_given(name)}, which is no latent of the model.",
        remedy=nearest(str(name), known), place=user_place(),
    )


def cannot_integrate(name: str, words: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` cannot be integrated out: it must be {words}, and only latents of any real numbers can be.",
        remedy="leave it out of `integrate`", place=user_place(),
    )


def nothing_left(names: Sequence[str]) -> ModelError:
    return ModelError(
        f"with {_named(names)} integrated out nothing is left to be maximized over.",
        remedy="integrate=False, or fewer names", place=user_place(),
    )


def reml_of_what() -> ModelError:
    return ModelError(
        "integrate='reml' is a likelihood in which coefficients are integrated with flat priors, and `m.map()` keeps "
        "the priors.",
        remedy="`m.mle(integrate='reml')`, or `m.map(integrate=True)`, which integrates coefficients with their priors",
        place=user_place(),
    )


def reml_not_linear(names: Sequence[str]) -> ModelError:
    return ModelError(
        f"integrate='reml' is for linear mixed models, and this one is not normal in {_named(names)}.",
        remedy="`m.mle()` integrates the random effects alone", place=user_place(),
    )


def too_many_tied(names: Sequence[str], count: int, most: int) -> UnsupportedError:
    return UnsupportedError(
        f"the {count:,} numbers of {_named(names)} cannot be integrated out together: they are in no groups that "
        f"meet in few others and in no chain along a series, and more than {most:,} would need a matrix that is too "
        "large.",
        remedy="integrate=[…] with fewer of them, integrate=False for the mode over everything at once, or `m.mcmc()`",
        place=user_place(),
    )


def no_inner_mode(names: Sequence[str]) -> ModelError:
    return ModelError(
        f"{_named(names)} could not be integrated out: given the rest their density has no peak at any start.",
        remedy="integrate=False for the mode over everything at once, `inits=`, or `m.mcmc()`",
        place=user_place(),
    )


def integrated_out(names: Sequence[str], exactly: bool, left: Sequence[str]) -> str:
    how = "exactly" if exactly else "by Laplace's approximation"
    given = "modes given the rest"
    return f"integrated out {how}: {_named(names)} (shown: {given}); maximized over: {_named(left)}"


def joint_in_batches(names: Sequence[str]) -> str:
    return (
        f"with mini-batches nothing is integrated out: {_named(names)} and what governs them were maximized at once. "
        "Leave out batch_size for the marginal estimate"
    )


def out_of_profile() -> str:
    return "it was integrated out"
