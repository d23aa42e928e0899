"""The lowered density: SciPy's numbers, slopes that differences confirm, rows as if alone, digits kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.passes import run_passes
from scistan.targets.scipy import joint_log_density as with_scipy
from scistan.targets.torch import TorchDensity, joint_log_density, to_numpy
from tests.zoo import ZOO

torch = pytest.importorskip("torch")
every_model = pytest.mark.parametrize("name", sorted(ZOO))
laws = settings(derandomize=True, deadline=None, max_examples=15, database=None)


def lowered(model: ss.Model, *, noncentred: bool = False) -> TorchDensity:
    instance = model.instance()
    return TorchDensity(replace(instance, graph=run_passes(instance.graph, noncenter=noncentred).plain))


def points(density: TorchDensity, rows: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).uniform(-1, 1, (rows, density.dimension)))


def values_at(density: TorchDensity, q: torch.Tensor) -> dict:
    evaluator, _, _ = density.constrain(q)
    return {b.term.value: to_numpy(evaluator[b.term.value].array) for b in density.blocks}


def slope_by_differences(function, q: torch.Tensor) -> np.ndarray:
    """Differentiate by Richardson's extrapolation of central differences: good to about 1e-10."""
    result = np.zeros(len(q))
    for k in range(len(q)):
        step = torch.zeros_like(q)
        step[k] = 1.0

        def central(h, step=step):
            return float(function(q + h * step) - function(q - h * step)) / (2 * h)

        result[k] = (4 * central(5e-4) - central(1e-3)) / 3
    return result


@every_model
def test_equals_scipy(name):
    density = lowered(ZOO[name]())
    for q in points(density, 3):
        values = values_at(density, q)
        expected = with_scipy(density.instance, values)
        assert float(density.log_density(q)) == pytest.approx(expected, rel=1e-11)
        assert joint_log_density(density.instance, values) == pytest.approx(expected, rel=1e-11)


@every_model
@pytest.mark.parametrize("noncentred", [False, True])
def test_gradient_is_the_slope(name, noncentred):
    density = lowered(ZOO[name](), noncentred=noncentred)
    q = points(density, 1)[0].requires_grad_(True)
    (gradient,) = torch.autograd.grad(density.log_density(q), q)
    with torch.no_grad():
        expected = slope_by_differences(density.log_density, q.detach())
    np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-7, atol=1e-7)


@every_model
@pytest.mark.parametrize("noncentred", [False, True])
def test_rows_are_as_if_alone(name, noncentred):
    density = lowered(ZOO[name](), noncentred=noncentred)
    q = points(density, 4)
    for only in (False, True):
        together = density.log_density(q, likelihood_only=only, jacobian=True)
        alone = torch.stack([density.log_density(row, likelihood_only=only, jacobian=True) for row in q])
        torch.testing.assert_close(together, alone, rtol=1e-12, atol=1e-12)


@every_model
def test_the_parts_are_the_terms(name):
    density = lowered(ZOO[name](), noncentred=True)
    q = points(density, 3)
    evaluator, jacobian, scaling = density.constrain(q)
    terms = {t.name: density.term_density(t, evaluator) for t in density.instance.graph.terms}
    expected = sum(terms.values()) + scaling
    torch.testing.assert_close(density.log_density(q), expected, rtol=1e-11, atol=1e-11)
    torch.testing.assert_close(density.log_density(q, jacobian=True), expected + jacobian, rtol=1e-11, atol=1e-11)
    observed = sum(terms[t.name] for t in density.instance.graph.observed)
    torch.testing.assert_close(density.log_density(q, likelihood_only=True), observed, rtol=1e-11, atol=1e-11)


@every_model
def test_there_and_back(name):
    density = lowered(ZOO[name](), noncentred=True)
    q = points(density, 3)
    torch.testing.assert_close(density.unconstrain(values_at(density, q)), q, rtol=1e-7, atol=1e-7)


