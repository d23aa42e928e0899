"""Curvature in its three forms: they agree with each other, and structure is only used where it is there."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.inference.point import mode as modes
from scistan.inference.point.arrow import guess_layout, measure_arrow
from scistan.inference.point.curvature import measure_dense
from scistan.inference.point.maximize import lower
from scistan.inference.point.options import Options
from scistan.inference.point.products import Products
from scistan.inference.point.uncertainty import Quantities, standard_errors
from scistan.targets.torch import choose_target

torch = pytest.importorskip("torch")


def groups(count: int = 60, seed: int = 0, tie: bool = False) -> ss.Model:
    rng = np.random.default_rng(seed)
    index = np.repeat(np.arange(count), 6)
    m = ss.Model("groups")
    m.g = ss.data(index)
    m.x = ss.data(rng.normal(size=index.size))
    m.mu, m.tau, m.sigma = ss.Normal(0, 5), ss.Gamma(4, 2), ss.HalfNormal(5)
    m.level = ss.Normal(m.mu, m.tau, shape=count)
    m.slope = ss.Normal(0, 1, shape=(count, 2))
    eta = m.level[m.g] + m.slope[m.g, 0] * m.x + m.slope[m.g, 1] * ss.square(m.x)
    m.y = ss.Normal(eta, m.sigma).observe(rng.normal(size=index.size) + rng.normal(size=count)[index])
    m.best = ss.exp(m.level)
    m.average = ss.mean(m.level)
    m.turned = m.level[::-1] - 0.5 * m.mu  # a row for each group, of another group
    if tie:
        m.walk = ss.Normal(m.level[1:] - m.level[:-1], 0.1).observe(np.zeros(count - 1))
    return m


def at_mode(model: ss.Model):
    objective = lower(model.instance(), "map", Options(integrate=False), choose_target("cpu"))
    q = torch.from_numpy(np.random.default_rng(1).normal(size=objective.dimension) * 0.1)
    free = torch.ones(objective.dimension, dtype=torch.bool)
    return objective, q, free


def errors_of(found) -> dict[str, np.ndarray]:
    """Give every standard error, also those that are known and not to be believed, which an estimate leaves out."""
    mode, graph = found.source.mode, found.source.objective.density.instance.graph
    return standard_errors(Quantities(found.source.objective, graph), mode, graph, ())


@pytest.fixture
def definite(monkeypatch):
    """Use a point where the density is a peak: the mode itself."""
    found = groups().map(seed=0, starts=1, integrate=False)
    assert found.converged
    return found.source.objective, found.source.mode.q, found.source.mode.free


def test_products_with_the_hessian_are_exact():
    objective, q, _ = at_mode(groups(10))
    vectors = torch.from_numpy(np.random.default_rng(2).normal(size=(4, objective.dimension)))
    expected = vectors @ torch.autograd.functional.hessian(objective.density.log_density, q)
    torch.testing.assert_close(objective.hessian_products(q, vectors), expected, rtol=1e-9, atol=1e-9)
    objective.width = 10**9  # as if there were too many numbers for a copy each
    torch.testing.assert_close(objective.hessian_products(q, vectors), expected, rtol=1e-9, atol=1e-9)


def process(effects_first: bool) -> ss.Model:
    """Effects with a covariance, and what it is of before or after them, more numbers among them that stand alone."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(0, 5, 9))
    m = ss.Model("process")
    m.x = ss.data(x)
    if effects_first:
        m.own = ss.Normal(0, 1, shape=9)
    m.length, m.size = ss.InvGamma(5, 5), ss.HalfNormal(1)
    kernel = m.size**2 * ss.exp(-0.5 * ((m.x[:, None] - m.x[None, :]) / m.length) ** 2) + 1e-4 * np.eye(9)
    if effects_first:
        effects = ss.cholesky(kernel) @ m.own
    else:
        m.f = ss.MultivariateNormal(np.zeros(9), cov=kernel)
        effects = m.f
    m.weights = ss.Dirichlet(np.ones(4))
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(effects, m.sigma).observe(np.sin(x))
    m.counts = ss.Multinomial(10, m.weights).observe([1, 2, 3, 4])
    return m


