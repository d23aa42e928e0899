"""Distributions of whole numbers: successes and counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scistan.distributions.cumulative import beta_binomial_log_ccdf, beta_binomial_log_cdf
from scistan.distributions.declaration import Glm, Parameter, Relation, StanForm, declare
from scistan.distributions.formulas import IMPOSSIBLE, Quantity, bound_of, functions, log_choose, times_log, times_log1m
from scistan.distributions.grouped import counts_by_log_rate, counts_by_rate, successes
from scistan.distributions.scipy_forms import special, stats
from scistan.domains import BINARY, COUNT, INTEGER, NON_NEGATIVE, POSITIVE, REAL, UNIT, Domain, integers
from scistan.graph.node import Literal, Node
from scistan.ops.expression import Expression

exp, log, log1m, log1p, lgamma = functions("exp", "log", "log1m", "log1p", "lgamma")
where, lbeta, softplus, log_inv_logit = functions("where", "lbeta", "softplus", "log_inv_logit")
maximum, minimum, clip, total, multiply_log = functions("maximum", "minimum", "clip", "sum", "multiply_log")
log_gamma_p, log_gamma_q, log_inc_beta = functions("log_gamma_p", "log_gamma_q", "log_inc_beta")

TOTAL, PHI = Parameter("N", COUNT), Parameter("phi", POSITIVE)
ALPHA, BETA = Parameter("alpha", POSITIVE), Parameter("beta", POSITIVE)
_MOST = 9.2e18  # what still fits a 64-bit whole number


def _up_to(parameter: str) -> Callable[[Mapping[str, Node]], Domain]:
    return lambda arguments: integers(0, bound_of(arguments[parameter]))


# -- successes -------------------------------------------------------------------------------------
def _bernoulli_density(x: Any, theta: Any) -> Quantity:
    success = x > 0
    return where(success, log(where(success, theta, 1.0)), log1m(where(success, 0.0, theta)))


def _bernoulli_log_cdf(x: Any, theta: Any) -> Quantity:
    zero = (x >= 0) * (x < 1)
    return where(zero, log1m(where(zero, theta, 0.0)), where(x < 0, IMPOSSIBLE, 0.0))


def _bernoulli_log_ccdf(x: Any, theta: Any) -> Quantity:
    zero = (x >= 0) * (x < 1)
    return where(zero, log(where(zero, theta, 1.0)), where(x < 0, 0.0, IMPOSSIBLE))


declare(
    "Bernoulli",
    "Success (1) with probability `theta`, else failure (0).",
    parameters=(Parameter("theta", UNIT),),
    support=BINARY,
    log_density=_bernoulli_density,
    draw=lambda rng, size, theta: (rng.random(size) < theta).astype(np.int64),
    scipy=lambda theta: stats().bernoulli(theta),
    stan=StanForm("bernoulli"),
    log_cdf=_bernoulli_log_cdf,
    log_ccdf=_bernoulli_log_ccdf,
    link="inv_logit",
    linked_parameter="theta",
    link_form="BernoulliLogit",
    grouped=successes("Binomial"),
)


def _bernoulli_by_odds(rng: Any, size: Any, alpha: Any) -> np.ndarray:
    """Draw by `u < 1 / (1 + exp(-alpha))`, multiplied out: half the time of SciPy's `expit`, and of NumPy alone."""
    with np.errstate(over="ignore", invalid="ignore"):
        success: np.ndarray = rng.random(size) * (1.0 + np.exp(-np.asarray(alpha))) < 1.0
    return success.astype(np.int64)


declare(
    "BernoulliLogit",
    "Success or failure with log odds `alpha`.",
    parameters=(Parameter("alpha", REAL),),
    support=BINARY,
    log_density=lambda x, alpha: log_inv_logit((2 * x - 1) * alpha),
    draw=_bernoulli_by_odds,
    scipy=lambda alpha: stats().bernoulli(special().expit(alpha)),
    stan=StanForm("bernoulli_logit", truncates=False),
    glm=Glm("bernoulli_logit_glm", "alpha"),
    sample=lambda y, n, alpha: total(y) * log_inv_logit(alpha) + (n - total(y)) * log_inv_logit(-alpha),
    grouped=successes("BinomialLogit"),
)


