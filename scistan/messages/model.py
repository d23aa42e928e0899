"""Wording of what can go wrong while a model is written."""

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


def nearest(word: object, known: Iterable[str]) -> str:
    """Suggest the known word nearest to a misspelled one, or list what there is."""
    known = sorted(known)
    close = get_close_matches(name_given(word)[:200], known, n=1, cutoff=0.6)
    return f"did you mean `{close[0]}`?" if close else f"known: {', '.join(known) or 'none'}"


def wrong_argument_count(name: str, expected: int, given: int) -> ArgumentError:
    many = "1 argument" if expected == 1 else f"{expected} arguments"
    return ArgumentError(
        f"`{name}` takes {many}, {given} given.", remedy=f"`help(ss.{name})` says which", place=user_place()
    )


def shapes_do_not_broadcast(name: str, shapes: Sequence[Lengths]) -> ModelError:
    shown = " and ".join(str(s) for s in shapes)
    return ModelError(
        f"`{name}`: shapes {shown} do not broadcast.",
        remedy="make the lengths equal, or add an axis of length 1 with `x[:, None]`",
        place=user_place(),
    )


def unknown_argument(name: str, given: str, known: Sequence[str], signature: str) -> ArgumentError:
    spelled = f"the signature is {signature}" if is_borrowed(given) else nearest(given, known)
    remedy = argument_elsewhere(name, given) or synonym(name, given, known, signature) or spelled
    return ArgumentError(f"`{name}` has no argument `{given}`.", remedy=remedy, place=user_place())


def missing_argument(name: str, missing: Sequence[str], signature: str) -> ArgumentError:
    shown = ", ".join(f"`{m}`" for m in missing)
    ends = "; its ends are `alpha` and `beta`, and `lower=` and `upper=` truncate" if name == "Uniform" else ""
    return ArgumentError(
        f"`{name}` needs {shown}.", remedy=f"the signature is {signature}{ends}", place=user_place()
    )


def given_several_ways(name: str, given: Sequence[str], signature: str) -> ArgumentError:
    shown = " and ".join(f"`{one}`" for one in given)
    return ArgumentError(
        f"`{name}` was given {shown}, which say the same thing.",
        remedy=f"keep one of them; the signature is {signature}",
        place=user_place(),
    )


def argument_twice(name: str, argument: str) -> ArgumentError:
    return ArgumentError(
        f"`{name}` got `{argument}` twice, by position and by keyword.",
        remedy="drop one of the two",
        place=user_place(),
    )


def too_many_arguments(name: str, given: int, signature: str) -> ArgumentError:
    return ArgumentError(
        f"`{name}` got {given} positional arguments.",
        remedy=f"the signature is {signature}",
        place=user_place(),
    )


def illegal_constant(name: str, argument: str, words: str, shown: str, signature: str = "") -> ModelError:
    one_line = " ".join(shown.split()).removesuffix(".")
    order = f"; the order is {signature}" if "," in signature else ""
    return ModelError(
        f"`{name}`: `{argument}` must be {words}, and is {one_line}.",
        remedy=f"correct `{argument}`{order}",
        place=user_place(),
    )


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


def unnamed_distribution(name: str) -> ModelError:
    return ModelError(
        f"a {name} distribution is used as a value before it has a name.",
        remedy=f"name it first: `m.z = ss.{name}(...)`, then use `m.z`",
        place=user_place(),
    )


def reserved_name(name: str, why: str, instead: str = "") -> ModelError:
    return ModelError(
        f"`{name}` cannot name a variable: {why}.",
        remedy=f"choose another, `{instead or name + '_'}` for one",
        place=user_place(),
    )


def not_assignable(name: str, what: object) -> ModelError:
    uncalled = type(what).__name__ in ("Constructor", "Alternatives")
    return ModelError(
        f"`{name}` was given {kind_of(what)}{' without arguments' if uncalled else ''}, which is no part of a model.",
        remedy=f"call it: `{what!r}`"
        if uncalled
        else f"wrap values in `ss.data(...)`; a private name, `_{name}`, holds anything",
        place=user_place(),
    )


def name_in_use(name: str, users: Sequence[str], role: str) -> ModelError:
    shown = ", ".join(f"`{u}`" for u in users[:5]) + (f" and {len(users) - 5} more" if len(users) > 5 else "")
    swap = f"give it other values with `m.with_data({name}=...)`, or " if role in ("data", "observed") else ""
    return ModelError(
        f"`{name}` is used by {shown} and cannot be given another meaning.",
        remedy=f"{swap}build the model anew, starting at `m = ss.Model(...)`",
        place=user_place(),
    )


class ModelWarning(UserWarning):
    """A model that can be meant as written, but seldom is."""


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


def not_latent(name: str, role: str) -> ModelError:
    swap = f"give it other values, `m.with_data({name}=...)`"
    why, remedy = {
        "data": ("it is data, and has its values", swap),
        "observed": ("it is observed already", swap),
        "derived": (
            "it is computed from others, and has no distribution to be observed by",
            f"give the latents it is computed from, or set it whatever these are, `m.do({name}=...)`",
        ),
    }[role]
    return ModelError(f"`{name}` cannot be given: {why}.", remedy=remedy, place=user_place())


