"""Continuous distributions on an interval, and on the circle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scistan.distributions.cumulative import von_mises_log_ccdf, von_mises_log_cdf
from scistan.distributions.declaration import Parameter, Relation, StanForm, declare
from scistan.distributions.formulas import Quantity, bound_of, functions
from scistan.distributions.scipy_forms import OnCircle, stats
from scistan.domains import CIRCLE, OPEN_UNIT, POSITIVE, REAL, Domain, between
from scistan.graph.node import Node

log, log1m, log1m_exp, sin, square, where = functions("log", "log1m", "log1m_exp", "sin", "square", "where")
lbeta, log_inc_beta, log_i0, clip = functions("lbeta", "log_inc_beta", "log_i0", "clip")


def _beta_density(x: Any, alpha: Any, beta: Any) -> Quantity:
    return (alpha - 1.0) * log(x) + (beta - 1.0) * log1m(x) - lbeta(alpha, beta)


def _beta_log_cdf(x: Any, alpha: Any, beta: Any) -> Quantity:
    return log_inc_beta(alpha, beta, clip(x, 0.0, 1.0))


def _beta_log_ccdf(x: Any, alpha: Any, beta: Any) -> Quantity:
    # A tiny x is lost in 1 - x, and a tiny rest in 1 - cdf: each is used where the other fails.
    inside = clip(x, 0.0, 1.0)
    below = log_inc_beta(alpha, beta, inside)
    much_left = below < -1e-3
    return where(much_left, log1m_exp(where(much_left, below, -1.0)), log_inc_beta(beta, alpha, 1.0 - inside))


declare(
    "Beta",
    "The beta distribution: `alpha - 1` prior successes and `beta - 1` prior failures.",
    parameters=(Parameter("alpha", POSITIVE), Parameter("beta", POSITIVE)),
    support=OPEN_UNIT,
    log_density=_beta_density,
    draw=lambda rng, size, alpha, beta: rng.beta(alpha, beta, size),
    scipy=lambda alpha, beta: stats().beta(alpha, beta),
    stan=StanForm("beta"),
    log_cdf=_beta_log_cdf,
    log_ccdf=_beta_log_ccdf,
)

declare(
    "BetaProportion",
    "The beta distribution with mean `mu` and precision `kappa`.",
    parameters=(Parameter("mu", OPEN_UNIT), Parameter("kappa", POSITIVE)),
    support=OPEN_UNIT,
    log_density=lambda x, mu, kappa: _beta_density(x, mu * kappa, (1.0 - mu) * kappa),
    draw=lambda rng, size, mu, kappa: rng.beta(mu * kappa, (1 - mu) * kappa, size),
    scipy=lambda mu, kappa: stats().beta(mu * kappa, (1 - mu) * kappa),
    stan=StanForm("beta_proportion"),
    log_cdf=lambda x, mu, kappa: _beta_log_cdf(x, mu * kappa, (1.0 - mu) * kappa),
    log_ccdf=lambda x, mu, kappa: _beta_log_ccdf(x, mu * kappa, (1.0 - mu) * kappa),
)


def _interval(arguments: Mapping[str, Node]) -> Domain:
    return between(bound_of(arguments["alpha"]), bound_of(arguments["beta"]))


declare(
    "Uniform",
    "Every number between `alpha` and `beta` alike.",
    parameters=(Parameter("alpha", REAL), Parameter("beta", REAL)),
    support=_interval,
    relation=Relation("beta", "above `alpha`", lambda alpha, beta: alpha < beta),
    log_density=lambda x, alpha, beta: -log(beta - alpha),
    draw=lambda rng, size, alpha, beta: rng.uniform(alpha, beta, size),
    scipy=lambda alpha, beta: stats().uniform(alpha, beta - alpha),
    stan=StanForm("uniform"),
    log_cdf=lambda x, alpha, beta: log(clip(x, alpha, beta) - alpha) - log(beta - alpha),
    log_ccdf=lambda x, alpha, beta: log(beta - clip(x, alpha, beta)) - log(beta - alpha),
)


def _von_mises_density(x: Any, mu: Any, kappa: Any) -> Quantity:
    # kappa · (cos(x - mu) - 1), without the cancellation of large terms near the mode.
    return -2.0 * kappa * square(sin(0.5 * (x - mu))) - (log_i0(kappa) - kappa) - math.log(2 * math.pi)


declare(
    "VonMises",
    "Directions between -π and π about `mu`, with concentration `kappa`.",
    parameters=(Parameter("mu", REAL), Parameter("kappa", POSITIVE)),
    support=CIRCLE,
    log_density=_von_mises_density,
    draw=lambda rng, size, mu, kappa: rng.vonmises(mu, kappa, size),
    scipy=OnCircle,
    # Stan draws within π of `mu` taken to [0, 2π): brought back to the support here.
    stan=StanForm("von_mises", rng="fmod(von_mises_rng({mu}, {kappa}) + pi(), 2 * pi()) - pi()"),
    log_cdf=von_mises_log_cdf,
    log_ccdf=von_mises_log_ccdf,
)
