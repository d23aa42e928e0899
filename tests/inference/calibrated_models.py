"""A dozen kinds of models with proper priors, to be fitted to data that they made themselves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scistan as ss

X = np.linspace(-1.5, 1.5, 20)
GROUP = np.repeat(np.arange(5), 4)


def regression() -> ss.Model:
    m = ss.Model("regression")
    m.a, m.b, m.s = ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * X, m.s, shape=20).observe()
    return m


def identical() -> ss.Model:
    m = ss.Model("identical")
    m.mu, m.s = ss.Normal(0, 2), ss.Gamma(3, 2)
    m.y = ss.Normal(m.mu, m.s, shape=60).observe()
    return m


def logistic() -> ss.Model:
    m = ss.Model("logistic")
    m.x = ss.data(np.stack([X, X**2], axis=1))
    m.a, m.beta = ss.Normal(0, 1), ss.Normal(0, 1, shape=2)
    m.y = ss.BernoulliLogit(m.a + m.x @ m.beta).observe()
    return m


def counts_in_groups() -> ss.Model:
    m = ss.Model("counts_in_groups")
    m.mu, m.t = ss.Normal(1, 0.5), ss.HalfNormal(0.5)
    m.effect = ss.Normal(m.mu, m.t, shape=5)
    m.y = ss.PoissonLog(m.effect[GROUP]).observe()
    return m


def centred() -> ss.Model:
    m = ss.Model("centred")
    m.mu, m.t, m.s = ss.Normal(0, 1), ss.Gamma(4, 3), ss.Gamma(4, 4)
    m.effect = ss.Normal(m.mu, m.t, shape=5, centred=True)
    m.y = ss.Normal(m.effect[GROUP], m.s).observe()
    return m


def effects_that_sum_to_zero() -> ss.Model:
    m = ss.Model("effects_that_sum_to_zero")
    m.mu, m.t = ss.Normal(0, 1), ss.Gamma(4, 3)
    m.effect = ss.Normal(0, m.t, shape=5, constraint="sum_to_zero")
    m.y = ss.Normal(m.mu + m.effect[GROUP], 1).observe()
    return m


def ordinal() -> ss.Model:
    m = ss.Model("ordinal")
    m.b, m.t = ss.Normal(0, 1), ss.Gamma(4, 3)
    m.cut = ss.Normal(0, m.t, shape=3, constraint="ordered")
    m.y = ss.OrderedLogistic(m.b * X, m.cut).observe()
    return m


def rising_scales() -> ss.Model:
    m = ss.Model("rising_scales")
    m.mu = ss.Normal(0.5, 0.5)
    m.scale = ss.Normal(m.mu, 1, shape=5, constraint="positive_ordered")
    m.y = ss.Normal(0, m.scale[GROUP]).observe()
    return m


def truncated() -> ss.Model:
    m = ss.Model("truncated")
    m.mu, m.s = ss.Normal(0, 1), ss.Gamma(4, 4)
    m.y = ss.Normal(m.mu, m.s, lower=0, shape=20).observe()
    return m


def proportions() -> ss.Model:
    m = ss.Model("proportions")
    m.alpha = ss.Gamma(3, 2, shape=3)
    m.p = ss.Dirichlet(m.alpha, shape=4)
    m.y = ss.Multinomial(np.full(4, 12), m.p).observe()
    return m


def correlated() -> ss.Model:
    m = ss.Model("correlated")
    m.L, m.sd = ss.LKJCholesky(2, 2.0), ss.Gamma(4, 4, shape=2)
    m.mu = ss.Normal(0, 1, shape=2)
    m.y = ss.MultivariateNormal(m.mu, chol=m.sd[:, None] * m.L, shape=12).observe()
    return m


def overdispersed() -> ss.Model:
    m = ss.Model("overdispersed")
    m.a, m.b, m.phi = ss.Normal(1, 0.5), ss.Normal(0, 0.5), ss.Gamma(4, 2)
    m.y = ss.NegBinomial2Log(m.a + m.b * X, m.phi).observe()
    return m


def robust() -> ss.Model:
    m = ss.Model("robust")
    m.nu, m.mu, m.s = ss.Gamma(4, 1, lower=1), ss.Normal(0, 1), ss.Gamma(4, 4)
    m.y = ss.StudentT(m.nu, m.mu, m.s, shape=30).observe()
    return m


def autoregression() -> ss.Model:
    m = ss.Model("autoregression")
    m.a, m.phi, m.s = ss.Normal(0, 1), ss.Uniform(-0.95, 0.95), ss.Gamma(4, 4)
    start = ss.Normal(0, 2)
    m.y = ss.Series(lambda past: ss.Normal(m.a + m.phi * past[-1], m.s), start=start, length=40).observe()
    return m


def local_level() -> ss.Model:
    m = ss.Model("local_level")
    m.t, m.s = ss.Gamma(4, 8), ss.Gamma(4, 4)
    m.level = ss.RandomWalk(m.t, start=ss.Normal(0, 2), length=20)
    m.y = ss.Normal(m.level, m.s).observe()
    return m


KINDS: dict[str, Callable[[], ss.Model]] = {
    f.__name__: f
    for f in (
        regression, identical, logistic, counts_in_groups, centred, effects_that_sum_to_zero, ordinal, rising_scales,
        truncated, proportions, correlated, overdispersed, robust,
        autoregression, local_level,
    )
}
