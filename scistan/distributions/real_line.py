"""Distributions on the whole real line, and their halves; Student's is in `student`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scistan.distributions.cumulative import skew_normal_log_cdf
from scistan.distributions.declaration import Glm, Parameter, StanForm, declare
from scistan.distributions.formulas import Quantity, functions, log_half_or_less, log_inv_cloglog
from scistan.distributions.grouped import normal_groups
from scistan.distributions.scipy_forms import Bracketed, stats
from scistan.domains import NON_NEGATIVE, POSITIVE, REAL
from scistan.errors import UnsupportedError
from scistan.graph.node import literal
from scistan.ops.expression import Expression

exp, log, log1m, log1p, log1m_exp = functions("exp", "log", "log1m", "log1p", "log1m_exp")
square, where, maximum, arctan2, absolute = functions("square", "where", "maximum", "arctan2", "abs")
log_normal_cdf, erf, erfc, log_inv_logit = functions("log_Phi", "erf", "erfc", "log_inv_logit")
logaddexp, log_diff_exp, total, mean = functions("logaddexp", "log_diff_exp", "sum", "mean")

LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
MU, SIGMA = Parameter("mu", REAL), Parameter("sigma", POSITIVE)


def _normal_density(x: Any, mu: Any, sigma: Any) -> Quantity:
    return -0.5 * square((x - mu) / sigma) - log(sigma) - LOG_SQRT_2PI


def _normal_sample(y: Any, n: Any, mu: Any, sigma: Any) -> Quantity:
    middle = where(n > 0, mean(y), 0.0)  # nothing has no mean
    spread = total(square(y - middle))
    return -0.5 * (spread + n * square(middle - mu)) / square(sigma) - n * (log(sigma) + LOG_SQRT_2PI)


declare(
    "Normal",
    "The normal distribution with mean `mu` and standard deviation `sigma`.",
    parameters=(MU, SIGMA),
    support=REAL,
    log_density=_normal_density,
    draw=lambda rng, size, mu, sigma: rng.normal(mu, sigma, size),
    scipy=lambda mu, sigma: stats().norm(mu, sigma),
    stan=StanForm("normal", tail_error=1e-4),
    log_cdf=lambda x, mu, sigma: log_normal_cdf((x - mu) / sigma),
    log_ccdf=lambda x, mu, sigma: log_normal_cdf((mu - x) / sigma),
    location_scale=("mu", "sigma"),
    glm=Glm("normal_id_glm", "mu", others_vary=True),
    sample=_normal_sample,
    grouped=normal_groups,
)

declare(
    "StdNormal",
    "The normal distribution with mean 0 and standard deviation 1.",
    parameters=(),
    support=REAL,
    log_density=lambda x: -0.5 * square(x) - LOG_SQRT_2PI,
    draw=lambda rng, size: rng.standard_normal(size),
    scipy=lambda: stats().norm(),
    stan=StanForm("std_normal", tail_error=1e-4),
    log_cdf=lambda x: log_normal_cdf(x),
    log_ccdf=lambda x: log_normal_cdf(-x),
)


def _half_normal_log_cdf(x: Any, sigma: Any) -> Quantity:
    z = maximum(x, 0.0) / (sigma * math.sqrt(2))
    small = z < 0.5
    return where(small, log(erf(where(small, z, 0.5))), log1m(erfc(where(small, 0.5, z))))


declare(
    "HalfNormal",
    "The normal distribution about 0, folded to the positive side.",
    parameters=(SIGMA,),
    support=NON_NEGATIVE,
    log_density=lambda x, sigma: _normal_density(x, 0.0, sigma) + math.log(2),
    draw=lambda rng, size, sigma: abs(rng.normal(0, sigma, size)),
    scipy=lambda sigma: stats().halfnorm(scale=sigma),
    stan=StanForm("normal", ("0", "{sigma}"), rng="abs(normal_rng(0, {sigma}))", constant="log2()"),
    log_cdf=_half_normal_log_cdf,
    log_ccdf=lambda x, sigma: log_normal_cdf(-maximum(x, 0.0) / sigma) + math.log(2),
)


def _cauchy_density(x: Any, mu: Any, sigma: Any) -> Quantity:
    return -log1p(square((x - mu) / sigma)) - log(sigma) - math.log(math.pi)


def _cauchy_log_cdf(z: Any) -> Quantity:
    # The angle at which the line beyond z is seen; `abs` would have no gradient at 0.
    return log_half_or_less(z < 0, arctan2(1.0, where(z < 0, -z, z)) / math.pi)


declare(
    "Cauchy",
    "The Cauchy distribution with median `mu` and scale `sigma`.",
    parameters=(MU, SIGMA),
    support=REAL,
    log_density=_cauchy_density,
    draw=lambda rng, size, mu, sigma: mu + sigma * rng.standard_cauchy(size),
    scipy=lambda mu, sigma: stats().cauchy(mu, sigma),
    stan=StanForm("cauchy"),
    log_cdf=lambda x, mu, sigma: _cauchy_log_cdf((x - mu) / sigma),
    log_ccdf=lambda x, mu, sigma: _cauchy_log_cdf((mu - x) / sigma),
    location_scale=("mu", "sigma"),
)

declare(
    "HalfCauchy",
    "The Cauchy distribution about 0, folded to the positive side.",
    parameters=(SIGMA,),
    support=NON_NEGATIVE,
    log_density=lambda x, sigma: _cauchy_density(x, 0.0, sigma) + math.log(2),
    draw=lambda rng, size, sigma: abs(sigma * rng.standard_cauchy(size)),
    scipy=lambda sigma: stats().halfcauchy(scale=sigma),
    stan=StanForm("cauchy", ("0", "{sigma}"), rng="abs(cauchy_rng(0, {sigma}))", constant="log2()"),
    log_cdf=lambda x, sigma: log(arctan2(maximum(x, 0.0), sigma)) + math.log(2 / math.pi),
    log_ccdf=lambda x, sigma: log(arctan2(sigma, maximum(x, 0.0))) + math.log(2 / math.pi),
)


def _laplace_log_cdf(z: Any) -> Quantity:
    lower = z < 0
    distance = where(lower, -z, z)
    return where(lower, -distance - math.log(2), log1m(0.5 * exp(-distance)))


declare(
    "Laplace",
    "The double exponential distribution with median `mu` and scale `sigma`.",
    parameters=(MU, SIGMA),
    support=REAL,
    log_density=lambda x, mu, sigma: -absolute((x - mu) / sigma) - log(sigma) - math.log(2),
    draw=lambda rng, size, mu, sigma: rng.laplace(mu, sigma, size),
    scipy=lambda mu, sigma: stats().laplace(mu, sigma),
    stan=StanForm("double_exponential"),
    log_cdf=lambda x, mu, sigma: _laplace_log_cdf((x - mu) / sigma),
    log_ccdf=lambda x, mu, sigma: _laplace_log_cdf((mu - x) / sigma),
    location_scale=("mu", "sigma"),
)


def _logistic_density(x: Any, mu: Any, sigma: Any) -> Quantity:
    z = (x - mu) / sigma
    return log_inv_logit(z) + log_inv_logit(-z) - log(sigma)


declare(
    "Logistic",
    "The logistic distribution with mean `mu` and scale `sigma`.",
    parameters=(MU, SIGMA),
    support=REAL,
    log_density=_logistic_density,
    draw=lambda rng, size, mu, sigma: rng.logistic(mu, sigma, size),
    scipy=lambda mu, sigma: stats().logistic(mu, sigma),
    stan=StanForm("logistic"),
    log_cdf=lambda x, mu, sigma: log_inv_logit((x - mu) / sigma),
    log_ccdf=lambda x, mu, sigma: log_inv_logit((mu - x) / sigma),
    location_scale=("mu", "sigma"),
)


def _gumbel_density(x: Any, mu: Any, beta: Any) -> Quantity:
    z = (x - mu) / beta
    return -z - exp(-z) - log(beta)


declare(
    "Gumbel",
    "The distribution of extremes, with mode `mu` and scale `beta`.",
    parameters=(MU, Parameter("beta", POSITIVE)),
    support=REAL,
    log_density=_gumbel_density,
    draw=lambda rng, size, mu, beta: rng.gumbel(mu, beta, size),
    scipy=lambda mu, beta: stats().gumbel_r(mu, beta),
    stan=StanForm("gumbel"),
    log_cdf=lambda x, mu, beta: -exp((mu - x) / beta),
    log_ccdf=lambda x, mu, beta: log_inv_cloglog((mu - x) / beta),
    location_scale=("mu", "beta"),
)


def _skew_normal_density(x: Any, xi: Any, omega: Any, alpha: Any) -> Quantity:
    return _normal_density(x, xi, omega) + log_normal_cdf(alpha * (x - xi) / omega) + math.log(2)


def _draw_skew_normal(rng: Any, size: Any, xi: Any, omega: Any, alpha: Any) -> np.ndarray:
    # Azzalini (1985): z given that a second normal lies below alpha · z.
    share = alpha / np.hypot(1.0, alpha)
    z = share * np.abs(rng.standard_normal(size)) + rng.standard_normal(size) / np.hypot(1.0, alpha)
    return np.asarray(xi + omega * z)


declare(
    "SkewNormal",
    "The normal distribution of location `xi` and scale `omega`, skewed by `alpha`.",
    parameters=(Parameter("xi", REAL), Parameter("omega", POSITIVE), Parameter("alpha", REAL)),
    support=REAL,
    log_density=_skew_normal_density,
    draw=_draw_skew_normal,
    scipy=lambda xi, omega, alpha: stats().skewnorm(alpha, xi, omega),
    stan=StanForm("skew_normal"),
    log_cdf=lambda x, xi, omega, alpha: skew_normal_log_cdf((x - xi) / omega, alpha),
    log_ccdf=lambda x, xi, omega, alpha: skew_normal_log_cdf((xi - x) / omega, -alpha),
    location_scale=("xi", "omega"),
)


def _exp_mod_parts(x: Any, mu: Any, sigma: Any, lambda_: Any) -> tuple[Quantity, Quantity]:
    """Give the normal's `z`, and the log of the exponential's part of the upper tail."""
    z = (x - mu) / sigma
    shift = lambda_ * sigma
    return z, shift * (0.5 * shift - z) + log_normal_cdf(z - shift)


def _exp_mod_log_ccdf(x: Any, mu: Any, sigma: Any, lambda_: Any) -> Quantity:
    z, tail = _exp_mod_parts(x, mu, sigma, lambda_)
    return logaddexp(log_normal_cdf(-z), tail)


def _exp_mod_log_cdf(x: Any, mu: Any, sigma: Any, lambda_: Any) -> Quantity:
    z, tail = _exp_mod_parts(x, mu, sigma, lambda_)
    whole = log_normal_cdf(z)
    upper = z > 0
    beyond = logaddexp(log_normal_cdf(-z), tail)
    return where(upper, log1m_exp(where(upper, beyond, -1.0)), log_diff_exp(whole, where(upper, whole - 1.0, tail)))


declare(
    "ExpModNormal",
    "The sum of a normal with `mu` and `sigma` and an exponential with rate `lambda_`.",
    parameters=(MU, SIGMA, Parameter("lambda_", POSITIVE)),
    support=REAL,
    log_density=lambda x, mu, sigma, lambda_: log(lambda_) + _exp_mod_parts(x, mu, sigma, lambda_)[1],
    draw=lambda rng, size, mu, sigma, lambda_: rng.normal(mu, sigma, size) + rng.exponential(1 / lambda_, size),
    scipy=lambda mu, sigma, lambda_: Bracketed(
        stats().exponnorm(1 / (sigma * lambda_), mu, sigma), mu - 40 * sigma, mu + 40 * sigma + 750 / lambda_
    ),
    stan=StanForm("exp_mod_normal", truncates=False),
    log_cdf=_exp_mod_log_cdf,
    log_ccdf=_exp_mod_log_ccdf,
)


def _no_draws(rng: Any, size: Any) -> np.ndarray:
    raise UnsupportedError(
        "Flat is no probability distribution: nothing can be drawn from it.",
        remedy="give the variable a proper prior, or sample the posterior with `m.mcmc()`",
    )


declare(
    "Flat",
    "No preference: the improper prior whose density is 1 everywhere, or between `lower` and `upper`.",
    parameters=(),
    support=REAL,
    log_density=lambda x: Expression(literal(0.0)),
    draw=_no_draws,
    stan=StanForm(truncates=False),
    improper=True,
)
