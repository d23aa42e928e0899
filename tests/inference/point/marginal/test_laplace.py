"""Counts by groups: Laplace's approximation is one node of adaptive quadrature, and its error has a known first term."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import minimize_scalar
from scipy.special import expit
from scipy.stats import binom, norm, poisson

import scistan as ss
from scistan.inference.point.marginal.bend import Bend
from scistan.targets.torch import to_numpy
from tests.inference.point.marginal.built import gradient_by_differences, objective_of, somewhere

G = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 4, 4, 4, 5])
X = np.linspace(-1, 1, len(G))
COUNTS = {
    "random": np.array([3, 1, 4, 0, 2, 5, 3, 6, 2, 5, 3, 5, 4]),
    "zeros": np.zeros(len(G), int),
    "constant": np.full(len(G), 2),
}
TRIALS = 6


def model(kind: str, y: np.ndarray) -> ss.Model:
    m = ss.Model(kind)
    m.g, m.x = ss.data(G), ss.data(X)
    m.a, m.b, m.tau = ss.Normal(0, 5), ss.Normal(0, 5), ss.HalfNormal(2)
    m.u = ss.Normal(0, m.tau, shape=6)
    m.eta = m.a + m.b * m.x + m.u[m.g]
    law = ss.Poisson(ss.exp(m.eta)) if kind == "poisson" else ss.BinomialLogit(TRIALS, m.eta)
    m.y = law.observe(y)
    return m


def log_integrand(kind, y, v, group):
    rows = group == G

    def at(z):
        eta = v["a"] + v["b"] * X[rows] + v["tau"] * np.asarray(z)[..., None]
        law = poisson(np.exp(eta)) if kind == "poisson" else binom(TRIALS, expit(eta))
        return law.logpmf(y[rows]).sum(-1) + norm.logpdf(z)

    return at


def derivatives(kind, v, group, z):
    """Give the second, third and fourth derivatives of the integrand's logarithm."""
    eta = v["a"] + v["b"] * X[group == G] + v["tau"] * z
    if kind == "poisson":
        each = [np.exp(eta)] * 3
    else:
        p = expit(eta)
        w = TRIALS * p * (1 - p)
        each = [w, w * (1 - 2 * p), w * (1 - 6 * p * (1 - p))]
    second, third, fourth = (-(v["tau"] ** k) * d.sum() for k, d in zip((2, 3, 4), each, strict=True))
    return second - 1, third, fourth


def quadrature(kind, y, v, nodes):
    """Add up adaptive Gauss–Hermite quadratures over the groups; and the first term of Laplace's error."""
    at, weights = hermegauss(nodes)
    total = error = 0.0
    for group in range(6):
        f = log_integrand(kind, y, v, group)
        peak = minimize_scalar(lambda z, f=f: -f(z), bracket=(-1, 1), tol=1e-12).x
        second, third, fourth = derivatives(kind, v, group, peak)
        sd = 1 / np.sqrt(-second)
        total += np.log(sd) + np.log((weights * np.exp(f(peak + sd * at) - f(peak) + at**2 / 2)).sum()) + f(peak)
        error += fourth / (8 * second**2) - 5 * third**2 / (24 * second**3)
    return total, error


@pytest.mark.parametrize("outcome", COUNTS)
@pytest.mark.parametrize("kind", ["poisson", "binomial"])
def test_it_is_quadrature_with_one_node_and_off_by_its_known_error(kind, outcome):
    y = COUNTS[outcome]
    objective = objective_of(model(kind, y))
    assert not objective.structure.constant
    for seed in (1, 2):
        q, values = somewhere(objective, seed)
        v = {name: float(value) for name, value in values.items()}
        value, gradient = objective.value_and_gradient(q[None])
        np.testing.assert_allclose(float(value[0]), quadrature(kind, y, v, 1)[0], rtol=1e-9)
        exact, error = quadrature(kind, y, v, 41)
        assert abs(exact - float(value[0]) - error) < 0.5 * abs(error) + 1e-6
        slack = 1e-6 * (1 + np.abs(to_numpy(gradient)).max())
        np.testing.assert_allclose(to_numpy(gradient[0]), gradient_by_differences(objective, q), atol=slack)


def test_the_hessian_of_the_marginal_is_that_of_its_gradient():
    objective = objective_of(model("poisson", COUNTS["random"]))
    q, _ = somewhere(objective, 4)
    steps = objective.density.backend.constant(np.eye(3) * 1e-3)
    further = [objective.value_and_gradient(q + k * steps)[1] for k in (-2, -1, 1, 2)]
    exact = to_numpy((further[0] - 8 * further[1] + 8 * further[2] - further[3]) / 12e-3)
    np.testing.assert_allclose(to_numpy(objective.hessian(q)), exact, atol=1e-5 * np.abs(exact).max())


def test_ability_times_discrimination_is_integrated_by_its_scale():
    """Item response: persons are many, standard normal, and times a latent that has fewer numbers."""
    rng = np.random.default_rng(5)
    person, item = np.repeat(np.arange(60), 5), np.tile(np.arange(5), 60)
    y = rng.random(300) < expit(1.2 * rng.normal(size=60)[person] - np.linspace(-1, 1, 5)[item])
    m = ss.Model("items")
    m.person, m.item = ss.data(person), ss.data(item)
    m.slope = ss.LogNormal(0, 0.5)
    m.hard = ss.Normal(0, 2, shape=5)
    m.skill = ss.Normal(0, 1, shape=60)
    m.y = ss.BernoulliLogit(m.slope * m.skill[m.person] - m.hard[m.item]).observe(y)
    found = m.mle(seed=1, starts=1)
    assert found.integrated == ("skill",)
    assert found.maximized == ("slope", "hard")
    assert found.converged
    assert not found.exact
    assert found.kind == "marginal mle"
    assert np.isfinite(found.std_errors["skill"]).all()


def test_a_bad_beginning_is_left_after_a_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the scale has grown a thousand times, what was the mode before is far out; the middle is near."""
    rng = np.random.default_rng(1)
    m = ss.Model("counts")
    m.g = ss.data(np.repeat(np.arange(40), 5))
    m.a, m.tau = ss.Normal(0, 5), ss.HalfNormal(2)
    m.u = ss.Normal(0, m.tau, shape=40)
    m.y = ss.Poisson(ss.exp(m.a + m.u[m.g])).observe(rng.poisson(3.0, 200))
    objective = objective_of(m)
    constant = objective.density.backend.constant
    made = [0]
    known = Bend.__init__

    def counted(self: Bend, *given: object) -> None:
        made[0] += 1
        known(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Bend, "__init__", counted)
    near, far = constant(np.array([1.0, 0.0])), constant(np.array([11.0, 7.8]))
    assert objective.peak(near) is not None
    made[0] = 0
    found = objective.peak(far)
    assert found is not None
    assert made[0] < 60
    # A start that comes back finds its own mode again, not that of the other.
    made[0] = 0
    again = objective.peak(near + 1e-3)
    assert again is not None
    assert made[0] <= 4