@pytest.mark.parametrize("model", [groups(10), process(False), process(True)], ids=["groups", "process", "effects first"])
def test_the_whole_hessian_run_by_run_is_exact(model):
    objective, q, _ = at_mode(model)
    expected = torch.autograd.functional.hessian(objective.density.log_density, q)
    torch.testing.assert_close(objective.hessian(q), expected, rtol=1e-9, atol=1e-9)
    for width in (10**5, 10**9):  # as if there were many numbers on the way: some vectors at once, or one by one
        objective.width = width
        torch.testing.assert_close(objective.hessian(q), expected, rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(objective.hessian(q), objective.hessian(q).mT, rtol=0, atol=0)


def test_an_arrow_is_the_dense_matrix(definite):
    objective, q, free = definite
    dense = measure_dense(objective, q, free)
    arrow = measure_arrow(objective, q, free, guess_layout(objective))
    assert arrow is not None
    assert arrow.definite
    rows = torch.from_numpy(np.random.default_rng(3).normal(size=(5, len(q))))
    torch.testing.assert_close(arrow.solve(rows), dense.solve(rows), rtol=1e-7, atol=1e-9)
    torch.testing.assert_close(arrow.deviations(), dense.deviations(), rtol=1e-8, atol=1e-10)
    torch.testing.assert_close(arrow.multiply(rows), rows @ dense.matrix, rtol=1e-8, atol=1e-8)


def test_an_arrow_with_something_held(definite):
    objective, q, free = definite
    free = free.clone()
    free[1] = False
    free[5] = False
    dense = measure_dense(objective, q, free)
    arrow = measure_arrow(objective, q, free, guess_layout(objective))
    rows = torch.from_numpy(np.random.default_rng(3).normal(size=(2, len(q))))
    torch.testing.assert_close(arrow.solve(rows), dense.solve(rows), rtol=1e-7, atol=1e-9)
    torch.testing.assert_close(arrow.deviations(), dense.deviations(), rtol=1e-8, atol=1e-10)


def test_what_is_no_arrow_is_not_taken_for_one():
    objective, q, free = at_mode(groups(tie=True))
    assert measure_arrow(objective, q, free, guess_layout(objective)) is None


def test_conjugate_gradients_solve_the_same(definite):
    objective, q, free = definite
    dense, products = measure_dense(objective, q, free), Products(objective, q, free)
    assert products.definite
    rows = torch.from_numpy(np.random.default_rng(3).normal(size=(2, len(q))))
    torch.testing.assert_close(products.solve(rows), dense.solve(rows), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("limit", ["arrow", "products"])
def test_standard_errors_do_not_depend_on_the_form(monkeypatch, limit):
    m = groups(60 if limit == "arrow" else 5)
    expected = m.map(seed=0, starts=1, integrate=False)
    monkeypatch.setattr(modes, "DENSE", 10)
    if limit == "products":
        monkeypatch.setattr(modes, "_DENSE_IF_NEEDED", 10)
        monkeypatch.setattr(modes, "guess_layout", lambda _: None)
    found = m.map(seed=0, starts=1, integrate=False)
    assert found.source.mode.curvature.kind == limit
    assert found.converged
    one, other = errors_of(expected), errors_of(found)
    assert one.keys() == other.keys() >= {"mu", "tau", "sigma", "level", "slope", "best", "average", "turned"}
    for name in one:
        assert np.isfinite(one[name]).all()
        np.testing.assert_allclose(other[name], one[name], rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("limit", [10, 1000])
def test_draws_have_the_covariance(monkeypatch, limit):
    monkeypatch.setattr(modes, "DENSE", limit)
    found = groups().map(seed=0, starts=1, integrate=False)
    curvature = found.source.mode.curvature
    assert curvature.kind == ("arrow" if limit == 10 else "dense")
    noise = torch.from_numpy(np.random.default_rng(0).normal(size=(20000, len(found.coordinates))))
    spread = curvature.draw(noise).std(0)
    # The relative error of a standard deviation from n draws is 1 / sqrt(2 n) = 0.005.
    torch.testing.assert_close(spread, curvature.deviations(), rtol=0.03, atol=1e-6)


def test_many_groups_need_no_square_matrix():
    rng = np.random.default_rng(0)
    count = 20_000
    m = ss.Model()
    m.mu = ss.Normal(0, 5)
    m.tau = ss.Gamma(4, 2)
    m.theta = ss.Normal(m.mu, m.tau, shape=count)
    m.y = ss.Normal(m.theta, 1.0).observe(rng.normal(1, 2, count))
    marginal = m.map(seed=0, starts=1)
    assert marginal.converged
    assert marginal.source.whole.curvature.kind == "arrow"
    assert np.isfinite(marginal.std_errors["theta"]).all()
    found = m.map(seed=0, starts=1, integrate=False)
    assert found.converged
    assert found.source.mode.curvature.kind == "arrow"
    assert np.isfinite(errors_of(found)["theta"]).all()
    assert np.isnan(found.std_errors["theta"]).all()  # known, and not to be believed: see test_intervals
    assert found.idata(3).posterior["theta"].shape == (1, 3, count)


@pytest.mark.parametrize("wide", [False, True])
def test_groups_that_share_no_parameter(monkeypatch, wide):
    monkeypatch.setattr(modes, "DENSE", 10)
    m = ss.Model("apart")
    m.theta = ss.Normal(0, 1, shape=60)
    m.slope = ss.Normal(0, 1, shape=(60, 2)) if wide else ss.data(np.zeros((60, 2)))
    m.y = ss.Normal(m.theta + m.slope.sum(axis=1), 1).observe(np.linspace(-1, 1, 60))
    m.twice = 2 * m.theta
    found = m.map(seed=0, starts=1)
    assert found.source.mode.curvature.kind == "arrow"
    # A coordinate's variance among k that are added up: the inverse of 1 + 11' is 1 - 11' / (k + 1).
    exact = np.sqrt(1 - 1 / (4 if wide else 2))
    np.testing.assert_allclose(found.std_errors["theta"], np.full(60, exact), rtol=1e-6)
    np.testing.assert_allclose(found.std_errors["twice"], np.full(60, 2 * exact), rtol=1e-6)
