"""Models whose answers are known: estimates and standard errors equal statsmodels' and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

import scistan as ss


@pytest.fixture(scope="module")
def table() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    x = rng.normal(size=(400, 3)) @ np.array([[1, 0.6, 0], [0, 1, 0.3], [0, 0, 2.0]])
    eta = 0.4 + x @ [0.5, -0.3, 0.2]
    return {
        "x": x,
        "real": eta + 1.7 * rng.normal(size=400),
        "binary": (rng.random(400) < 1 / (1 + np.exp(-eta))).astype(int),
        "count": rng.poisson(np.exp(eta)),
    }


def regression(table: dict[str, np.ndarray], outcome: str) -> ss.Model:
    m = ss.Model(outcome, coords={"covariate": ["a", "b", "c"]})
    m.x = ss.data(table["x"], dims=("row", "covariate"))
    m.alpha = ss.Normal(0, 10)
    m.beta = ss.Normal(0, 10, dims="covariate")
    eta = m.alpha + m.x @ m.beta
    if outcome == "real":
        m.sigma = ss.HalfNormal(10)
        m.y = ss.Normal(eta, m.sigma).observe(table["real"])
    elif outcome == "binary":
        m.y = ss.BernoulliLogit(eta).observe(table["binary"])
    else:
        m.y = ss.PoissonLog(eta).observe(table["count"])
    return m


@pytest.mark.parametrize(("outcome", "oracle"), [("binary", sm.Logit), ("count", sm.Poisson)])
def test_logistic_and_poisson_regression(table, outcome, oracle):
    expected = oracle(table[outcome], sm.add_constant(table["x"])).fit(disp=0, method="newton", tol=1e-12, maxiter=200)
    found = regression(table, outcome).mle(seed=0)
    assert found.converged
    assert found.starts_agreeing == found.starts == 8
    estimate = np.r_[found.values["alpha"], found.values["beta"]]
    errors = np.r_[found.std_errors["alpha"], found.std_errors["beta"]]
    np.testing.assert_allclose(estimate, expected.params, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(errors, expected.bse, rtol=1e-6)
    assert found.log_density == pytest.approx(expected.llf, rel=1e-11)


def test_linear_regression(table):
    expected = sm.OLS(table["real"], sm.add_constant(table["x"])).fit()
    found = regression(table, "real").mle(seed=0)
    n = len(table["real"])
    scale = np.sqrt(expected.ssr / n)  # the likelihood's sigma has no correction for the coefficients
    np.testing.assert_allclose(np.r_[found.values["alpha"], found.values["beta"]], expected.params, rtol=1e-7)
    shrunk = expected.bse * scale / np.sqrt(expected.scale)
    np.testing.assert_allclose(np.r_[found.std_errors["alpha"], found.std_errors["beta"]], shrunk, rtol=1e-6)
    assert found.values["sigma"] == pytest.approx(scale, rel=1e-8)
    assert found.std_errors["sigma"] == pytest.approx(scale / np.sqrt(2 * n), rel=1e-6)
    assert found.log_density == pytest.approx(expected.llf, rel=1e-11)


def test_ridge_regression_is_the_mode_with_a_normal_prior(table):
    x, y = table["x"], table["real"]
    m = ss.Model()
    m.x = ss.data(x)
    m.beta = ss.Normal(0, 0.5, shape=3)
    m.y = ss.Normal(m.x @ m.beta, 1.7).observe(y)
    precision = x.T @ x / 1.7**2 + np.eye(3) / 0.25
    expected = np.linalg.solve(precision, x.T @ y / 1.7**2)
    found = m.map(seed=0)
    np.testing.assert_allclose(found.values["beta"], expected, rtol=1e-9)
    np.testing.assert_allclose(found.std_errors["beta"], np.sqrt(np.diag(np.linalg.inv(precision))), rtol=1e-8)
    assert found.log_density == pytest.approx(m.log_density({"beta": expected}), rel=1e-12)


def test_a_beta_prior_and_binomial_data():
    m = ss.Model()
    m.p = ss.Beta(3, 5)
    m.y = ss.Binomial(20, m.p).observe(np.array(7))
    found = m.map(seed=0)
    a, b = 3 + 7, 5 + 13
    mode = (a - 1) / (a + b - 2)
    assert found.values["p"] == pytest.approx(mode, rel=1e-8)
    information = (a - 1) / mode**2 + (b - 1) / (1 - mode) ** 2
    assert found.std_errors["p"] == pytest.approx(information**-0.5, rel=1e-6)
    likely = m.mle(seed=0)
    assert likely.values["p"] == pytest.approx(7 / 20, rel=1e-8)
    assert likely.std_errors["p"] == pytest.approx(np.sqrt(0.35 * 0.65 / 20), rel=1e-6)


def test_shares_of_a_multinomial():
    counts = np.array([10, 30, 60])
    m = ss.Model()
    m.p = ss.Dirichlet(np.ones(3))
    m.y = ss.Multinomial(100, m.p).observe(counts)
    found = m.mle(seed=0)
    shares = counts / 100
    np.testing.assert_allclose(found.values["p"], shares, rtol=1e-7)
    np.testing.assert_allclose(found.std_errors["p"], np.sqrt(shares * (1 - shares) / 100), rtol=1e-6)


def test_derived_quantities_by_the_delta_method(table):
    m = regression(table, "binary")
    m.odds = ss.exp(m.beta)
    m.contrast = m.beta[0] - m.beta[1]
    found = m.mle(seed=0)
    expected = sm.Logit(table["binary"], sm.add_constant(table["x"])).fit(disp=0, method="newton", tol=1e-12)
    covariance = np.asarray(expected.cov_params())
    np.testing.assert_allclose(found.std_errors["odds"], np.exp(expected.params[1:]) * expected.bse[1:], rtol=1e-6)
    step = np.array([0, 1, -1, 0])
    assert found.std_errors["contrast"] == pytest.approx(np.sqrt(step @ covariance @ step), rel=1e-6)


def test_a_covariance_matrix():
    rng = np.random.default_rng(1)
    y = rng.multivariate_normal([1, -1], [[2, 0.7], [0.7, 1]], size=300)
    m = ss.Model()
    m.mu = ss.Normal(0, 10, shape=2)
    m.L = ss.LKJCholesky(2, 1.0)
    m.scale = ss.HalfNormal(10, shape=2)
    m.y = ss.MultivariateNormal(m.mu, chol=ss.diagonal_matrix(m.scale) @ m.L).observe(y)
    m.sigma = ss.diagonal_matrix(m.scale) @ m.L @ m.L.T @ ss.diagonal_matrix(m.scale)
    found = m.mle(seed=0)
    np.testing.assert_allclose(found.values["mu"], y.mean(0), rtol=1e-7)
    np.testing.assert_allclose(found.values["sigma"], np.cov(y.T, bias=True), rtol=1e-6)


def test_other_data_and_single_precision(table):
    m = regression(table, "count")
    half = {"x": table["x"][:200], "y": table["count"][:200]}
    expected = sm.Poisson(half["y"], sm.add_constant(half["x"])).fit(disp=0, method="newton", tol=1e-12)
    found = m.mle(seed=0, data=half)
    np.testing.assert_allclose(found.values["beta"], expected.params[1:], rtol=1e-6)
    rough = m.mle(seed=0, data=half, dtype="float32")
    assert rough.converged
    assert rough.values["beta"].dtype == np.float32
    np.testing.assert_allclose(rough.values["beta"], expected.params[1:], rtol=1e-3, atol=1e-3)


def test_the_same_seed_gives_the_same_estimate(table):
    one, two = (regression(table, "real").map(seed=3) for _ in range(2))
    assert one.log_density == two.log_density
    np.testing.assert_array_equal(one.values["beta"], two.values["beta"])


def test_torch_and_stan_find_the_same_mode(table):
    stanli = pytest.importorskip("stanli")
    m = regression(table, "binary")
    code = m.stan_code(log_lik=False, predictive=False, log_prior=False)
    by_stan = stanli.Model(stan_code=code, data=m.stan_data()).optimize(seed=1)
    found = m.map(seed=0)
    expected = [by_stan[f"beta.{k + 1}"] for k in range(3)]
    np.testing.assert_allclose(found.values["beta"], expected, rtol=1e-3, atol=1e-4)
