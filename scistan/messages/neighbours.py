"""Where users of PyMC, NumPyro, CmdStanPy and brms find here what they write there."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from scistan.errors import ArgumentError, ModelError
from scistan.graph.places import user_place
from scistan.messages.neighbour_names import NAMES, spelled_alike

_METHODS = {
    "sample": "it is `m.mcmc()`",
    "run": "it is `m.mcmc()`",
    "fit": "it is `m.mcmc()`; `m.map()` for the posterior's mode",
    "vi": "it is `m.variational()`, or `m.pathfinder()`",
    "optimize": "it is `m.map()`, or `m.mle()`",
    "sampling": "it is `m.mcmc()`",
    "predict": "predictions need draws: `fit = m.mcmc()`, then `fit.predict(data)`",
    "posterior_predictive": "predictions need draws: `fit = m.mcmc()`, then `fit.posterior_predictive`",
    "prior_predictive": "it is `m.prior(draws=1000)`",
    "summary": "a summary is of draws: `fit = m.mcmc()`, then `fit.summary()`",
    "get_samples": "draws are in the fit: `fit = m.mcmc()`, then `fit[\"mu\"]` or `fit.idata`",
    "set_data": "it is `m.with_data(x=...)`",
    "add_coord": "coords are given first, `ss.Model(coords={...})`, or come with the data",
    "logp": "it is `m.log_density(values)`",
    "code": "it is `m.stan_code()`",
    "build": "a model is ready as it is written; `m.compile()` compiles its program",
    "debug": "`m.verify()` compares its densities, and `m.prior()` draws from it",
    "set_priors": "a prior is a line of the model, `m.b = ss.Normal(0, 1)`",
    "free_RVs": "`repr(m)` lists its variables",
    "initial_point": "starting values belong to the run: `m.mcmc(inits={...})`",
    "generate_quantities": "assign the expression, `m.effect = m.b * 2`, and it is drawn along",
}
_METHODS |= {
    "optimizing": _METHODS["optimize"],
    "compile_logp": _METHODS["logp"],
    "point_logps": _METHODS["logp"],
    "log_prob": _METHODS["logp"],
    "add_coords": _METHODS["add_coord"],
    "variational_inference": _METHODS["vi"],
    "extract": _METHODS["get_samples"],
    "print_summary": _METHODS["summary"],
    "sample_prior_predictive": _METHODS["prior_predictive"],
    "sample_posterior_predictive": _METHODS["posterior_predictive"],
    "plot_priors": _METHODS["prior_predictive"],
    "basic_RVs": _METHODS["free_RVs"],
    "named_vars": _METHODS["free_RVs"],
}
_OF_FITS = {
    "get_samples": "the draws of a variable are `fit[\"mu\"]`, and all of them `fit.idata`",
    "print_summary": "it is `fit.summary()`",
    "waic": "it is `fit.loo()`",
    "sample_stats": "it is `fit.idata.sample_stats`",
    "to_netcdf": "it is `fit.save(path)`",
    "to_dataframe": "it is `fit.idata.posterior.to_dataframe()`",
    "plot": "it is `fit.plot_trace()`, `fit.plot_posterior()`, …; for ArviZ's own, `az.plot_trace(fit.idata)`",
    "sel": "choose in the draws, `fit[\"mu\"].sel(chain=0)`",
    "mean": "choose a variable first, `fit[\"mu\"].mean()`",
    "prior": "it is `fit.draw_prior()`",
    "predictions": "it is `fit.predict(data)`",
    "observed_data": "it is `fit.idata.observed_data`",
}
_OF_FITS |= {
    "extract": _OF_FITS["get_samples"],
    "stan_variable": _OF_FITS["get_samples"],
    "stan_variables": _OF_FITS["get_samples"],
    "draws_pd": _OF_FITS["to_dataframe"],
    "draws_xr": _OF_FITS["get_samples"],
    "to_frame": _OF_FITS["to_dataframe"],
    "traceplot": _OF_FITS["plot"],
    "to_latex": "it is `fit.table(\"latex\")`",
    "to_markdown": "it is `fit.table(\"markdown\")`",
    "std": _OF_FITS["mean"],
    "quantile": _OF_FITS["mean"],
    "generate_quantities": _OF_FITS["predictions"],
}
_OF_DISTRIBUTIONS = {
    "dist": "a distribution without a name is the call itself, `ss.Normal(0, 1)`",
    "to_event": "there is no event to declare: give the variable an axis, `dims=` or `shape=`",
    "expand": "give the variable an axis, `ss.Normal(0, 1, dims=\"group\")` or `shape=3`",
    "mask": "observe the rows that count, `.observe(values[keep])`",
    "sample": "name it in a model, `m.x = ss.Normal(0, 1)`, and draw with `m.prior()`",
    "log_prob": "it is `.log_density(x)`",
    "pdf": "it is `ss.exp(d.log_density(x))`",
    "condition": "it is `.observe(values)`",
}
_OF_DISTRIBUTIONS |= {
    "expand_dims": _OF_DISTRIBUTIONS["expand"],
    "rvs": _OF_DISTRIBUTIONS["sample"],
    "eval": _OF_DISTRIBUTIONS["sample"],
    "random": _OF_DISTRIBUTIONS["sample"],
    "logp": _OF_DISTRIBUTIONS["log_prob"],
    "logpdf": _OF_DISTRIBUTIONS["log_prob"],
    "logpmf": _OF_DISTRIBUTIONS["log_prob"],
    "prob": _OF_DISTRIBUTIONS["pdf"],
    "pmf": _OF_DISTRIBUTIONS["pdf"],
    "logcdf": "it is `.log_cdf(x)`",
    "sf": "it is `.ccdf(x)`",
}
_LIKENESS = 0.78  # below it, letters in common say nothing: `norm` is no `Uniform`, `loo` no `floor`


class UnknownNameError(ModelError, AttributeError):
    """A name after `ss.` that is not there."""


def unknown_name(name: str, known: Sequence[str]) -> UnknownNameError:
    found = _name_elsewhere(name, known) or "`dir(ss)` lists what there is"
    return UnknownNameError(f"scistan has no `{name}`.", remedy=found, place=user_place())


def _name_elsewhere(name: str, known: Sequence[str]) -> str:
    """Tell what a name that is not among the `known` public ones leads to; "" where it is nobody's."""
    alike = spelled_alike(name, known)
    told = name if name in NAMES or alike else spelled_alike(name, NAMES)
    if told in NAMES:
        return NAMES[told]
    close = alike or next(iter(get_close_matches(name, known, n=1, cutoff=_LIKENESS)), "")
    return f"did you mean `{close}`?" if close else ""


