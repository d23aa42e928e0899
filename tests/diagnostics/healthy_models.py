"""Healthy models, of which no check must find anything: families, hierarchies, constraints, bounds and links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scistan as ss
from tests.diagnostics.sick_models import mixture
from tests.zoo import counts, eight_schools, logistic

HEALTHY: dict[str, Callable[[int], ss.Model]] = {}


def healthy(build: Callable[[int], ss.Model]) -> Callable[[int], ss.Model]:
    """Enter a model; its data are drawn anew for each seed."""
    HEALTHY[build.__name__] = build
    return build


@healthy
def schools(seed: int) -> ss.Model:
    return eight_schools()


@healthy
def few_counts(seed: int) -> ss.Model:
    return counts()


@healthy
def logistic_regression(seed: int) -> ss.Model:
    return logistic(60, 3, seed)


@healthy
def normal(seed: int) -> ss.Model:
    y = np.random.default_rng(seed).normal(1, 2, 50)
    m = ss.Model("normal")
    m.mu = ss.Normal(0, 5)
    m.sigma = ss.HalfNormal(3)
    m.y = ss.Normal(m.mu, m.sigma).observe(y)
    return m


@healthy
def regression(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 4))
    m = ss.Model("regression")
    m.x = ss.data(x)
    m.a = ss.Normal(0, 5)
    m.b = ss.Normal(0, 2, shape=4)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.a + m.x @ m.b, m.sigma).observe(1 + x @ [1, -1, 0.5, 0] + rng.normal(size=60))
    return m


@healthy
def many_coefficients(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(150, 40))
    m = ss.Model("many_coefficients")
    m.x = ss.data(x)
    m.b = ss.Normal(0, 1, shape=40)
    m.y = ss.Normal(m.x @ m.b, 1).observe(x @ rng.normal(size=40) + rng.normal(size=150))
    return m


@healthy
def poisson_regression(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=80)
    m = ss.Model("poisson_regression")
    m.x = ss.data(x)
    m.a = ss.Normal(0, 2)
    m.b = ss.Normal(0, 1)
    m.y = ss.PoissonLog(m.a + m.b * m.x).observe(rng.poisson(np.exp(1 + 0.5 * x)))
    return m


@healthy
def varying_intercepts(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(8), 6)
    m = ss.Model("varying_intercepts")
    m.mu = ss.Normal(0, 3)
    m.tau = ss.HalfNormal(2)
    m.u = ss.Normal(m.mu, m.tau, shape=8)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.u[group], m.sigma).observe(rng.normal(1, 1, 8)[group] + rng.normal(size=48))
    return m


@healthy
def centred_with_much_data(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(8), 60)
    m = ss.Model("centred_with_much_data")
    m.mu = ss.Normal(0, 3)
    m.tau = ss.HalfNormal(2)
    m.u = ss.Normal(m.mu, m.tau, shape=8, centred=True)
    m.y = ss.Normal(m.u[group], 1).observe(rng.normal(1, 1.5, 8)[group] + rng.normal(size=480))
    return m


@healthy
def ordered_mixture(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("ordered_mixture")
    m.weight = ss.Dirichlet(np.full(2, 4.0))
    m.mu = ss.Normal(0, 5, shape=2, constraint="ordered")
    m.sigma = ss.HalfNormal(2)
    m.y = mixture()(m.weight, m.mu, m.sigma).observe(np.concatenate([rng.normal(-3, 1, 50), rng.normal(3, 1, 50)]))
    return m


@healthy
def binomial(seed: int) -> ss.Model:
    m = ss.Model("binomial")
    m.p = ss.Beta(1, 1)
    m.y = ss.Binomial(20, m.p).observe(np.random.default_rng(seed).binomial(20, 0.3, 6))
    return m


@healthy
def all_successes(seed: int) -> ss.Model:
    m = ss.Model("all_successes")
    m.p = ss.Beta(1, 1)
    m.y = ss.Binomial(8, m.p).observe(8)
    return m


@healthy
def robust(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("robust")
    m.mu = ss.Normal(0, 5)
    m.sigma = ss.HalfNormal(3)
    m.y = ss.StudentT(4, m.mu, m.sigma).observe(rng.standard_t(4, 60))
    return m


@healthy
def cauchy_prior(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("cauchy_prior")
    m.mu = ss.Cauchy(0, 2.5)
    m.sigma = ss.HalfCauchy(2.5)
    m.y = ss.Normal(m.mu, m.sigma).observe(rng.normal(2, 3, 30))
    return m


@healthy
def two_scales(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("two_scales")
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(1000, 300)
    m.y = ss.Normal(m.a, 0.5).observe(rng.normal(0.3, 0.5, 20))
    m.z = ss.Normal(m.b, 200.0).observe(rng.normal(1100, 200, 20))
    return m


@healthy
def dirichlet(seed: int) -> ss.Model:
    m = ss.Model("dirichlet")
    m.p = ss.Dirichlet(np.ones(4))
    m.y = ss.Multinomial(100, m.p).observe(np.random.default_rng(seed).multinomial(100, [0.1, 0.2, 0.3, 0.4]))
    return m


@healthy
def cut_points(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=120)
    m = ss.Model("cut_points")
    m.x = ss.data(x)
    m.slope = ss.Normal(0, 1)
    m.cut = ss.Normal(0, 3, shape=3, constraint="ordered")
    m.y = ss.OrderedLogistic(m.slope * m.x, m.cut).observe(np.digitize(x + rng.logistic(size=120), [-1.5, 0, 1.5]))
    return m


@healthy
def effects_that_sum_to_zero(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(4), 15)
    m = ss.Model("effects_that_sum_to_zero")
    m.mu = ss.Normal(0, 5)
    m.u = ss.Normal(0, 2, shape=4, constraint="sum_to_zero")
    m.y = ss.Normal(m.mu + m.u[group], 1).observe(np.array([1, -1, 0.5, 0])[group] + rng.normal(size=60))
    return m


@healthy
def truncated_prior(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("truncated_prior")
    m.rate = ss.Normal(2, 2, lower=0)
    m.share = ss.Beta(2, 2, upper=0.9)
    m.y = ss.Exponential(m.rate).observe(rng.exponential(0.5, 30))
    m.k = ss.Binomial(30, m.share).observe(12)
    return m


@healthy
def flat_and_held(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("flat_and_held")
    m.mu = ss.Flat()
    m.sigma = ss.Flat(lower=0)
    m.y = ss.Normal(m.mu, m.sigma).observe(rng.normal(3, 2, 30))
    return m


@healthy
def derived(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("derived")
    m.a = ss.Normal(0, 2)
    m.b = ss.Normal(0, 2)
    m.difference = m.a - m.b
    m.twice = 2 * m.a
    m.above = ss.where(m.a > m.b, 1.0, 0.0)
    m.y = ss.Normal(m.a, 1).observe(rng.normal(0.2, 1, 20))
    m.z = ss.Normal(m.b, 1).observe(rng.normal(0, 1, 20))
    return m


@healthy
def gaussian_process(seed: int) -> ss.Model:
    rng = np.random.default_rng(seed)
    x = np.linspace(0, 1, 12)
    cov = np.exp(-0.5 * ((x[:, None] - x) / 0.3) ** 2) + 1e-6 * np.eye(12)
    m = ss.Model("gaussian_process")
    m.z = ss.Normal(0, 1, shape=12)
    m.f = np.linalg.cholesky(cov) @ m.z
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.f, m.sigma).observe(np.sin(4 * x) + 0.3 * rng.normal(size=12))
    return m
