"""Continuous distributions on the positive numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scistan.distributions.declaration import Parameter, StanForm, declare
from scistan.distributions.formulas import TINY, Quantity, bound_of, functions, log_inv_cloglog
from scistan.distributions.grouped import waiting_times
from scistan.distributions.scipy_forms import stats
from scistan.domains import NON_NEGATIVE, POSITIVE, REAL, between

log, log1p, exp, square, lgamma = functions("log", "log1p", "exp", "square", "lgamma")
multiply_log, maximum, log1m_exp, total = functions("multiply_log", "maximum", "log1m_exp", "sum")
log_normal_cdf, log_inv_logit = functions("log_Phi", "log_inv_logit")
log_gamma_p, log_gamma_q = functions("log_gamma_p", "log_gamma_q")

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
ALPHA, BETA, SIGMA = (Parameter(name, POSITIVE) for name in ("alpha", "beta", "sigma"))
NU, LAMBDA = Parameter("nu", POSITIVE), Parameter("lambda_", POSITIVE)


# -- log-normal ------------------------------------------------------------------------------------
def _log_normal_density(x: Any, mu: Any, sigma: Any) -> Quantity:
    return -0.5 * square((log(x) - mu) / sigma) - log(sigma) - log(x) - LOG_SQRT_2PI


declare(
    "LogNormal",
    "The distribution whose logarithm is normal with `mu` and `sigma`.",
    parameters=(Parameter("mu", REAL), SIGMA),
    support=POSITIVE,
    log_density=_log_normal_density,
    draw=lambda rng, size, mu, sigma: rng.lognormal(mu, sigma, size),
    scipy=lambda mu, sigma: stats().lognorm(sigma, scale=np.exp(mu)),
    stan=StanForm("lognormal"),
    log_cdf=lambda x, mu, sigma: log_normal_cdf((log(maximum(x, TINY)) - mu) / sigma),
    log_ccdf=lambda x, mu, sigma: log_normal_cdf((mu - log(maximum(x, TINY))) / sigma),
)


# -- the gamma family --------------------------------------------------------------------------------
def _gamma_density(x: Any, alpha: Any, beta: Any) -> Quantity:
    return alpha * log(beta) - lgamma(alpha) + (alpha - 1.0) * log(x) - beta * x


def _inv_gamma_density(x: Any, alpha: Any, beta: Any) -> Quantity:
    return alpha * log(beta) - lgamma(alpha) - (alpha + 1.0) * log(x) - beta / x


def _chi_square_log_cdf(x: Any, nu: Any) -> Quantity:
    return log_gamma_p(0.5 * nu, 0.5 * maximum(x, 0.0))


def _chi_square_log_ccdf(x: Any, nu: Any) -> Quantity:
    return log_gamma_q(0.5 * nu, 0.5 * maximum(x, 0.0))


declare(
    "Gamma",
    "The gamma distribution with shape `alpha` and rate `beta`.",
    parameters=(ALPHA, BETA),
    support=POSITIVE,
    log_density=_gamma_density,
    draw=lambda rng, size, alpha, beta: rng.gamma(alpha, 1 / beta, size),
    scipy=lambda alpha, beta: stats().gamma(alpha, scale=1 / beta),
    stan=StanForm("gamma", truncates=False),
    log_cdf=lambda x, alpha, beta: log_gamma_p(alpha, beta * maximum(x, 0.0)),
    log_ccdf=lambda x, alpha, beta: log_gamma_q(alpha, beta * maximum(x, 0.0)),
)

declare(
    "InvGamma",
    "The distribution whose inverse is gamma with shape `alpha` and rate `beta`.",
    parameters=(ALPHA, BETA),
    support=POSITIVE,
    log_density=_inv_gamma_density,
    draw=lambda rng, size, alpha, beta: beta / rng.standard_gamma(alpha, size),
    scipy=lambda alpha, beta: stats().invgamma(alpha, scale=beta),
    stan=StanForm("inv_gamma", truncates=False),
    log_cdf=lambda x, alpha, beta: log_gamma_q(alpha, beta / maximum(x, TINY)),
    log_ccdf=lambda x, alpha, beta: log_gamma_p(alpha, beta / maximum(x, TINY)),
)

declare(
    "ChiSquare",
    "The sum of the squares of `nu` standard normals.",
    parameters=(NU,),
    support=POSITIVE,
    log_density=lambda x, nu: _gamma_density(x, 0.5 * nu, 0.5),
    draw=lambda rng, size, nu: rng.chisquare(nu, size),
    scipy=lambda nu: stats().chi2(nu),
    stan=StanForm("chi_square", truncates=False),
    log_cdf=_chi_square_log_cdf,
    log_ccdf=_chi_square_log_ccdf,
)

declare(
    "InvChiSquare",
    "The distribution whose inverse is chi-square with `nu` degrees of freedom.",
    parameters=(NU,),
    support=POSITIVE,
    log_density=lambda x, nu: _inv_gamma_density(x, 0.5 * nu, 0.5),
    draw=lambda rng, size, nu: 1 / rng.chisquare(nu, size),
    scipy=lambda nu: stats().invgamma(0.5 * nu, scale=0.5),
    stan=StanForm("inv_chi_square", truncates=False),
    log_cdf=lambda x, nu: _chi_square_log_ccdf(1.0 / maximum(x, TINY), nu),
    log_ccdf=lambda x, nu: _chi_square_log_cdf(1.0 / maximum(x, TINY), nu),
)

declare(
    "ScaledInvChiSquare",
    "`nu · sigma²` over a chi-square with `nu` degrees of freedom.",
    parameters=(NU, SIGMA),
    support=POSITIVE,
    log_density=lambda x, nu, sigma: _inv_gamma_density(x, 0.5 * nu, 0.5 * nu * square(sigma)),
    draw=lambda rng, size, nu, sigma: nu * sigma**2 / rng.chisquare(nu, size),
    scipy=lambda nu, sigma: stats().invgamma(0.5 * nu, scale=0.5 * nu * sigma**2),
    stan=StanForm("scaled_inv_chi_square", truncates=False),
    log_cdf=lambda x, nu, sigma: _chi_square_log_ccdf(nu * square(sigma) / maximum(x, TINY), nu),
    log_ccdf=lambda x, nu, sigma: _chi_square_log_cdf(nu * square(sigma) / maximum(x, TINY), nu),
)


# -- waiting times and extremes ------------------------------------------------------------------------
def _power(x: Any, alpha: Any, sigma: Any) -> Quantity:
    """Give `alpha · log(x / sigma)`."""
    return alpha * (log(x) - log(sigma))


def _weibull_density(x: Any, alpha: Any, sigma: Any) -> Quantity:
    # At 0 the density is alpha / sigma for alpha = 1: 0 · log 0 counts as 0.
    return log(alpha) - log(sigma) + multiply_log(alpha - 1.0, x / sigma) - (x / sigma) ** alpha


declare(
    "Exponential",
    "Waiting times of events that come at the rate `beta`.",
    parameters=(BETA,),
    support=NON_NEGATIVE,
    log_density=lambda x, beta: log(beta) - beta * x,
    draw=lambda rng, size, beta: rng.exponential(1 / beta, size),
    scipy=lambda beta: stats().expon(scale=1 / beta),
    stan=StanForm("exponential"),
    log_cdf=lambda x, beta: log1m_exp(-beta * maximum(x, 0.0)),
    log_ccdf=lambda x, beta: -beta * maximum(x, 0.0),
    sample=lambda y, n, beta: n * log(beta) - beta * total(y),
    grouped=waiting_times,
)

declare(
    "Weibull",
    "The Weibull distribution with shape `alpha` and scale `sigma`.",
    parameters=(ALPHA, SIGMA),
    support=NON_NEGATIVE,
    log_density=_weibull_density,
    draw=lambda rng, size, alpha, sigma: sigma * rng.weibull(alpha, size),
    scipy=lambda alpha, sigma: stats().weibull_min(alpha, scale=sigma),
    stan=StanForm("weibull"),
    log_cdf=lambda x, alpha, sigma: log_inv_cloglog(_power(maximum(x, TINY), alpha, sigma)),
    log_ccdf=lambda x, alpha, sigma: -exp(_power(maximum(x, TINY), alpha, sigma)),
)


def _frechet_density(x: Any, alpha: Any, sigma: Any) -> Quantity:
    fall = -_power(x, alpha, sigma)
    return log(alpha) - log(x) + fall - exp(fall)


declare(
    "Frechet",
    "The distribution whose inverse is Weibull: shape `alpha`, scale `sigma`.",
    parameters=(ALPHA, SIGMA),
    support=POSITIVE,
    log_density=_frechet_density,
    draw=lambda rng, size, alpha, sigma: sigma / rng.weibull(alpha, size),
    scipy=lambda alpha, sigma: stats().invweibull(alpha, scale=sigma),
    stan=StanForm("frechet"),
    log_cdf=lambda x, alpha, sigma: -exp(-_power(maximum(x, TINY), alpha, sigma)),
    log_ccdf=lambda x, alpha, sigma: log_inv_cloglog(-_power(maximum(x, TINY), alpha, sigma)),
)

declare(
    "Rayleigh",
    "The length of a vector of two normals about 0 with standard deviation `sigma`.",
    parameters=(SIGMA,),
    support=POSITIVE,
    log_density=lambda x, sigma: log(x) - 2.0 * log(sigma) - 0.5 * square(x / sigma),
    draw=lambda rng, size, sigma: rng.rayleigh(sigma, size),
    scipy=lambda sigma: stats().rayleigh(scale=sigma),
    stan=StanForm("rayleigh"),
    log_cdf=lambda x, sigma: log1m_exp(-0.5 * square(maximum(x, 0.0) / sigma)),
    log_ccdf=lambda x, sigma: -0.5 * square(maximum(x, 0.0) / sigma),
)


def _log_logistic_density(x: Any, alpha: Any, beta: Any) -> Quantity:
    z = _power(x, beta, alpha)
    return log(beta) - log(x) + log_inv_logit(z) + log_inv_logit(-z)


declare(
    "LogLogistic",
    "The distribution whose logarithm is logistic: median `alpha`, shape `beta`.",
    parameters=(ALPHA, BETA),
    support=POSITIVE,
    log_density=_log_logistic_density,
    draw=lambda rng, size, alpha, beta: alpha * np.exp(rng.logistic(0.0, 1.0, size) / beta),
    scipy=lambda alpha, beta: stats().fisk(beta, scale=alpha),
    stan=StanForm("loglogistic", truncates=False),
    log_cdf=lambda x, alpha, beta: log_inv_logit(_power(maximum(x, TINY), beta, alpha)),
    log_ccdf=lambda x, alpha, beta: log_inv_logit(-_power(maximum(x, TINY), beta, alpha)),
)


# -- power laws ------------------------------------------------------------------------------------------
def _pareto_log_ccdf(x: Any, y_min: Any, alpha: Any) -> Quantity:
    return -_power(maximum(x, y_min), alpha, y_min)


declare(
    "Pareto",
    "A power law above `y_min` with shape `alpha`.",
    parameters=(Parameter("y_min", POSITIVE), ALPHA),
    support=lambda arguments: between(bound_of(arguments["y_min"]), None),
    log_density=lambda x, y_min, alpha: log(alpha) - log(x) - _power(x, alpha, y_min),
    draw=lambda rng, size, y_min, alpha: y_min * np.exp(rng.standard_exponential(size) / alpha),
    scipy=lambda y_min, alpha: stats().pareto(alpha, scale=y_min),
    stan=StanForm("pareto"),
    log_cdf=lambda x, y_min, alpha: log1m_exp(_pareto_log_ccdf(x, y_min, alpha)),
    log_ccdf=_pareto_log_ccdf,
)


def _lomax_log_ccdf(x: Any, lambda_: Any, alpha: Any) -> Quantity:
    return -alpha * log1p(maximum(x, 0.0) / lambda_)


declare(
    "Lomax",
    "The power law from 0 on with scale `lambda_` and shape `alpha` (Pareto of type 2).",
    parameters=(LAMBDA, ALPHA),
    support=NON_NEGATIVE,
    log_density=lambda x, lambda_, alpha: log(alpha) - log(lambda_) - (alpha + 1.0) * log1p(x / lambda_),
    draw=lambda rng, size, lambda_, alpha: lambda_ * np.expm1(rng.standard_exponential(size) / alpha),
    scipy=lambda lambda_, alpha: stats().lomax(alpha, scale=lambda_),
    stan=StanForm("pareto_type_2", ("0", "{lambda_}", "{alpha}")),
    log_cdf=lambda x, lambda_, alpha: log1m_exp(_lomax_log_ccdf(x, lambda_, alpha)),
    log_ccdf=_lomax_log_ccdf,
)
