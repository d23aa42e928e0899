"""Densities are zero where a model says so: beyond bounds that are latent, and at arguments outside their domain."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.targets.support import guards, signs_of
from scistan.targets.torch import TorchDensity
from tests.zoo import eight_schools, logistic, varying_intercepts

torch = pytest.importorskip("torch")

OUTSIDE = {
    "uniform above": (lambda a: ss.Uniform(0, a), [2.0, 3.0], 2.5),
    "uniform below": (lambda a: ss.Uniform(a, 5), [2.0, 3.0], 2.5),
    "pareto": (lambda a: ss.Pareto(a, 2.0), [2.0, 3.0], 2.5),
    "truncated below": (lambda a: ss.Normal(0, 1, lower=a), [2.0, 3.0], 2.5),
    "truncated above": (lambda a: ss.Normal(0, 1, upper=a), [2.0, 3.0], 2.5),
    "gamma": (lambda a: ss.Gamma(a, 1), [2.0, 3.0], -1.5),
    "beta": (lambda a: ss.Beta(a, 1), [0.2, 0.3], -2.5),
    "scale": (lambda a: ss.Normal(0, a), [2.0, 3.0], -1.0),
    "share": (lambda a: ss.Binomial(5, a), [2, 3], 1.5),
    "rate": (lambda a: ss.Poisson(a - 1), [2, 3], 0.5),
}


def model(likelihood, values) -> ss.Model:
    m = ss.Model()
    m.a = ss.Normal(0, 10)
    m.y = likelihood(1.0 * m.a).observe(np.array(values))  # a bare latent that can be outside is refused
    return m


@pytest.mark.parametrize("name", OUTSIDE)
def test_outside_there_is_no_density_on_any_target(name):
    likelihood, values, a = OUTSIDE[name]
    m = model(likelihood, values)
    for target in ("scipy", "torch"):
        assert m.log_density({"a": a}, target=target) == -np.inf
    density = TorchDensity(m.instance())
    rows = torch.tensor([[a], [a]], dtype=torch.float64)  # the coordinate of a real latent is its value
    assert not torch.isfinite(density.log_density(rows)).any()


def test_a_latent_outside_its_own_domain():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.s = ss.HalfNormal(1)
    m.x = ss.Normal(0, 1, lower=m.a)
    m.y = ss.Normal(m.x, m.s).observe([1.0])
    for values in ({"a": 0.0, "s": -1.0, "x": 1.0}, {"a": 0.0, "s": 1.0, "x": -1.0}):
        assert m.log_density(values, target="torch") == m.log_density(values) == -np.inf


@pytest.mark.parametrize("make", [eight_schools, logistic, varying_intercepts])
def test_where_nothing_can_be_outside_nothing_is_paid(make):
    instance = make().instance()
    assert not [guard for term in instance.graph.terms for guard in guards(term, signs_of(instance))]


@pytest.mark.parametrize("rate", [lambda m: ss.exp(m.a) * m.exposure, lambda m: m.s + m.exposure, lambda m: m.s[m.g] ** 2])
def test_the_graph_shows_what_is_positive(rate):
    m = ss.Model()
    m.exposure, m.g = ss.data(np.array([1.0, 2.0])), ss.data(np.array([0, 1]))
    m.a, m.s = ss.Normal(0, 1), ss.HalfNormal(1, shape=2)
    m.y = ss.Poisson(rate(m)).observe([1, 2])
    instance = m.instance()
    assert not [guard for term in instance.graph.terms for guard in guards(term, signs_of(instance))]


def test_an_edge_that_moves_with_a_latent_is_found():
    m = ss.Model()
    m.a = ss.Pareto(1.0, 1.5)
    m.y = ss.Uniform(0, m.a).observe([2.0, 3.0, 1.0])
    found = m.map(seed=0, progress=False)
    assert float(found.values["a"]) == pytest.approx(3.0, rel=1e-6)
    assert not found.converged
    assert "the line search found no better point" in found.reason
    assert np.isnan(found.std_errors["a"])
