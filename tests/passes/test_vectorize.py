"""Loops in Python become statements over vectors: each natural way to write one, beside the line it becomes."""

import numpy as np
import pytest

import scistan as ss
from scistan.errors import ModelError

N, J, K = 12, 4, 3
RNG = np.random.default_rng(6)
X, Y = RNG.normal(size=(N, K)), RNG.normal(size=N)
GROUP = np.concatenate([np.arange(J), RNG.integers(0, J, N - J)])
COV = np.eye(K)


def _observe(write):
    return lambda m, i: write(m, i).observe(Y[i])


# the body of the loop, and the statement
FORMS = {
    "data scalars": (_observe(lambda m, i: ss.Normal(m.a + m.b[0] * X[i, 0], m.s)), "y ~ normal(a + b[1] * data_1, s);"),
    "numbers": (_observe(lambda m, i: ss.Normal(m.a + float(X[i, 0]) * m.b[1], m.s)), "y ~ normal(a + data_1 * b[2], s);"),
    "rows": (_observe(lambda m, i: ss.Normal(m.a + X[i] @ m.b, m.s)), "y ~ normal_id_glm(data_1, a, b, s);"),
    "sums over a row": (
        _observe(lambda m, i: ss.Normal(m.a + ss.sum(X[i] * m.b), m.s)),
        "y ~ normal_id_glm(data_1, a, b, s);",
    ),
    "rows of named data": (_observe(lambda m, i: ss.Normal(m.a + m.X[i] @ m.b, m.s)), "y ~ normal_id_glm(X, a, b, s);"),
    "elements of named data": (
        _observe(lambda m, i: ss.Normal(m.a + m.X[i, 0] * m.b[0], m.s)),
        "y ~ normal(a + X[:, 1] * b[1], s);",
    ),
    "a group by int": (_observe(lambda m, i: ss.Normal(m.alpha[int(GROUP[i])], m.s)), "y ~ normal(alpha[index_1], s);"),
    "a group by NumPy's int": (_observe(lambda m, i: ss.Normal(m.alpha[GROUP[i]], m.s)), "y ~ normal(alpha[index_1], s);"),
    "a row of latents": (
        _observe(lambda m, i: ss.Normal(m.a + X[i] @ m.M[int(GROUP[i])], m.s)),
        "y ~ normal(a + rows_dot_product(data_1, M[index_1]), s);",
    ),
    "an element of latents": (
        _observe(lambda m, i: ss.Normal(m.M[int(GROUP[i]), 1], m.s)),
        "y ~ normal(M[index_1, 2], s);",
    ),
    "along the second axis": (
        _observe(lambda m, i: ss.Normal(m.M[1, i % K], m.s)),
        "y ~ normal(M[2, index_1]', s);",
    ),
    "along both axes": (_observe(lambda m, i: ss.Normal(m.M[int(GROUP[i]), i % K], m.s)), "y ~ normal(index_M, s);"),
    "bounds": (_observe(lambda m, i: ss.Normal(m.alpha[int(GROUP[i])], m.s, lower=-5)), "y ~ normal(alpha[index_1], s);"),
    "totals": (
        lambda m, i: ss.Binomial(5 + i, ss.inv_logit(m.a + X[i] @ m.b)).observe(i % 4),
        "y ~ binomial_logit_glm(data_1, data_2, a, b);",
    ),
    "vectors": (
        lambda m, i: ss.MultivariateNormal(ss.stack([m.a, m.alpha[int(GROUP[i])], m.a * X[i, 0]]), cov=COV).observe(X[i]),
        "y[n] ~ multi_normal_cholesky(y_mu[n]', cholesky_data_2);",
    ),
    "categories": (
        lambda m, i: ss.CategoricalLogit(m.M[int(GROUP[i])]).observe(i % K),
        "y[n] ~ categorical_logit(y_beta[n]');",
    ),
}


def _loop(body) -> ss.Model:
    m = ss.Model("loop")
    m.X = ss.data(X)
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1, shape=K)
    m.alpha = ss.Normal(0, 1, shape=J)
    m.M = ss.Normal(0, 1, shape=(J, K))
    m.s = ss.HalfNormal(1)
    for i in range(N):
        m[f"y_{i}"] = body(m, i)
    m.rest = ss.Normal(m.a + ss.sum(m.b) + ss.sum(m.alpha) + ss.sum(m.M), m.s).observe(0.1)  # every latent is used
    return m


@pytest.mark.parametrize("form", FORMS)
def test_a_loop_becomes_one_statement(form, stanc):
    body, expected = FORMS[form]
    m = _loop(body)
    assert expected in m.stan_code(gather=False)
    stanc(m.stan_code())
    assert m.verify(points=2).ok
    assert "y_3" in m.stan_code(vectorize=False)


