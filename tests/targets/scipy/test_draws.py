"""Ancestral draws: the right law, exact truncation, constraints, whole numbers, and no loop over draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.targets.scipy import draws as draws_module

DRAWS = 20_000
# A Kolmogorov-Smirnov test that fails a true law once in ten million times, with a fixed seed on top.
LEAST_P = 1e-7


def prior(m: ss.Model, name: str, draws: int = DRAWS) -> np.ndarray:
    return m.prior(draws, seed=11).prior[name].values[0]


def follows(sample: np.ndarray, cdf) -> bool:
    return stats.kstest(sample, cdf).pvalue > LEAST_P


# -- hierarchy -----------------------------------------------------------------------------------
def test_children_follow_their_parents():
    m = ss.Model()
    m.mu = ss.Normal(3, 2)
    m.x = ss.Normal(m.mu, 1.5, shape=4)
    x = prior(m, "x")
    assert follows(x[:, 0], stats.norm(3, 2.5).cdf)
    shared = np.corrcoef(x[:, 0], x[:, 1])[0, 1]
    assert shared == pytest.approx(4 / 6.25, abs=5 / np.sqrt(DRAWS))


def test_arguments_of_every_shape_meet_the_draws():
    m = ss.Model()
    m.row = ss.Normal(np.array([0.0, 10.0]), 1)
    m.column = ss.HalfNormal(1, shape=(3, 1))
    m.x = ss.Normal(m.row, m.column, shape=(3, 2))
    x = prior(m, "x", 2000)
    assert x.shape == (2000, 3, 2)
    assert x.mean(0)[:, 1] == pytest.approx(np.full(3, 10.0), abs=0.2)


def test_derived_quantities_and_constants_have_every_draw():
    m = ss.Model()
    m.x = ss.data([1.0, 2.0])
    m.b = ss.Normal(0, 1)
    m.eta = m.b * m.x
    m.fixed = m.x * 2
    idata = m.prior(50, seed=0)
    assert np.allclose(idata.prior["eta"].values, idata.prior["b"].values[..., None] * [1, 2], rtol=1e-15)
    assert idata.prior["fixed"].shape == (1, 50, 2)


def test_one_call_per_variable_whatever_the_number_of_draws(monkeypatch):
    calls = []
    original = draws_module.draw_term
    monkeypatch.setattr(draws_module, "draw_term", lambda *a: calls.append(a[1].name) or original(*a))
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(m.a, 1, lower=0)
    m.y = ss.Poisson(ss.exp(m.b)).observe([1, 2, 3])
    m.prior(5000, seed=0)
    assert calls == ["a", "b", "y"]


def test_numbers_of_draws_are_what_was_asked_for():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    for draws in (1, 2, 17):
        assert m.prior(draws).prior["a"].shape == (1, draws)


# -- truncation ----------------------------------------------------------------------------------
TRUNCATED = {
    "Normal": (lambda **b: ss.Normal(1, 2, **b), stats.norm(1, 2)),
    "StdNormal": (lambda **b: ss.StdNormal(**b), stats.norm()),
    "Cauchy": (lambda **b: ss.Cauchy(0, 1, **b), stats.cauchy()),
    "Exponential": (lambda **b: ss.Exponential(0.5, **b), stats.expon(scale=2)),
    "Gamma": (lambda **b: ss.Gamma(2, 1, **b), stats.gamma(2)),
    "Beta": (lambda **b: ss.Beta(2, 3, **b), stats.beta(2, 3)),
    "StudentT": (lambda **b: ss.StudentT(4, 0, 1, **b), stats.t(4)),
    "LogNormal": (lambda **b: ss.LogNormal(0, 1, **b), stats.lognorm(1)),
}
BOUNDS = {"below": {"lower": 0.3}, "above": {"upper": 0.8}, "both": {"lower": 0.2, "upper": 0.9}}


@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
@pytest.mark.parametrize(("make", "free"), TRUNCATED.values(), ids=TRUNCATED)
def test_truncated_draws_follow_the_truncated_law(make, free, bounds):
    m = ss.Model()
    m.x = make(**bounds)
    low, high = bounds.get("lower", -np.inf), bounds.get("upper", np.inf)
    x = prior(m, "x", 4000)
    assert ((x >= low) & (x <= high)).all()
    mass = free.cdf(high) - free.cdf(low)
    assert follows(x, lambda v: (free.cdf(v) - free.cdf(low)) / mass)


@pytest.mark.parametrize("far", [6.0, 20.0, 100.0, 1e4])
@pytest.mark.parametrize("side", ["lower", "upper"])
def test_the_normal_is_exact_in_any_tail(far, side):
    """Far out, `far · (x - far)` of a standard normal is nearly a standard exponential; the exact law is used here."""
    m = ss.Model()
    m.x = ss.Normal(0, 1, **{side: far if side == "lower" else -far})
    x = np.abs(prior(m, "x", 4000))
    tail = lambda v: -np.expm1(stats.norm.logsf(v) - stats.norm.logsf(far))
    assert np.isfinite(x).all()
    assert (x >= far).all()
    assert follows(x, tail)


def test_a_distribution_whose_tail_underflows_still_has_draws():
    m = ss.Model()
    m.x = ss.Gamma(2, 1, lower=2000)
    x = prior(m, "x", 4000)
    # Given x > c a Gamma(2, 1) has density ∝ x exp(-x): c more than an exponential, shifted.
    assert follows(x - 2000, lambda e: 1 - np.exp(-e) * (1 + e / 2001))


def test_bounds_that_are_random():
    m = ss.Model()
    m.low = ss.Normal(0, 3)
    m.s = ss.HalfNormal(1)
    m.x = ss.Normal(0, m.s, lower=m.low, upper=m.low + 1, shape=2)
    idata = m.prior(4000, seed=2).prior
    low, x = idata["low"].values[0][:, None], idata["x"].values[0]
    assert np.isfinite(x).all()
    assert ((x >= low) & (x <= low + 1)).all()


def test_observed_variables_are_truncated_too():
    m = ss.Model()
    m.y = ss.Normal(0, 1, lower=1).observe([1.5, 2.0])
    assert (m.prior(500, seed=0).prior_predictive["y"].values >= 1).all()


# -- constraints ---------------------------------------------------------------------------------
def test_ordered_draws_are_order_statistics():
    m = ss.Model()
    m.c = ss.Normal(1, 2, shape=3, constraint="ordered")
    c = prior(m, "c")
    assert (np.diff(c) > 0).all()
    assert follows(c[:, 2], lambda v: stats.norm(1, 2).cdf(v) ** 3)


def test_positive_ordered_draws_are_order_statistics_of_the_positive_half():
    m = ss.Model()
    m.c = ss.Normal(-1, 1, shape=2, constraint="positive_ordered")
    c = prior(m, "c")
    half = stats.truncnorm(1, np.inf, loc=-1)
    assert (c[:, 0] > 0).all()
    assert follows(c[:, 0], lambda v: 1 - half.sf(v) ** 2)


def test_positive_numbers_in_order_are_positive_ordered():
    m = ss.Model()
    m.c = ss.Gamma(2, 1, shape=3, constraint="ordered")
    assert "positive_ordered" in repr(m)
    c = prior(m, "c", 3000)
    assert follows(c[:, 0], lambda v: 1 - stats.gamma(2).sf(v) ** 3)


def test_ordered_draws_about_different_means():
    """Against the definition: unordered draws, those in order kept."""
    m = ss.Model()
    m.c = ss.Normal(np.array([-1.0, 0.0, 0.5]), 1, constraint="ordered")
    c = prior(m, "c")
    free = np.random.default_rng(0).normal([-1.0, 0.0, 0.5], 1, (100_000, 3))
    kept = free[(np.diff(free) > 0).all(1)]
    for k in range(3):
        assert stats.ks_2samp(c[:, k], kept[:, k]).pvalue > LEAST_P


def test_sums_to_zero():
    m = ss.Model()
    m.z = ss.Normal(0, 2, shape=4, constraint="sum_to_zero")
    z = prior(m, "z")
    assert np.abs(z.sum(1)).max() < 1e-12
    assert follows(z[:, 0], stats.norm(0, 2 * np.sqrt(3 / 4)).cdf)


def test_unequal_normals_given_that_they_sum_to_zero():
    """Against the conditional normal: mean mu - V·1 (1ᵀmu)/(1ᵀV1), covariance V - V11ᵀV/(1ᵀV1)."""
    mu, sigma = np.array([1.0, 0.0, -2.0]), np.array([0.5, 1.0, 2.0])
    m = ss.Model()
    m.z = ss.Normal(mu, sigma, constraint="sum_to_zero")
    z = prior(m, "z")
    variance = sigma**2
    mean = mu - variance * mu.sum() / variance.sum()
    spread = np.sqrt(variance - variance**2 / variance.sum())
    for k in range(3):
        assert follows(z[:, k], stats.norm(mean[k], spread[k]).cdf)


def test_a_batch_of_constrained_vectors():
    m = ss.Model()
    m.s = ss.HalfNormal(1)
    m.z = ss.Normal(0, m.s, shape=(3, 4), constraint="sum_to_zero")
    m.c = ss.Normal(0, m.s, shape=(3, 4), constraint="ordered")
    idata = m.prior(100, seed=0).prior
    assert np.abs(idata["z"].values.sum(-1)).max() < 1e-10
    assert (np.diff(idata["c"].values, axis=-1) >= 0).all()


def test_constraints_without_known_draws_say_so():
    m = ss.Model()
    m.z = ss.StudentT(4, 0, 1, shape=3, constraint="sum_to_zero")
    with pytest.raises(ss.UnsupportedError, match="no exact prior draws"):
        m.prior(10)


# -- flat priors ---------------------------------------------------------------------------------
def test_flat_priors_are_refused_before_anything_is_drawn():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Flat(lower=0)
    m.c = ss.Flat()
    with pytest.raises(ss.UnsupportedError, match="`b`, `c`"):
        m.simulate()
    assert m.log_density({"a": 0.0, "b": 1.0, "c": 5.0}) == pytest.approx(stats.norm.logpdf(0))
