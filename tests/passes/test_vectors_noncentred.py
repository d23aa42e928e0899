"""Multivariate normals are non-centred by their Cholesky factor: the user's variables, names and numbers stay."""

import numpy as np
import pytest

import scistan as ss
from scistan.targets.stan.program import lower_to_stan

K, J = 3, 4
RNG = np.random.default_rng(8)
Y, ROWS = RNG.normal(size=K), RNG.normal(size=(J, K))


def _scales() -> ss.Model:
    m = ss.Model("vectors")
    m.L = ss.LKJCholesky(K, 2.0)
    m.tau = ss.HalfNormal(1, shape=K)
    m.mu = ss.Normal(0, 1, shape=K)
    return m


def one_vector() -> ss.Model:
    m = _scales()
    m.factor = m.tau[:, None] * m.L
    m.theta = ss.MultivariateNormal(m.mu, chol=m.factor)
    m.y = ss.Normal(m.theta, 1.0).observe(Y)
    return m


def rows(**options) -> ss.Model:
    m = _scales()
    m.theta = ss.MultivariateNormal(m.mu, chol=ss.diagonal_matrix(m.tau) @ m.L, shape=J, **options)
    m.y = ss.Normal(m.theta, 1.0).observe(ROWS)
    return m


def by_covariance() -> ss.Model:
    m = _scales()
    factor = m.tau[:, None] * m.L
    m.theta = ss.MultivariateNormal(m.mu, cov=factor @ factor.T, shape=J)
    m.y = ss.Normal(m.theta, 1.0).observe(ROWS)
    return m


def by_correlation() -> ss.Model:
    m = ss.Model("correlation")
    m.R = ss.LKJCorr(K, 2.0)
    m.tau = ss.HalfNormal(1, shape=K)
    m.theta = ss.MultivariateNormal(np.zeros(K), cov=ss.outer(m.tau, m.tau) * m.R, shape=J)
    m.y = ss.Normal(m.theta, 1.0).observe(ROWS)
    return m


def by_precision() -> ss.Model:
    m = ss.Model("precision")
    m.P = ss.Wishart(5, np.eye(K))
    m.theta = ss.MultivariateNormal(np.zeros(K), prec=m.P, shape=J)
    m.y = ss.Normal(m.theta, 1.0).observe(ROWS)
    return m


def own_factors() -> ss.Model:
    m = _scales()
    m.w = ss.HalfNormal(1, shape=J)
    m.theta = ss.MultivariateNormal(m.mu * m.tau, chol=m.w[:, None, None] * m.L)
    m.y = ss.Normal(m.theta, 1.0).observe(ROWS)
    return m


def own_means() -> ss.Model:
    m = ss.Model("means")
    m.L = ss.LKJCholesky(K, 2.0)
    m.B = ss.Normal(0, 1, shape=(2, J, K))
    m.theta = ss.MultivariateNormal(m.B, chol=m.L)
    m.y = ss.Normal(m.theta, 1.0).observe(RNG.normal(size=(2, J, K)))
    return m


def further_down() -> ss.Model:
    m = one_vector()
    m.a = ss.Normal(m.theta, m.tau)
    m.b = ss.StudentT(4, m.a[0], m.tau[1], shape=J)
    m.x = ss.Normal(ss.sum(m.a) + m.b, 1.0).observe(RNG.normal(size=J))
    return m


def gaussian_process() -> ss.Model:
    m = ss.Model("gp")
    m.x = ss.data(np.linspace(0, 3, 6))
    m.rho = ss.InvGamma(5, 5)
    near = ss.exp(-0.5 * ss.square((m.x[:, None] - m.x[None, :]) / m.rho))
    m.f = ss.MultivariateNormal(0 * m.x, cov=near + 1e-6 * ss.diagonal_matrix(0 * m.x + 1))
    m.y = ss.PoissonLog(m.f).observe([1, 2, 0, 3, 1, 1])
    return m


MODELS = (
    one_vector, rows, by_covariance, by_correlation, by_precision, own_factors, own_means, further_down, gaussian_process
)


