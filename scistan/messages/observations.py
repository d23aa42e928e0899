"""Wording of what can go wrong with observed values, shapes and dims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pickle import PicklingError

from scistan.errors import ArgumentError, DataError, ModelError, Place, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.neighbours import argument_elsewhere, method_elsewhere
from scistan.messages.synonyms import is_borrowed, synonym
from scistan.messages.values import as_given, kind_of, name_given

Lengths = tuple[int, ...]


def bad_dims(name: str, dims: object) -> ModelError:
    return ModelError(
        f"`{name}`: dims={as_given(dims)} names no axes.",
        remedy='a text for one axis, `dims="row"`, or one for each, `dims=("row", "column")`',
        place=user_place(),
    )


def dims_of_draws(name: str) -> ModelError:
    return ModelError(
        f"`{name}`: `chain` and `draw` cannot name its axes, for ArviZ calls the axes of the draws so.",
        remedy="choose other names for these dims",
        place=user_place(),
    )


def not_observable(distribution: str) -> ModelError:
    return ModelError(
        f"{distribution}.observe(...) was given an expression; what is observed must be numbers.",
        remedy="compute the values with NumPy and observe those, or observe named data, `m.x = ss.data(...)`",
        place=user_place(),
    )


def observed_again(name: str) -> str:
    return (
        f"`{name}` is observed again on the line that observed it before, and only the last counts; in a loop, give "
        f"each its own name, `m[f'{name}_{{i}}'] = ...`, or observe all values in one statement"
    )


def observed_before(done: Sequence[str], observed: Sequence[str]) -> str:
    causes, seen = (" and ".join(f"`{name}`" for name in names) for names in (done, observed))
    were = "was" if len(observed) == 1 else "were"
    return (
        f"{seen} {were} observed before `do` set {causes}: this fit takes what happened without the intervention for "
        f"what follows from it; fit the model as it was, and see what the intervention does with "
        f"`fit.predict(do={{{done[0]!r}: ...}})`; or, if you have observed its outcome, give that: "
        f"`.with_data({observed[0]}=...)`"
    )


def outgrown_loop(names: Sequence[str]) -> ModelError:
    return ModelError(
        f"`{names[0]}` … `{names[-1]}` were written in a loop along an axis whose length these data change.",
        remedy="write the loop as one statement over the whole axis, or build the model anew on the new data",
        place=user_place(),
    )


def foreign_promise() -> ModelError:
    return ModelError(
        "this expression uses a variable of another model that was observed without values.",
        remedy="build both in one model, or pass the values as data",
        place=user_place(),
    )


class UnknownAttributeError(ModelError, AttributeError):
    """A name after the dot that the model does not have."""


def data_shape(name: str, expected: Lengths, given: Lengths) -> DataError:
    return DataError(
        f"`{name}` has shape {given}, and the model needs {expected}.",
        remedy="give the values that shape",
        place=user_place(),
    )


def missing_values(names: Sequence[str]) -> DataError:
    shown = ", ".join(f"`{n}`" for n in names)
    return DataError(
        f"{shown} was observed without values.",
        remedy=f"give them: `m.with_data({names[0]}=...)`",
        place=user_place(),
    )


def no_room_for_event(name: str, distribution: str, given: Lengths, event: Lengths) -> ModelError:
    return ModelError(
        f"`{name}`: each value of {distribution} has shape {event}, which does not fit shape {given}.",
        remedy="`shape=` of a distribution of vectors or matrices counts its repetitions; values have every axis",
        place=user_place(),
    )


def values_do_not_fit(name: str, given: Lengths, needed: Lengths) -> ModelError:
    column = len(given) == len(needed) + 1 and given[-1] == 1
    return ModelError(
        f"`{name}`: the observed values have shape {given}, and the distribution {needed}.",
        remedy="observe the column itself, `df['y']` rather than `df[['y']]`, or `values[:, 0]`"
        if column
        else "observe one value for each element of the distribution",
        place=user_place(),
    )


class NotPicklableError(UnsupportedError, PicklingError):
    """What lives in one process, for it holds a model, whose formulas are functions."""
