"""Wording of how latents are centred by their data."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import DataError
from scistan.graph.places import user_place


def learnt(name: str, centred: int, elements: int, most: float, beside: Sequence[str] = ()) -> str:
    undo = "(`centred=False` turns it off)"
    if not centred:
        return f"{name}: sampled non-centred but for what its data say, at most {100 * most:.0f} % of an element {undo}"
    whom, whose = ("it is", "its") if elements == 1 else (f"{centred} of {elements} elements are", "their")
    sums = f", as sums with {', '.join(beside)}" if beside else ""
    return f"{name}: {whom} sampled centred{sums}, because {whose} data say more than the prior {undo}"


def centring_won(why: str, names: Sequence[str], before: float) -> str:
    """Say that a program centred by the data won over the plain one, by effective draws a counted second."""
    return f"{why}; {', '.join(names)} centred by the data, without which the best promised {before:,.0f}"


def of_no_latent(name: str, known: Sequence[str]) -> DataError:
    others = f"only that of {', '.join(known)} is" if known else "and this model has none such"
    return DataError(
        f"the centring of `{name}` is not learnt, {others}.",
        remedy="use the plan with the model that it was made for, its latents left without `centred=`",
        place=user_place(),
    )


def of_other_shape(name: str, wanted: tuple[int, ...], given: tuple[int, ...]) -> DataError:
    return DataError(
        f"the centring of `{name}` was learnt for the shape {given}, and now `{name}` has {wanted}.",
        remedy="use the plan with the data that it was made for, or call without it",
        place=user_place(),
    )


def no_information(name: str) -> DataError:
    return DataError(
        f"the centring of `{name}` holds numbers that are not finite, or information below 0.",
        remedy="use a plan as a fit gave it: information on each element, and the pull of its data",
        place=user_place(),
    )