@st.composite
def random_models(draw):
    """A regression of random make: covariates, groups, links, families, priors and transformations."""
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    n, k, groups = (int(rng.integers(2, 6)) for _ in range(3))
    m = ss.Model("random")
    m.x = ss.data(rng.normal(size=(n, k)))
    m.group = ss.data(rng.integers(0, groups, n))
    m.spread = draw(st.sampled_from([ss.HalfNormal(1), ss.Gamma(2, 3), ss.LogNormal(0, 1), ss.Uniform(0.1, 3)]))
    m.centre = draw(st.sampled_from([ss.Normal(0, 1), ss.StudentT(4, 0, 1), ss.Cauchy(0, 1), ss.Logistic(0, 1)]))
    m.beta = draw(st.sampled_from([ss.Normal(0, 1, shape=k), ss.Laplace(0, 2, shape=k), ss.Normal(0, m.spread, shape=k)]))
    m.effect = ss.Normal(m.centre, m.spread, shape=groups)
    m.eta = m.x @ m.beta + m.effect[m.group]
    bend = draw(st.sampled_from([lambda e: e, ss.tanh, lambda e: ss.log1p(ss.exp(e)), lambda e: e - ss.mean(e)]))
    eta = bend(m.eta)
    family = draw(st.sampled_from(["normal", "poisson", "logit", "student", "gamma", "negative binomial"]))
    counts = rng.integers(0, 6, n)
    made = {
        "normal": lambda: ss.Normal(eta, m.spread).observe(rng.normal(size=n)),
        "poisson": lambda: ss.PoissonLog(eta).observe(counts),
        "logit": lambda: ss.BernoulliLogit(eta).observe(counts % 2),
        "student": lambda: ss.StudentT(3.5, eta, m.spread).observe(rng.normal(size=n)),
        "gamma": lambda: ss.Gamma(2.0, ss.exp(eta)).observe(rng.gamma(2, size=n)),
        "negative binomial": lambda: ss.NegBinomial2(ss.exp(eta), 1 + m.spread).observe(counts),
    }
    m.y = made[family]()
    return m


@laws
@given(model=random_models(), seed=st.integers(0, 2**16))
def test_random_models_equal_scipy_and_differences(model, seed):
    density = lowered(model)
    q = points(density, 1, seed)[0]
    values = values_at(density, q)
    assert float(density.log_density(q)) == pytest.approx(with_scipy(density.instance, values), rel=1e-10)
    leaf = q.clone().requires_grad_(True)
    (gradient,) = torch.autograd.grad(density.log_density(leaf), leaf)
    np.testing.assert_allclose(gradient.numpy(), slope_by_differences(density.log_density, q), rtol=1e-6, atol=1e-6)


@pytest.mark.long
@settings(derandomize=True, deadline=None, max_examples=1000, database=None)
@given(model=random_models(), seed=st.integers(0, 2**16))
def test_many_random_models(model, seed):
    test_random_models_equal_scipy_and_differences.hypothesis.inner_test(model, seed)


def test_a_tiny_scale_keeps_the_digits_of_noncentred_coordinates():
    density = lowered(ZOO["eight_schools"](), noncentred=True)
    q = torch.zeros(density.dimension, dtype=torch.float64)
    q[0], q[1], q[2:] = 7.0, -40.0, torch.linspace(-1, 1, 8)
    moved = q.clone()
    moved[2:] = 0
    change = float(density.log_density(moved) - density.log_density(q))
    assert change == pytest.approx(0.5 * float((q[2:] ** 2).sum()), rel=1e-12)


def test_repeated_positions_are_selected_as_numpy_does():
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=(3, 2))
    m.y = ss.Normal(m.a[np.array([0, 2, 2, 1])] + m.a[:, np.array([1, 0])][np.array([0, 1, 1, 0])], 1).observe(np.ones((4, 2)))
    density = lowered(m)
    for q in points(density, 2):
        expected = with_scipy(density.instance, values_at(density, q))
        assert float(density.log_density(q)) == pytest.approx(expected, rel=1e-12)


def test_what_depends_on_data_alone_is_computed_once(monkeypatch):
    m = ss.Model()
    m.rate = ss.Gamma(2, 1)
    m.y = ss.Poisson(m.rate).observe(np.arange(1, 50))
    density = lowered(m)
    q = torch.zeros(1, dtype=torch.float64)
    density.log_density(q)
    seen: list[tuple[int, ...]] = []
    real = torch.lgamma
    monkeypatch.setattr(torch, "lgamma", lambda x: seen.append(tuple(x.shape)) or real(x))
    density.log_density(q)
    assert (49,) not in seen


def test_single_precision_stays_single():
    instance = ZOO["logistic"]().instance()
    density = TorchDensity(instance, dtype="float32")
    q = torch.zeros((2, density.dimension), dtype=torch.float32, requires_grad=True)
    value = density.log_density(q)
    (gradient,) = torch.autograd.grad(value.sum(), q)
    assert value.dtype == gradient.dtype == torch.float32
    double = TorchDensity(instance).log_density(torch.zeros(density.dimension, dtype=torch.float64))
    assert float(value[0].detach()) == pytest.approx(float(double), rel=1e-5)
