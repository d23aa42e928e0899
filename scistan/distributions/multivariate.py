"""Distributions of vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scistan.constrained import CHOLESKY_COV, COV, SIMPLEX
from scistan.distributions.declaration import Parameter, StanForm, declare
from scistan.distributions.formulas import Quantity, functions, times_log
from scistan.distributions.scipy_forms import special, stats
from scistan.domains import (
    COUNT,
    COUNT_VECTOR,
    POSITIVE,
    POSITIVE_VECTOR,
    VECTOR,
)
from scistan.graph.node import Node
from scistan.messages import expressions as messages
from scistan.shapes import Shape, values_of

log, log1p, square, lgamma, lbeta = functions("log", "log1p", "square", "lgamma", "lbeta")
total, length, log_softmax, cholesky = functions("sum", "length", "log_softmax", "cholesky")
diagonal, inverse, log_determinant, solve_lower = functions("diagonal", "inverse", "log_determinant", "solve_lower")

MU, TOTAL = Parameter("mu", VECTOR), Parameter("N", COUNT)


def like(parameter: str) -> Callable[[Mapping[str, Node]], Shape]:
    """Give the event the shape of a vector parameter's last axis."""
    return lambda arguments: arguments[parameter].shape[-1:]


def log_beta_of(alpha: Any) -> Quantity:
    """Give the log of the beta function of a vector."""
    return total(lgamma(alpha), -1) - lgamma(total(alpha, -1))


def draw_log_dirichlet(rng: Any, size: Any, alpha: Any) -> np.ndarray:
    """Draw the logarithms of a Dirichlet's probabilities."""
    # log Gamma(alpha) = log Gamma(alpha + 1) - E / alpha: no underflow where alpha is small.
    full = (*size, alpha.shape[-1])
    logs = np.log(rng.standard_gamma(alpha + 1, full)) - rng.standard_exponential(full) / alpha
    return np.asarray(logs - np.logaddexp.reduce(logs, axis=-1, keepdims=True))


declare(
    "Dirichlet",
    "Probabilities that sum to 1, with concentrations `alpha`.",
    parameters=(Parameter("alpha", POSITIVE_VECTOR),),
    support=SIMPLEX,
    event_shape=like("alpha"),
    log_density=lambda x, alpha: total((alpha - 1.0) * log(x), -1) - log_beta_of(alpha),
    draw=lambda rng, size, alpha: np.exp(draw_log_dirichlet(rng, size, alpha)),
    scipy=lambda alpha: stats().dirichlet(alpha),
    stan=StanForm("dirichlet", truncates=False),
)


# -- counts in categories --------------------------------------------------------------------------
def draw_multinomial(rng: Any, size: Any, N: Any, theta: Any) -> np.ndarray:
    """Draw counts; probabilities whose sum is 1 but for rounding are made to sum to 1."""
    share = theta / np.sum(theta, axis=-1, keepdims=True)
    return np.asarray(rng.multinomial(np.broadcast_to(N, size), np.broadcast_to(share, (*size, theta.shape[-1]))))


def log_arrangements(x: Any, N: Any) -> Quantity:
    """Give the log of the number of orders in which counts can come about."""
    return lgamma(N + 1.0) - total(lgamma(x + 1.0), -1)


declare(
    "Multinomial",
    "Counts in categories: `N` in all, with probabilities `theta`.",
    parameters=(TOTAL, Parameter("theta", SIMPLEX)),
    support=COUNT_VECTOR,
    event_shape=like("theta"),
    log_density=lambda x, N, theta: log_arrangements(x, N) + total(times_log(x, theta), -1),
    draw=draw_multinomial,
    scipy=lambda N, theta: stats().multinomial(N, theta),
    stan=StanForm("multinomial", ("{theta}",), rng="multinomial_rng({theta}, {N})", vectorizes=False, truncates=False),
    link="softmax",
    linked_parameter="theta",
    link_form="MultinomialLogit",
)

declare(
    "MultinomialLogit",
    "Counts in categories: `N` in all, with probabilities `softmax(gamma)`.",
    parameters=(TOTAL, Parameter("gamma", VECTOR)),
    support=COUNT_VECTOR,
    event_shape=like("gamma"),
    log_density=lambda x, N, gamma: log_arrangements(x, N) + total(x * log_softmax(gamma), -1),
    draw=lambda rng, size, N, gamma: draw_multinomial(rng, size, N, special().softmax(gamma, axis=-1)),
    scipy=lambda N, gamma: stats().multinomial(N, special().softmax(gamma)),
    stan=StanForm(
        "multinomial_logit", ("{gamma}",), rng="multinomial_logit_rng({gamma}, {N})", vectorizes=False, truncates=False
    ),
)


# -- the normal and Student's t ----------------------------------------------------------------------
def _matching(matrix: str) -> Callable[[Mapping[str, Node]], Shape]:
    """Give the event the length of `mu`, which must be that of the matrix."""

    def event_shape(arguments: Mapping[str, Node]) -> Shape:
        mu, square_matrix = arguments["mu"].shape, arguments[matrix].shape
        if {size.today for size in square_matrix[-2:]} != {mu[-1].today}:
            shapes = [values_of(mu), values_of(square_matrix)]
            raise messages.bad_shapes("MultivariateNormal", shapes, f"`mu` and `{matrix}` differ in length")
        return mu[-1:]

    return event_shape