def method_elsewhere(name: str) -> str:
    """Tell what a model's method of a neighbour is called here; "" where it is nobody's."""
    return _METHODS.get(name, "")


def of_fits_elsewhere(name: str) -> str:
    """Tell what a method of a neighbour's result is called here; "" where it is nobody's."""
    return _OF_FITS.get(name, "")


def of_distributions_elsewhere(name: str) -> str:
    """Tell what a method of a neighbour's distribution is called here; "" where it is nobody's."""
    return _OF_DISTRIBUTIONS.get(name, "")


def argument_elsewhere(distribution: str, name: str) -> str:
    """Tell how a keyword that every distribution of a neighbour takes is written here; "" where it is nobody's."""
    if name in ("observed", "obs"):
        return f"observe behind it: `m.y = ss.{distribution}(...).observe(values)`"
    if name in ("initval", "testval", "init"):
        return "starting values belong to the run: `m.mcmc(inits={...})`"
    if name == "total_size":
        return "mini-batches belong to the run: `m.map(batch_size=...)`"
    if name in ("transform", "default_transform"):
        return "the support decides how it is sampled; `constraint=\"ordered\"` orders, `lower=` and `upper=` truncate"
    if name in ("validate_args", "rng", "rng_key"):
        return "leave it out: arguments are always checked, and a seed belongs to the run"
    if name in ("batch_shape", "sample_shape", "size", "event_shape"):
        return f"give it an axis, `ss.{distribution}(..., shape=3)` or `dims=\"group\"`"
    return f"assignment names a variable: `m.x = ss.{distribution}(...)`" if name == "name" else ""


def name_first(distribution: str, given: str, signature: str) -> ArgumentError:
    call = f"`m.{given} = ss.{distribution}(...)`" if given.isidentifier() else f"`m.x = ss.{distribution}(...)`"
    return ArgumentError(
        f"`{distribution}` was given the text {given!r} first, and its arguments are numbers.",
        remedy=f"assignment names a variable, {call}; the signature is {signature}",
        place=user_place(),
    )


def no_context() -> ModelError:
    return ModelError(
        "a model is no context: its variables are named by assignment.",
        remedy="write `m = ss.Model()`, then `m.mu = ss.Normal(0, 1)` and `m.y = ss.Normal(m.mu, 1).observe(values)`",
        place=user_place(),
    )
