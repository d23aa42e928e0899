"""What an estimate says of itself: boundaries, flat directions, densities without a maximum, starts that disagree."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.inference.point.objective import Objective
from tests.zoo import EFFECTS, ERRORS, eight_schools


def centred_schools() -> ss.Model:
    m = ss.Model("centred", coords={"school": list("ABCDEFGH")})
    m.sigma = ss.data(ERRORS, dims="school")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, dims="school", centred=True)
    m.y = ss.Normal(m.theta, m.sigma).observe(EFFECTS)
    return m


def test_a_scale_at_its_boundary_is_said_and_the_rest_stands():
    found = eight_schools().map(seed=1)
    assert found.converged
    assert found.boundary == ("tau",)
    assert found.values["tau"] < 1e-3
    assert np.isnan(found.std_errors["tau"])
    assert np.isnan(found.std_errors["theta"]).all()
    weights = 1 / np.array(ERRORS) ** 2
    precision = weights.sum() + 1 / 25
    assert found.values["mu"] == pytest.approx((weights * EFFECTS).sum() / precision, rel=1e-4)
    assert found.std_errors["mu"] == pytest.approx(precision**-0.5, rel=1e-4)
    assert "at its boundary 0" in repr(found)
    assert found.starts_agreeing == 8


def test_a_density_without_bound_is_refused_with_its_reason():
    with pytest.raises(ss.ModelError, match="grows without bound as `tau`") as error:
        centred_schools().map(seed=1, integrate=False)
    assert "m.mcmc()" in str(error.value)


def test_a_ridge_without_an_end_is_refused_before_long():
    m = ss.Model()  # as many innovations as observations: the noise vanishes as they fit every one
    m.s = ss.HalfNormal(1)
    m.t = ss.HalfNormal(1)
    m.e = ss.Normal(0, 1, shape=80)
    rng = np.random.default_rng(0)
    m.y = ss.Normal(ss.cumsum(m.e) * m.t, m.s).observe(np.cumsum(rng.normal(size=80)) + rng.normal(size=80))
    with pytest.raises(ss.ModelError, match="grows without bound as `s`"):
        m.map(seed=1, progress=False, max_iterations=400, integrate=False)


def test_a_small_scale_that_is_really_there_is_found():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.mu, m.s).observe(1e-6 * np.random.default_rng(0).normal(size=30))
    found = m.map(seed=1, starts=2, progress=False)
    assert found.converged
    assert found["s"] == pytest.approx(1e-6, rel=0.5)


def test_the_likelihood_does_not_determine_a_hierarchical_scale():
    with pytest.raises(ss.ModelError, match="does not determine `mu`, `tau`"):
        eight_schools().mle(integrate=False)


def test_a_likelihood_without_bound():
    m = ss.Model()
    m.mu = ss.Normal(0, 1, shape=3)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.mu, m.sigma).observe([1.0, 2.0, 5.0])
    with pytest.raises(ss.ModelError, match="likelihood grows without bound as `sigma`"):
        m.mle(seed=0)


def test_a_flat_direction_is_named():
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.c = ss.Normal(0, 1)
    m.x = ss.data(rng.normal(size=30))
    m.y = ss.Normal(m.a + m.b + m.c * m.x, 1).observe(rng.normal(size=30))
    found = m.mle(seed=0)
    assert not found.converged
    assert "flat along a direction of `a`, `b`" in found.reason
    assert np.isnan(found.std_errors["a"])
    assert m.map(seed=0).converged


@pytest.mark.parametrize("covariates", [1, 3])
def test_separated_outcomes_have_no_finite_maximum(covariates):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, covariates))
    m = ss.Model()
    m.x = ss.data(x)
    m.b = ss.Normal(0, 2, shape=covariates)
    m.y = ss.BernoulliLogit(m.x @ m.b).observe((x[:, 0] > 0).astype(int))
    found = m.mle(seed=0)
    assert not found.converged
    assert "separation" in found.reason or "flat" in found.reason
    assert m.map(seed=0).converged


def test_modes_of_one_height_are_noticed():
    m = ss.Model()
    m.x = ss.Normal(0, 3)
    m.y = ss.Normal(ss.square(m.x), 0.1).observe(np.array(4.0))
    found = m.map(seed=0, starts=12)
    assert any("2 different points of the same height" in finding for finding in found.findings)
    assert abs(found.values["x"]) == pytest.approx(2.0, rel=1e-2)


def test_several_modes_are_reported():
    m = ss.Model()
    m.x = ss.Normal(0, 3)
    m.y = ss.Normal((m.x - 2) * (m.x + 2) + 0.3 * m.x, 0.2).observe(np.array(0.0))
    found = m.map(seed=0, starts=16)
    assert found.starts_agreeing < found.starts
    assert any("of 16 starts" in finding for finding in found.findings)
    alternatives = [m.log_density({"x": x}) for x in np.linspace(-3, 3, 301)]
    assert found.log_density >= max(alternatives)


def test_a_better_mode_from_another_start_is_adopted():
    """The first start finds a low peak near 0; others find the high one at 6."""
    m = ss.Model()
    m.x = ss.Normal(0, 5)
    heights = ss.exp(-0.5 * ss.square(m.x)) + 50 * ss.exp(-0.5 * ss.square(m.x - 6))
    m.y = ss.Exponential(heights + 1e-9).observe(0.0)  # its density at 0 is its rate
    grid = np.linspace(-2, 8, 1001)
    alone, found = m.map(seed=0, starts=1), m.map(seed=0, starts=16)
    assert abs(alone.values["x"]) < 0.1
    assert found.values["x"] == pytest.approx(6 / (1 + 1 / 25), abs=1e-3)
    assert found.log_density >= max(m.log_density({"x": x}) for x in grid) - 1e-9
    assert found.log_density == pytest.approx(m.log_density({"x": found.values["x"]}), abs=1e-9)
    assert found.std_errors["x"] == pytest.approx(1 / np.sqrt(1 + 1 / 25), rel=1e-3)
    assert found.starts_agreeing < found.starts


def test_a_start_that_never_moves_is_not_an_answer(monkeypatch):
    """HSSM#1192: a mode that never left its start was returned without a word."""
    real = Objective.value_and_gradient
    calls: list[None] = []

    def cliff(self, q):
        value, gradient = real(self, q)
        calls.append(None)
        return (value if len(calls) <= 1 else value * float("nan")), gradient

    monkeypatch.setattr(Objective, "value_and_gradient", cliff)
    m = ss.Model()
    m.mu = ss.Normal(3, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
    found = m.map(seed=0, starts=1)
    assert not found.converged
    assert "never left the starting point" in found.reason
    assert found.values["mu"] == 0.0
    assert np.isnan(found.std_errors["mu"])


def test_a_gradient_that_is_nowhere_finite_is_an_error():
    """PyMC returns its starting point without a word."""
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(ss.sqrt(ss.abs(m.a) * 0.0), 1).observe([1.0])
    with pytest.raises(ss.ModelError, match="gradient of the log density of `y`"):
        m.map(seed=0)


def test_running_out_of_iterations_is_not_convergence():
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.Normal(0, 1, shape=12)
    m.y = ss.Normal(ss.cumsum(ss.exp(m.x)), 0.01).observe(np.cumsum(rng.gamma(2, size=12)))
    found = m.map(seed=0, starts=1, max_iterations=1)
    assert found.converged or "max_iterations" in found.reason
    assert m.map(seed=0, starts=1).converged


def test_a_tiny_but_real_scale_is_not_a_boundary():
    rng = np.random.default_rng(0)
    y = 1e-5 * rng.normal(size=200)
    m = ss.Model()
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(0, m.sigma).observe(y)
    found = m.map(seed=0)
    assert found.converged
    assert not found.boundary
    assert found.values["sigma"] == pytest.approx(np.sqrt((y**2).mean()), rel=1e-3)


def test_large_numbers_are_reached():
    rng = np.random.default_rng(0)
    y = 2e6 + 3e4 * rng.normal(size=500)
    m = ss.Model()
    m.mu = ss.Flat()
    m.sigma = ss.Flat(lower=0)
    m.y = ss.Normal(m.mu, m.sigma).observe(y)
    found = m.mle(seed=0)
    assert found.converged
    assert found.values["mu"] == pytest.approx(y.mean(), rel=1e-7)
    assert found.values["sigma"] == pytest.approx(y.std(), rel=1e-6)
    assert found.std_errors["mu"] == pytest.approx(y.std() / np.sqrt(500), rel=1e-5)


def test_the_mode_of_a_prior_alone():
    m = ss.Model()
    m.a = ss.Gamma(3, 2)
    m.b = ss.Normal(m.a, 1)
    found = m.map(seed=0)
    assert found.values["a"] == pytest.approx(1.0, rel=1e-6)


def test_a_share_of_nothing_is_at_its_boundary():
    m = ss.Model()
    m.p = ss.Uniform(0, 1)
    m.y = ss.Binomial(10, m.p).observe(0)
    found = m.mle(seed=0)
    assert found.converged
    assert found.boundary == ("p",)
    assert found.values["p"] == pytest.approx(0.0, abs=1e-6)


def test_one_boundary_reached_at_different_coordinates_is_one_mode():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.s = ss.Uniform(0, 2)
    m.y = ss.Normal(m.mu, m.s).observe(np.random.default_rng(0).normal(0, 5, size=30))
    found = m.mle(seed=1)
    assert found.boundary == ("s",)
    assert not any("same height" in finding for finding in found.findings)


def test_what_is_badly_determined_is_not_flat():
    """Columns that differ by 1e-5: the Hessian has ten digits less, and still six to spare."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    x = np.c_[x, x + 1e-5 * rng.normal(size=(200, 1))]
    m = ss.Model()
    m.x = ss.data(x)
    m.b = ss.Flat(shape=2)
    m.y = ss.BernoulliLogit(m.x @ m.b).observe(rng.integers(0, 2, 200))
    found = m.mle(seed=1)
    share = 1 / (1 + np.exp(-x @ found.values["b"]))
    triangle = np.linalg.qr(np.sqrt(share * (1 - share))[:, None] * x, mode="r")
    errors = np.sqrt((np.linalg.inv(triangle) ** 2).sum(1))
    assert found.converged
    np.testing.assert_allclose(found.std_errors["b"], errors, rtol=1e-4)


def test_a_kink_is_not_called_flat():
    m = ss.Model()
    m.a = ss.Flat()
    m.y = ss.Laplace(m.a, 1).observe([2.0, 3.0, 10.0])
    found = m.mle(seed=0)
    assert float(found.values["a"]) == pytest.approx(3.0, abs=1e-8)
    assert not found.converged
    assert "kink" in found.reason


def test_a_bump_on_a_plain_is_flat():
    """At its top it curves as a peak does; three standard errors away hardly anything is lost."""
    m = ss.Model()
    m.x = ss.Flat()
    m.y = ss.Exponential(1 + 0.03 * ss.exp(-0.5 * ss.square(m.x - 0.2))).observe(0.0)  # its density at 0 is its rate
    found = m.map(seed=0, starts=1)
    assert not found.converged
    assert "flat along a direction of `x`" in found.reason


def test_a_plateau_is_not_a_mode():
    """Starts whose scale went to 0 and took its members along have no slope there; they are brought back."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(2000), 10)
    m = ss.Model()
    m.g = ss.data(group)
    m.mu, m.tau, m.sigma = ss.Normal(0, 5), ss.HalfNormal(5), ss.HalfNormal(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=2000)
    m.y = ss.Normal(m.theta[m.g], m.sigma).observe(1 + 2 * rng.normal(size=2000)[group] + 1.5 * rng.normal(size=20000))
    found = m.map(seed=1, progress=False)
    assert found.converged
    assert found.starts_agreeing == 8