def _whitened(x: Any, mu: Any, chol: Any) -> Quantity:
    apart = x - mu
    if chol.ndim == 2 and apart.ndim <= 2:  # one factor for all: a system is solved in a third of an inverse's time
        return solve_lower(chol, apart) if apart.ndim == 1 else solve_lower(chol, apart.T).T
    return total(inverse(chol) * apart[..., None, :], -1)  # elementwise: leading axes of any argument broadcast


def _log_scale(chol: Any) -> Quantity:
    return total(log(diagonal(chol)), -1)


def _normal_density(x: Any, mu: Any, chol: Any) -> Quantity:
    size = 0.5 * total(square(_whitened(x, mu, chol)), -1)
    return -size - _log_scale(chol) - 0.5 * math.log(2 * math.pi) * length(mu)


def _normal_density_prec(x: Any, mu: Any, prec: Any) -> Quantity:
    apart = x - mu
    size = total(prec * apart[..., None, :] * apart[..., :, None], (-2, -1))
    return 0.5 * (log_determinant(prec) - size - math.log(2 * math.pi) * length(mu))


def _draw_spread(rng: Any, size: Any, mu: Any, chol: Any) -> np.ndarray:
    """Draw normals about 0 with a Cholesky factor of the covariance."""
    z = rng.standard_normal((*size, mu.shape[-1], 1))
    return np.asarray(np.matmul(chol, z)[..., 0])


def _draw_normal_prec(rng: Any, size: Any, mu: Any, prec: Any) -> np.ndarray:
    z = rng.standard_normal((*size, mu.shape[-1], 1))
    upper = np.swapaxes(np.linalg.cholesky(prec), -1, -2)
    return np.asarray(mu + np.linalg.solve(upper, z)[..., 0])


normal_by_cov = declare(
    "MultivariateNormalCov",
    "The normal distribution of vectors with mean `mu` and covariance matrix `cov`.",
    parameters=(MU, Parameter("cov", COV)),
    support=VECTOR,
    event_shape=_matching("cov"),
    log_density=lambda x, mu, cov: _normal_density(x, mu, cholesky(cov)),
    draw=lambda rng, size, mu, cov: mu + _draw_spread(rng, size, mu, np.linalg.cholesky(cov)),
    scipy=lambda mu, cov: stats().multivariate_normal(mu, cov),
    stan=StanForm("multi_normal", containers=("mu",), truncates=False),
    factor=cholesky,
    factor_form="MultivariateNormalChol",
    public=False,
    title="MultivariateNormal",
)

normal_by_prec = declare(
    "MultivariateNormalPrec",
    "The normal distribution of vectors with mean `mu` and precision matrix `prec`.",
    parameters=(MU, Parameter("prec", COV)),
    support=VECTOR,
    event_shape=_matching("prec"),
    log_density=_normal_density_prec,
    draw=_draw_normal_prec,
    scipy=lambda mu, prec: stats().multivariate_normal(mu, np.linalg.inv(prec)),
    stan=StanForm(
        "multi_normal_prec", rng="multi_normal_rng({mu}, inverse_spd({prec}))", containers=("mu",), truncates=False
    ),
    factor=lambda prec: cholesky(inverse(prec)),
    factor_form="MultivariateNormalChol",
    public=False,
    title="MultivariateNormal",
)

normal_by_chol = declare(
    "MultivariateNormalChol",
    "The normal distribution of vectors with mean `mu` and Cholesky factor `chol` of the covariance.",
    parameters=(MU, Parameter("chol", CHOLESKY_COV)),
    support=VECTOR,
    event_shape=_matching("chol"),
    log_density=_normal_density,
    draw=lambda rng, size, mu, chol: mu + _draw_spread(rng, size, mu, chol),
    scipy=lambda mu, chol: stats().multivariate_normal(mu, chol @ np.swapaxes(chol, -1, -2)),
    stan=StanForm("multi_normal_cholesky", containers=("mu",), truncates=False),
    location_scale=("mu", "chol"),
    public=False,
    title="MultivariateNormal",
)


def _student_density(x: Any, nu: Any, mu: Any, sigma: Any) -> Quantity:
    chol = cholesky(sigma)
    half = 0.5 * length(mu)
    size = total(square(_whitened(x, mu, chol)), -1)
    # Γ(nu/2 + K/2) / Γ(nu/2) through the beta function: large log gammas would lose digits.
    peak = lgamma(half) - lbeta(0.5 * nu, half) - half * (log(nu) + math.log(math.pi)) - _log_scale(chol)
    return peak - (0.5 * nu + half) * log1p(size / nu)


def _draw_student(rng: Any, size: Any, nu: Any, mu: Any, sigma: Any) -> np.ndarray:
    stretch = np.sqrt(nu / rng.chisquare(nu, size))
    return np.asarray(mu + stretch[..., None] * _draw_spread(rng, size, mu, np.linalg.cholesky(sigma)))


declare(
    "MultivariateStudentT",
    "Student's t of vectors: `nu` degrees of freedom, location `mu`, scale matrix `sigma`.",
    parameters=(Parameter("nu", POSITIVE), MU, Parameter("sigma", COV)),
    support=VECTOR,
    event_shape=_matching("sigma"),
    log_density=_student_density,
    draw=_draw_student,
    scipy=lambda nu, mu, sigma: stats().multivariate_t(mu, sigma, nu),
    stan=StanForm("multi_student_t", containers=("mu",), truncates=False),
)
