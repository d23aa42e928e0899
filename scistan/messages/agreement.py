"""Wording of what `m.verify()` finds where targets disagree."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from scistan.errors import InternalError, Place

_SHOWN = 8  # so many variables of a point are shown


def agreement_at(verdict: str, points: int, zeros: int, tails: int, wanted: int) -> str:
    """The head of an agreement; `wanted` is how many points were asked for where fewer were found."""
    others = f", and at {zeros} where every target says that the density is zero" if zeros else ""
    others += f", and not at {tails} where Stan's approximations have no digits left" if tails else ""
    few = f"; too few: {wanted} points with a density were wanted" if wanted else ""
    return f"{verdict} at {points} points{others}{few}"


def zero_everywhere(zeros: int) -> str:
    return f"NOT COMPARED: every target says that the density is zero at all of the {zeros} points tried"


def in_term(name: str, distribution: str, place: Place | None) -> str:
    return f"in the term `{name}` ({distribution})" + (f", {place}" if place else "")


def densities_apart(target: str, scipy: float, other: float, where: str, point: int, values: Mapping[str, str]) -> str:
    """Say what SciPy and another target make of a point; Stan's density is told as a change from another point."""
    what = "log density" if target == "torch" or not isfinite(scipy - other) else "change of the log density"
    return f"the {what} is {scipy:.8g} in SciPy and {other:.8g} in {target}{_at_point(where, point, values)}"


def gradients_apart(
    variable: str, torch: float, stan: float, where: str, point: int, values: Mapping[str, str]
) -> str:
    none = " (no target has one)" if not isfinite(torch) and not isfinite(stan) else ""
    told = f"the derivative over `{variable}` is {torch:.8g} in torch and {stan:.8g} in Stan{none}"
    return told + _at_point(where, point, values)


def _at_point(where: str, point: int, values: Mapping[str, str]) -> str:
    shown = [f"{name} = {value}" for name, value in list(values.items())[:_SHOWN]]
    more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
    listed = f", where {', '.join(shown)}{more}" if shown else ""
    return f"{', ' + where if where else ''}\n    at point {point}{listed}"


def no_coordinates(said: str) -> InternalError:
    return InternalError(f"Stan has no coordinates for a point of this model: {said}")
