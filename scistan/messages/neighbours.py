"""Where users of PyMC, NumPyro, CmdStanPy and brms find here what they write there."""

from __future__ import annotations

from scistan.errors import ArgumentError
from scistan.graph.places import user_place

_NAMES = {
    "MvNormal": "it is `ss.MultivariateNormal(mu, cov=...)`, or `chol=` or `prec=`",
    "NegativeBinomial": "it is `ss.NegBinomial2(mu, phi)`, with variance mu + mu ** 2 / phi",
    "Deterministic": "assign the expression, `m.effect = m.b * 2`: what has a name is recorded with the draws",
    "Potential": "a term of one's own is a distribution, `ss.declare_distribution(..., log_density=...)`",
    "Mixture": "declare its density with `ss.declare_distribution`, `ss.logaddexp` of the parts' `.log_density(x)`",
    "Data": "it is `ss.data(values, dims=...)`, and every named array can be swapped",
    "Truncated": "every distribution of one number takes `lower=` and `upper=`",
    "Censored": "declare its density with `ss.declare_distribution`, from `.log_density(x)` and `.log_ccdf(x)`",
    "CustomDist": "it is `ss.declare_distribution(name, doc, parameters=..., support=..., log_density=...)`",
    "LKJCholeskyCov": "it is `ss.LKJCholesky(K, eta)` beside scales of their own: `m.sd[:, None] * m.L`",
    "sample": "draw from the model itself, `fit = m.mcmc()`",
    "sample_prior_predictive": "it is `m.prior(draws=1000)`",
    "sample_posterior_predictive": "it is `fit.posterior_predictive()`, and `fit.predict(data)` at new inputs",
    "find_MAP": "it is `m.map()`",
    "plate": "give the variable an axis, `ss.Normal(0, 1, dims=\"group\")`",
    "math": "functions stand in `ss` itself, `ss.exp(x)`",
    "set_data": "it is `m.with_data(x=...)`, `m.mcmc(data={...})` or `fit.predict({...})`",
}
_NAMES |= {
    "MultivariateNormalTriL": _NAMES["MvNormal"],
    "NegativeBinomial2": _NAMES["NegativeBinomial"],
    "deterministic": _NAMES["Deterministic"],
    "potential": _NAMES["Potential"],
    "MixtureSameFamily": _NAMES["Mixture"],
    "NormalMixture": _NAMES["Mixture"],
    "MutableData": _NAMES["Data"],
    "ConstantData": _NAMES["Data"],
    "TruncatedNormal": _NAMES["Truncated"],
    "DensityDist": _NAMES["CustomDist"],
    "MCMC": _NAMES["sample"],
    "NUTS": _NAMES["sample"],
    "brm": _NAMES["sample"],
    "Predictive": _NAMES["sample_posterior_predictive"],
}
_METHODS = {
    "sample": "it is `m.mcmc()`",
    "run": "it is `m.mcmc()`",
    "fit": "it is `m.mcmc()`; `m.map()` for the posterior's mode",
    "optimize": "it is `m.map()`, or `m.mle()`",
    "optimizing": "it is `m.map()`, or `m.mle()`",
    "sampling": "it is `m.mcmc()`",
    "predict": "predictions need draws: `fit = m.mcmc()`, then `fit.predict(data)`",
    "summary": "a summary is of draws: `fit = m.mcmc()`, then `fit.summary()`",
    "get_samples": "draws are in the fit: `fit = m.mcmc()`, then `fit[\"mu\"]` or `fit.idata`",
    "set_data": "it is `m.with_data(x=...)`",
    "add_coord": "coords are given first, `ss.Model(coords={...})`, or come with the data",
    "logp": "it is `m.log_density(values)`",
    "compile_logp": "it is `m.log_density(values)`",
    "debug": "`m.verify()` compares its densities, and `m.prior()` draws from it",
}


def name_elsewhere(name: str) -> str:
    """Tell what a public name of a neighbour is called here; "" where it is nobody's."""
    return _NAMES.get(name, "")


def method_elsewhere(name: str) -> str:
    """Tell what a model's method of a neighbour is called here; "" where it is nobody's."""
    return _METHODS.get(name, "")


def argument_elsewhere(distribution: str, name: str) -> str:
    """Tell how a keyword that every distribution of a neighbour takes is written here; "" where it is nobody's."""
    if name in ("observed", "obs"):
        return f"observe behind it: `m.y = ss.{distribution}(...).observe(values)`"
    if name in ("initval", "init"):
        return "starting values belong to the run: `m.mcmc(inits={...})`"
    return f"assignment names a variable: `m.x = ss.{distribution}(...)`" if name == "name" else ""


def name_first(distribution: str, given: str, signature: str) -> ArgumentError:
    call = f"`m.{given} = ss.{distribution}(...)`" if given.isidentifier() else f"`m.x = ss.{distribution}(...)`"
    return ArgumentError(
        f"`{distribution}` was given the text {given!r} first, and its arguments are numbers.",
        remedy=f"assignment names a variable, {call}; the signature is {signature}",
        place=user_place(),
    )
