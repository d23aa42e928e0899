"""What can be done with an estimate: tables, plots, files, draws, profiles, and starting chains."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import optimize, stats

import scistan as ss
from scistan.inference.arviz_data import dataset_names
from scistan.inference.point import PointEstimate
from tests.zoo import counts, eight_schools, logistic, varying_intercepts


@pytest.fixture(scope="module")
def schools() -> PointEstimate:
    m = ss.Model("schools", coords={"school": list("ABC"), "covariate": ["x", "z"]})
    m.x = ss.data(np.random.default_rng(0).normal(size=(30, 2)), dims=("row", "covariate"))
    m.g = ss.data(np.arange(30) % 3)
    m.level = ss.Normal(0, 2, dims="school")
    m.beta = ss.Normal(0, 1, dims=("school", "covariate"))
    m.sigma = ss.HalfNormal(1)
    m.eta = m.level[m.g] + ss.sum(m.beta[m.g] * m.x, axis=1)
    m.y = ss.Normal(m.eta, m.sigma, dims="row").observe(np.random.default_rng(1).normal(size=30))
    m.best = ss.max(m.level)
    return m.map(seed=0)


def test_a_table_with_labels(schools):
    frame = schools.to_dataframe()
    assert list(frame.columns) == ["estimate", "std_error", "lower_95", "upper_95"]
    assert frame.loc["level[B]", "estimate"] == schools.values["level"][1]
    assert frame.loc["beta[C, z]", "std_error"] == schools.std_errors["beta"][2, 1]
    assert frame.loc["best", "estimate"] == schools.values["level"].max()
    assert len(frame) == 3 + 6 + 1 + 30 + 1
    assert "level[B]" in repr(schools)
    assert "converged: " in repr(schools)
    assert "8 of 8 starts agree" in repr(schools)
    assert "more; see to_dataframe()" in repr(schools)


def test_a_notebook_table_is_escaped():
    m = ss.Model(coords={"d": ["<b>", "&"]})
    m.a = ss.Normal(0, 1, dims="d")
    m.y = ss.Normal(m.a, 1).observe([1.0, 2.0])
    html = m.map(seed=0)._repr_html_()
    assert "a[&lt;b&gt;]" in html
    assert "<table>" in html


def test_the_loss_curve(schools):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = schools.plot()
    (line,) = ax.get_lines()
    assert len(line.get_ydata()) == len(schools.history) > 3
    losses = [loss for loss, _ in schools.history]
    assert min(losses) == pytest.approx(-schools.log_density, rel=1e-9)


def test_there_and_back_through_a_file(tmp_path):
    m = varying_intercepts()
    found = m.map(seed=0, integrate=False)
    path = found.save(tmp_path / "estimate")
    again = PointEstimate.load(path, m)
    assert repr(again) == repr(found)
    for name, value in found.values.items():
        np.testing.assert_array_equal(again.values[name], value)
        np.testing.assert_array_equal(again.std_errors[name], found.std_errors[name])
    one, two = (e.idata(20, seed=1).posterior["mu"].values for e in (found, again))
    np.testing.assert_allclose(one, two, atol=1e-4 * one.std())  # the curvature is good to 3e-5, see `mode._NEAR`
    alone = PointEstimate.load(path)
    assert alone.to_dataframe().equals(found.to_dataframe())
    with pytest.raises(ss.UnsupportedError, match="needs the model"):
        alone.idata(5)
    with pytest.raises(ss.ModelError, match="not the model"):
        PointEstimate.load(path, counts())
    with pytest.raises(ss.ModelError, match="not the model"):
        PointEstimate.load(path, varying_intercepts(seed=5))


def test_an_estimate_brings_its_model(tmp_path):
    found = varying_intercepts().map(seed=0)
    path = found.save(tmp_path / "estimate")
    again = ss.load(path)
    assert again.source is None  # nothing is lowered before it is needed
    twice = pickle.loads(pickle.dumps(ss.load(again.save(tmp_path / "again"))))
    draws = found.idata(20, seed=1).posterior["mu"].values
    for one in (again, twice):
        np.testing.assert_allclose(one.idata(20, seed=1).posterior["mu"].values, draws, atol=1e-4 * draws.std())


def test_a_changed_record_is_refused_by_the_files_name(tmp_path):
    path = counts().map(seed=0).save(tmp_path / "mine")
    with np.load(path) as file:
        arrays = dict(file)
    short = {**arrays, "record": np.array(str(arrays["record"])[:-9])}
    other = {**arrays, "record:int64": np.zeros(2)}
    none = {name: array for name, array in arrays.items() if name != "record"}
    for damaged in (short, other, none):
        np.savez(path, **damaged)
        with pytest.raises(ss.DataError, match=r"mine\.npz is not a saved estimate as it was written"):
            ss.load(path)
        assert PointEstimate.load(path, counts()).values.keys() == {*counts().map(seed=0).values}


def test_draws_as_inference_data(schools):
    idata = schools.idata(4000, seed=1)
    assert set(dataset_names(idata)) == {
        "posterior", "posterior_predictive", "log_likelihood", "observed_data", "constant_data",
    }
    assert idata.posterior["beta"].dims == ("chain", "draw", "school", "covariate")
    assert list(idata.posterior["school"].values) == list("ABC")
    assert idata.posterior_predictive["y"].shape == idata.log_likelihood["y"].shape == (1, 4000, 30)
    draws = idata.posterior["level"].values[0]
    # Means of 4,000 draws are good to their standard error times 1 / sqrt(4000) = 0.016.
    np.testing.assert_allclose(draws.mean(0), schools.values["level"], atol=5 * 0.016 * schools.std_errors["level"].max())
    np.testing.assert_allclose(draws.std(0), schools.std_errors["level"], rtol=0.06)
    assert (idata.posterior["sigma"].values > 0).all()
    np.testing.assert_array_equal(schools.idata(5, seed=3).posterior["level"], schools.idata(5, seed=3).posterior["level"])
    with pytest.raises(ss.ModelError, match="draws"):
        schools.idata(0)


def test_draws_hold_what_is_at_its_boundary():
    idata = eight_schools().map(seed=1).idata(50)
    assert np.ptp(idata.posterior["tau"].values) == 0
    assert idata.posterior.attrs["at_boundary"] == "tau"


def test_profiles_of_a_binomial_share():
    m = ss.Model()
    m.p = ss.Beta(1, 1)
    m.y = ss.Binomial(30, m.p).observe(np.array(4))
    frame = m.mle(seed=0).profile("p")

    def fall(p):
        return stats.binom(30, 4 / 30).logpmf(4) - stats.binom(30, p).logpmf(4) - stats.chi2(1).ppf(0.95) / 2

    expected = [optimize.brentq(fall, 1e-4, 4 / 30), optimize.brentq(fall, 4 / 30, 0.9)]
    np.testing.assert_allclose(frame[["lower", "upper"]].to_numpy()[0], expected, rtol=1e-3)


def test_profiles_of_a_normal_scale():
    rng = np.random.default_rng(0)
    y = rng.normal(size=12)
    m = ss.Model()
    m.mu = ss.Flat()
    m.sigma = ss.Flat(lower=0)
    m.y = ss.Normal(m.mu, m.sigma).observe(y)
    frame = m.mle(seed=0).profile("sigma", level=0.9)
    n, s = 12, y.std()

    def fall(sigma):
        return n * np.log(sigma / s) + n * s**2 / (2 * sigma**2) - n / 2 - stats.chi2(1).ppf(0.9) / 2

    expected = [optimize.brentq(fall, s / 5, s), optimize.brentq(fall, s, 5 * s)]
    np.testing.assert_allclose(frame.loc["sigma", ["lower", "upper"]].to_numpy(float), expected, rtol=1e-3)


def test_profiles_of_noncentred_latents_are_of_their_values():
    m = varying_intercepts()
    found = m.map(seed=0, integrate=False)
    if "tau" in found.boundary:
        pytest.skip("the scale is at its boundary")
    frame = found.profile("alpha")
    assert len(frame) == 5
    assert (frame["lower"] < frame["estimate"]).all()
    assert (frame["estimate"] < frame["upper"]).all()


def test_what_cannot_be_profiled():
    m = ss.Model()
    m.p = ss.Dirichlet(np.ones(3))
    m.y = ss.Multinomial(10, m.p).observe([3, 3, 4])
    found = m.mle(seed=0)
    with pytest.raises(ss.UnsupportedError, match="tied to each other"):
        found.profile("p")
    with pytest.raises(ss.ModelError, match="did you mean `p`"):
        found.profile("pp")
    with pytest.raises(ss.ModelError, match="`level` must be"):
        logistic().mle(seed=0).profile("alpha", level=95)
    with pytest.raises(ss.UnsupportedError, match="at its boundary"):
        eight_schools().map(seed=1).profile("tau")


def test_a_chain_can_start_from_it():
    m = logistic()
    found = m.map(seed=0)
    fit = m.mcmc(draws=20, warmup=20, chains=1, seed=1, engine="stanli", inits=found, progress=False)
    assert fit.posterior["beta"].shape == (1, 20, 3)
