"""Prediction at new inputs, the draws that follow from the posterior, and what may be left out."""

import arviz as az
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import scistan as ss
from scistan.inference.arviz_data import dataset_names, dataset_of
from tests.zoo import eight_schools, logistic, varying_intercepts


def line(x, y):
    m = ss.Model("line")
    m.x = ss.data(x, dims="obs")
    m.a = ss.Normal(0, 10)
    m.b = ss.Normal(0, 10)
    m.s = ss.HalfNormal(1)
    m.mean = m.a + m.b * m.x
    m.y = ss.Normal(m.mean, m.s).observe(y)
    return m


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    x = np.linspace(0, 1, 60)
    return line(x, 1 + 2 * x + rng.normal(0, 0.1, 60)).mcmc(seed=1, draws=500, warmup=500, engine="stanli")


def test_predictions_at_other_lengths(fitted):
    found = fitted.predict({"x": [0.0, 5.0, 10.0]})
    predictions = found.predictions
    assert predictions["y"].shape == (4, 500, 3)
    assert predictions["y"].dims == ("chain", "draw", "obs")
    np.testing.assert_allclose(predictions["mean"].mean(("chain", "draw")), [1, 11, 21], atol=0.6)
    np.testing.assert_array_equal(found.predictions_constant_data["x"], [0, 5, 10])
    a, b = fitted.posterior["a"], fitted.posterior["b"]
    np.testing.assert_allclose(predictions["mean"].values[..., 1], a + 5 * b)
    spread = (predictions["y"] - predictions["mean"]).std().item()
    assert spread == pytest.approx(fitted.posterior["s"].mean(), rel=0.05)


def test_coords_come_along(fitted):
    new = xr.DataArray([0.5, 0.6], dims="obs", coords={"obs": ["first", "second"]})
    assert list(fitted.predict({"x": new}).predictions["obs"].values) == ["first", "second"]


def test_predictions_at_the_rows_of_a_table(fitted):
    table = pd.DataFrame({"x": [0.0, 5.0], "note": ["low", "high"]})
    by_name = fitted.predict({"x": [0.0, 5.0]}, seed=1).predictions["y"]
    np.testing.assert_array_equal(fitted.predict(table, seed=1).predictions["y"], by_name)
    with pytest.raises(ss.DataError, match="none of the table's columns"):
        fitted.predict(table[["note"]])


