"""Wording of what can go wrong with a forecast."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import DataError, ModelError
from scistan.graph.places import user_place
from scistan.messages.values import as_given


def no_series() -> ModelError:
    return ModelError(
        "the model has no series, so that nothing says how it goes on.",
        remedy="write what runs along time as `ss.Series`, or ask for new inputs with `fit.predict(data)`",
        place=user_place(),
    )


def future_needed(names: Sequence[str], count: int, steps: int) -> DataError:
    shown = ", ".join(f"`{name}`" for name in names) if names else f"{count} data without a name"
    example = ", ".join(f"{name!r}: …" for name in names) or "…"
    return DataError(
        f"the forecast needs {shown} for the {steps} steps ahead.",
        remedy=f"give them, `fit.forecast({steps}, data={{{example}}})`, each {steps} long"
        + ("" if names else "; data that are written into the model need a name first, `m.x = ss.data(x)`"),
        place=user_place(),
    )


def other_length(name: str, given: int, steps: int) -> DataError:
    return DataError(
        f"`{name}` has {given} values for a forecast of {steps} steps.",
        remedy="give one value for each step ahead",
        place=user_place(),
    )


def not_along_time(name: str, known: Sequence[str]) -> ModelError:
    return ModelError(
        f"`{name}` does not run along the time of a series.",
        remedy=f"what does: {', '.join(known)}",
        place=user_place(),
    )


def tied_over_time(name: str, title: str) -> ModelError:
    return ModelError(
        f"`{name}` follows `ss.{title}` over all times together, which does not say how it goes on.",
        remedy="write it as `ss.Series`, or leave it out of what is forecast with `var_names=`",
        place=user_place(),
    )


def too_long(steps: int, needed: float, free: float, biggest: Sequence[tuple[str, float]]) -> ModelError:
    most = ", ".join(f"`{name}` {size / 1e9:.1f} GB" for name, size in biggest)
    return ModelError(
        f"a forecast of {as_given(steps)} steps would take {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; "
        f"the biggest: {most}.",
        remedy="look less far ahead, or ask for fewer draws, `draws=500`",
        place=user_place(),
    )
