"""`m.log_density_fn`: one function on every backend, held to the density of the values and to Stan's own."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.errors import ArgumentError
from tests import zoo
from tests.transforms.backends_here import HERE

torch = pytest.importorskip("torch")
MODELS = {f.__name__: f for f in (zoo.eight_schools, zoo.constraints, zoo.correlations, zoo.dirichlets, zoo.truncated,
                                  zoo.varying_intercepts, zoo.ordinal)}
# Stan 2.35 and SciStan have other coordinates for a simplex, and Stan's derivatives of truncated terms are rough.
OTHER_COORDINATES, ROUGH = {"dirichlets"}, {"truncated"}


FEW = ("eight_schools",)  # where compiling is dear


def at(fn, seed=0):
    return 0.5 * np.random.default_rng(seed).normal(size=fn.dimension)


CASES = [
    pytest.param(name, other, marks=() if other == "torch" or name in FEW else pytest.mark.long)
    for other in HERE[1:] for name in MODELS
]


@pytest.mark.parametrize(("name", "backend"), CASES)
def test_every_backend_is_as_numpy(name, backend):
    m = MODELS[name]()
    fn, other = m.log_density_fn(), m.log_density_fn(backend)
    q = at(fn)
    for jacobian in (True, False):
        value, slope = fn.value_and_gradient(q, jacobian=jacobian)
        value_there, slope_there = other.value_and_gradient(ss.array(q, backend=backend), jacobian=jacobian)
        assert value == pytest.approx(value_there, rel=1e-12)
        np.testing.assert_allclose(slope, np.asarray(slope_there), rtol=1e-10, atol=1e-11)
        assert fn(q, jacobian=jacobian) == value
        np.testing.assert_array_equal(fn.gradient(q, jacobian=jacobian), slope)
    np.testing.assert_allclose(np.asarray(other.unconstrain(fn.constrain(q))), q, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_it_is_the_density_of_the_values_and_its_jacobian(name):
    m = MODELS[name]()
    fn = m.log_density_fn()
    q = at(fn, 1)
    values = fn.constrain(q)
    assert {n: v.shape for n, v in values.items()} == fn.shapes
    np.testing.assert_allclose(fn.unconstrain(values), q, rtol=1e-9, atol=1e-10)
    assert fn(q, jacobian=False) == pytest.approx(m.log_density(values), rel=1e-12)
    slope = np.array([(fn(q + h) - fn(q - h)) / 2e-6 for h in 1e-6 * np.eye(fn.dimension)])
    np.testing.assert_allclose(fn.gradient(q), slope, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_stan_agrees(name):
    m = MODELS[name]()
    fn, stan = m.log_density_fn(), m.log_density_fn("stan")
    assert stan.dimension == fn.dimension
    one, two = at(stan, 2), at(stan, 3)
    for q in (one, two):
        assert stan(q, propto=False, jacobian=False) == pytest.approx(m.log_density(stan.constrain(q)), rel=1e-9)
        np.testing.assert_allclose(stan.unconstrain(stan.constrain(q)), q, rtol=1e-9, atol=1e-9)
    assert stan(one) - stan(two) == pytest.approx(stan(one, propto=False) - stan(two, propto=False), rel=1e-9)
    if name in OTHER_COORDINATES:
        return
    value, slope = fn.value_and_gradient(one)
    assert stan(one, propto=False) == pytest.approx(value, rel=1e-10)
    rtol = 1e-5 if name in ROUGH else 1e-9
    np.testing.assert_allclose(stan.gradient(one), slope, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(stan.gradient(one, jacobian=False), fn.gradient(one, jacobian=False), rtol=rtol, atol=rtol)


def test_outside_the_support_there_is_no_slope():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(0, m.a * 1.0).observe([0.3, -0.2])
    fn = m.log_density_fn()
    value, slope = fn.value_and_gradient(np.array([-1.0]))
    assert value == -np.inf
    assert np.isnan(slope).all()


def test_vectors_of_a_latent_covariance():
    m = ss.Model()
    m.L = ss.LKJCholesky(2, 2.0)
    m.s = ss.HalfNormal(1, shape=2)
    m.b = ss.MultivariateNormal(np.zeros(2), chol=m.s[:, None] * m.L, shape=3)
    m.y = ss.Normal(m.b[:, 0] + m.b[:, 1], 1).observe([0.1, 0.2, 0.3])
    fn, stan = m.log_density_fn(), m.log_density_fn("stan")
    q = at(fn)
    assert fn(q, jacobian=False) == pytest.approx(m.log_density(fn.constrain(q)), rel=1e-12)
    np.testing.assert_allclose(fn.unconstrain(fn.constrain(q)), q, rtol=1e-9)
    there = stan.unconstrain(fn.constrain(q))  # Stan has the elements of matrices column by column
    assert fn(q) == pytest.approx(stan(there, propto=False), rel=1e-10)
    np.testing.assert_allclose(sorted(fn.gradient(q)), sorted(stan.gradient(there)), rtol=1e-9, atol=1e-9)


def test_what_is_refused():
    m = zoo.eight_schools()
    with pytest.raises(ArgumentError, match="no backend 'julia'"):
        m.log_density_fn("julia")
    with pytest.raises(ArgumentError, match="a vector of 10 numbers"):
        m.log_density_fn()(np.zeros(3))
    assert repr(m.log_density_fn()).startswith("<log density over 10 coordinates of mu, tau, theta[8]")
