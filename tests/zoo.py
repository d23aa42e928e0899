"""Models that many tests share: easy and hard cases, each a function that builds one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scistan as ss

EFFECTS = [28, 8, -3, 7, -1, 1, 18, 12.0]
ERRORS = [15, 10, 16, 11, 9, 11, 10, 18.0]


def eight_schools() -> ss.Model:
    m = ss.Model("eight_schools", coords={"school": list("ABCDEFGH")})
    m.sigma = ss.data(ERRORS, dims="school")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, dims="school")
    m.y = ss.Normal(m.theta, m.sigma).observe(EFFECTS)
    return m


def logistic(rows: int = 30, columns: int = 3, seed: int = 0) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("logistic")
    m.x = ss.data(rng.normal(size=(rows, columns)))
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, shape=m.x.shape[1])
    m.y = ss.BernoulliLogit(m.alpha + m.x @ m.beta).observe(rng.integers(0, 2, rows))
    return m


def varying_intercepts(rows: int = 40, groups: int = 5, seed: int = 0) -> ss.Model:
    rng = np.random.default_rng(seed)
    m = ss.Model("varying_intercepts")
    m.group = ss.data(np.concatenate([np.arange(groups), rng.integers(0, groups, rows - groups)]))
    m.x = ss.data(rng.normal(size=rows))
    m.mu = ss.Normal(0, 1)
    m.tau = ss.HalfNormal(1)
    m.alpha = ss.Normal(m.mu, m.tau, shape=groups)
    m.beta = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.alpha[m.group] + m.beta * m.x, m.sigma).observe(rng.normal(size=rows))
    return m


def truncated() -> ss.Model:
    m = ss.Model("truncated")
    m.a = ss.Normal(0, 1)
    m.s = ss.HalfNormal(1)
    m.t = ss.Normal(m.a, m.s, lower=1, upper=4, shape=5)
    m.u = ss.Normal(m.t, m.s, lower=0)
    m.y = ss.Normal(m.u, 1, lower=-2).observe(np.linspace(-1, 2, 5))
    return m


def dirichlets() -> ss.Model:
    m = ss.Model("dirichlets")
    m.concentration = ss.Gamma(2, 1, shape=3)
    m.p = ss.Dirichlet(m.concentration, shape=4)
    counts = np.array([[1, 1, 1], [2, 2, 2], [6, 0, 0], [0, 1, 5]])
    m.z = ss.Multinomial(counts.sum(1), m.p).observe(counts)
    return m


def correlations() -> ss.Model:
    m = ss.Model("correlations")
    m.L = ss.LKJCholesky(3, 2.0)
    m.scale = ss.HalfNormal(1, shape=3)
    m.z = ss.Normal(0, 1, shape=3)
    m.effect = m.scale * (m.L @ m.z)
    m.y = ss.Normal(m.effect, 1).observe([0.3, -1.0, 2.0])
    return m


def ordinal() -> ss.Model:
    m = ss.Model("ordinal")
    m.x = ss.data(np.linspace(-1, 1, 6))
    m.slope = ss.Normal(0, 1)
    m.cut = ss.Normal(0, 3, shape=3, constraint="ordered")
    m.y = ss.OrderedLogistic(m.slope * m.x, m.cut).observe([0, 0, 1, 2, 3, 3])
    return m


def log_simplex() -> ss.Model:
    m = ss.Model("log_simplex")
    m.log_p = ss.ExpDirichlet(np.array([1.0, 2.0, 3.0]))
    m.p = ss.exp(m.log_p)
    m.y = ss.Multinomial(10, m.p).observe([2, 3, 5])
    return m


def constraints() -> ss.Model:
    m = ss.Model("constraints")
    m.a = ss.Normal(0, 1, shape=4, constraint="sum_to_zero")
    m.b = ss.Normal(0, 2, shape=(2, 3), constraint="positive_ordered")
    m.c = ss.Normal(0, 1, shape=(2, 4), constraint="sum_to_zero")
    m.w = ss.Beta(2, 2, upper=0.9)
    m.q = ss.ExpDirichlet(np.ones(3), shape=2)
    m.y = ss.Normal(m.a @ np.arange(4.0) + ss.sum(m.b) + ss.sum(m.c * m.c) + m.w + ss.sum(m.q), 1).observe(0.1)
    return m


def counts() -> ss.Model:
    m = ss.Model("counts")
    m.rate = ss.Gamma(2, 0.5)
    m.y = ss.Poisson(m.rate).observe([3, 0, 2, 7, 1])
    return m


def two_peaks() -> ss.Model:
    """Give a posterior of two equal peaks, `mu` near 2 and near -2, so far apart that none is left for the other."""
    m = ss.Model("two_peaks")
    m.mu = ss.Normal(0, 10)
    m.sigma = ss.HalfNormal(0.2)
    m.y = ss.Normal(ss.square(m.mu), m.sigma).observe(np.array([3.8, 4.0, 4.3, 3.9]))
    return m


ZOO: dict[str, Callable[[], ss.Model]] = {
    f.__name__: f
    for f in (
        eight_schools,
        logistic,
        varying_intercepts,
        truncated,
        dirichlets,
        correlations,
        ordinal,
        log_simplex,
        constraints,
        counts,
    )
}