@pytest.mark.parametrize("make", MODELS, ids=lambda f: f.__name__)
def test_targets_agree_either_way(make, stanc):
    m = make()
    assert "_z" in m.stan_code()
    stanc(m.stan_code())
    assert m.verify(points=3).ok, m.stan_code()
    centred = m.stan_code(noncenter=False)
    assert "_z" not in centred
    stanc(centred)


def test_the_program_is_what_one_writes_by_hand():
    text = rows().stan_code()
    assert "matrix[N, K] theta = rep_matrix(mu', N) + theta_z * diag_pre_multiply(tau, L)';" in text
    assert "to_vector(theta_z) ~ std_normal();" in text
    text = one_vector().stan_code()
    assert "matrix[N, N] factor = diag_pre_multiply(tau, L);" in text
    assert "vector[N] theta = mu + factor * theta_z;" in text
    assert "quad_form_diag(R, tau)" in by_correlation().stan_code()


def test_a_product_of_a_factor_with_itself_is_not_factored_again():
    assert "cholesky_decompose" not in by_covariance().stan_code()


def test_centred_turns_it_off_and_false_forces_it():
    assert "theta_z" not in rows(centred=True).stan_code()
    assert rows(centred=True).verify(points=3).ok
    m = ss.Model("fixed")
    m.theta = ss.MultivariateNormal(np.zeros(K), cov=2 * np.eye(K), centred=False)
    m.y = ss.Normal(m.theta, 1.0).observe(Y)
    assert "theta_z" in m.stan_code()
    assert m.verify(points=3).ok


def test_explain_tells():
    row = next(r for r in rows().explain().rows if r[0] == "noncenter")
    assert row[1] == "theta"
    assert row[2].startswith("MultivariateNormal(mu, chol=")
    assert row[3].endswith("from independent normals")


def test_inits_are_the_users():
    m = rows()
    instance = m.instance()
    values = {"L": np.eye(K), "tau": np.full(K, 2.0), "mu": np.ones(K), "theta": ROWS}
    program = lower_to_stan(instance.graph)
    np.testing.assert_allclose(program.inits(values, instance)["theta_z"], (ROWS - 1) / 2, rtol=1e-12)


def test_draws_have_the_users_names_only():
    fit = rows().mcmc(draws=50, warmup=100, chains=2, seed=1, engine="stanli", progress=False, inits="prior")
    assert set(fit.idata.posterior.data_vars) == {"L", "tau", "mu", "theta"}
    assert fit.idata.posterior["theta"].shape == (2, 50, J, K)


def test_map_maximizes_over_the_standard_coordinates():
    """With a known factor `L` and `y = theta` up to noise `s`, the mode of `z` solves a ridge regression."""
    rng = np.random.default_rng(3)
    L = np.linalg.cholesky(np.array([[2.0, 0.6], [0.6, 1.0]]))
    y = rng.normal(size=2)
    m = ss.Model("ridge")
    m.mu = ss.Normal(0, 1e-4, shape=2)  # all but 0, and it makes the location latent
    m.theta = ss.MultivariateNormal(m.mu, chol=L)
    m.y = ss.Normal(m.theta, 0.5).observe(y)
    z = np.linalg.solve(L.T @ L / 0.25 + np.eye(2), L.T @ y / 0.25)
    np.testing.assert_allclose(m.map(seed=1).values["theta"], L @ z, atol=1e-4)


def test_map_of_a_group_of_vectors_has_a_mode():
    estimate = rows().map(seed=1)
    assert estimate.converged
    assert np.isfinite(estimate.values["theta"]).all()
    assert estimate.findings  # a joint mode of scales and effects, of which no standard errors are given


def test_a_covariance_of_data_is_factored_once():
    m = ss.Model("known")
    m.S = ss.data(np.eye(K))
    m.mu = ss.Normal(0, 1, shape=K)
    m.y = ss.MultivariateNormal(m.mu, cov=m.S).observe(ROWS)
    text = m.stan_code()
    assert "transformed data {\n  matrix[N, N] cholesky_S = cholesky_decompose(S);" in text
    assert "y ~ multi_normal_cholesky(mu, cholesky_S);" in text
    assert "y ~ multi_normal(mu, S);" in m.stan_code(cholesky=False)
    assert m.verify(points=3).ok