def outgrown_loop(names: Sequence[str]) -> ModelError:
    return ModelError(
        f"`{names[0]}` … `{names[-1]}` were written in a loop along an axis whose length these data change.",
        remedy="write the loop as one statement over the whole axis, or build the model anew on the new data",
        place=user_place(),
    )


def defined_by_itself(name: str) -> ModelError:
    return ModelError(
        f"`{name}` cannot be defined by itself: the old `{name}` would be gone.",
        remedy=f"give the new quantity another name, `{name}_2` for one",
        place=user_place(),
    )


def stale_variable(name: str) -> ModelError:
    return ModelError(
        f"this expression was built from a `{name}` that has been re-assigned since.",
        remedy=f"build the expression again from `m.{name}`",
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


def unknown_attribute(name: str, variables: Iterable[str], methods: Iterable[str]) -> ModelError:
    close = get_close_matches(name, [*variables, *methods], n=1, cutoff=0.7)
    spelled = f"did you mean `{close[0]}`?" if close else f"its variables: {', '.join(variables) or 'none yet'}"
    hint = method_elsewhere(name) or spelled
    return UnknownAttributeError(f"the model has no variable or method `{name}`.", remedy=hint, place=user_place())


def foreign_variable(name: str, other: str) -> ModelError:
    return ModelError(
        f"`{name}` belongs to another model (`{other}`).",
        remedy="build both in one model, or pass its value as data",
        place=user_place(),
    )


def discrete_latent(name: str, distribution: str) -> ModelError:
    return ModelError(
        f"`{name}` is a discrete latent ({distribution}); gradient-based samplers cannot draw it.",
        remedy="observe it with `.observe(values)`, or sum it out of the density (a mixture)",
        place=user_place(),
    )


def unused_latents(names: Sequence[str], places: Sequence[Place | None]) -> ModelError:
    shown = ", ".join(f"`{n}`" for n in names)
    return ModelError(
        f"nothing observed depends on {shown}.",
        remedy="use it in the likelihood, or remove it",
        place=places[0] if places else None,
    )


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


def no_cdf(name: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` offers no cumulative probability: its declaration gives none.",
        remedy="the page of distributions lists those that do; for a logit or log form take its plain twin, "
        "`ss.Bernoulli(ss.inv_logit(x))` for one",
        place=user_place(),
    )


def no_density_of_one(name: str, constraint: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` with constraint={as_given(constraint)} has a density of all its elements together, none of each.",
        remedy="drop `constraint=` here; it belongs to a variable of the model",
        place=user_place(),
    )


def bad_constraint(name: str, constraint: object, known: Iterable[str]) -> ModelError:
    return ModelError(
        f"`{name}` cannot take constraint={as_given(constraint)}.",
        remedy=nearest(name_given(constraint), known),
        place=user_place(),
    )


def constraint_and_bounds(name: str, constraint: str) -> ModelError:
    return ModelError(
        f"`{name}`: constraint={as_given(constraint)} cannot be joined with `lower` and `upper`.",
        remedy="drop one of them; constraint='positive_ordered' starts at 0",
        place=user_place(),
    )


def constraint_needs_axis(name: str, constraint: str) -> ModelError:
    return ModelError(
        f"`{name}` is a single number, and constraint={as_given(constraint)} relates several.",
        remedy="give it a `shape=` or `dims=`",
        place=user_place(),
    )


def constraint_and_support(name: str, constraint: str, words: str) -> ModelError:
    return ModelError(
        f"`{name}` cannot take constraint={as_given(constraint)}: its values are {words}.",
        remedy="choose a distribution on the real line, or a positive one with 'positive_ordered'",
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


def not_picklable(what: str, remedy: str) -> UnsupportedError:
    return NotPicklableError(
        f"{what} cannot be pickled: the formulas of its distributions are functions.",
        remedy=remedy,
        place=user_place(),
    )


class UnknownVariableError(ModelError, KeyError):
    """A name in brackets that the model does not have."""

    __str__ = Exception.__str__  # KeyError's own would put the text in quotes


def unknown_variable(name: object, known: Iterable[str]) -> ModelError:
    what = f"the model has no variable `{name}`."
    return UnknownVariableError(what, remedy=nearest(str(name), known), place=user_place())


def unknown_picture(path: str) -> ModelError:
    return ModelError(f"a picture cannot be written to `{path}`.", remedy="use .svg or .html", place=user_place())


def unknown_domain(domain: object, known: Iterable[str]) -> ModelError:
    remedy = nearest(name_given(domain), known)
    return ModelError(f"there is no domain {as_given(domain)}.", remedy=remedy, place=user_place())


def changed_since(model: str, name: str, gone: bool) -> ModelError:
    how = "is no longer in the model" if gone else "has changed in the model"
    return ModelError(
        f"`{name}` {how} `{model}` since this fit, which is of the model as it was.",
        remedy="fit again; or write the new model under another name (`copy.copy(m)` gives one to change), and the fit "
        "keeps its own; quantities that are derived later need no new fit",
        place=user_place(),
    )
