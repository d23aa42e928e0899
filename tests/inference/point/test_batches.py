"""Mini-batches: the parts add up to the whole, the same optimum is found, and what cannot be split is refused."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.targets.torch import Batches, TorchDensity
from tests.zoo import eight_schools

torch = pytest.importorskip("torch")


def poisson(n: int = 300) -> ss.Model:
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=(n, 2)))
    m.g = ss.data(rng.integers(0, 4, n))
    m.shift = ss.Normal(0, 1, shape=4)
    m.beta = ss.Normal(0, 1, shape=2)
    m.y = ss.PoissonLog(m.x @ m.beta + m.shift[m.g]).observe(rng.poisson(2, n))
    m.side = ss.Normal(m.beta, 1).observe([0.3, 0.1])
    return m


@pytest.mark.parametrize("size", [1, 7, 100, 299, 300, 1000])
def test_the_parts_add_up(size):
    instance = poisson().instance()
    whole, batches = TorchDensity(instance), Batches(instance, size)
    q = torch.from_numpy(np.random.default_rng(1).normal(size=(3, whole.dimension)))
    for only in (False, True):
        together = sum(batches.log_density(q, likelihood_only=only))
        torch.testing.assert_close(together, whole.log_density(q, likelihood_only=only), rtol=1e-10, atol=1e-8)


def test_a_batch_stands_for_all_on_average():
    instance = poisson(64).instance()
    whole, batches = TorchDensity(instance), Batches(instance, 16)
    q = torch.zeros(whole.dimension, dtype=torch.float64)
    rng = np.random.default_rng(0)
    parts = [b.log_density(q, likelihood_only=False, weight=4.0, share=1.0) for b in batches.shuffled(rng)]
    assert len(parts) == 4
    torch.testing.assert_close(torch.stack(parts).mean(), whole.log_density(q), rtol=1e-10, atol=1e-8)


def test_the_same_optimum():
    m = poisson()
    expected = m.map(seed=0, starts=2)
    found = m.map(seed=0, starts=2, batch_size=50, epochs=8)
    assert found.converged
    assert found.log_density == pytest.approx(expected.log_density, rel=1e-9)
    np.testing.assert_allclose(found.values["beta"], expected.values["beta"], rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found.std_errors["beta"], expected.std_errors["beta"], rtol=1e-5)


def test_full_gradients_batch_by_batch():
    m = poisson()
    expected = m.mle(seed=0, starts=2)
    found = m.mle(seed=0, starts=2, batch_size=64, optimizer="lbfgs")
    np.testing.assert_allclose(found.values["shift"], expected.values["shift"], rtol=1e-6, atol=1e-8)


def test_a_latent_along_the_observations():
    with pytest.raises(ss.ModelError, match="`theta` runs along them"):
        eight_schools().map(batch_size=4)


def test_a_likelihood_that_does_not_split():
    m = ss.Model()
    m.x = ss.data(np.random.default_rng(0).normal(size=40))
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b * (m.x - ss.mean(m.x)), 1).observe(np.arange(40.0))
    with pytest.raises(ss.ModelError, match="does not split"):
        m.map(batch_size=8)


def test_a_prior_computed_from_the_data():
    m = ss.Model()
    m.x = ss.data(np.arange(10.0))
    m.b = ss.Normal(ss.mean(m.x), 1)
    m.y = ss.Normal(m.b * m.x, 1).observe(np.arange(10.0))
    with pytest.raises(ss.ModelError, match="prior of `b` is computed from them"):
        m.map(batch_size=3)


def test_one_observation():
    m = ss.Model()
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b, 1).observe(np.array(1.0))
    with pytest.raises(ss.ModelError, match="there is but one"):
        m.map(batch_size=3)
