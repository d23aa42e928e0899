"""Models with discrete latents, of every structure that is told apart, with data that hold runs, constants and zeros."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scistan as ss

MODELS: dict[str, Callable[[int], ss.Model]] = {}
Y = np.array([0.0, 0.0, 1.5, -2.0, 1.5, 3.0])  # runs and constants
COUNTS = np.array([0, 0, 3, 1, 0, 2])
GROUP = np.array([0, 1, 1, 2, 0, 2])


def model(build: Callable[[int], ss.Model]) -> Callable[[int], ss.Model]:
    MODELS[build.__name__] = build
    return build


@model
def mixture(n: int = 4) -> ss.Model:
    m = ss.Model("mixture")
    m.w = ss.Dirichlet(np.array([1.0, 2.0, 3.0]))
    m.mu = ss.Normal(0, 2, shape=3, constraint="ordered")
    m.sigma = ss.HalfNormal(1, shape=3)
    m.z = ss.Categorical(m.w, shape=n)
    m.y = ss.Normal(m.mu[m.z], m.sigma[m.z]).observe(Y[:n])
    return m


@model
def logits_by_row(n: int = 4) -> ss.Model:
    m = ss.Model("logits")
    m.h = ss.data(GROUP[:n] % 2)
    m.eta = ss.Normal(0, 1, shape=(n, 3))
    m.mu = ss.Normal(0, 1, shape=(2, 3))
    m.z = ss.CategoricalLogit(m.eta)
    m.y = ss.Normal(m.mu[m.h, m.z], 1).observe(Y[:n])
    return m


@model
def two_in_a_row(n: int = 3) -> ss.Model:
    m = ss.Model("two")
    m.p, m.a, m.b = ss.Beta(2, 2), ss.Normal(0, 1), ss.Normal(0, 1)
    m.z1 = ss.Bernoulli(m.p, shape=n)
    m.z2 = ss.Bernoulli(0.3 + 0.4 * m.z1)
    m.y = ss.Normal(m.a * m.z1 + m.b * m.z2, 1).observe(Y[:n])
    return m


@model
def change_point(n: int = 6) -> ss.Model:
    m = ss.Model("change")
    m.t = ss.data(np.arange(n))
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.tau = ss.DiscreteRange(1, 5)
    m.y = ss.Normal(ss.where(m.t < m.tau, m.a, m.b), 1).observe(Y[:n])
    return m


@model
def counts_that_change(n: int = 6) -> ss.Model:
    m = ss.Model("counts_that_change")
    m.t = ss.data(np.arange(n))
    m.early, m.late = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.when = ss.DiscreteRange(1, 4)
    m.y = ss.Poisson(ss.where(m.t < m.when, m.early, m.late)).observe(COUNTS[:n])
    return m


@model
def groups(n: int = 6) -> ss.Model:
    m = ss.Model("groups")
    m.g = ss.data(GROUP[:n])
    m.p, m.mu = ss.Beta(2, 2), ss.Normal(0, 1, shape=2)
    m.z = ss.Bernoulli(m.p, shape=3)
    m.y = ss.Normal(m.mu[m.z[m.g]], 1).observe(Y[:n])
    return m


@model
def rows_in_groups(n: int = 4) -> ss.Model:
    m = ss.Model("nested")
    m.g = ss.data(GROUP[:n])
    m.p, m.mu = ss.Beta(2, 2), ss.Normal(0, 1, shape=2)
    m.z = ss.Bernoulli(m.p, shape=3)
    m.q = ss.Bernoulli(0.2 + 0.5 * m.z[m.g])
    m.y = ss.Normal(m.mu[m.z[m.g]] + 2 * m.q, 1).observe(Y[:n])
    return m


@model
def one_for_all(n: int = 4) -> ss.Model:
    m = ss.Model("scalar")
    m.p, m.mu = ss.Beta(2, 2), ss.Normal(0, 1, shape=2)
    m.u = ss.Bernoulli(m.p)
    m.q = ss.Bernoulli(0.2 + 0.5 * m.u, shape=n)
    m.y = ss.Normal(m.mu[m.u] + 2 * m.q, 1).observe(Y[:n])
    return m


@model
def zero_inflated(n: int = 6) -> ss.Model:
    m = ss.Model("zeros")
    m.psi, m.rate = ss.Beta(2, 2), ss.Gamma(2, 1)
    m.on = ss.Bernoulli(m.psi, shape=n)
    m.y = ss.Poisson(m.rate * m.on).observe(COUNTS[:n])
    return m


@model
def occupancy(n: int = 3) -> ss.Model:
    m = ss.Model("occupancy")
    m.psi, m.p = ss.Beta(2, 2), ss.Beta(2, 2)
    m.z = ss.Bernoulli(m.psi, shape=n)
    m.y = ss.Bernoulli(m.p * m.z[:, None]).observe(np.array([[0, 0], [1, 1], [0, 1]])[:n])
    return m


@model
def tied_together(n: int = 4) -> ss.Model:
    m = ss.Model("tangled")
    m.p, m.a = ss.Beta(2, 2), ss.Normal(0, 1)
    m.z = ss.Bernoulli(m.p, shape=n)
    m.y = ss.Normal(m.a * ss.sum(m.z), 1).observe(Y)
    return m


@model
def counts_of_counts(n: int = 3) -> ss.Model:
    m = ss.Model("n_mixture")
    m.p, m.q = ss.Beta(2, 2), ss.Beta(2, 2)
    m.most = ss.data(np.array([3, 4, 2])[:n])
    m.N = ss.Binomial(m.most, m.p)
    m.y = ss.Binomial(m.N, m.q).observe(np.array([1, 0, 2])[:n])
    return m


@model
def seen_twice(n: int = 4) -> ss.Model:
    m = ss.Model("two_children")
    m.w = ss.Dirichlet(np.ones(3))
    m.mu, m.nu = ss.Normal(0, 1, shape=3), ss.Normal(0, 1, shape=3)
    m.z = ss.Categorical(m.w, shape=n)
    m.y1 = ss.Normal(m.mu[m.z], 1).observe(Y[:n])
    m.y2 = ss.Poisson(ss.exp(m.nu[m.z])).observe(COUNTS[:n])
    return m


@model
def of_a_latent(n: int = 4) -> ss.Model:
    m = ss.Model("latent_child")
    m.w, m.mu = ss.Dirichlet(np.ones(3)), ss.Normal(0, 1, shape=3)
    m.z = ss.Categorical(m.w, shape=n)
    m.x = ss.Normal(m.mu[m.z], 1)
    m.y = ss.Normal(m.x, 1).observe(Y[:n])
    return m


@model
def blocks(n: int = 3) -> ss.Model:
    m = ss.Model("blocks")
    m.P = ss.Beta(1, 1, shape=(2, 2))
    m.r, m.c = ss.Bernoulli(0.4, shape=n), ss.Bernoulli(0.6, shape=4)
    table = np.array([[0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]])
    m.y = ss.Bernoulli(m.P[m.r[:, None], m.c]).observe(table[:n])
    return m


@model
def three_in_a_chain(n: int = 2) -> ss.Model:
    m = ss.Model("chain")
    m.P = ss.Dirichlet(np.ones((3, 3)))
    m.z1 = ss.Categorical(m.P[0], shape=n)
    m.z2 = ss.Categorical(m.P[m.z1])
    m.z3 = ss.Categorical(m.P[m.z2])
    m.y = ss.Normal(1.0 * m.z1 - m.z3 * 2, 1).observe(Y[:n])
    return m


@model
def of_length_one(n: int = 1) -> ss.Model:
    return mixture(1)


@model
def markov(n: int = 4) -> ss.Model:
    m = ss.Model("markov")
    m.P = ss.Dirichlet(np.ones((3, 3)))
    m.start = ss.Dirichlet(np.ones(3))
    m.mu = ss.Normal(0, 2, shape=3, constraint="ordered")
    m.s = ss.Series(lambda past: ss.Categorical(m.P[past[-1]]), start=ss.Categorical(m.start), length=n)
    m.y = ss.Normal(m.mu[m.s], 1).observe(Y[:n])
    return m


@model
def on_and_off(n: int = 5) -> ss.Model:
    m = ss.Model("on_and_off")
    m.x = ss.data(np.linspace(-1, 1, 6)[:n])
    m.stay, m.rate = ss.Normal(0, 1), ss.Gamma(2, 1)
    m.s = ss.Series(lambda past, x: ss.BernoulliLogit(m.stay * (2 * past[-1] - 1) + x), over=m.x,
                    start=ss.BernoulliLogit(0.3), length=n)
    m.y = ss.Poisson(m.rate * m.s).observe(COUNTS[:n])
    return m


@model
def several_rows_a_time(n: int = 3) -> ss.Model:
    m = ss.Model("rows_of_times")
    m.time = ss.data(GROUP)
    m.P, m.mu = ss.Dirichlet(np.ones((2, 2))), ss.Normal(0, 2, shape=2, constraint="ordered")
    m.s = ss.Series(lambda past: ss.Categorical(m.P[past[-1]]), start=ss.Categorical(np.array([0.3, 0.7])), length=n)
    m.y = ss.Normal(m.mu[m.s[m.time]], 1).observe(Y)
    m.also = ss.Normal(m.mu[m.s], 2).observe(Y[:n])
    return m
