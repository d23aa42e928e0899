"""Wording of what can be wrong with what a lowered model is given: coordinates and values."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import DataError, UnsupportedError
from scistan.graph.places import user_place

Lengths = tuple[int, ...]


def other_latents(missing: Sequence[str], unknown: Sequence[object], names: Sequence[str]) -> DataError:
    said = [f"no values for {_listed(missing)}"] if missing else []
    said += [f"values for {_listed(unknown)}, which the model does not have as latents"] if unknown else []
    return DataError(
        f"there are {' and '.join(said)}.",
        remedy=f"give each latent's by its name: {_listed(names)}",
        place=user_place(),
    )


def wrong_shape(name: str, wanted: Lengths, given: Lengths) -> DataError:
    return DataError(
        f"`{name}` has shape {wanted}, and its value was given with shape {given}.",
        remedy="give one number for each element",
        place=user_place(),
    )


def wrong_coordinates(name: str, wanted: Lengths, given: Lengths) -> DataError:
    whose = f"`{name}` has free coordinates" if name else "the model has free coordinates"
    return DataError(
        f"{whose} of shape {wanted}, and shape {given} was given.",
        remedy="`.unconstrain(values)` gives the coordinates of values; many points at once go through `jax.vmap`",
        place=user_place(),
    )


def _listed(names: Sequence[object]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def too_large_for_symbols(most: int) -> UnsupportedError:
    return UnsupportedError(
        f"the model on its data takes more than {most:,} expressions, one for each element of each step.",
        remedy="give it fewer data, `m.with_data(...)`; numbers are `m.log_density`'s and `m.to_jax()`'s business",
        place=user_place(),
    )
