"""Wording of what can go wrong while variables are named and used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pickle import PicklingError

from scistan.errors import ModelError, Place, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.neighbours import method_elsewhere
from scistan.messages.values import kind_of

Lengths = tuple[int, ...]


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


def unused_latents(names: Sequence[str], places: Sequence[Place | None]) -> ModelError:
    shown = ", ".join(f"`{n}`" for n in names)
    return ModelError(
        f"nothing observed depends on {shown}.",
        remedy="use it in the likelihood, or remove it",
        place=places[0] if places else None,
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


def changed_since(model: str, name: str, gone: bool) -> ModelError:
    how = "is no longer in the model" if gone else "has changed in the model"
    return ModelError(
        f"`{name}` {how} `{model}` since this fit, which is of the model as it was.",
        remedy="fit again; or write the new model under another name (`copy.copy(m)` gives one to change), and the fit "
        "keeps its own; quantities that are derived later need no new fit",
        place=user_place(),
    )


def conjugate(latent: str, family: str, terms: Sequence[str], posterior: str) -> str:
    """Say that a latent's distribution given the data and all other latents is of its prior's family."""
    seen = " and ".join(f"`{name}`" for name in terms)
    return f"`{latent}` given all else is {family} again, with {seen}: {posterior}"
