"""Wording of what can go wrong with a fit in hand: its draws, its summary, its file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from scistan.errors import ArgumentError, DataError, ModelError, UnsupportedError
from scistan.graph.places import user_place
from scistan.messages.arguments import nearest
from scistan.messages.neighbours import of_fits_elsewhere
from scistan.messages.values import as_given, in_gigabytes, kind_of, name_given


def other_model(saved: str, given: str) -> DataError:
    return DataError(
        f"the fit is of a model with hash {saved[:12]}, and the model given has {given[:12]}.",
        remedy="give the model that was fitted",
        place=user_place(),
    )


def no_model_given(given: object) -> ModelError:
    return ModelError(
        f"{as_given(given)} is no model.",
        remedy="give the model that was fitted, `ss.load(path, model=m)`, or none: the file holds it",
        place=user_place(),
    )


def not_a_fit(path: object, why: str) -> DataError:
    return DataError(f"{path} is not a saved fit: {why}.", place=user_place())


def broken_record(path: object, why: str) -> DataError:
    return DataError(
        f"{path} is not a saved fit as it was written: the record of its model cannot be read: {why}.",
        remedy="save the fit again, or give the model: ss.load(path, model=m)",
        place=user_place(),
    )


def undeclared(path: object, kind: str, name: str) -> DataError:
    return DataError(
        f"the model of {path} uses the {kind} `{name}`, which is not declared here.",
        remedy=f"run the `ss.declare_{kind}({name!r}, …)` that it was written with, and load again",
        place=user_place(),
    )


def other_shape(name: str, saved: tuple[int, ...], given: tuple[int, ...]) -> DataError:
    return DataError(
        f"`{name}` was fitted with shape {saved}, and has shape {given} in the model given.",
        remedy="give the model on the data it was fitted to, or none: the file holds it",
        place=user_place(),
    )


def unknown_format(path: object) -> ModelError:
    return ModelError(f"{path}: the ending says nothing.", remedy="save as .nc (netCDF) or .zarr", place=user_place())


def no_package(package: str, ending: str) -> UnsupportedError:
    return UnsupportedError(
        f"files that end in {ending} need {package}, which is not installed.",
        remedy=f"pip install {package}",
        place=user_place(),
    )


def no_cmdstan(engine: str) -> ModelError:
    return ModelError(
        f"this fit comes from {engine} and has no cmdstanpy object.",
        remedy="sample with engine='cmdstan'",
        place=user_place(),
    )


def file_too_big(path: object, needed: float, free: float, biggest: Sequence[tuple[str, float]]) -> DataError:
    shown = ", ".join(f"`{name}` {in_gigabytes(size)}" for name, size in biggest)
    return DataError(
        f"{path} holds {in_gigabytes(needed)} and {in_gigabytes(free)} are free; the biggest: {shown}.",
        remedy="read it where there is more memory, or parts of it: xarray.open_dataset(path, group='posterior')",
        place=user_place(),
    )


def cannot_save(path: object, why: str) -> DataError:
    return DataError(
        f"{path} cannot be written: {why}; a file that was there before is as it was.",
        remedy="free some disk, or name a file in a folder that you can write to",
        place=user_place(),
    )


def name_with_slash(holder: str, name: str) -> DataError:
    return DataError(
        f"{holder} has no names with a slash, and the dim `{name}` has one.",
        remedy=f"call it `{name.replace('/', '_per_')}`; to save the fit as it is, `fit.save(\"fit.zarr\")`",
        place=user_place(),
    )


def no_path(what: str, given: object) -> ArgumentError:
    given_as = kind_of(given) if given is None else f"{kind_of(given)}: {as_given(given)}"
    return ArgumentError(
        f"`{what}` needs the path of a file, and was given {given_as}.",
        remedy='write a text, `"fit.nc"`, or a `pathlib.Path`',
        place=user_place(),
    )


class UnknownDrawsError(ModelError, KeyError):
    """A name in brackets that a fit has no draws of."""

    __str__ = Exception.__str__  # KeyError's own would put the text in quotes


def unknown_draws(name: object, known: Iterable[str], role: str = "") -> ModelError:
    called = name_given(name)
    what = f"the fit has no draws of `{called}`" + (f", which is {role}." if role else ".")
    known, (base, bracket, rest) = list(known), called.partition("[")
    element = f"choose behind the name, `fit[\"{base}\"][..., {rest.rstrip(']')}]`" if bracket and base in known else ""
    remedy = _GROUPS.get(role) or element or nearest(called, known)
    return UnknownDrawsError(what, remedy=remedy, place=user_place())


def unknown_element(asked: str, known: Sequence[str]) -> ModelError:
    what = f"the fit has no number `{asked}`."
    return UnknownDrawsError(what, remedy=nearest(asked, known), place=user_place())


class UnknownFitAttributeError(ModelError, AttributeError):
    """A name after the dot that a fit does not have."""


def unknown_of_fit(name: str, variables: Sequence[str], methods: Sequence[str]) -> ModelError:
    close = get_close_matches(name, [*variables, *methods], n=1, cutoff=0.75)
    shows = "`fit.summary()`, `fit.idata` and `fit[\"name\"]` show its draws"
    spelled = f"did you mean `{close[0]}`?" if close else shows
    own = f"the draws of a variable are `fit[\"{name}\"]`" if name in variables else ""
    remedy = own or of_fits_elsewhere(name) or spelled
    return UnknownFitAttributeError(f"a fit has no `{name}`.", remedy=remedy, place=user_place())


_GROUPS = {
    "observed": "what the model would draw anew is in `fit.posterior_predictive`",
    "data": "data are in `fit.idata.constant_data`",
}


def unknown_arviz_option(function: str, option: str, known: Iterable[str]) -> ArgumentError:
    return ArgumentError(f"`{function}` has no option `{option}`.", remedy=nearest(option, known), place=user_place())


def refused_by_arviz(function: str, why: str) -> ArgumentError:
    return ArgumentError(
        f"ArviZ's `{function}` refused an option: {why}.", remedy=f"`help(arviz.{function})` says what each may be",
        place=user_place(),
    )


def which_likelihood(names: Sequence[str]) -> ModelError:
    shown = ", ".join(f"`{name}`" for name in names)
    return ModelError(
        f"the model observes {shown}, and `loo` leaves out observations of one of them.",
        remedy=f'name it, `fit.loo(var_name="{names[0]}")`',
        place=user_place(),
    )


def nothing_to_leave_out() -> ModelError:
    return ModelError(
        "`loo` leaves out one observation after the other, and the model observes nothing.",
        remedy="observe data, `m.y = ss.Normal(mu, sigma).observe(values)`, and fit again",
        place=user_place(),
    )


def no_inference_data() -> ArgumentError:
    return ArgumentError(
        "a fit is no array, and no InferenceData either.",
        remedy='give ArviZ `fit.idata`, as in `az.plot_trace(fit.idata)`; one variable\'s draws are `fit["name"]`',
        place=user_place(),
    )