def _binomial_density(x: Any, N: Any, theta: Any) -> Quantity:
    return log_choose(N, x) + times_log(x, theta) + times_log1m(N - x, theta)


def _binomial_log_cdf(x: Any, N: Any, theta: Any) -> Quantity:
    # P(X <= x) = I_{1 - theta}(N - x, x + 1)
    inside = log_inc_beta(maximum(N - x, 1), maximum(x, 0) + 1, 1.0 - theta)
    return where(x < 0, IMPOSSIBLE, where(x >= N, 0.0, inside))


def _binomial_log_ccdf(x: Any, N: Any, theta: Any) -> Quantity:
    inside = log_inc_beta(maximum(x, 0) + 1, maximum(N - x, 1), theta)
    return where(x < 0, 0.0, where(x >= N, IMPOSSIBLE, inside))


declare(
    "Binomial",
    "Successes in `N` trials with probability `theta` each.",
    parameters=(TOTAL, Parameter("theta", UNIT)),
    support=_up_to("N"),
    discrete=True,
    log_density=_binomial_density,
    draw=lambda rng, size, N, theta: rng.binomial(N, theta, size),
    scipy=lambda N, theta: stats().binom(N, theta),
    stan=StanForm("binomial"),
    log_cdf=_binomial_log_cdf,
    log_ccdf=_binomial_log_ccdf,
    link="inv_logit",
    linked_parameter="theta",
    link_form="BinomialLogit",
)

declare(
    "BinomialLogit",
    "Successes in `N` trials with log odds `alpha`.",
    parameters=(TOTAL, Parameter("alpha", REAL)),
    support=_up_to("N"),
    discrete=True,
    log_density=lambda x, N, alpha: (
        log_choose(N, x) + x * log_inv_logit(alpha) + (N - x) * log_inv_logit(-alpha)
    ),
    draw=lambda rng, size, N, alpha: rng.binomial(N, special().expit(alpha), size),
    scipy=lambda N, alpha: stats().binom(N, special().expit(alpha)),
    stan=StanForm("binomial_logit", rng="binomial_rng({N}, inv_logit({alpha}))", truncates=False),
    glm=Glm("binomial_logit_glm", "alpha", others_vary=True, fewest=None),
)

declare(
    "BetaBinomial",
    "Successes in `N` trials whose probability is beta with `alpha` and `beta`.",
    parameters=(TOTAL, ALPHA, BETA),
    support=_up_to("N"),
    discrete=True,
    log_density=lambda x, N, alpha, beta: log_choose(N, x) + lbeta(x + alpha, N - x + beta) - lbeta(alpha, beta),
    draw=lambda rng, size, N, alpha, beta: rng.binomial(N, rng.beta(alpha, beta, size), size),
    scipy=lambda N, alpha, beta: stats().betabinom(N, alpha, beta),
    stan=StanForm("beta_binomial"),
    log_cdf=beta_binomial_log_cdf,
    log_ccdf=beta_binomial_log_ccdf,
)


def _drawn_without_replacement(arguments: Mapping[str, Node]) -> Domain:
    nodes = [arguments[name] for name in ("N", "a", "b")]
    if all(isinstance(node, Literal) for node in nodes):
        N, a, b = (int(node.value) for node in nodes if isinstance(node, Literal))
        return integers(max(0, N - b), min(a, N))
    quantities: list[Quantity] = [Expression(node) for node in nodes]
    total, wanted, others = quantities
    return integers(maximum(0, total - others)._scistan_node_, minimum(wanted, total)._scistan_node_)


