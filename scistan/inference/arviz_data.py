"""The seam to ArviZ: the one module that knows which is installed, 0.23 with InferenceData or 1.x with DataTree."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from scistan.given import as_names
from scistan.inference.long_table import long_table
from scistan.messages import fits as messages
from scistan.messages.values import as_given
from scistan.profiling import staged
from scistan.surface import checked, version_of

__all__ = [
    "dataset_names", "dataset_of", "group", "leave_one_out", "load_arviz", "loo_numbers", "loo_revised", "plain_labels",
    "summary_table", "to_inference_data",
]

_ROUNDED = ("none", "auto")  # what ArviZ takes for `round_to` that is no number; 1.x takes anything in silence


def group(
    arrays: Mapping[str, np.ndarray],
    dims: Mapping[str, tuple[str, ...]],
    coords: Mapping[str, list[object]],
    sample_dims: tuple[str, ...] = ("chain", "draw"),
    attributes: Mapping[str, Any] | None = None,
    listed: Sequence[str] = (),
) -> Any:
    """Make an xarray Dataset of arrays whose first axes are `sample_dims`; `listed` dims show their coords anyway."""
    import xarray as xr

    data: dict[str, Any] = {}
    used: dict[str, int] = {}
    # xarray has one name space for variables and axes: an axis called as a variable of the group gives way.
    taken = {*arrays, *sample_dims}
    called = {f"{dim}_dim" if dim in taken else dim: dim for own in dims.values() for dim in own}
    free = {dim: shown for shown, dim in called.items()}
    for name, array in arrays.items():
        given = tuple(free[dim] for dim in dims.get(name, ()))
        own = _distinct(given or tuple(f"{name}_dim_{k}" for k in range(array.ndim - len(sample_dims))))
        data[name] = _variable((*sample_dims, *own), array)
        used.update(zip((*sample_dims, *own), array.shape, strict=True))
    used.update({dim: len(coords[dim]) for dim in listed})
    own_labels = {d: _labels(d, coords.get(called.get(d, d), ()), n) for d, n in used.items()}
    return xr.Dataset(data, own_labels, dict(attributes or {}))


# xarray examines what it is given for dask arrays, which imports dask where that is installed (a third of a second):
# so plain arrays and plain indices are handed over as such.
def _variable(dims: tuple[str, ...], array: np.ndarray) -> Any:
    import xarray as xr

    return xr.Variable(dims, array, fastpath=array.dtype.kind in "biufcUS")


def _labels(dim: str, known: Sequence[object], size: int) -> Any:
    import pandas as pd
    import xarray as xr

    if len(known) == size and size:
        return _variable((dim,), plain_labels(known))
    return xr.IndexVariable(dim, pd.RangeIndex(size), fastpath=True)  # type: ignore[no-untyped-call]


def plain_labels(known: Sequence[object]) -> np.ndarray:
    """Give labels as an array; the rows of a pandas MultiIndex are labelled by tuples: one text each."""
    array = np.asarray(known)
    return array if array.ndim == 1 else np.asarray([str(label) for label in known])


def _distinct(dims: tuple[str, ...]) -> tuple[str, ...]:
    """Tell the two axes of a square matrix apart."""
    return tuple(d if d not in dims[:k] else f"{d}_{dims[:k].count(d) + 1}" for k, d in enumerate(dims))


@staged("conversion")
def to_inference_data(groups: Mapping[str, Any]) -> Any:
    """Make InferenceData (ArviZ 0.x) or a DataTree (1.x, which needs xarray alone) of named datasets."""
    present = {name: dataset for name, dataset in groups.items() if dataset is not None and dataset.data_vars}
    if _has_inference_data():
        return load_arviz().InferenceData(**present)
    import xarray as xr

    names = (str(name) for dataset in present.values() for name in dataset.variables)
    slashed = next((name for name in names if "/" in name), None)
    if slashed is not None:
        raise messages.name_with_slash("a DataTree, which ArviZ 1.x takes,", slashed)
    return xr.DataTree.from_dict({f"/{name}": dataset for name, dataset in present.items()})


def _has_inference_data() -> bool:
    """Tell by the version: ArviZ 1.x answers to the name of the class too, with a warning."""
    return version_of("arviz").startswith("0.")


@cache
def load_arviz() -> Any:
    """Import ArviZ, plots and all: a second or two."""
    try:
        module = import_module("arviz")
    except FileNotFoundError:  # 0.23 stamps a file on the first import of a day, and another process was quicker
        module = import_module("arviz")
    return checked("arviz", module)


def dataset_names(idata: Any) -> list[str]:
    """List the groups of InferenceData or a DataTree."""
    return list(idata.groups()) if callable(idata.groups) else list(idata.children)


def dataset_of(idata: Any, name: str) -> Any:
    """Give one group as a Dataset."""
    found = idata[name]
    return found.to_dataset() if hasattr(found, "to_dataset") else found


def summary_table(posterior: Any, **options: Any) -> Any:
    """Summarize a posterior with ArviZ: means, sds, intervals, ESS and R-hat."""
    if options.get("filter_vars") is None:
        names = options.get("var_names")
        for name in () if names is None else as_names("var_names", names):
            if str(name).removeprefix("~") not in posterior.data_vars:
                raise messages.unknown_draws(name, map(str, posterior.data_vars))
    if _has_inference_data():
        made = long_table(posterior, options, float(load_arviz().rcParams["stats.ci_prob"]))
        if made is not None:
            return made
    with warnings.catch_warnings():
        # Entries that are constant, as those of a Cholesky factor above its diagonal, have no R-hat: 0 / 0.
        constant = r"invalid value encountered in (scalar )?divide"
        warnings.filterwarnings("ignore", constant, RuntimeWarning, module=r"arviz|xarray_einstats")
        return _called("summary", {"posterior": posterior}, options)


def leave_one_out(posterior: Any, log_likelihood: Any, name: str | None, **options: Any) -> Any:
    """Estimate the predictive density of observations left out one by one, with ArviZ's `loo`."""
    names = [str(known) for known in log_likelihood.data_vars] if log_likelihood is not None else []
    if not names:
        raise messages.nothing_to_leave_out()
    if name is None and len(names) > 1:
        raise messages.which_likelihood(names)
    if name is not None and (not isinstance(name, str) or name not in names):
        raise messages.unknown_draws(name, names)
    if not log_likelihood[name or names[0]].size:
        raise messages.nothing_to_leave_out()
    if posterior is None or not posterior.data_vars:  # of which ArviZ would take the effective sample size
        options.setdefault("reff", 1.0)
    together = {"posterior": posterior, "log_likelihood": log_likelihood}
    scale = None if _has_inference_data() else options.pop("scale", None)
    found = _called("loo", together, {"var_name": name or names[0], **options})
    return found if scale is None else _on_scale(found, scale)


