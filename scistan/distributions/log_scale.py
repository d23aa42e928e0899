"""Distributions of logarithms: `ExpX` is the distribution of a number whose exponential is `X`."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.constrained import LOG_SIMPLEX
from scistan.distributions.declaration import Parameter, StanForm, declare
from scistan.distributions.formulas import Quantity, functions, log_inv_cloglog
from scistan.distributions.multivariate import (
    draw_log_dirichlet,
    draw_multinomial,
    like,
    log_arrangements,
    log_beta_of,
)
from scistan.distributions.scipy_forms import Reflected, stats
from scistan.domains import COUNT, COUNT_VECTOR, POSITIVE, POSITIVE_VECTOR, REAL

exp, log, lgamma, softplus, total = functions("exp", "log", "lgamma", "softplus", "sum")
log_gamma_p, log_gamma_q, log1m_exp = functions("log_gamma_p", "log_gamma_q", "log1m_exp")
where, minimum = functions("where", "minimum")

ALPHA, BETA, LAMBDA = (Parameter(name, POSITIVE) for name in ("alpha", "beta", "lambda_"))

declare(
    "ExpExponential",
    "The logarithm of a waiting time that is exponential with rate `beta`.",
    parameters=(BETA,),
    support=REAL,
    log_density=lambda x, beta: log(beta) + x - beta * exp(x),
    draw=lambda rng, size, beta: np.log(rng.standard_exponential(size)) - np.log(beta),
    scipy=lambda beta: stats().gumbel_l(-np.log(beta)),
    stan=StanForm(rng="log(exponential_rng({beta}))", truncates=False),
    log_cdf=lambda x, beta: log_inv_cloglog(x + log(beta)),
    log_ccdf=lambda x, beta: -beta * exp(x),
)


def _draw_log_gamma(rng: Any, size: Any, alpha: Any, beta: Any) -> np.ndarray:
    # log Gamma(alpha) = log Gamma(alpha + 1) - E / alpha: no underflow where alpha is small.
    boosted = np.log(rng.standard_gamma(alpha + 1, size)) - rng.standard_exponential(size) / alpha
    return np.asarray(boosted - np.log(beta))


def _log_gamma_log_cdf(x: Any, alpha: Any, beta: Any) -> Quantity:
    # P(alpha, z) = z^alpha / Γ(alpha + 1) to rounding where z is tiny, and z itself may underflow.
    w = x + log(beta)
    tiny = w < -40.0
    leading = alpha * w - lgamma(alpha + 1.0)
    return where(tiny, leading, log_gamma_p(alpha, exp(where(tiny, -40.0, minimum(w, 700.0)))))


declare(
    "ExpGamma",
    "The logarithm of a gamma variable with shape `alpha` and rate `beta`.",
    parameters=(ALPHA, BETA),
    support=REAL,
    log_density=lambda x, alpha, beta: alpha * (x + log(beta)) - lgamma(alpha) - beta * exp(x),
    draw=_draw_log_gamma,
    scipy=lambda alpha, beta: stats().loggamma(alpha, -np.log(beta)),
    stan=StanForm(
        rng="log(gamma_rng({alpha} + 1, {beta})) + log(uniform_rng(0, 1)) / {alpha}", truncates=False
    ),
    log_cdf=_log_gamma_log_cdf,
    log_ccdf=lambda x, alpha, beta: log_gamma_q(alpha, exp(minimum(x + log(beta), 700.0))),
)


def _log_lomax_density(x: Any, lambda_: Any, alpha: Any) -> Quantity:
    z = x - log(lambda_)
    return log(alpha) + z - (alpha + 1.0) * softplus(z)


def _log_lomax_log_cdf(x: Any, lambda_: Any, alpha: Any) -> Quantity:
    # Where exp(z) is below rounding, 1 - (1 + exp(z))^-alpha = alpha exp(z).
    z = x - log(lambda_)
    tiny = z + log(alpha) < -40.0
    return where(tiny, z + log(alpha), log1m_exp(-alpha * softplus(where(tiny, 0.0, z))))


declare(
    "ExpLomax",
    "The logarithm of a Lomax variable with scale `lambda_` and shape `alpha`.",
    parameters=(LAMBDA, ALPHA),
    support=REAL,
    log_density=_log_lomax_density,
    draw=lambda rng, size, lambda_, alpha: (
        np.log(lambda_) + np.log(np.expm1(rng.standard_exponential(size) / alpha))
    ),
    scipy=lambda lambda_, alpha: Reflected(stats().genlogistic(alpha, -np.log(lambda_))),
    stan=StanForm(rng="log(pareto_type_2_rng(0, {lambda_}, {alpha}))", truncates=False),
    log_cdf=_log_lomax_log_cdf,
    log_ccdf=lambda x, lambda_, alpha: -alpha * softplus(x - log(lambda_)),
)

declare(
    "ExpDirichlet",
    "Logarithms of probabilities whose exponentials are Dirichlet with concentrations `alpha`.",
    parameters=(Parameter("alpha", POSITIVE_VECTOR),),
    support=LOG_SIMPLEX,
    event_shape=like("alpha"),
    # The density of the first K - 1 logarithms: Dirichlet(exp x) times exp(x_1 + … + x_{K-1}).
    log_density=lambda x, alpha: total(alpha * x, -1) - x[..., -1] - log_beta_of(alpha),
    draw=draw_log_dirichlet,
    stan=StanForm(rng="log(dirichlet_rng({alpha}))", truncates=False),
)

declare(
    "MultinomialLogTheta",
    "Counts in categories: `N` in all, with the logarithms `log_theta` of the probabilities.",
    parameters=(Parameter("N", COUNT), Parameter("log_theta", LOG_SIMPLEX)),
    support=COUNT_VECTOR,
    event_shape=like("log_theta"),
    log_density=lambda x, N, log_theta: log_arrangements(x, N) + total(x * log_theta, -1),
    draw=lambda rng, size, N, log_theta: draw_multinomial(rng, size, N, np.exp(log_theta)),
    scipy=lambda N, log_theta: stats().multinomial(N, np.exp(log_theta)),
    stan=StanForm(rng="multinomial_rng(exp({log_theta}), {N})", truncates=False),
)
