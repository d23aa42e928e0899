"""Wording of what can go wrong with a differential equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scistan.errors import DataError, ModelError, Place
from scistan.graph.places import user_place
from scistan.messages.values import as_given

_EXAMPLE = "m.left = ss.ode(lambda t, amount: -m.rate * amount, y0=10.0, t0=0, times=m.times)"


RUNS_OFF = "the steps shrink to nothing, as where a state runs off to infinity"
NO_SLOPES = "its slopes are no finite numbers"


class EquationWarning(UserWarning):
    """An equation could not be solved for some values of the latents."""


def no_slope(rhs: object) -> ModelError:
    return ModelError(
        f"`ss.ode` takes a function of the time and the state; {as_given(rhs)} is none.",
        remedy=f"give a function, as in `{_EXAMPLE}`",
        place=user_place(),
    )


def unknown_method(method: object, known: Sequence[str]) -> ModelError:
    return ModelError(
        f"`method={as_given(method)}` is no way to solve an equation.",
        remedy=f"choose one of {', '.join(map(repr, known))}; 'bdf' is for stiff equations",
        place=user_place(),
    )


def bad_tolerance(name: str, value: object) -> ModelError:
    return ModelError(
        f"`{name}={as_given(value)}` is no tolerance.",
        remedy="give a number between 0 and 1, such as 1e-6",
        place=user_place(),
    )


def bad_step_limit(value: object) -> ModelError:
    return ModelError(
        f"`max_steps={as_given(value)}` is no number of steps.",
        remedy="give a whole number above 0: the most steps from one time to the next",
        place=user_place(),
    )


def no_number(shape: tuple[int, ...]) -> ModelError:
    return ModelError(
        f"`t0` is the one time at which the state is `y0`, and has shape {shape}.",
        remedy="give a number; equations that start at different times are solved one by one",
        place=user_place(),
    )


def no_times(shape: tuple[int, ...]) -> ModelError:
    return ModelError(
        f"`times` has shape {shape}, where `ss.ode` takes a vector.",
        remedy=f"give the times at which the state is wanted, as in `{_EXAMPLE}`",
        place=user_place(),
    )


def matrix_state(shape: tuple[int, ...]) -> ModelError:
    return ModelError(
        f"a state of shape {shape} is neither a number nor a vector.",
        remedy="give the rows as vectors of their own, in a tuple or a dict",
        place=user_place(),
    )


def other_structure(given: str, wanted: str) -> ModelError:
    return ModelError(
        f"the slope is {given} where the state is {wanted}.",
        remedy="let the function give the slope of each part of the state, in the form of `y0`",
        place=user_place(),
    )


def other_shape(state: tuple[int, ...], slope: tuple[int, ...]) -> ModelError:
    return ModelError(
        f"the slope of a state of shape {state} has shape {slope}.",
        remedy="let `y0` and what the function gives have one shape",
        place=user_place(),
    )


def not_callable(error: TypeError) -> ModelError:
    return ModelError(
        f"the slope could not be read: {error}.",
        remedy="the function is called once, with the time and the state: `def rhs(t, state):`",
        place=user_place(),
    )


def empty_times(place: Place | None) -> DataError:
    return DataError(
        "`ss.ode` was given no times.", remedy="give at least one time at which the state is wanted", place=place
    )


def times_not_increasing(before: float, after: float, at: int, place: Place | None) -> DataError:
    equal = before == after
    remedy = (
        "solve at the different times and pick with positions, `times, which = np.unique(t, return_inverse=True)` "
        "and `m.z[which]`" if equal else "sort the times, and what was observed at them in the same order"
    )  # fmt: skip
    return DataError(
        f"the times of `ss.ode` must increase: {before:g} is followed by {after:g} at position {at}.",
        remedy=remedy,
        place=place,
    )


def starts_too_late(start: float, first: float, place: Place | None) -> DataError:
    remedy = (
        "leave that time out: the state at `t0` is `y0` itself, `ss.concatenate([y0[None], z])` puts it in front"
        if start == first else "let `t0` be a time before all others"
    )  # fmt: skip
    return DataError(f"`t0` is {start:g} and the first of the times {first:g}.", remedy=remedy, place=place)


def too_many_steps(most: int) -> str:
    return f"{most} steps (`max_steps`) did not lead to the next time"


def unsolved_error(told: str, place: Place | None) -> ModelError:
    what, _, remedy = told.rpartition(". ")
    return ModelError(f"{what}.", remedy=remedy.rstrip("."), place=place)


def unsolved(failed: int, of: int, time: float, reason: str, values: Mapping[str, float], method: str) -> str:
    """Say that an equation had no solution for some values, with the first of them."""
    where = ", ".join(f"{name} = {value:.4g}" for name, value in values.items())
    many = f"for {failed} of {of} draws" if of > 1 else "at these values"
    remedy = "raise `max_steps`, or give priors that keep to values for which there is a solution."
    if method in ("rk45", "ckrk"):
        remedy = f"if it is stiff, `method='bdf'` takes long steps where this one cannot; else {remedy}"
    return (
        f"an equation could not be solved {many}, where the density is 0 and states are NaN: {reason}, "
        f"at t = {time:.4g}{f' with {where}' if where else ''}. {remedy[0].upper()}{remedy[1:]}"
    )