def _on_scale(found: Any, scale: object) -> Any:
    """Give a result of ArviZ 1.x, which knows the logarithm alone, on the scale asked for as 0.x gives it."""
    factor = _SCALES.get(scale.lower()) if isinstance(scale, str) else None
    if factor is None:
        wanted = ", ".join(map(repr, _SCALES))
        raise messages.refused_by_arviz("loo", f"`scale` must be one of {wanted}, and is {as_given(scale)}")
    result = copy(found)
    result.scale, result.elpd, result.se = str(scale).lower(), factor * found.elpd, abs(factor) * found.se
    result.elpd_i = None if found.elpd_i is None else factor * found.elpd_i
    return result


def _called(name: str, groups: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """Call one of ArviZ's functions; what it says of options is told in our words, whichever version says it."""
    function = getattr(load_arviz(), name)
    known = signature(function).parameters
    for option in options:
        if option not in known:
            raise messages.unknown_arviz_option(name, option, list(known)[1:])
    digits = options.get("round_to")
    named = isinstance(digits, str) and digits in _ROUNDED
    if not (digits is None or named or (isinstance(digits, int) and not isinstance(digits, bool))):
        raise messages.refused_by_arviz(name, f"`round_to` must be a whole number or 'none', and is {as_given(digits)}")
    data = to_inference_data(groups)
    try:
        return function(data, **options)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise messages.refused_by_arviz(name, str(error).strip(".")) from error


# What ArviZ calls the numbers of a leave-one-out result: 0.x a series, 1.x an object.
_OF_LOO = {True: ("elpd_loo", "p_loo", "loo_i"), False: ("elpd", "p", "elpd_i")}
_SCALES = {"log": 1.0, "negative_log": -1.0, "deviance": -2.0}


def loo_numbers(found: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Give the log density of each observation, its Pareto k, and up to which k that is reliable."""
    _, _, each = _OF_LOO[_has_inference_data()]
    scale = _SCALES[str(found.scale).lower()]
    elpd, k = np.asarray(getattr(found, each)), np.asarray(found.pareto_k)
    return elpd / scale, np.array(k, dtype=float), float(found.good_k)


def loo_revised(found: Any, elpd: np.ndarray, k: np.ndarray | None) -> Any:
    """Give the result with other densities of observations; without those of each where k is None."""
    old = _has_inference_data()
    total, p, each = _OF_LOO[old]
    scale = _SCALES[str(found.scale).lower()]
    result = found.copy() if old else copy(found)
    before = float(getattr(found, total)) / scale
    spread = float(np.sqrt(elpd.size * np.var(elpd)))
    values: dict[str, Any] = {total: scale * float(elpd.sum()), "se": abs(scale) * spread}
    values[p] = float(getattr(found, p)) + before - float(elpd.sum())
    if k is not None:
        values |= {each: getattr(found, each).copy(data=scale * elpd), "pareto_k": found.pareto_k.copy(data=k)}
        values["warning"] = bool(np.any(~(k <= float(found.good_k))))
    elif old:
        result = result.drop([each, "pareto_k"])
    else:
        values |= {each: None, "pareto_k": None}
    for name, value in values.items():
        if old:
            result[name] = value
        else:
            setattr(result, name, value)
    return result
