"""What `integrate` means, what an estimate says of it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import scistan as ss
from scistan.inference.point.marginal.effects import random_effects
from tests.inference.point.marginal.built import objective_of, somewhere


def schools(**how):
    m = ss.Model("schools")
    m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0])
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8, **how)
    m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def spread(seed=0, groups=8, rows=4):
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(groups), rows)
    m = ss.Model("spread")
    m.g = ss.data(g)
    m.mu, m.tau, m.sigma = ss.Normal(0, 5), ss.HalfNormal(5), ss.HalfNormal(5)
    m.u = ss.Normal(0, m.tau, shape=groups)
    m.y = ss.Normal(m.mu + m.u[m.g], m.sigma).observe(2 * rng.normal(size=groups)[g] + rng.normal(size=groups * rows))
    return m


@pytest.mark.parametrize("verb", ["map", "mle"])
@pytest.mark.parametrize("centred", [None, True])
def test_eight_schools_end_at_the_boundary_and_say_so(verb, centred):
    found = getattr(schools(centred=centred), verb)(seed=1, starts=2)
    assert found.converged
    assert found.boundary == ("tau",)
    assert found["tau"] < 0.01
    assert np.isnan(found.std_errors["tau"])
    precision = 1 / np.array([15, 10, 16, 11, 9, 11, 10, 18.0]) ** 2
    prior = 1 / 25 if verb == "map" else 0.0
    pooled = (precision * [28, 8, -3, 7, -1, 1, 18, 12.0]).sum() / (precision.sum() + prior)
    assert found["mu"] == pytest.approx(pooled, rel=1e-5)
    assert found.std_errors["mu"] == pytest.approx((precision.sum() + prior) ** -0.5, rel=1e-4)
    np.testing.assert_allclose(found["theta"], found["mu"], atol=0.01)


def test_the_output_lists_both_groups():
    found = spread().map(seed=1, starts=2)
    assert found.kind == "marginal map"
    assert found.exact
    assert found.integrated == ("u",)
    assert found.maximized == ("mu", "tau", "sigma")
    assert "integrated out exactly: `u`" in repr(found)
    assert "maximized over: `mu`, `tau`, `sigma`" in found._repr_html_()
    assert not any("at once" in finding for finding in found.findings)
    assert np.isfinite(found.std_errors["tau"])
    assert np.isfinite(found.std_errors["u"]).all()


def test_without_integrating_it_is_the_joint_mode():
    found = spread().map(seed=1, starts=2, integrate=False)
    assert found.kind == "map"
    assert found.integrated == ()
    assert found.maximized == ("mu", "tau", "sigma", "u")
    assert any("all were maximized at once" in finding for finding in found.findings)
    with pytest.raises(ss.ModelError, match="does not determine `tau`"):
        spread().mle(integrate=False)


def test_names_and_everything():
    m = spread()
    some = m.map(seed=1, starts=2, integrate=["mu", "u"])
    assert some.integrated == ("mu", "u")
    assert some.maximized == ("tau", "sigma")
    everything = m.map(seed=1, starts=2, integrate=True)
    assert everything.integrated == ("mu", "u")
    assert everything.log_density == pytest.approx(some.log_density, rel=1e-12)
    assert everything.log_density > m.map(seed=1, starts=2).log_density - 5


def test_only_normal_latents_with_latent_parents_are_random_effects():
    m = spread()
    m.free = ss.Normal(0, 1, shape=3)
    m.heavy = ss.StudentT(3, 0, m.tau, shape=4)
    m.bounded = ss.Normal(m.mu, 1, lower=0)
    m.child = ss.Normal(m.mu, 1)
    m.walk = ss.RandomWalk(m.tau, start=ss.Normal(0, 1), length=5)
    assert random_effects(m.instance()) == ("u", "child", "walk")


def test_effects_that_stay_are_told_of():
    rng = np.random.default_rng(2)
    g = np.repeat(np.arange(6), 5)
    m = ss.Model("heavy")
    m.g = ss.data(g)
    m.tau, m.sigma, m.eta = ss.HalfNormal(2), ss.HalfNormal(2), ss.HalfNormal(2)
    m.v = ss.StudentT(4, 0, m.tau, shape=6)
    m.u = ss.Normal(0, m.eta, shape=6)
    m.y = ss.Normal(m.v[m.g] + m.u[m.g], m.sigma).observe(rng.normal(size=6)[g] + rng.normal(size=30))
    found = m.map(seed=1, starts=1)
    assert found.integrated == ("u",)
    assert found.findings[0].startswith("`tau` governs the effects `v`")


def test_batches_are_joint_and_say_so():
    found = spread(rows=20).map(seed=1, starts=1, batch_size=40)
    assert found.kind == "map"
    assert found.integrated == ()
    assert any("nothing is integrated out: `u`" in finding for finding in found.findings)


@pytest.mark.parametrize(
    ("given", "words"),
    [("effects", "no latent"), (["tau"], "not negative"), (3, "integrate"), ([], "integrate"), ({"u": 1}, "integrate")],
)
def test_what_cannot_be_integrated_is_refused(given, words):
    with pytest.raises(ss.ScistanError, match=words):
        spread().map(integrate=given)


def test_nothing_left_is_refused():
    m = ss.Model("known")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1.0).observe([1.0, 2.0])
    with pytest.raises(ss.ModelError, match="nothing is left"):
        m.map(integrate=True)


def test_too_many_that_are_tied_are_refused_with_a_way_out():
    """What is seen of a walk as a running sum ties every step to every other: no groups, no chain."""
    m = ss.Model("long")
    m.step = ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.step, start=ss.Normal(0, 1), length=2500)
    m.y = ss.Normal(ss.cumsum(m.level), 1.0).observe(np.zeros(2500))
    with pytest.raises(ss.UnsupportedError, match="2,500 numbers of `level`.*no chain"):
        m.map(starts=1)


def test_a_structure_is_read_beside_the_middle():
    """Where a coefficient is 0, as at the first start, what it multiplies is tied to nothing, and elsewhere it is."""
    rng = np.random.default_rng(4)
    g, h = rng.integers(0, 12, 80), rng.integers(0, 12, 80)
    y = rng.normal(size=80)
    m = ss.Model("times")
    m.g, m.h = ss.data(g), ss.data(h)
    m.b, m.tau, m.eta = ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u, m.v = ss.Normal(0, m.tau, shape=12), ss.Normal(0, m.eta, shape=12)
    m.y = ss.Normal(m.u[m.g] + m.b * m.v[m.h], 1.0).observe(y)
    objective = objective_of(m)
    q, at = somewhere(objective, 1)
    one, other = at["tau"] * np.eye(12)[g], at["b"] * at["eta"] * np.eye(12)[h]
    covariance = np.eye(80) + one @ one.T + other @ other.T
    np.testing.assert_allclose(float(objective.value(q)), multivariate_normal(np.zeros(80), covariance).logpdf(y), rtol=1e-10)


def test_there_and_back_through_a_file_with_draws_and_profiles(tmp_path):
    m = spread()
    found = m.map(seed=1, starts=2)
    again = ss.load(found.save(tmp_path / "spread"))
    assert (again.kind, again.integrated, again.maximized, again.exact) == ("marginal map", ("u",), found.maximized, True)
    draws = again.idata(4000, seed=2).posterior
    for name in ("mu", "u"):
        error = np.sqrt(2 / 4000) * 4.5 * found.std_errors[name]
        np.testing.assert_allclose(draws[name].std(("chain", "draw")), found.std_errors[name], atol=error.max())
    table = found.profile("tau")
    assert 0 < table["lower"].iloc[0] < found["tau"] < table["upper"].iloc[0]
    with pytest.raises(ss.UnsupportedError, match="integrated out"):
        found.profile("u")


def test_a_plan_repeats_what_was_integrated():
    m = spread()
    found = m.map(seed=1, starts=1, integrate=["u", "mu"])
    again = m.map(seed=1, plan=found.plan)
    assert again.integrated == found.integrated
    assert again.log_density == found.log_density


def test_single_precision_and_newton():
    m = spread()
    found, single, newton = m.map(seed=1, starts=1), m.map(seed=1, starts=1, dtype="float32"), m.map(
        seed=1, starts=1, optimizer="newton"
    )
    assert newton.converged
    assert newton["tau"] == pytest.approx(found["tau"], rel=1e-6)
    assert single["tau"] == pytest.approx(found["tau"], rel=1e-2)
