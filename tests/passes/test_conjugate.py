"""Conjugacies told by `m.explain()`: each is one, by the density itself, and what is none is not told."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.passes.conjugate import conjugacies

Y = np.array([1.0, 2.5, -0.7, 4.0])
COUNTS = np.array([3, 0, 5, 2])


def normal_mean():
    m = ss.Model()
    m.x = ss.Normal(1.0, 2.0)
    m.y = ss.Normal(m.x, 1.5).observe(Y)
    precision = 1 / 4 + 4 / 1.5**2
    return m, stats.norm((1 / 4 + Y.sum() / 1.5**2) / precision, precision**-0.5)


def beta_bernoulli():
    m = ss.Model()
    m.x = ss.Beta(2.0, 3.0)
    m.y = ss.Bernoulli(m.x).observe([1, 0, 0, 1, 1])
    return m, stats.beta(2 + 3, 3 + 2)


def beta_binomial():
    m = ss.Model()
    m.x = ss.Beta(2.0, 3.0)
    m.y = ss.Binomial(7, m.x).observe(COUNTS)
    return m, stats.beta(2 + 10, 3 + 28 - 10)


def gamma_poisson():
    m = ss.Model()
    m.x = ss.Gamma(2.0, 3.0)
    m.y = ss.Poisson(m.x).observe(COUNTS)
    return m, stats.gamma(2 + 10, scale=1 / (3 + 4))


def gamma_exponential():
    m = ss.Model()
    m.x = ss.Gamma(2.0, 3.0)
    m.y = ss.Exponential(m.x).observe(np.abs(Y))
    return m, stats.gamma(2 + 4, scale=1 / (3 + np.abs(Y).sum()))


def variance():
    m = ss.Model()
    m.x = ss.InvGamma(2.0, 3.0)
    m.y = ss.Normal(0.5, ss.sqrt(m.x)).observe(Y)
    return m, stats.invgamma(2 + 2, scale=3 + ((Y - 0.5) ** 2).sum() / 2)


ALL = [normal_mean, beta_bernoulli, beta_binomial, gamma_poisson, gamma_exponential, variance]


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_what_is_told_is_so(make):
    m, posterior = make()
    (found,) = conjugacies(m.to_graph())
    assert found.latent == "x"
    assert f"conjugate: {found}" in repr(m.explain())
    points = np.array([0.2, 0.35, 0.6, 0.81])
    ours = np.array([m.log_density({"x": x}) for x in points])
    np.testing.assert_allclose(ours - ours[0], posterior.logpdf(points) - posterior.logpdf(points[0]), rtol=1e-9)


@pytest.mark.parametrize("kind", ["Categorical", "Multinomial"])
def test_dirichlet(kind):
    m = ss.Model()
    m.x = ss.Dirichlet(np.array([1.0, 2.0, 3.0]))
    m.y = ss.Categorical(m.x).observe([0, 2, 2]) if kind == "Categorical" else ss.Multinomial(3, m.x).observe([1, 0, 2])
    assert [c.family for c in conjugacies(m.to_graph())] == ["Dirichlet"]
    points = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    ours = [m.log_density({"x": p}) for p in points]
    exact = [stats.dirichlet([2.0, 2.0, 5.0]).logpdf(p) for p in points]
    assert ours[1] - ours[0] == pytest.approx(exact[1] - exact[0])


def test_groups_and_several_terms():
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 1), ss.HalfNormal(1)
    m.x = ss.Normal(m.mu, m.tau, shape=3)
    m.y = ss.Normal(m.x[np.array([0, 1, 1, 2])], 1).observe(Y)
    m.z = ss.Normal(m.x, 2.0).observe([0.0, 1.0, 2.0])
    assert {c.latent: c.terms for c in conjugacies(m.to_graph())} == {"mu": ("x",), "x": ("y", "z")}


NOT_ONE = {
    "a transformed mean": lambda m: ss.Normal(ss.exp(m.x), 1.0).observe(Y),
    "mean and scale": lambda m: ss.Normal(m.x, 1 + m.x**2).observe(Y),
    "a standard deviation": lambda m: ss.Normal(0, 1 + ss.square(m.x)).observe(Y),
    "another family": lambda m: ss.StudentT(4, m.x, 1).observe(Y),
    "a sum": lambda m: ss.Normal(m.x + 1, 1).observe(Y),
    "truncated": lambda m: ss.Normal(m.x, 1, lower=-5).observe(Y),
}


@pytest.mark.parametrize("why", NOT_ONE)
def test_what_is_none_is_not_told(why):
    m = ss.Model()
    m.x = ss.Normal(0, 1)
    m.y = NOT_ONE[why](m)
    assert conjugacies(m.to_graph()) == ()


def test_a_truncated_prior_is_not_told():
    m = ss.Model()
    m.x = ss.Normal(0, 1, lower=0)
    m.y = ss.Normal(m.x, 1).observe(Y)
    assert conjugacies(m.to_graph()) == ()
