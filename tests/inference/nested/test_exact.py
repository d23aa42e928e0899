"""Weighed draws are the posterior's: beside quadrature, beside normal theory, beside NUTS."""

import numpy as np
import pytest

import scistan as ss
from tests.inference.nested.quadrature import GROUPED, exact, grouped

pytest.importorskip("torch")

SPREADS = 5  # of the Monte-Carlo error, over about fifty numbers in all


def within(draws: np.ndarray, mean: float, sd: float, effective: float) -> bool:
    """Tell whether mean and sd of draws are what they should be, by the error of so many independent ones."""
    worth = 1 / (1 / effective + 1 / len(draws))  # weighed, and then drawn again
    kurtosis = max(3.0, float(np.mean((draws - mean) ** 4)) / sd**4)
    return bool(
        abs(draws.mean() - mean) <= SPREADS * sd / np.sqrt(worth)
        and abs(draws.var() - sd**2) <= SPREADS * sd**2 * np.sqrt((kurtosis - 1) / worth)
    )


@pytest.mark.parametrize("family", GROUPED)
def test_groups_are_as_quadrature_says(family):
    right = exact(family)
    fit = grouped(family).laplace(draws=2000, seed=1, progress=False)
    assert fit.certificate.ok
    assert fit.certificate.corrected
    effective = fit.certificate.effective
    assert within(fit.posterior["tau"][0], *right.tau, effective)
    for number, (mean, sd) in enumerate(zip(*right.effects, strict=True)):
        assert within(fit.posterior["u"][0, :, number], mean, sd, effective), number


def test_a_normal_regression_with_known_noise_is_exact():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(30, 3))
    y = x @ [1.0, -2.0, 0.5] + rng.normal(0, 0.7, 30)
    m = ss.Model("known")
    m.b = ss.Normal(0, 2, shape=3)
    m.y = ss.Normal(x @ m.b, 0.7).observe(y)
    fit = m.laplace(draws=4000, seed=3, progress=False)
    precision = x.T @ x / 0.49 + np.eye(3) / 4
    mean, covariance = np.linalg.solve(precision, x.T @ y / 0.49), np.linalg.inv(precision)
    assert fit.certificate.effective == pytest.approx(fit.certificate.tried)  # all weights are equal
    for k in range(3):
        assert within(fit.posterior["b"][0, :, k], mean[k], covariance[k, k] ** 0.5, fit.certificate.effective)


def test_without_normal_latents_everything_is_drawn_at_the_mode():
    y = np.random.default_rng(5).gamma(3.0, 0.5, 40)
    m = ss.Model("rates")
    m.rate = ss.Gamma(2, 1)
    m.y = ss.Gamma(3.0, m.rate).observe(y)
    fit = m.laplace(draws=4000, seed=1, progress=False)
    shape, rate = 2 + 3.0 * 40, 1 + y.sum()
    assert fit.certificate.ok
    assert within(fit.posterior["rate"][0], shape / rate, shape**0.5 / rate, fit.certificate.effective)


def crossed() -> ss.Model:
    """Binary answers of persons to items: effects that share no groups, so that some are globals."""
    rng = np.random.default_rng(4)
    person, item = np.repeat(np.arange(20), 6), np.tile(np.arange(6), 20)
    m = ss.Model("crossed")
    m.t, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.p, m.i = ss.Normal(0, m.t, shape=20), ss.Normal(0, m.s, shape=6)
    eta = rng.normal(0, 1, 20)[person] - rng.normal(0, 0.7, 6)[item]
    m.y = ss.BernoulliLogit(m.p[person] - m.i[item]).observe((rng.random(120) < 1 / (1 + np.exp(-eta))).astype(int))
    return m


def slopes() -> ss.Model:
    """Correlated intercepts and slopes of counts: two numbers a group."""
    rng = np.random.default_rng(5)
    group, x = rng.integers(0, 12, 80), rng.normal(size=80)
    m = ss.Model("slopes")
    m.mean, m.sd, m.factor = ss.Normal(0, 1, shape=2), ss.HalfNormal(1, shape=2), ss.LKJCholesky(2, 2.0)
    m.v = ss.MultivariateNormal(m.mean, chol=m.sd[:, None] * m.factor, shape=12)
    m.y = ss.PoissonLog(m.v[group, 0] + m.v[group, 1] * x).observe(rng.poisson(np.exp(0.5 + 0.3 * x)))
    return m


def smooth() -> ss.Model:
    """A Gaussian process behind counts: no groups at all."""
    rng = np.random.default_rng(6)
    x = np.linspace(0, 4, 15)
    m = ss.Model("smooth")
    m.alpha = ss.HalfNormal(1)
    m.f = ss.MultivariateNormal(
        np.zeros(15), cov=m.alpha**2 * ss.exp(-((x[:, None] - x) ** 2) / 2) + 1e-6 * np.eye(15)
    )
    m.y = ss.PoissonLog(m.f).observe(rng.poisson(np.exp(np.sin(x))))
    return m


@pytest.mark.slow
@pytest.mark.parametrize("build", [crossed, slopes, smooth])
def test_it_agrees_with_sampling(build):
    fit = build().laplace(draws=2000, seed=1, progress=False)
    assert fit.certificate.ok
    sampled = build().mcmc(draws=2000, seed=2, progress=False)
    for name, array in fit.posterior.items():
        own = array[0].reshape(2000, -1)
        other = sampled.posterior[name].reshape(8000, -1)
        worth = 1 / (1 / fit.certificate.effective + 1 / 2000 + 1 / 1000)  # NUTS is worth a thousand here, at least
        moving = other.std(0) > 1e-9
        error = np.abs(own.mean(0) - other.mean(0))[moving] / other.std(0)[moving]
        assert (error <= SPREADS / np.sqrt(worth)).all(), name
