"""Intervals lie where the quantity lives, and there are none where a joint mode would mislead."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import scistan as ss
from scistan.distributions.resolve import value_domain
from scistan.inference.point.intervals import Limits, intervals
from scistan.inference.point.joint import find_joint
from tests.zoo import ZOO, eight_schools, logistic

Z = 1.959963984540054


def ends(value, error, limits):
    return intervals({"x": np.asarray(value)}, {"x": np.asarray(error)}, {"x": limits})["x"]


def test_a_real_number_is_plus_or_minus():
    np.testing.assert_allclose(ends(1.0, 0.5, Limits()), [1 - Z / 2, 1 + Z / 2])


def test_one_bound_is_on_the_scale_of_logarithms():
    np.testing.assert_allclose(ends(3.0, 2.0, Limits(1.0)), 1 + 2 * np.exp([-Z, Z]))
    np.testing.assert_allclose(ends(-3.0, 2.0, Limits(upper=-1.0)), -1 - 2 * np.exp([Z, -Z]))


def test_two_bounds_are_on_the_scale_of_logits():
    expected = 2 + 4 * special.expit(special.logit(0.25) + np.array([-Z, Z]) * 0.5 / (4 * 0.25 * 0.75))
    np.testing.assert_allclose(ends(3.0, 0.5, Limits(2.0, 6.0)), expected)


def test_what_is_known_for_certain_has_an_interval_of_one_point():
    np.testing.assert_array_equal(ends([0.0, 1.0], [0.0, 0.0], Limits(0.0, 1.0)), [[0.0, 1.0]] * 2)
    assert np.isnan(ends(0.3, np.nan, Limits(0.0, 1.0))).all()


def lies_inside(estimate, term) -> bool:
    """Tell whether both ends of every number lie between the bounds that the domain sets to it."""
    low, high = estimate.intervals[term.name]
    known = ~np.isnan(low)
    value = estimate.values[term.name]
    domain = value_domain(term.law)
    between = (low <= value) & (value <= high)
    lower = domain.lower if isinstance(domain.lower, int | float) else -np.inf
    upper = domain.upper if isinstance(domain.upper, int | float) else np.inf
    return bool((between & (low >= lower) & (high <= upper))[known].all())


@pytest.mark.parametrize("name", ZOO)
def test_every_interval_lies_in_its_domain(name):
    m = ZOO[name]()
    if name in ("truncated", "dirichlets"):  # a scale that closes up with its members
        with pytest.raises(ss.ModelError, match="there is no maximum"):
            m.map(seed=1, starts=2, progress=False)
        return
    estimate = m.map(seed=1, starts=2, progress=False)
    frame = estimate.to_dataframe()
    assert list(frame["lower_95"]) == pytest.approx(
        np.concatenate([np.ravel(estimate.intervals[n][0]) for n in estimate.values]), nan_ok=True
    )
    for term in m.to_graph().latents:
        assert lies_inside(estimate, term), term.name


WIDE = {
    "HalfNormal": lambda: ss.HalfNormal(3), "HalfCauchy": lambda: ss.HalfCauchy(3), "Gamma": lambda: ss.Gamma(1.2, 0.1),
    "Beta": lambda: ss.Beta(1.1, 1.1), "Uniform": lambda: ss.Uniform(-1, 4), "Dirichlet": lambda: ss.Dirichlet(np.full(3, 1.1)),
    "VonMises": lambda: ss.VonMises(0, 0.3), "LogNormal": lambda: ss.LogNormal(0, 2), "LKJCorr": lambda: ss.LKJCorr(3, 1.1),
    "truncated": lambda: ss.Normal(0, 9, lower=-1, upper=2), "below": lambda: ss.Normal(0, 9, upper=1),
    "ExpDirichlet": lambda: ss.ExpDirichlet(np.full(3, 1.1)), "LKJCholesky": lambda: ss.LKJCholesky(3, 1.1),
}


@pytest.mark.parametrize("name", WIDE)
def test_little_data_do_not_lead_out_of_a_domain(name):
    m = ss.Model()
    m.x = WIDE[name]()
    m.y = ss.Normal(ss.sum(m.x), 5).observe(np.array([0.7]))
    estimate = m.map(seed=1, starts=2, progress=False)
    assert lies_inside(estimate, m.to_graph().latents[0])


def test_a_derived_quantity_keeps_its_sign():
    m = logistic(rows=12)
    m.odds, m.chance, m.plain = ss.exp(m.beta), ss.inv_logit(m.alpha), 2 * m.beta
    estimate = m.map(seed=1, progress=False)
    np.testing.assert_allclose(estimate.intervals["odds"], np.exp(estimate.intervals["beta"]), rtol=1e-9)
    np.testing.assert_allclose(estimate.intervals["chance"], special.expit(estimate.intervals["alpha"]), rtol=1e-9)
    np.testing.assert_allclose(estimate.intervals["plain"], 2 * estimate.intervals["beta"], rtol=1e-9)


def test_a_bound_that_is_a_latent():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 5, lower=m.a)
    m.y = ss.Normal(m.b, 3).observe(np.array([4.0]))
    estimate = m.map(seed=1, progress=False)
    low, high = estimate.intervals["b"]
    assert estimate["a"] < low < estimate["b"] < high


# -- joint modes ------------------------------------------------------------------------------------------
def mixed(form: str = "centred", seed: int = 3) -> ss.Model:
    rng = np.random.default_rng(seed)
    group = np.concatenate([np.arange(8), rng.integers(0, 8, 52)])
    x = rng.normal(size=60)
    m = ss.Model("mixed")
    m.group, m.x = ss.data(group), ss.data(x)
    m.mu, m.b = ss.Normal(0, 5), ss.Normal(0, 5)
    m.tau, m.sigma = ss.HalfNormal(5), ss.HalfNormal(5)
    if form == "centred":
        m.a = ss.Normal(m.mu, m.tau, shape=8)
    else:
        m.z = ss.Normal(0, 1, shape=8)
        m.a = m.mu + m.tau * m.z
    m.y = ss.Normal(m.a[m.group] + m.b * m.x, m.sigma).observe(1 + 0.9 * rng.normal(size=8)[group] + rng.normal(size=60))
    m.shift = m.a - m.mu
    return m


@pytest.mark.parametrize("form", ["centred", "by hand"])
def test_a_group_scale_has_no_standard_error_and_the_output_says_why(form):
    estimate = mixed(form).map(seed=1, progress=False, integrate=False)
    assert estimate.converged
    for name in ("tau", "a", "shift"):
        assert np.isnan(estimate.std_errors[name]).all()
        assert np.isnan(estimate.intervals[name]).all()
    for name in ("b", "sigma"):
        assert np.isfinite(estimate.std_errors[name]).all()
    (finding,) = [f for f in estimate.findings if "maximized at once" in f]
    assert "`tau`" in finding
    assert "`shift`" in finding
    assert "m.mcmc()" in finding
    assert finding in repr(estimate)
    assert "maximized at once" in estimate._repr_html_()
    assert finding in estimate.idata(5, seed=1).posterior.attrs["findings"]


def test_what_governs_and_what_is_governed():
    m = ss.Model()
    m.top = ss.HalfNormal(1)
    m.tau = ss.HalfNormal(m.top)
    m.mid = ss.Normal(0, m.tau, shape=3)
    m.low = ss.Normal(m.mid, 1)
    m.free = ss.Normal(0, 1, shape=3)
    m.both = m.free + m.low
    m.alone = 2 * m.free
    m.y = ss.Normal(m.both, 1).observe([1.0, 2.0, 3.0])
    found = find_joint(m.instance())
    assert found.governing == ("top", "tau")
    assert found.effects == ("mid",)
    assert found.hanging == {"top", "tau", "mid", "low", "both"}


def test_plain_regressions_keep_their_standard_errors():
    assert find_joint(logistic().instance()).governing == ()
    m = ss.Model()  # unpooled: as many scales as members, none of which governs the others
    m.slope = ss.Normal(0, 1, shape=3)
    m.middle = ss.Normal(0, 1, shape=3)
    m.x = ss.data(np.arange(3.0))
    m.y = ss.Normal(m.slope * (m.x - m.middle), 1).observe([1.0, 2.0, 3.0])
    assert find_joint(m.instance()).governing == ()
    m = ss.Model()  # a location alone is a coefficient like any other
    m.mu = ss.Normal(0, 1)
    m.a = ss.Normal(m.mu, 1, shape=3)
    m.y = ss.Normal(m.a, 1).observe([1.0, 2.0, 3.0])
    assert find_joint(m.instance()).governing == ()
    m = ss.Model()  # one number under another is no vector of effects
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(m.a, 1)
    m.y = ss.Normal(m.b, 1).observe(1.0)
    assert find_joint(m.instance()).governing == ()


def test_a_likelihood_has_no_prior_to_be_misled_by():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(m.a, 1, shape=2)
    m.y = ss.Normal(m.b + m.a * np.array([1.0, 1.0]), 1).observe([1.0, 2.0])
    assert not any("maximized at once" in f for f in m.mle(seed=1, starts=2, progress=False).findings)


def test_eight_schools_tell_both():
    findings = eight_schools().map(seed=1, progress=False, integrate=False).findings
    assert any("`mu`, `tau` govern the effects `theta`" in f for f in findings)
    assert any("`tau` is at its boundary" in f for f in findings)
