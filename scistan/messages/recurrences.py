"""Wording of what can go wrong with a recurrence."""

from __future__ import annotations

from collections.abc import Sequence

from scistan.errors import ModelError, Place
from scistan.graph.places import user_place
from scistan.messages.values import as_given

_EXAMPLE = "m.level = ss.scan(lambda level, x: m.a * level + x, init=0.0, over=m.x)"


def no_step(step: object) -> ModelError:
    return ModelError(
        f"`ss.scan` takes a function of the state and the elements; {as_given(step)} is none.",
        remedy=f"give a function, as in `{_EXAMPLE}`",
        place=user_place(),
    )


def no_length() -> ModelError:
    return ModelError(
        "`ss.scan` was told neither what to run over nor how long.",
        remedy=f"give `over=`, as in `{_EXAMPLE}`, or `length=`",
        place=user_place(),
    )


def bad_length(value: object) -> ModelError:
    return ModelError(
        f"`length={as_given(value)}` is no number of steps.",
        remedy="give a whole number above 0, or the length of something, `length=len_of.shape[0]`",
        place=user_place(),
    )


def no_axis(what: str) -> ModelError:
    return ModelError(
        f"`ss.scan` runs over the first axis of what it is given, and {what} is a single number.",
        remedy="give a vector or a matrix in `over=`; what is the same in every step is used in the function as it is",
        place=user_place(),
    )


def lengths_differ(lengths: Sequence[int]) -> ModelError:
    shown = ", ".join(map(as_given, lengths))
    return ModelError(
        f"what `ss.scan` runs over differs in length: {shown}.",
        remedy="cut what is longer, as in `over=(m.y[1:], m.y[:-1])`",
        place=user_place(),
    )


def other_structure(given: str, wanted: str) -> ModelError:
    return ModelError(
        f"the step gives {given} where the state is {wanted}.",
        remedy="give the next state in the form of `init`, or a pair of it and what is to be recorded: "
        "`return state, output`",
        place=user_place(),
    )


def other_shape(wanted: tuple[int, ...], given: tuple[int, ...]) -> ModelError:
    return ModelError(
        f"a step turns a state of shape {wanted} into one of shape {given}.",
        remedy="let `init` have the shape that every step gives",
        place=user_place(),
    )


def changes_something(error: TypeError) -> ModelError:
    return ModelError(
        f"the step could not be read: {error}.",
        remedy="the function is called once, with the state and one element of each array of `over=`, "
        "and must take as many arguments",
        place=user_place(),
    )


def leaves_its_step(place: Place | None) -> ModelError:
    return ModelError(
        "a value of a step is used outside of its step, where it has no meaning.",
        remedy="let the step give it back, `return state, output`: the result of `ss.scan` holds it for every step",
        place=place,
    )


def computed_position(place: Place | None) -> ModelError:
    return ModelError(
        "a step cannot pick by a position that it computes.",
        remedy="let the positions be an element of what is run over, `over=(m.x, m.group - 1)`, "
        "or choose with `ss.where`",
        place=place,
    )
