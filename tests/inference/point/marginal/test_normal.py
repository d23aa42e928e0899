"""Normal models: their marginal densities are multivariate normal, and so are known to rounding."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import halfnorm, multivariate_normal, norm

import scistan as ss
from scistan.targets.torch import to_numpy
from tests.inference.point.marginal.built import gradient_by_differences, objective_of, somewhere

# Rows by group: balanced, unbalanced with a group that has none and one that has one, and sorted the other way.
GROUPS = {
    "balanced": np.repeat(np.arange(5), 4),
    "unbalanced": np.array([0, 0, 0, 0, 0, 0, 1, 3, 3, 4, 4, 4, 3]),
    "backwards": np.repeat(np.arange(5), 3)[::-1].copy(),
}
OUTCOMES = {
    "random": lambda n: np.random.default_rng(n).normal(size=n) * 2 + 1,
    "constant": lambda n: np.full(n, 3.0),
    "zeros": np.zeros,
}


def group_of(index: np.ndarray, count: int) -> np.ndarray:
    return (index[:, None] == np.arange(count)).astype(float)


def intercepts(g, y, **how):
    m = ss.Model("intercepts")
    m.g = ss.data(g)
    m.mu, m.tau, m.sigma = ss.Normal(0, 5), ss.HalfNormal(5), ss.HalfNormal(5)
    m.u = ss.Normal(m.mu, m.tau, shape=5, **how)
    m.y = ss.Normal(m.u[m.g], m.sigma).observe(y)

    def oracle(v):
        z = group_of(g, 5)
        return np.full(len(y), v["mu"]), v["tau"] ** 2 * z @ z.T + v["sigma"] ** 2 * np.eye(len(y))

    return m, oracle


def slopes(g, y):
    x = np.linspace(-1, 2, len(y))
    m = ss.Model("slopes")
    m.g, m.x = ss.data(g), ss.data(x)
    m.beta = ss.Normal(0, 5, shape=2)
    m.sd, m.factor, m.sigma = ss.HalfNormal(5, shape=2), ss.LKJCholesky(2, 2.0), ss.HalfNormal(5)
    m.u = ss.MultivariateNormal(m.beta, chol=m.sd[:, None] * m.factor, shape=5)
    m.y = ss.Normal(m.u[m.g, 0] + m.u[m.g, 1] * m.x, m.sigma).observe(y)

    def oracle(v):
        root = v["sd"][:, None] * v["factor"]
        rows = np.stack([np.ones(len(y)), x], 1)
        same = g[:, None] == g
        return rows @ v["beta"], rows @ root @ root.T @ rows.T * same + v["sigma"] ** 2 * np.eye(len(y))

    return m, oracle


def crossed(g, y):
    h = np.arange(len(y)) % 3
    m = ss.Model("crossed")
    m.g, m.h = ss.data(g), ss.data(h)
    m.mu, m.tau, m.eta, m.sigma = ss.Normal(0, 5), ss.HalfNormal(5), ss.HalfNormal(5), ss.HalfNormal(5)
    m.u, m.v = ss.Normal(0, m.tau, shape=5), ss.Normal(0, m.eta, shape=3)
    m.y = ss.Normal(m.mu + m.u[m.g] + m.v[m.h], m.sigma).observe(y)

    def oracle(v):
        z, w = group_of(g, 5), group_of(h, 3)
        spread = v["tau"] ** 2 * z @ z.T + v["eta"] ** 2 * w @ w.T
        return np.full(len(y), v["mu"]), spread + v["sigma"] ** 2 * np.eye(len(y))

    return m, oracle


def nested(g, y):
    above = np.array([0, 0, 1, 1, 1])
    m = ss.Model("nested")
    m.g, m.above = ss.data(g), ss.data(above)
    m.mu, m.tau, m.eta, m.sigma = ss.Normal(0, 5), ss.HalfNormal(5), ss.HalfNormal(5), ss.HalfNormal(5)
    m.v = ss.Normal(m.mu, m.eta, shape=2)
    m.u = ss.Normal(m.v[m.above], m.tau, shape=5)
    m.y = ss.Normal(m.u[m.g], m.sigma).observe(y)

    def oracle(v):
        z, w = group_of(g, 5), group_of(above[g], 2)
        spread = v["tau"] ** 2 * z @ z.T + v["eta"] ** 2 * w @ w.T
        return np.full(len(y), v["mu"]), spread + v["sigma"] ** 2 * np.eye(len(y))

    return m, oracle


def by_hand(g, y):
    m = ss.Model("by_hand")
    m.g = ss.data(g)
    m.mu, m.tau, m.sigma = ss.Normal(0, 5), ss.HalfNormal(5), ss.HalfNormal(5)
    m.z = ss.Normal(0, 1, shape=5)
    m.y = ss.Normal(m.mu + m.tau * m.z[m.g], m.sigma).observe(y)
    return m, intercepts(g, y)[1]


def process(_, y):
    x = np.linspace(0, 3, len(y))
    m = ss.Model("process")
    m.x = ss.data(x)
    m.length, m.height, m.sigma = ss.HalfNormal(2), ss.HalfNormal(2), ss.HalfNormal(2)
    apart = m.x[:, None] - m.x[None, :]
    m.f = ss.MultivariateNormal(
        np.zeros(len(y)), cov=m.height**2 * ss.exp(-(apart**2) / (2 * m.length**2)) + 1e-6 * np.eye(len(y))
    )
    m.y = ss.Normal(m.f, m.sigma).observe(y)

    def oracle(v):
        kernel = v["height"] ** 2 * np.exp(-((x[:, None] - x) ** 2) / (2 * v["length"] ** 2))
        return np.zeros(len(y)), kernel + (1e-6 + v["sigma"] ** 2) * np.eye(len(y))

    return m, oracle


MODELS = (intercepts, slopes, crossed, nested, by_hand, process)


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("groups", GROUPS)
@pytest.mark.parametrize("make", MODELS)
def test_the_marginal_is_the_multivariate_normal(make, groups, outcome):
    g = GROUPS[groups]
    y = OUTCOMES[outcome](len(g))
    m, oracle = make(g, y)
    objective = objective_of(m)
    assert objective.structure.constant
    for seed in (1, 2):
        q, values = somewhere(objective, seed)
        mean, cov = oracle(values)
        exact = multivariate_normal(mean, cov).logpdf(y)
        value, gradient = objective.value_and_gradient(q[None])
        np.testing.assert_allclose(float(value[0]), exact, rtol=1e-9)
        slack = 1e-6 * (1 + np.abs(to_numpy(gradient[0])).max())
        np.testing.assert_allclose(to_numpy(gradient[0]), gradient_by_differences(objective, q), atol=slack)


def test_priors_are_kept_by_map_whatever_the_coordinates():
    g = GROUPS["unbalanced"]
    y = OUTCOMES["random"](len(g))
    for how in ({}, {"centred": True}, {"centred": False}):
        m, oracle = intercepts(g, y, **how)
        objective = objective_of(m, "map")
        q, values = somewhere(objective, 3)
        prior = norm(0, 5).logpdf(values["mu"]) + halfnorm(0, 5).logpdf([values["tau"], values["sigma"]]).sum()
        exact = multivariate_normal(*oracle(values)).logpdf(y) + prior
        np.testing.assert_allclose(float(objective.value(q)), exact, rtol=1e-10)


def test_groups_share_their_products():
    m, _ = intercepts(GROUPS["balanced"], OUTCOMES["random"](20))
    assert objective_of(m).structure.probes.shape == (1, 5)
    m, _ = slopes(GROUPS["balanced"], OUTCOMES["random"](20))
    assert objective_of(m).structure.probes.shape == (2, 10)
    m, _ = crossed(GROUPS["balanced"], OUTCOMES["random"](20))
    assert objective_of(m).structure.probes.shape == (4, 8)


@pytest.mark.parametrize("scale", [1e-3, 1e-8, 1e-12])
def test_a_scale_near_nothing_is_no_special_case(scale):
    g = GROUPS["unbalanced"]
    y = OUTCOMES["random"](len(g))
    m, oracle = intercepts(g, y)
    objective = objective_of(m)
    q, values = somewhere(objective, 1)
    q[1] = float(np.log(scale))
    exact = multivariate_normal(*oracle({**values, "tau": scale})).logpdf(y)
    value, gradient = objective.value_and_gradient(q[None])
    np.testing.assert_allclose(float(value[0]), exact, rtol=1e-9)
    assert np.isfinite(to_numpy(gradient)).all()


def test_standard_errors_hold_the_uncertainty_of_the_rest():
    """Var(u) = Var(u | theta) + J Var(theta) J', with the best linear predictor written down and differentiated."""
    g = GROUPS["balanced"]
    rng = np.random.default_rng(3)
    y = 2 * rng.normal(size=5)[g] + rng.normal(size=len(g))
    m, oracle = intercepts(g, y)
    found = m.mle(seed=1, starts=2)
    z = group_of(g, 5)

    def values_at(t):
        return {"mu": t[0], "tau": np.exp(t[1]), "sigma": np.exp(t[2])}

    def loss(t):
        return -multivariate_normal(*oracle(values_at(t))).logpdf(y)

    def predicted(t):
        v = values_at(t)
        mean, cov = oracle(v)
        return v["mu"] + v["tau"] ** 2 * z.T @ np.linalg.solve(cov, y - mean)

    best = minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-9}).x
    v = values_at(best)
    np.testing.assert_allclose([found["mu"], found["tau"], found["sigma"]], list(v.values()), rtol=1e-5)
    np.testing.assert_allclose(found["u"], predicted(best), rtol=1e-5)
    eye = np.eye(3) * 1e-3
    bent = [[loss(best + a + b) - loss(best + a - b) - loss(best - a + b) + loss(best - a - b) for a in eye] for b in eye]
    covariance = np.linalg.inv(np.array(bent) / 4e-6)
    moved = np.stack([(predicted(best + a) - predicted(best - a)) / 2e-3 for a in eye], 1)
    given = 1 / (1 / v["tau"] ** 2 + 4 / v["sigma"] ** 2)
    total = np.sqrt(given + np.einsum("ij,jk,ik->i", moved, covariance, moved))
    np.testing.assert_allclose(found.std_errors["u"], total, rtol=1e-4)
    scales = np.sqrt(covariance.diagonal()) * [1, v["tau"], v["sigma"]]
    np.testing.assert_allclose([found.std_errors[n] for n in ("mu", "tau", "sigma")], scales, rtol=1e-4)


def kalman(y: np.ndarray, start: float, step: float, noise: float) -> float:
    """Filter a local level: the oracle that knows no matrix of all steps."""
    mean, variance, total = 0.0, start**2, 0.0
    for value in y:
        spread = variance + noise**2
        total += norm(mean, np.sqrt(spread)).logpdf(value)
        gain = variance / spread
        mean, variance = mean + gain * (value - mean), variance * (1 - gain) + step**2
    return total


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_random_walk_is_a_kalman_filter(outcome):
    y = OUTCOMES[outcome](40)
    m = ss.Model("level")
    m.step, m.noise = ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.step, start=ss.Normal(0, 2), length=40)
    m.y = ss.Normal(m.level, m.noise).observe(y)
    objective = objective_of(m)
    for seed in (1, 2):
        q, values = somewhere(objective, seed)
        exact = kalman(y, 2.0, float(values["step"]), float(values["noise"]))
        np.testing.assert_allclose(float(objective.value(q)), exact, rtol=1e-9)
