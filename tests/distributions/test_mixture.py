"""`ss.Mixture`: densities, probabilities and draws beside sums by hand; what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import gamma, ks_1samp, norm, poisson

import scistan as ss
from scistan.distributions.potential import laws
from scistan.errors import ModelError
from scistan.graph.parse import parse
from scistan.ops.declaration import REGISTRY as OPS

Y = np.array([-1.0, -1.0, 0.5, 2.0])
W = np.array([0.3, 0.7])


def mixed() -> ss.Model:
    m = ss.Model("mixed")
    m.w = ss.Dirichlet(np.ones(2))
    m.mu, m.s = ss.Normal(0, 1, shape=2), ss.HalfNormal(1)
    m.y = ss.Mixture(m.w, ss.Normal(m.mu, m.s)).observe(Y)
    m.x = ss.Mixture(W, [ss.Normal(0, 1), ss.Gamma(2, m.s)], shape=2)
    m.sum = ss.Normal(ss.sum(m.x), 1).observe(0.3)
    m.c = ss.Mixture([m.w[0], 1 - m.w[0]], [ss.DiscreteRange(0, 0), ss.Poisson(m.s)]).observe([0, 3, 0, 1])
    return m


def test_densities_are_sums_by_hand() -> None:
    w, mu, s, x = np.array([0.4, 0.6]), np.array([-1.0, 1.0]), 0.8, np.array([-0.5, 1.5])
    expected = norm.logpdf(mu).sum() + norm.logpdf(s) + np.log(2)  # and a uniform Dirichlet of two, which is 1
    expected += logsumexp(np.log(w) + norm.logpdf(Y[:, None], mu, s), axis=1).sum()
    expected += np.log(0.3 * norm.pdf(x) + 0.7 * gamma.pdf(x, 2, scale=1 / s)).sum() + norm.logpdf(0.3, x.sum(), 1)
    expected += np.log(w[0] * np.array([1, 0, 1, 0]) + w[1] * poisson.pmf([0, 3, 0, 1], s)).sum()
    found = mixed().log_density({"w": w, "mu": mu, "s": s, "x": x})
    assert found == pytest.approx(expected, rel=1e-12)


def test_targets_agree() -> None:
    found = mixed().verify(points=3)
    assert found.ok, found


def test_draws_follow_the_probabilities() -> None:
    m = ss.Model()
    m.x = ss.Mixture(W, [ss.Normal(-2, 1), ss.Gamma(3, 1)])
    m.z = ss.Mixture(W, ss.Normal(np.array([-2.0, 4.0]), np.array([1.0, 2.0])))
    drawn = m.prior(draws=20_000, seed=1).prior

    def of_x(v: np.ndarray) -> np.ndarray:
        return W[0] * norm.cdf(v, -2) + W[1] * gamma.cdf(v, 3)

    def of_z(v: np.ndarray) -> np.ndarray:
        return W[0] * norm.cdf(v, -2, 1) + W[1] * norm.cdf(v, 4, 2)

    for name, cdf in (("x", of_x), ("z", of_z)):
        assert ks_1samp(drawn[name].values.ravel(), cdf).pvalue > 1e-6
    at = np.array([-3.0, 0.0, 2.0, 5.0])
    m.at = ss.Mixture(W, [ss.Normal(-2, 1), ss.Normal(4, 2)]).log_cdf(at)
    assert np.allclose(m.prior(draws=1, seed=1).prior["at"].values.ravel(), np.log(of_z(at)))


def test_a_graph_with_mixtures_is_read_back() -> None:
    text = mixed().text()
    assert [t.law.distribution.name for t in parse(text, OPS, laws()).terms] == [
        t.law.distribution.name for t in mixed().to_graph().terms
    ]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: ss.Mixture(W, [ss.Normal(0, 1)]), "2 weights for 1 components"),
        (lambda: ss.Mixture(W, [ss.Normal(0, 1), ss.Poisson(2)]), "partly of whole numbers"),
        (lambda: ss.Mixture(W, [ss.Normal(0, 1), 3.0]), "is no distribution"),
        (lambda: ss.Mixture(W, ss.Normal(np.zeros(3), 1)), "the weights are 2"),
        (lambda: ss.Mixture(W, ss.Normal(np.zeros(2), 1), lower=0), "cannot be truncated"),
        (lambda: ss.Mixture(W, [ss.Normal(0, 1, lower=0), ss.Normal(0, 1)]), "has bounds"),
        (lambda: ss.Mixture(W, [ss.Flat(), ss.Normal(0, 1)]), "no probability distribution"),
        (lambda: ss.Mixture(W, [ss.Dirichlet(np.ones(2)), ss.Normal(0, 1)]), "distribution of vectors"),
        (lambda: ss.Mixture(W, 3.0), "a list of distributions"),
    ],
)
def test_what_is_no_mixture_is_refused(build: object, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        build()  # type: ignore[operator]
