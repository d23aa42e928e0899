"""Wording of prior checks: what is found, what can be tried, and what cannot be asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from scistan.errors import DataError, ModelError, Place, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.values import as_given


class Seen(Protocol):
    """What a check measured of a variable."""

    @property
    def value(self) -> float: ...
    @property
    def variable(self) -> str: ...
    @property
    def others(self) -> tuple[str, ...]: ...
    @property
    def numbers(self) -> tuple[float, ...]: ...


# -- findings ---------------------------------------------------------------------------------------
def impossible(seen: Seen, threshold: float) -> str:
    count, draws = seen.numbers
    return (
        f"`{seen.variable}` has impossible values (not finite, or counts beyond 2,147,483,647) in {count:.0f} of "
        f"{draws:.0f} prior draws ({seen.value:.1%}; at most {threshold:.0%} is usual)"
    )


def mend_impossible(seen: Seen) -> str:
    return f"narrow the priors{_of(seen.others)}; a log scale multiplies: 10 more is a factor of 22,026"


def saturated(seen: Seen, threshold: float) -> str:
    (edge,) = seen.numbers
    return (
        f"{seen.value:.0%} of the prior probabilities behind `{seen.variable}` are within {edge:g} of 0 or 1 "
        f"(more than {threshold:.0%}): before any data, the model is sure of most outcomes"
    )


def mend_saturated(seen: Seen) -> str:
    return (
        f"narrow the priors{_of(seen.others)}, or bring the predictors to one scale with `ss.standardize`; "
        "on the logit scale Normal(0, 1.5) is wide"
    )


def far_outside(seen: Seen, threshold: float) -> str:
    low, high, data_low, data_high, outside = seen.numbers
    return (
        f"the middle 90 % of the prior predictive of `{seen.variable}` go from {low:.3g} to {high:.3g}, those of the "
        f"data from {data_low:.3g} to {data_high:.3g}: {seen.value:.3g} times as wide (more than {threshold:g}); "
        f"{outside:.0%} of the draws lie outside the data's range widened threefold"
    )


def mend_far_outside(seen: Seen) -> str:
    return f"narrow the priors{_of(seen.others)}, or bring the predictors to one scale with `ss.standardize`"


def mean_in_tail(seen: Seen, threshold: float) -> str:
    return _in_tail("mean", seen, threshold)


def sd_in_tail(seen: Seen, threshold: float) -> str:
    return _in_tail("sd", seen, threshold)


def _in_tail(statistic: str, seen: Seen, threshold: float) -> str:
    value, low, high = seen.numbers
    return (
        f"the {statistic} of `{seen.variable}` is {value:.3g}; 90 % of prior predictive data have one between "
        f"{low:.3g} and {high:.3g}, and a share of {seen.value:.2g} lies as far out (less than {threshold:g})"
    )


def mend_tail(seen: Seen) -> str:
    return f"move or widen the priors{_of(seen.others)}, or check the units of `{seen.variable}`"


def scales_disagree(seen: Seen, threshold: float) -> str:
    most, least = seen.numbers
    first, last = seen.others
    return (
        f"in the prior of what `{seen.variable}` depends on, `{first}` moves the rows by {most:.3g} and `{last}` by "
        f"{least:.3g} (sd over rows): {seen.value:.3g} times as much (more than {threshold:g})"
    )


def mend_scales(seen: Seen) -> str:
    return f"`ss.standardize` them, or give the coefficient of `{seen.others[0]}` a prior as many times narrower"


def constant_to_change(name: str, was: str, factor: float, check: str, before: str, after: str) -> str:
    way = "halving" if factor < 1 else "doubling"
    return (
        f"`{name}` (now {was}) matters most: {way} it takes this from {before} to {after}; look at others with "
        "`.interact()` or `scistan prior`"
    )


def _of(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:most])
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f" of {shown}{more}" if names else ""


# -- what cannot be asked ---------------------------------------------------------------------------
def constant_outside(name: str, words: str, shown: str, place: Place | None) -> ModelError:
    return ModelError(f"`{name}` must be {words}, and {shown} is not.", remedy="choose another value", place=place)


def bounds_crossed(name: str, lower: str, upper: str, place: Place | None) -> ModelError:
    what = f"`{name}`: lower={lower} is not below upper={upper}."
    return ModelError(what, remedy="move the other bound", place=place)


def unknown_constant(name: object, known: Iterable[str]) -> ModelError:
    known = list(known)
    remedy = nearest(str(name), known) if known else "write numbers in the priors, ss.Normal(0, 5) for one"
    return ModelError(f"the priors have no constant {as_given(name)}.", remedy=remedy, place=user_place())


def no_number(name: str, given: object) -> ModelError:
    return ModelError(f"`{name}` takes a number, and {as_given(given)} is none.", place=user_place())


def no_constants(name: str) -> ModelError:
    return ModelError(
        f"the priors of `{name}` hold no number that a slider could move.",
        remedy="write numbers in the priors, ss.Normal(0, 5) for one, or name them: m.scale = ss.data(5.0)",
        place=user_place(),
    )


def no_widget() -> UnsupportedError:
    return UnsupportedError(
        "sliders in a notebook need the package anywidget, which is not installed.",
        remedy="pip install 'scistan[widget]', or `.serve()` for a page in the browser",
        place=user_place(),
    )


def no_matplotlib() -> UnsupportedError:
    return UnsupportedError(
        "plots need matplotlib, which is not installed.", remedy="pip install 'scistan[plot]'", place=user_place()
    )


# -- the page ---------------------------------------------------------------------------------------
def no_script(path: object, why: str) -> DataError:
    return DataError(f"{path} cannot be read: {why}.", remedy="give the Python file in which the model is written")


def script_failed(path: object, error: BaseException, place: Place | None) -> ModelError:
    return ModelError(
        f"{path} stopped with {type(error).__name__}: {error}",
        remedy=f"see that `python {path}` works; here it is run as far as its first fit",
        place=place,
    )


def no_models(path: object) -> ModelError:
    return ModelError(
        f"{path} holds no model.",
        remedy="make one at the top of the file, m = ss.Model(), or name a function that gives one: --model build",
    )


def no_such_model(path: object, name: str, known: Iterable[str]) -> ModelError:
    return ModelError(f"{path} has no model `{name}`.", remedy=nearest(name, known))


def port_taken(port: int, why: str) -> DataError:
    return DataError(f"port {port} cannot be used: {why}.", remedy="leave `--port` out, and a free one is taken")
