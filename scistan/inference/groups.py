"""The groups of a fit: which there are, and how each is made from its draws."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.inference.arviz_data import group
from scistan.inference.generated import likelihood_axes, log_prior, predictive
from scistan.inference.memory import check_fits, sizes_of
from scistan.inference.prior import constant_data, observed_data
from scistan.inference.states import log_likelihoods
from scistan.inference.summed import as_written, conditional_terms
from scistan.messages import sampling as messages
from scistan.passes.states.told import told_of_states
from scistan.profiling import stage
from scistan.version import __version__

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["GENERATED", "check_groups_fit", "make_group"]

# Groups computed from the latents' draws; `keep` may leave them out.
GENERATED = ("posterior_predictive", "log_likelihood", "log_prior")
_BY_ROW = GENERATED[:2]


def make_group(fit: Fit, name: str) -> Any:
    """Make a group as an xarray Dataset; None where the fit has none of that name."""
    if fit.subject is None or name in fit._left_out or name not in _MAKERS:
        return None
    if name in GENERATED and any(latent not in fit.posterior for latent in fit.subject.latents):
        raise messages.not_kept(f"`{name}`")
    check_groups_fit(fit, [name])
    with stage("generated quantities" if name in GENERATED else "conversion"), stage(name):
        return _MAKERS[name](fit)


def check_groups_fit(fit: Fit, names: Sequence[str]) -> None:
    """Refuse groups that are not made yet and do not fit into memory together: some have a number for each row."""
    missing = [name for name in names if name in _BY_ROW and name not in fit.groups and name not in fit._left_out]
    if fit.subject is None or not missing:
        return
    instance, (chains, draws) = fit.subject.written_instance, fit.shape
    by_variable = sizes_of(instance, [t.name for t in instance.graph.observed], chains * draws)
    sizes = {f"{n} of {v}": size for n in missing for v, size in by_variable.items()}
    check_fits(sizes, 1, partial(messages.generated_too_big, " and ".join(f"`{name}`" for name in missing)))


def _posterior(fit: Fit) -> Any:
    instance = fit._need("the posterior").instance
    return group(fit.posterior, instance.dims, instance.coords, attributes=attributes(fit))


def _predictive(fit: Fit) -> Any:
    instance = fit._need("prediction").written_instance
    arrays = predictive(instance, fit.posterior, int(fit.settings["seed"]))
    return group(arrays, instance.dims, instance.coords)


def _log_likelihood(fit: Fit) -> Any:
    subject = fit._need("the log likelihood")
    instance, conditional = subject.written_instance, conditional_terms(subject.instance)
    dims, coords = likelihood_axes(instance)
    told = {f"{name}_given": ", ".join(latents) for name, latents in conditional.items()}
    told |= {f"{one.carrier}_ahead": ", ".join(one.names) for one in subject.instance.summed if one.ahead}
    return group(log_likelihoods(subject.instance, fit.posterior), dims, coords, attributes=told)


def _log_prior(fit: Fit) -> Any:
    instance = fit._need("the log prior").instance
    found = log_prior(as_written(instance) if instance.integrated else instance, fit.posterior)
    return None if found is None else group({"log_prior": found}, {}, {})


def _warmup_posterior(fit: Fit) -> Any:
    subject = fit._need("warm-up")
    if fit.draws.warmup is None:
        return None
    values = fit.draws.warmup.values
    arrays = {name: subject.shaped(name, values[name]) for name in fit.posterior if name in values}
    return group(arrays, subject.instance.dims, subject.instance.coords)


def _warmup_statistics(fit: Fit) -> Any:
    return None if fit.draws.warmup is None else group(fit.draws.warmup.statistics, {}, {})


_MAKERS: Mapping[str, Callable[[Fit], Any]] = {
    "posterior": _posterior,
    "posterior_predictive": _predictive,
    "log_likelihood": _log_likelihood,
    "log_prior": _log_prior,
    "sample_stats": lambda fit: group(fit.draws.statistics, {}, {}),
    "warmup_posterior": _warmup_posterior,
    "warmup_sample_stats": _warmup_statistics,
    "observed_data": lambda fit: observed_data(fit._need("the data").written_instance),
    "constant_data": lambda fit: constant_data(fit._need("the data").written_instance),
}


def attributes(fit: Fit) -> dict[str, Any]:
    """Say where draws come from, in values that every file format can hold."""
    return {
        "model": fit.model_name,
        "model_hash": fit.model_hash,
        "engine": fit.engine,
        "method": fit.method,
        "scistan_version": __version__,
        **{f"{package}_version": text for package, text in fit.draws.versions.items()},
        "seed": int(fit.settings["seed"]),
        "chain_numbers": list(fit.draws.numbers),
        "settings": json.dumps(dict(fit.settings), default=_plain),
        "why": fit.why,
        "notes": json.dumps(list(fit.notes)),
        **({} if fit.subject is None or not fit.subject.instance.summed
           else {"summed": json.dumps(told_of_states(fit.subject.instance))}),
        **({} if fit.certificate is None else {"certificate": fit.certificate.to_json()}),
        "left_out": json.dumps(sorted(fit._left_out)),
        **{f"seconds_{part}": float(seconds) for part, seconds in fit.timing.items()},
    }


def _plain(value: object) -> object:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)
