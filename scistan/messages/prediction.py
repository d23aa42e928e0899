"""Wording of what can go wrong when a fit predicts, and of what its predictions should tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scistan.errors import DataError, ModelError, Place, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.data import shown

if TYPE_CHECKING:
    from scistan.inference.extrapolation import Far


class PredictionWarning(UserWarning):
    """Predictions that should be looked at before they are trusted."""


def far_outside(far: Far) -> str:
    where = f"[{far.least:g}, {far.most:g}]"
    return (
        f"`{far.name}`: {far.count} of {far.total} new values lie far outside the fitted range {where}, {far.worst:g} "
        "for one: there the model extrapolates"
    )


def new_levels_refused(name: str, dim: str, labels: Sequence[object], count: int) -> DataError:
    what = f"labels of `{dim}` that were not fitted ({shown(labels)})" if labels else f"{count} new rows"
    typo = "correct the labels; or " if labels else ""
    return DataError(
        f"the new data have {what}, and `{name}` has no draws for them.",
        remedy=f'{typo}`new_levels="draw"` draws them from their distribution given the posterior, '
        '`new_levels="average"` puts them at its mean',
        place=user_place(),
    )


def new_times(name: str, dim: str, count: int) -> DataError:
    return DataError(
        f"the new data have {count} times of `{dim}` that were not fitted, and `{name}` is a series.",
        remedy="go on behind its end with `fit.forecast(steps, data=…)`",
        place=user_place(),
    )


def new_level_reads_alike(dim: str, label: object, fitted: object) -> DataError:
    return DataError(
        f"the new label {label!r} of `{dim}` reads as {fitted!r}, which was fitted, and is not the same.",
        remedy=f"write {fitted!r}, of the same type as in the fit, for instance by `column.astype(...)`",
        place=user_place(),
    )


def columns_missing(name: str, latent: str, labels: Sequence[object], unknown: Sequence[object]) -> DataError:
    strange = f"; {shown(unknown)} is none of those fitted" if unknown else ""
    return DataError(
        f"`{name}` came without the column {shown(labels)}, which `{latent}` was fitted with{strange}.",
        remedy="give every column that was fitted; one of zeros leaves its effect out",
        place=user_place(),
    )


def other_columns(name: str, latent: str, before: int, after: int) -> DataError:
    return DataError(
        f"`{name}` came with {after} column{'s' * (after != 1)}, and `{latent}` was fitted with {before}.",
        remedy="give every column that was fitted, in the same order, or with labels",
        place=user_place(),
    )


def new_levels_tied(name: str, dim: str, distribution: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` ties its elements along `{dim}` to each other ({distribution}), so new ones cannot be drawn alone.",
        remedy="predict for the labels that were fitted, or fit again with the new ones among them",
        place=user_place(),
    )


def new_levels_improper(name: str, dim: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` has a flat prior, from which nothing new along `{dim}` can be drawn.",
        remedy="give it a proper prior, for instance `ss.Normal(mu, tau)` with latent `mu` and `tau`, and fit again",
        place=user_place(),
    )


def no_conditional_mean(name: str, distribution: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}`: the mean of its {distribution} given the other latents is not known.",
        remedy='use `new_levels="draw"`',
        place=user_place(),
    )


def stays_frozen(text: str) -> str:
    return f"predictions: `{text}` stays as it was in the fit"


def other_statistic(text: str, place: Place | None) -> DataError:
    return DataError(
        f"`{text}` is computed over rows that were replaced: at new inputs it could stay as in the fit, or be "
        "computed anew.",
        remedy=f"say which where the model is written, and fit again: `ss.frozen({text})` stays, `ss.live({text})` "
        "follows the new rows; `ss.standardize` remembers centre and scale by itself",
        place=place or user_place(),
    )


def frozen_rows(text: str, shape: tuple[int, ...], place: Place | None) -> DataError:
    return DataError(
        f"`ss.frozen({text})` has shape {shape} in the fit, one number for each row, and the new data have other rows.",
        remedy="freeze what is the same for all rows, such as a mean",
        place=place or user_place(),
    )


def unknown_prediction(name: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`var_names` names `{name}`, which is nothing that can be predicted.",
        remedy=nearest(str(name), known),
        place=user_place(),
    )


def prediction_too_big(needed: float, free: float, biggest: Sequence[tuple[str, float]]) -> ModelError:
    most = ", ".join(f"`{name}` {size / 1e9:.1f} GB" for name, size in biggest)
    return ModelError(
        f"the predictions would take {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; the biggest: {most}.",
        remedy="ask for fewer draws, `draws=500`, for less, `var_names=[...]`, or for the rows in pieces",
        place=user_place(),
    )
