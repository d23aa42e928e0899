"""The density at many points is the density at each of them, and points without one lose nothing of the others."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.transforms.rows import lower_to_rows


def models() -> dict[str, ss.Model]:
    rng = np.random.default_rng(1)
    plain = ss.Model("plain")
    plain.mu, plain.s = ss.Normal(0, 2), ss.HalfNormal(1)
    plain.y = ss.Normal(plain.mu, plain.s).observe(rng.normal(size=7))
    tied = ss.Model("tied")
    tied.p, tied.c = ss.Dirichlet(np.ones(3)), ss.Normal(0, 1, shape=3, constraint="ordered")
    tied.factor = ss.LKJCholesky(2, 2.0)
    tied.y = ss.Categorical(tied.p).observe([0, 1, 2, 1])
    tied.z = ss.MultivariateNormal(tied.c[:2], chol=tied.factor).observe(rng.normal(size=(4, 2)))
    effects = ss.Model("effects")
    effects.tau = ss.HalfCauchy(1)
    effects.u = ss.Normal(0, effects.tau, shape=4)
    effects.y = ss.Poisson(ss.exp(effects.u)).observe([1, 0, 3, 2])
    walk = ss.Model("walk")
    walk.tau = ss.HalfNormal(1)
    walk.x = ss.RandomWalk(walk.tau, start=ss.Normal(0, 1), length=5)
    walk.y = ss.Normal(walk.x, 1).observe(rng.normal(size=5))
    return {m.name: m for m in (plain, tied, effects, walk)}


@pytest.mark.parametrize("name", models())
def test_rows_have_the_density_of_each_point(name):
    m = models()[name]
    rows, alone = lower_to_rows(m.instance()), m.log_density_fn("numpy")
    q = np.random.default_rng(2).normal(0, 0.7, (6, rows.dimension))
    found = rows.log_densities(q)
    np.testing.assert_allclose(found, [alone(point, propto=False) for point in q], rtol=1e-12)
    without = [alone(point, propto=False, jacobian=False) for point in q]
    np.testing.assert_allclose([rows.log_jacobian(point) for point in q], found - without, rtol=1e-9, atol=1e-9)
    latents = rows.latents(q)
    for k, point in enumerate(q):
        for latent, value in alone.constrain(point).items():
            np.testing.assert_allclose(latents[latent][k], value, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(rows.unconstrain(rows.constrain(point)), point, rtol=1e-7, atol=1e-9)
    assert rows.log_densities(q[:0]).shape == (0,)


def test_blocks_of_points_give_the_same(monkeypatch):
    m = models()["plain"]
    q = np.random.default_rng(3).normal(size=(50, 2))
    whole = lower_to_rows(m.instance()).log_densities(q)
    monkeypatch.setattr("scistan.transforms.rows._CELLS", 20.0)
    np.testing.assert_array_equal(lower_to_rows(m.instance()).log_densities(q), whole)


def test_a_matrix_without_a_factor_costs_its_own_point_alone():
    m = ss.Model("covariance")
    m.r = ss.Uniform(-3, 3)
    m.y = ss.MultivariateNormal(np.zeros(2), cov=ss.stack([ss.stack([1.0, m.r]), ss.stack([m.r, 1.0])])).observe(
        np.array([0.3, -0.2])
    )
    found = lower_to_rows(m.instance()).log_densities(np.array([[0.1], [5.0], [-0.2], [-5.0], [0.0]]))
    assert np.isfinite(found).tolist() == [True, False, True, False, True]