def schools(scalar_latents: bool) -> ss.Model:
    scales, effects = [15, 10, 16, 11, 9, 11, 10, 18.0], [28, 8, -3, 7, -1, 1, 18, 12.0]
    m = ss.Model("schools")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    if not scalar_latents:
        m.theta = ss.Normal(m.mu, m.tau, shape=8)
    for j in range(8):
        if scalar_latents:
            m[f"theta_{j}"] = ss.Normal(m.mu, m.tau)
        theta = m[f"theta_{j}"] if scalar_latents else m.theta[j]
        m[f"y_{j}"] = ss.Normal(theta, scales[j]).observe(effects[j])
    return m


def test_a_loop_along_a_whole_axis_needs_no_index():
    m = schools(scalar_latents=False)
    assert "y ~ normal(theta, data_1);" in m.stan_code()
    assert m.verify(points=2).ok


def _schools_in_a_loop() -> ss.Model:
    m = ss.Model("schools", coords={"school": list("ABC")})
    m.sigma = ss.data([1.0, 2.0, 3.0], dims="school")
    m.theta = ss.Normal(0, 1, dims="school")
    for j in range(3):
        m[f"y_{j}"] = ss.Normal(m.theta[j], m.sigma[j]).observe(0.5)
    return m


def test_axes_of_one_dim_need_no_index():
    assert "y ~ normal(theta, sigma);" in _schools_in_a_loop().stan_code()


def test_data_that_outgrew_a_loop_are_refused():
    """Which rows the terms of a loop belong to was decided when it ran."""
    longer = _schools_in_a_loop().with_data(sigma=[1.0, 2.0, 3.0, 4.0])
    for call in (longer.verify, longer.map, longer.mcmc):
        with pytest.raises(ModelError, match="`y_0` … `y_2` were written in a loop"):
            call()


def test_numbered_latents_are_gathered(stanc):
    m = schools(scalar_latents=True)
    text = m.stan_code()
    names = ", ".join(f"theta_{j}" for j in range(8))
    assert f"{{{names}}} ~ normal(mu, tau);" in text
    assert f"y ~ normal([{names}]', data_1);" in text
    stanc(text)
    assert m.verify(points=2).ok
    fit = m.mcmc(draws=50, warmup=100, chains=1, seed=1, engine="stanli", progress=False)
    assert {"theta_0", "theta_7"} < set(fit.idata.posterior.data_vars)


def test_names_without_numbers_stay_apart():
    m = ss.Model("apart")
    m.mu = ss.Normal(0, 1)
    m.height = ss.Normal(m.mu, 1.0).observe(1.2)
    m.weight = ss.Normal(m.mu, 1.0).observe(0.7)
    assert "height ~ " in m.stan_code()
    assert "weight ~ " in m.stan_code()


def test_positions_read_from_swappable_data(stanc):
    m = ss.Model("positions")
    m.b, m.c, m.g = ss.Normal(0, 1, shape=5), ss.Normal(0, 1, shape=(5, 5)), ss.data([3, 1, 2])
    for i in range(3):
        mean = m.b[m.g[i]] + m.c[m.g[i], 0] + m.c[i, m.g[i]]
        setattr(m, f"y_{i}", ss.Normal(mean, 1).observe(i))
    text = m.stan_code(log_lik=False, predictive=False)
    stanc(text)
    assert "\n  vector[N] y;" in text
    assert m.verify(points=3).ok
    assert m.with_data(g=[0, 4, 4]).verify(points=3).ok


def test_positions_in_another_order_are_another_form():
    m = ss.Model("order")
    m.b, m.c, m.g = ss.Normal(0, 1, shape=5), ss.Normal(0, 1, shape=(5, 5)), ss.data([3, 1, 2])
    for i in range(4):
        first, second = m.g[0], m.g[1]
        cell = m.c[first, second] if i % 2 else m.c[second, first]
        setattr(m, f"y_{i}", ss.Normal(m.b[first] - m.b[second] + cell * m.b[i], 1).observe(i))
    assert m.verify(points=3).ok


def test_groups_give_way_to_names_and_to_each_other(stanc):
    m = ss.Model("names")
    m.y, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    for i in range(2):
        setattr(m, f"y_{i}", ss.Normal(m.b + m.y, 1).observe(i))
    for i in range(2, 4):
        setattr(m, f"y_{i}", ss.Poisson(ss.exp(m.b)).observe(i))
    stanc(m.stan_code())
    assert m.verify(points=3).ok