def test_predictions_are_reproducible(fitted):
    first, again, other = (fitted.predict({"x": [0.5]}, seed=s).predictions["y"] for s in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_without_new_inputs_it_predicts_at_the_old_ones(fitted):
    assert fitted.predict().predictions["y"].shape == (4, 500, 60)


def test_group_effects_that_were_never_fitted_are_refused():
    fit = varying_intercepts(groups=5).mcmc(seed=1, draws=50, warmup=50, chains=2, engine="stanli")
    old = fit.predict({"group": [0, 4], "x": [0.0, 1.0]})
    assert old.predictions["y"].shape == (2, 50, 2)
    with pytest.raises(ss.ScistanError, match=r"group|alpha"):
        fit.predict({"group": [0, 5], "x": [0.0, 1.0]})


def test_unknown_inputs_are_refused(fitted):
    with pytest.raises(ss.ScistanError, match="z"):
        fitted.predict({"z": [1.0]})


def test_posterior_predictive_and_log_likelihood(fitted):
    predictive = fitted.posterior_predictive
    assert predictive["y"].shape == (4, 500, 60)
    assert fitted.log_likelihood["y"].dims == ("chain", "draw", "obs")
    assert predictive.equals(dataset_of(fitted.idata, "posterior_predictive"))
    residuals = fitted.idata.observed_data["y"] - predictive["y"]
    assert abs(residuals.mean().item()) < 0.02


def test_loo_and_compare_work_at_once(fitted):
    x = np.linspace(0, 1, 60)
    y = fitted.idata.observed_data["y"].values
    flat = ss.Model("flat")
    flat.a = ss.Normal(0, 10)
    flat.s = ss.HalfNormal(1)
    flat.y = ss.Normal(flat.a, flat.s).observe(y)
    other = flat.mcmc(seed=1, draws=500, warmup=500, engine="stanli")
    ranked = az.compare({"line": fitted.idata, "flat": other.idata})
    assert list(ranked.index) == ["line", "flat"]
    assert x.size == y.size


def test_blocks_of_draws_have_noise_of_their_own(fitted, monkeypatch):
    from scistan.inference import generated

    monkeypatch.setattr(generated, "_BLOCK", 60 * 300)
    instance = fitted.subject.written_instance
    drawn = generated.predictive(instance, fitted.posterior, 1)["y"].reshape(2000, 60)
    noise = (drawn - fitted.posterior["mean"].reshape(2000, 60)) / fitted.posterior["s"].reshape(2000, 1)
    blocks = np.corrcoef(noise[:1800].reshape(6, 300 * 60))
    np.testing.assert_allclose(blocks, np.eye(6), atol=5 / np.sqrt(300 * 60))
    whole = generated.log_likelihood(instance, fitted.posterior)["y"]
    np.testing.assert_array_equal(whole, fitted.log_likelihood["y"].values)


# -- what is kept -------------------------------------------------------------------------------------
def test_keep_leaves_out_the_rest():
    x = np.linspace(0, 1, 20)
    m = line(x, x)
    fit = m.mcmc(seed=1, draws=50, warmup=50, chains=2, engine="stanli", keep=["a", "log_likelihood"])
    assert set(fit.posterior) == {"a"}
    assert "mean" not in fit.subject.program.text
    assert set(dataset_names(fit.idata)) == {"posterior", "log_likelihood", "sample_stats", "observed_data", "constant_data"}
    with pytest.raises(ss.ModelError, match="prediction needs latents that `keep` left out"):
        fit.predict({"x": [0.0]})
    with pytest.raises(ss.ModelError, match="this fit has no `posterior_predictive`: `keep` left it out"):
        _ = fit.posterior_predictive
    assert list(m.mcmc(seed=1, draws=50, warmup=50, chains=2, engine="stanli", keep="a").posterior) == ["a"]
    with pytest.raises(ss.ModelError, match="`keep` names `alpha`"):
        m.mcmc(keep=["alpha"])


def test_a_run_that_would_not_fit_is_refused_beforehand(monkeypatch):
    monkeypatch.setattr("scistan.inference.memory.free_memory", lambda: 1e6)
    x = np.linspace(0, 1, 2000)
    with pytest.raises(ss.ModelError, match=r"would take 0\.1 GB.*`mean` 0\.1 GB.*\n.*\n.*keep="):
        line(x, x).mcmc()
    fit = line(x, x).mcmc(draws=100, warmup=100, seed=1, engine="stanli", keep=["a", "b"])
    assert set(fit.posterior) == {"a", "b"}


def test_the_prior_joins_when_drawn(fitted):
    fit = eight_schools().mcmc(seed=1, draws=50, warmup=50, chains=2, engine="stanli")
    assert "prior" not in dataset_names(fit.idata)
    fit.draw_prior(draws=30, seed=2)
    assert fit.idata.prior["theta"].shape == (1, 30, 8)
    assert "prior_predictive" in dataset_names(fit.idata)


def test_warmup_and_statistics_in_idata():
    fit = logistic().mcmc(seed=1, draws=50, warmup=60, chains=2, engine="stanli", save_warmup=True)
    assert fit.idata.warmup_posterior["beta"].shape == (2, 60, 3)
    assert fit.idata.warmup_sample_stats["step_size"].shape == (2, 60)
    assert fit.idata.posterior["beta"].shape == (2, 50, 3)


def test_a_group_is_a_property_and_what_was_a_method_may_still_be_called(fitted):
    group = fitted.posterior_predictive
    assert isinstance(group, xr.Dataset)
    xr.testing.assert_identical(fitted.posterior_predictive(), group)
    assert group.identical(dataset_of(fitted.idata, "posterior_predictive"))
    assert repr(group).startswith("<xarray.Dataset>")