# Stan's own hypergeometric_rng (2.35) throws for some of the draws: it asks for probabilities beyond the support.
_DRAW_WITHOUT_REPLACEMENT = """\
/** Draw N balls from a of the first kind and b others, one by one; gives how many are of the first kind. */
int draw_without_replacement_rng(int N, int a, int b) {
  int x = 0;
  for (n in 1:N) {
    x += bernoulli_rng((a - x) / (a + b - n + 1.0));
  }
  return x;
}"""

declare(
    "HyperGeometric",
    "Balls of the first kind among `N` drawn without replacement from `a` of the first kind and `b` others.",
    parameters=(TOTAL, Parameter("a", COUNT), Parameter("b", COUNT)),
    support=_drawn_without_replacement,
    discrete=True,
    relation=Relation("N", "at most `a + b`", lambda N, a, b: a + b >= N),
    log_density=lambda x, N, a, b: log_choose(a, x) + log_choose(b, N - x) - log_choose(a + b, N),
    draw=lambda rng, size, N, a, b: rng.hypergeometric(a, b, N, size),
    scipy=lambda N, a, b: stats().hypergeom(a + b, a, N),
    stan=StanForm(
        "hypergeometric",
        rng="draw_without_replacement_rng({N}, {a}, {b})",
        rng_function=_DRAW_WITHOUT_REPLACEMENT,
        vectorizes=False,
        truncates=False,
    ),
)

declare(
    "DiscreteRange",
    "Every whole number from `lower` to `upper` alike.",
    parameters=(Parameter("lower", INTEGER), Parameter("upper", INTEGER)),
    support=lambda arguments: integers(bound_of(arguments["lower"]), bound_of(arguments["upper"])),
    discrete=True,
    relation=Relation("upper", "at least `lower`", lambda first, last: first <= last),
    log_density=lambda x, first, last: -log(last - first + 1.0),
    draw=lambda rng, size, first, last: rng.integers(first, last, size, endpoint=True),
    scipy=lambda first, last: stats().randint(first, last + 1),
    stan=StanForm("discrete_range"),
    log_cdf=lambda x, first, last: log(clip(x, first - 1, last) - first + 1.0) - log(last - first + 1.0),
    log_ccdf=lambda x, first, last: log(1.0 * last - clip(x, first - 1, last)) - log(last - first + 1.0),
)


# -- counts ------------------------------------------------------------------------------------------
def _draw_poisson(rng: Any, size: Any, rate: Any) -> np.ndarray:
    """Draw counts; those beyond a 64-bit whole number are cut to the largest."""
    return np.asarray(rng.poisson(np.minimum(rate, _MOST), size))


def _from_zero(formula: Callable[..., Quantity], below: float) -> Callable[..., Quantity]:
    """Extend a cumulative probability of counts to negative numbers."""

    def extended(x: Any, *args: Any) -> Quantity:
        return where(x < 0, below, formula(maximum(x, 0), *args))

    return extended


declare(
    "Poisson",
    "Counts of events that occur at the rate `lambda_`.",
    parameters=(Parameter("lambda_", NON_NEGATIVE),),
    support=COUNT,
    log_density=lambda x, lambda_: times_log(x, lambda_) - lambda_ - lgamma(x + 1.0),
    draw=_draw_poisson,
    scipy=lambda lambda_: stats().poisson(lambda_),
    stan=StanForm("poisson"),
    log_cdf=_from_zero(lambda x, lambda_: log_gamma_q(x + 1.0, lambda_), IMPOSSIBLE),
    log_ccdf=_from_zero(lambda x, lambda_: log_gamma_p(x + 1.0, lambda_), 0.0),
    link="exp",
    linked_parameter="lambda_",
    link_form="PoissonLog",
    sample=lambda y, n, lambda_: multiply_log(total(y), lambda_) - n * lambda_ - total(lgamma(y + 1.0)),
    grouped=counts_by_rate,
)

