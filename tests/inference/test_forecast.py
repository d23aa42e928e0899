"""Forecasts: every series run on by its own law."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import scistan as ss
from scistan.inference.later import labels_after


@pytest.fixture(scope="module")
def autoregression() -> ss.Fit:
    rng = np.random.default_rng(5)
    y = np.zeros(60)
    for t in range(1, 60):
        y[t] = 0.4 + 0.6 * y[t - 1] + rng.normal(0, 0.5)
    m = ss.Model("ar", coords={"year": range(1960, 2020)})
    m.a, m.phi, m.s = ss.Normal(0, 1), ss.Normal(0, 0.5), ss.HalfNormal(1)
    m.y = ss.Series(lambda past: ss.Normal(m.a + m.phi * past[-1], m.s), start="given", dims="year").observe(y)
    return m.mcmc(engine="stanli", chains=2, draws=500, warmup=300, seed=3)


def test_it_is_what_a_loop_over_the_draws_gives(autoregression: ss.Fit) -> None:
    """Mean and spread at every step, by the law of total expectation over the posterior draws."""
    fit = autoregression
    ahead = fit.forecast(6, seed=1)["predictions"]["y"]
    assert list(ahead["year"].values) == list(range(2020, 2026))
    a, phi, s = (fit.posterior[name].ravel() for name in ("a", "phi", "s"))
    last = float(fit.idata.observed_data["y"][-1])
    mean, variance = np.full(len(a), last), np.zeros(len(a))
    draws = ahead.values.reshape(len(a), -1)
    for t in range(6):
        mean, variance = a + phi * mean, phi**2 * variance + s**2
        apart = draws[:, t] - mean
        assert abs(apart.mean()) < 5 * np.sqrt(variance.mean() / len(a))
        assert (apart**2 / variance).mean() == pytest.approx(1.0, abs=5 * np.sqrt(2 / len(a)))


def test_a_seed_repeats_it_and_calls_differ(autoregression: ss.Fit) -> None:
    first, again, other = (autoregression.forecast(3, seed=s)["predictions"]["y"].values for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    calls = [autoregression.forecast(3)["predictions"]["y"].values for _ in range(2)]
    assert not np.array_equal(*calls)


def test_the_log_likelihood_is_of_what_is_not_given(autoregression: ss.Fit) -> None:
    found = autoregression.log_likelihood["y"]
    assert list(found["year"].values) == list(range(1961, 2020))


def test_latents_and_covariates_go_on() -> None:
    rng = np.random.default_rng(6)
    m = ss.Model("level", coords={"month": pd.date_range("2020-01-31", periods=24, freq="ME")})
    m.x = ss.data(rng.normal(size=24), dims="month")
    m.tau, m.b = ss.HalfNormal(0.5), ss.Normal(0, 1)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 1), dims="month")
    m.mu = m.level + m.b * m.x
    m.y = ss.Normal(m.mu, 0.3).observe(rng.normal(size=24))
    fit = m.mcmc(engine="stanli", chains=1, draws=200, warmup=200, seed=1)
    with pytest.raises(ss.DataError, match="needs `x`"):
        fit.forecast(2)
    with pytest.raises(ss.DataError, match="3 values for a forecast of 2"):
        fit.forecast(2, data={"x": [1.0, 2.0, 3.0]})
    found = fit.forecast(2, data={"x": [10.0, -10.0]}, seed=2)["predictions"]
    assert set(found.data_vars) == {"level", "mu", "y"}
    assert pd.Timestamp(found["month"].values[0]) == pd.Timestamp("2022-01-31")
    b = fit.posterior["b"]
    assert np.allclose(found["mu"].values[..., 0], found["level"].values[..., 0] + 10 * b)
    steps = found["level"].values[..., 0] - fit.posterior["level"][..., -1]
    assert (steps**2).mean() == pytest.approx((fit.posterior["tau"] ** 2).mean(), rel=1.0)


def test_times_without_labels_are_counted_on() -> None:
    m = ss.Model("counted")
    m.tau = ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 1), length=7)
    m.twice = 2 * m.level
    m.y = ss.Normal(m.level, 1).observe(np.zeros(7))
    found = m.mcmc(engine="stanli", chains=1, draws=20, warmup=50, seed=1).forecast(3)["predictions"]
    for name in ("level", "twice", "y"):
        assert list(found[name][found[name].dims[2]].values) == [7, 8, 9]


def test_a_model_without_series_has_no_forecast() -> None:
    m = ss.Model("none")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe([1.0, 2.0])
    fit = m.mcmc(engine="stanli", chains=1, draws=20, warmup=20, seed=1)
    with pytest.raises(ss.ModelError, match="no series"):
        fit.forecast(2)


@pytest.mark.parametrize(
    ("labels", "after"),
    [
        ([2000, 2001, 2002], [2003, 2004]),
        ([0.0, 0.5, 1.0], [1.5, 2.0]),
        (["a", "b"], ["+1", "+2"]),
        ([1, 2, 4], ["+1", "+2"]),
        (list(pd.date_range("2024-01-01", periods=3)), [pd.Timestamp("2024-01-04"), pd.Timestamp("2024-01-05")]),
        (list(pd.date_range("2024-01-31", periods=4, freq="ME")),
         [pd.Timestamp("2024-05-31"), pd.Timestamp("2024-06-30")]),
    ],
)
def test_labels_go_on(labels: list[object], after: list[object]) -> None:
    assert labels_after(labels, 2) == after
