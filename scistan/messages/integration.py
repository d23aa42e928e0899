"""What users are told of latents that are integrated out: which, how, and what cannot be."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ArgumentError, ModelError
from scistan.messages.values import as_given

__all__ = ["bad_integrate", "cannot_integrate", "disagrees", "failed", "told", "unknown_latent", "would_be"]


def bad_integrate(given: object) -> ArgumentError:
    return ArgumentError(
        f"`integrate` is {as_given(given)}.",
        remedy='give "auto", True (all that can be integrated exactly), False, or the names of latents',
    )


def unknown_latent(name: object, known: Sequence[str]) -> ArgumentError:
    return ArgumentError(
        f"`integrate` names {as_given(name)}, which is no latent of this model.",
        remedy=f"its latents are {', '.join(f'`{one}`' for one in known)}",
    )


def cannot_integrate(names: Sequence[str], possible: Sequence[str]) -> ModelError:
    shown = ", ".join(f"`{name}`" for name in names)
    others = ", ".join(f"`{name}`" for name in possible)
    here = f"here {others}" if possible else "here none"
    return ModelError(
        f"{shown} cannot be integrated out exactly, or nothing would be left to sample. What can be: normal latents "
        "without bounds that normal variables are linear in, if they are few or fall into groups or a chain; and "
        "`Gamma` under `Poisson`, `Beta` under `Bernoulli` or `Binomial`, `Dirichlet` under `Categorical` or "
        f"`Multinomial`, if each observation reads one of them and nothing else does: {here}.",
        remedy='leave them to be sampled: `integrate="auto"` takes what can be integrated and pays',
    )


def told(latents: Sequence[tuple[str, int]], structure: str, family: str, left: int) -> str:
    """Tell of latents that were integrated out: their names and numbers of elements."""
    numbers = sum(count for _, count in latents)
    rest, them = ("the one number left", "that") if left == 1 else (f"the other {_numbers(left)}", "those")
    return (
        f"integrated out exactly, {structure}: {_listed(latents)}. The engine drew {rest}; "
        + ("this one was" if numbers == 1 else f"these {numbers:,} were")
        + f" drawn from the exact {family} distribution given {them}, once for each draw."
    )


def would_be(latents: Sequence[tuple[str, int]], structure: str, left: int) -> str:
    rest, them = ("the one number left", "it") if left == 1 else (f"the other {_numbers(left)}", "them")
    return f"{_listed(latents)}, {structure}; `m.mcmc()` samples {rest} and draws these given {them}"


def _listed(latents: Sequence[tuple[str, int]]) -> str:
    return ", ".join(f"{name} ({count:,})" if count > 1 else name for name, count in latents)


def _numbers(count: int) -> str:
    return f"{count:,} number{'s' * (count != 1)}"


def disagrees(what: str) -> str:
    return f"the model is sampled with all its latents: with some integrated out, {what}"


def failed(what: str) -> str:
    return f"the model is sampled with all its latents: with some integrated out, no chain could be run ({what})"