declare(
    "PoissonLog",
    "Counts of events that occur at the rate `exp(alpha)`.",
    parameters=(Parameter("alpha", REAL),),
    support=COUNT,
    # A rate of 0 has alpha = -inf, and gives no event for certain.
    log_density=lambda x, alpha: where(x > 0, x * alpha, 0.0) - exp(alpha) - lgamma(x + 1.0),
    draw=lambda rng, size, alpha: _draw_poisson(rng, size, np.exp(alpha)),
    scipy=lambda alpha: stats().poisson(np.exp(alpha)),
    stan=StanForm("poisson_log", truncates=False),
    glm=Glm("poisson_log_glm", "alpha", fewest=4),
    sample=lambda y, n, alpha: total(y) * alpha - n * exp(alpha) - total(lgamma(y + 1.0)),
    grouped=counts_by_log_rate,
)


def _log_ways(x: Any, phi: Any) -> Quantity:
    """Give the log of Γ(x + phi) / (Γ(phi) x!), exact for large `phi`."""
    return -log(phi + x) - lbeta(phi, x + 1.0)


def _draw_gamma_poisson(rng: Any, size: Any, mean: Any, phi: Any) -> np.ndarray:
    return _draw_poisson(rng, size, rng.standard_gamma(phi, size) * (mean / phi))


def _neg_binomial_density(x: Any, alpha: Any, beta: Any) -> Quantity:
    return _log_ways(x, alpha) - alpha * log1p(1.0 / beta) - x * log1p(beta)


declare(
    "NegBinomial",
    "Counts whose rate is gamma with shape `alpha` and rate `beta`.",
    parameters=(ALPHA, BETA),
    support=COUNT,
    log_density=_neg_binomial_density,
    draw=lambda rng, size, alpha, beta: _draw_gamma_poisson(rng, size, alpha / beta, alpha),
    scipy=lambda alpha, beta: stats().nbinom(alpha, beta / (beta + 1)),
    stan=StanForm("neg_binomial"),
    log_cdf=_from_zero(lambda x, alpha, beta: log_inc_beta(alpha, x + 1.0, beta / (beta + 1.0)), IMPOSSIBLE),
    log_ccdf=_from_zero(lambda x, alpha, beta: log_inc_beta(x + 1.0, alpha, 1.0 / (beta + 1.0)), 0.0),
)


def _neg_binomial_2_density(x: Any, mu: Any, phi: Any) -> Quantity:
    return _log_ways(x, phi) - phi * log1p(mu / phi) - x * log1p(phi / mu)


declare(
    "NegBinomial2",
    "Counts with mean `mu` and variance `mu + mu² / phi`.",
    parameters=(Parameter("mu", POSITIVE), PHI),
    support=COUNT,
    log_density=_neg_binomial_2_density,
    draw=_draw_gamma_poisson,
    scipy=lambda mu, phi: stats().nbinom(phi, phi / (phi + mu)),
    stan=StanForm("neg_binomial_2"),
    log_cdf=_from_zero(lambda x, mu, phi: log_inc_beta(phi, x + 1.0, phi / (phi + mu)), IMPOSSIBLE),
    log_ccdf=_from_zero(lambda x, mu, phi: log_inc_beta(x + 1.0, phi, mu / (phi + mu)), 0.0),
    link="exp",
    linked_parameter="mu",
    link_form="NegBinomial2Log",
)


def _neg_binomial_2_log_density(x: Any, eta: Any, phi: Any) -> Quantity:
    odds = eta - log(phi)
    return _log_ways(x, phi) - phi * softplus(odds) + x * log_inv_logit(odds)


declare(
    "NegBinomial2Log",
    "Counts with mean `exp(eta)` and variance `exp(eta) + exp(2 eta) / phi`.",
    parameters=(Parameter("eta", REAL), PHI),
    support=COUNT,
    log_density=_neg_binomial_2_log_density,
    draw=lambda rng, size, eta, phi: _draw_gamma_poisson(rng, size, np.exp(eta), phi),
    scipy=lambda eta, phi: stats().nbinom(phi, special().expit(np.log(phi) - eta)),
    stan=StanForm("neg_binomial_2_log", truncates=False),
    glm=Glm("neg_binomial_2_log_glm", "eta"),
)
