"""Mini-batches: the parts add up to the whole, the same optimum is found, and what cannot be split is refused."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.targets.torch import Batches, TorchDensity
from tests.zoo import ZOO, eight_schools

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


@pytest.mark.parametrize("size", [20, 37, 100])
def test_a_batch_has_the_weight_of_all_observations(size):
    """Conjugate: a prior that weighs as much as the 400 observations puts the mode half-way to their mean."""
    y = np.random.default_rng(2).normal(1, 1, 400)
    m = ss.Model()
    m.mu = ss.Normal(0, 0.05)
    m.y = ss.Normal(m.mu, 1).observe(y)
    found = m.map(seed=0, starts=2, batch_size=size, epochs=60, polish=False)
    deviation = 1 / np.sqrt(800)
    assert found.values["mu"] == pytest.approx(y.sum() / 800, abs=deviation / 4)


def test_full_gradients_batch_by_batch():
    m = poisson()
    expected = m.mle(seed=0, starts=2)
    found = m.mle(seed=0, starts=2, batch_size=64, optimizer="lbfgs")
    np.testing.assert_allclose(found.values["shift"], expected.values["shift"], rtol=1e-6, atol=1e-8)


def test_a_latent_along_the_observations():
    with pytest.raises(ss.ModelError, match="`theta` runs along them"):
        eight_schools().map(batch_size=4)


ROWS = 90


def odd(write) -> ss.Model:
    """A regression whose predictor is what `write` makes of it."""
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=ROWS), dims="row")
    m.p = ss.data(rng.permutation(ROWS), dims="row")
    m.same = ss.data(np.arange(ROWS), dims="row")
    m.k = ss.data(rng.normal(size=(ROWS, ROWS)))
    m.b = ss.Normal(0, 1)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(write(m), m.s, dims="row").observe(rng.normal(size=ROWS))
    return m


def agreement(m: ss.Model, size: int) -> None:
    """Hold the sum over batches to the density of all observations."""
    instance = m.instance()
    whole, batches = TorchDensity(instance), Batches(instance, size)
    q = torch.from_numpy(np.random.default_rng(1).uniform(-0.5, 0.5, (3, whole.dimension)))
    for only in (False, True):
        together = sum(batches.log_density(q, likelihood_only=only))
        torch.testing.assert_close(together, whole.log_density(q, likelihood_only=only), rtol=1e-10, atol=1e-8)


BY_DATA_ALONE = {
    "index": lambda m: m.b * m.x[m.p],
    "index and row": lambda m: m.b * m.x[m.p][m.p] + m.x,
    "mean": lambda m: m.b * (m.x - ss.mean(m.x)),
    "number of rows": lambda m: m.b * m.x / m.x.shape[0],
    "product with all rows": lambda m: m.b * (m.k @ m.x),
    "backwards": lambda m: m.b * m.x[::-1],
    "cumulative": lambda m: m.b * ss.cumsum(m.x),
}
BY_LATENTS = {
    "index": lambda m: (m.b * m.x)[m.p],
    "index in order": lambda m: (m.b * m.x)[m.same],
    "mean": lambda m: m.b * m.x - ss.mean(ss.exp(m.b * m.x)),
    "product with all rows": lambda m: m.k @ (m.b * m.x),
    "backwards": lambda m: (m.b * m.x)[::-1],
    "cumulative": lambda m: ss.cumsum(m.b * m.x),
    "one row": lambda m: (m.b * m.x)[0] + m.x,
    "shares": lambda m: ss.softmax(m.b * m.x),
    "blocks": lambda m: ss.reshape(m.b * ss.reshape(m.x, (30, 3)), (ROWS,)),
}


@pytest.mark.parametrize("name", BY_DATA_ALONE)
def test_what_the_data_alone_decide_means_all_of_them(name):
    agreement(odd(BY_DATA_ALONE[name]), 20)


@pytest.mark.parametrize("name", BY_LATENTS)
def test_rows_that_need_other_rows_are_refused(name):
    with pytest.raises(ss.ModelError, match="mini-batches cannot be taken along the observations of `y`"):
        odd(BY_LATENTS[name]).map(seed=0, starts=1, batch_size=20)


@pytest.mark.parametrize("epochs", [1, 2, 3, 9, 10])
def test_few_epochs_of_few_batches(epochs):
    m = odd(lambda m: m.b * m.x)
    for size in (10, ROWS // 3, ROWS, 10 * ROWS):
        assert np.isfinite(m.map(seed=0, starts=1, batch_size=size, epochs=epochs, polish=False).log_density)


def test_an_index_into_the_rows_finds_the_same_optimum():
    m = odd(BY_DATA_ALONE["index"])
    found, expected = m.map(seed=0, starts=2, batch_size=30, epochs=5), m.map(seed=0, starts=2)
    assert found.converged
    np.testing.assert_allclose(found["b"], expected["b"], rtol=1e-5, atol=1e-7)


def test_predictors_written_in_a_loop():
    x, y = np.random.default_rng(0).normal(size=(2, 30))
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(ss.stack([m.a + m.b * x[k] for k in range(30)]), 1).observe(y)
    found, expected = m.map(seed=0, starts=1, batch_size=10, epochs=3), m.map(seed=0, starts=1)
    np.testing.assert_allclose(found["b"], expected["b"], rtol=1e-6)


def test_a_prior_computed_from_the_data_is_computed_from_all_of_them():
    m = ss.Model()
    m.x = ss.data(np.arange(10.0))
    m.b = ss.Normal(ss.mean(m.x), 1)
    m.y = ss.Normal(m.b * m.x, 1).observe(np.arange(10.0))
    agreement(m, 3)


def test_a_prior_that_needs_every_row_is_refused():
    m = ss.Model()
    m.x = ss.data(np.arange(10.0))
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(ss.sum(m.a * m.x), 1)
    m.y = ss.Normal(m.b * m.x, 1).observe(np.arange(10.0))
    with pytest.raises(ss.ModelError, match="prior of `b` is computed from them"):
        m.map(batch_size=3)


def test_no_rows():
    m = ss.Model()
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b, 1).observe(np.zeros(0))
    with pytest.raises(ss.ModelError, match="there are none"):
        m.map(batch_size=3)


@pytest.mark.parametrize("name", ZOO)
@pytest.mark.parametrize("size", [1, 3])
def test_every_model_gives_the_same_density_in_batches_or_is_refused(name, size):
    refused = {"eight_schools", "correlations", "truncated", "dirichlets", "constraints", "log_simplex"}
    if name not in refused:
        agreement(ZOO[name](), size)
        return
    with pytest.raises(ss.ModelError, match="mini-batches cannot be taken"):
        agreement(ZOO[name](), size)


def test_one_observation():
    m = ss.Model()
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b, 1).observe(np.array(1.0))
    with pytest.raises(ss.ModelError, match="there is but one"):
        m.map(batch_size=3)
