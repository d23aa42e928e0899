"""Wording about independent draws: which models are not made for them, and by which figures."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import SamplingError

__all__ = [
    "HEAVIEST", "LEAST_WORTH", "DeclinedError", "heavy_weights", "ill", "no_mode", "no_start", "poor_proposal",
    "set_aside", "several_modes", "too_many", "why",
]

# How many independent draws a proposed one must be worth at least, and the largest Pareto k of its weights.
LEAST_WORTH, HEAVIEST = 0.5, 0.5
_REMEDY = 'leave the choice to `engine="auto"`, which samples such a posterior by NUTS'


class DeclinedError(SamplingError):
    """A posterior that independent draws are not made for; another engine is."""


def _declined(what: str) -> DeclinedError:
    return DeclinedError(f"independent draws are not made for this posterior: {what}", remedy=_REMEDY)


def too_many(numbers: int, most: int) -> DeclinedError:
    return _declined(f"it has {numbers:,} numbers, and they are for at most {most}")


def no_start(tried: int) -> DeclinedError:
    return _declined(f"no start with a finite log density in {tried} tries")


def no_mode() -> DeclinedError:
    return _declined("no mode was found to propose draws about")


def several_modes() -> DeclinedError:
    return _declined("it has more than one mode, and draws are proposed about one")


def poor_proposal(worth: float, tail: float) -> DeclinedError:
    return _declined(
        f"a proposed draw is worth {worth:.2f} independent ones ({LEAST_WORTH:g} is asked for), and the tail of the "
        f"weights has Pareto k {tail:.2f} (at most {HEAVIEST:g})"
    )


def heavy_weights(tail: float) -> DeclinedError:
    return _declined(f"the weights of all draws have a tail of Pareto k {tail:.2f} (at most {HEAVIEST:g})")


def why(numbers: int) -> str:
    what = "the one number left is drawn" if numbers == 1 else f"the {numbers} numbers left are drawn together"
    return f"independent: {what} about the mode, and accepted by the exact density"


def ill(checks: Sequence[str]) -> str:
    return f"their draws were ill ({', '.join(checks)})"


def set_aside(found: str) -> str:
    return f"independent draws were tried first and set aside: {found}"
