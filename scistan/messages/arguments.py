"""Wording of what can go wrong with the arguments of distributions and functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from scistan.errors import ArgumentError, ModelError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.neighbours import argument_elsewhere
from scistan.messages.synonyms import is_borrowed, synonym
from scistan.messages.values import as_given, name_given

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


def unnamed_distribution(name: str) -> ModelError:
    return ModelError(
        f"a {name} distribution is used as a value before it has a name.",
        remedy=f"name it first: `m.z = ss.{name}(...)`, then use `m.z`",
        place=user_place(),
    )


def no_cdf(name: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` offers no cumulative probability: its declaration gives none.",
        remedy="the page of distributions lists those that do; for a logit or log form take its plain form, "
        "`ss.Bernoulli(ss.inv_logit(x))` for one",
        place=user_place(),
    )


def no_density_of_one(name: str, constraint: str) -> UnsupportedError:
    return UnsupportedError(
        f"`{name}` with constraint={as_given(constraint)} has a density of all its elements together, none of each.",
        remedy="drop `constraint=` here; it belongs to a variable of the model",
        place=user_place(),
    )


def unknown_domain(domain: object, known: Iterable[str]) -> ModelError:
    remedy = nearest(name_given(domain), known)
    return ModelError(f"there is no domain {as_given(domain)}.", remedy=remedy, place=user_place())
