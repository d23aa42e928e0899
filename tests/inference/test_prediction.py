"""Prediction that a report can rest on: noise of its own, the fitted model, statistics of the fit, and what is told."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import scistan as ss
from scistan.messages.prediction import PredictionWarning


def sampled(m: ss.Model, draws: int = 400, **options):
    return m.mcmc(seed=1, draws=draws, warmup=300, chains=2, engine="stanli", progress=False, **options)


def trial() -> ss.Model:
    rng = np.random.default_rng(0)
    treated = np.repeat([0.0, 1.0], 50)
    m = ss.Model("trial")
    m.t = ss.data(treated)
    m.b = ss.Normal(0, 10)
    m.y = ss.Normal(m.b * m.t, 2).observe(treated + rng.normal(0, 2, 100))
    return m


@pytest.fixture(scope="module")
def fit():
    return sampled(trial(), draws=2000)


# -- streams -----------------------------------------------------------------------------------------
def test_two_calls_have_noise_of_their_own(fit):
    treated, control = (fit.predict({"t": [t]}).predictions["y"].values for t in (1.0, 0.0))
    expected = np.sqrt(fit.posterior["b"].var() + 2 * 2.0**2)
    assert (treated - control).std() == pytest.approx(expected, rel=5 / np.sqrt(treated.size))


def test_a_call_is_given_back_by_its_seed(fit):
    first = fit.predict({"t": [1.0, 0.0]}).predictions
    again = fit.predict({"t": [1.0, 0.0]}, seed=first.attrs["seed"]).predictions
    assert first["y"].equals(again["y"])
    other = fit.predict({"t": [1.0, 0.0]}).predictions
    assert other.attrs["seed"] != first.attrs["seed"]


def test_a_fit_with_the_same_seed_predicts_the_same():
    one, other = (sampled(trial()) for _ in range(2))
    for _ in range(2):
        assert one.predict({"t": [1.0]}).predictions["y"].equals(other.predict({"t": [1.0]}).predictions["y"])


# -- the model that was fitted -----------------------------------------------------------------------
def test_a_changed_density_is_refused_and_later_quantities_are_welcome():
    m = trial()
    fit = sampled(m)
    m.odds = ss.exp(m.b)
    np.testing.assert_allclose(fit.predict({"t": [1.0]}).predictions["odds"], np.exp(fit.posterior["b"]))
    m.y = ss.Normal(m.b * m.t, 20).observe(np.zeros(100))
    with pytest.raises(ss.ModelError, match=r"`y` has changed in the model `trial` since this fit"):
        fit.predict({"t": [1.0]})
    del m.y
    with pytest.raises(ss.ModelError, match=r"`y` is no longer in the model"):
        fit.predict({"t": [1.0]})


def test_a_cell_run_twice_changes_nothing():
    m = trial()
    fit = sampled(m)
    values = m.instance().values[m.y._scistan_node_]
    m.y = ss.Normal(m.b * m.t, 2).observe(values)
    assert fit.predict({"t": [1.0]}).predictions["y"].shape == (2, 400, 1)


# -- statistics of the data --------------------------------------------------------------------------
@pytest.mark.parametrize("ddof", [0, 1])
def test_what_standardizes_stays_as_in_the_fit(ddof):
    x = np.random.default_rng(1).normal(10, 3, (30, 2))
    m = ss.Model()
    m.x = ss.data(x)
    m.z = (m.x - m.x.mean(axis=0)) / ss.std(m.x, axis=0, ddof=ddof)
    m.centred = m.x - ss.mean(m.x, axis=0, keepdims=True)
    m.b = ss.Normal(0, 1, shape=2)
    m.y = ss.Normal(m.z @ m.b, 1).observe(np.zeros(30))
    fit = sampled(m)
    new = x.mean(0) + x.std(0, ddof=ddof) * np.array([[1.0, 2.0], [0.0, -1.0]])
    found = fit.predict({"x": new}).predictions
    np.testing.assert_allclose(found["z"].values[0, 0], [[1, 2], [0, -1]], atol=1e-12)
    np.testing.assert_allclose(found["centred"].values[0, 0], new - x.mean(0), atol=1e-12)
    assert any("std(x)" in text for text in json.loads(found.attrs["frozen"]))
    assert any("mean(x)" in note for note in fit.notes)
    again = m.with_data(x=new, y=np.zeros(2)).simulate(seed=0)["z"]  # another fit: computed anew
    np.testing.assert_allclose(again.mean(0), 0, atol=1e-12)


OTHERS = {
    "largest": lambda m: m.x - ss.max(m.x),
    "total": lambda m: m.x / ss.sum(m.x),
    "mean of something else": lambda m: m.w - ss.mean(m.x),
    "running": lambda m: ss.cumsum(m.x),
    "product": lambda m: m.x * (m.x @ m.x),
    "one row": lambda m: m.x - m.x[0],
    "one row, as a slice": lambda m: m.x - m.x[-1:],
    "some rows": lambda m: m.x - ss.sum(m.x[:2]),
    "mean of a part": lambda m: m.x - ss.mean(m.x[1:]),
    "mean of every second": lambda m: m.x - ss.mean(m.x[::2]),
    "mean of a long list": lambda m: m.x - ss.mean(ss.reshape(ss.stack([m.x, m.w]), -1)),
}


ROWWISE = {
    "centred": (lambda x, along: x - along.mean(x, axis=1, keepdims=True)),
    "scaled": (lambda x, along: x / along.std(x, axis=1)[:, None]),
    "standardized": (lambda x, along: (x - along.mean(x, axis=1)[:, None]) / along.std(x, axis=1)[:, None]),
    "shares": (lambda x, along: x / along.sum(x, axis=1)[:, None]),
}


@pytest.mark.parametrize("rows", [1, 4, 6])
@pytest.mark.parametrize("build", ROWWISE.values(), ids=ROWWISE)
def test_statistics_of_each_row_belong_to_the_row(build, rows):
    rng = np.random.default_rng(3)
    m = ss.Model()
    m.x = ss.data(rng.normal(5, 1, (4, 3)))
    m.b = ss.Normal(0, 1)
    m.z = build(m.x, ss)
    m.y = ss.Normal(m.b * m.z[:, 0], 1).observe(np.zeros(4))
    new = rng.normal(8, 2, (rows, 3))
    found = sampled(m).predict({"x": new}, draws=2).predictions
    np.testing.assert_allclose(found["z"].values[0, 0], build(new, np), atol=1e-12)
    assert json.loads(found.attrs["frozen"]) == []


@pytest.mark.parametrize("build", OTHERS.values(), ids=OTHERS)
def test_any_other_statistic_must_be_said(build):
    m = ss.Model()
    m.x, m.w = ss.data(np.arange(1.0, 6.0)), ss.data(np.arange(5.0))
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b * build(m), 1).observe(np.zeros(5))
    fit = sampled(m)
    with pytest.raises(ss.DataError, match=r"ss\.frozen\((.|\n)*ss\.live\("):
        fit.predict({"x": [7.0, 8.0], "w": [0.0, 1.0]})
    assert fit.predict().predictions["y"].shape == (2, 400, 5)


def test_frozen_and_live_say_it():
    x = np.arange(1.0, 6.0)
    m = ss.Model()
    m.x = ss.data(x)
    m.b = ss.Normal(0, 1)
    m.kept = m.x / ss.frozen(ss.max(m.x))
    m.fresh = m.x / ss.live(ss.max(m.x))
    m.share = ss.sum(m.b * m.x)  # holds a latent: computed anew
    m.y = ss.Normal(m.b * m.kept, 1).observe(np.zeros(5))
    assert "frozen" not in m.stan_code()
    assert m.verify(points=2).ok
    fit = sampled(m)
    found = fit.predict({"x": [10.0, 20.0]}).predictions
    np.testing.assert_allclose(found["kept"].values[0, 0], [2, 4])
    np.testing.assert_allclose(found["fresh"].values[0, 0], [0.5, 1])
    np.testing.assert_allclose(found["share"], 30 * fit.posterior["b"])


def test_sums_over_columns_are_of_each_row():
    m = ss.Model()
    m.x = ss.data(np.arange(8.0).reshape(4, 2))
    m.b = ss.Normal(0, 1)
    m.total = ss.sum(m.x, axis=1)
    m.y = ss.Normal(m.b * m.total, 1).observe(np.zeros(4))
    found = sampled(m).predict({"x": [[1.0, 2.0]]}).predictions["total"]
    assert found.values[0, 0].tolist() == [3.0]


# -- what is told, and how much is given -------------------------------------------------------------
def test_values_far_outside_the_fitted_range_are_told(fit):
    with pytest.warns(PredictionWarning, match=r"`t`: 1 of 2 new values lie far outside the fitted range \[0, 1\], 7"):
        fit.predict({"t": [0.5, 7.0]})
    with warnings.catch_warnings():
        warnings.simplefilter("error", PredictionWarning)
        fit.predict({"t": [0.5, 1.5]})


def test_data_that_were_given_and_that_stayed():
    m = trial()
    m.shift = ss.data(1.0)
    m.shifted = m.b + m.shift
    found = sampled(m).predict({"t": [0.0, 1.0]}).predictions
    assert json.loads(found.attrs["data_given"]) == ["t"]
    assert json.loads(found.attrs["data_of_the_fit"]) == ["shift"]


def test_less_than_everything(fit):
    few = fit.predict({"t": [0.0, 1.0]}, draws=100, var_names="b").predictions
    assert list(few) == ["b"]
    assert few["b"].shape == (2, 50)
    assert set(few["b"].values.ravel()) <= set(fit.posterior["b"].ravel())
    with pytest.raises(ss.ModelError, match=r"`var_names` names `z`"):
        fit.predict(var_names=["z"])
    for wrong in (0, 2.5, True, "ten"):
        with pytest.raises(ss.ModelError, match="`draws` must be"):
            fit.predict(draws=wrong)
    with pytest.raises(ss.ModelError, match="`new_levels` must be"):
        fit.predict(new_levels="sample")


def test_tables_that_do_not_fit_are_refused_with_the_remedy(fit, monkeypatch):
    monkeypatch.setattr("scistan.inference.memory.free_memory", lambda: 1e6)
    with pytest.raises(ss.ModelError, match=r"would take(.|\n)*draws=500"):
        fit.predict({"t": np.zeros(1000)})
    assert fit.predict({"t": np.zeros(1000)}, draws=20).predictions["y"].shape == (2, 10, 1000)


def test_labels_of_columns_are_matched_and_others_refused():
    rng = np.random.default_rng(2)
    x = pd.DataFrame(rng.normal(size=(40, 2)), columns=["dose", "age"])
    m = ss.Model()
    m.x = ss.data(x)
    m.b = ss.Normal(0, 10, shape=2)
    m.mean = m.x @ m.b
    m.y = ss.Normal(m.mean, 0.1).observe(5 * x.dose - x.age)
    fit = sampled(m)
    new = pd.DataFrame({"age": [0.0, 1.0], "dose": [1.0, 0.0]})
    found = fit.predict({"x": new}).predictions["mean"].mean(("chain", "draw")).values
    np.testing.assert_allclose(found, [5, -1], atol=0.2)
    with pytest.raises(ss.DataError, match=r"'weight'"):
        fit.predict({"x": new.rename(columns={"age": "weight"})})


def test_a_table_in_another_order_meets_what_stayed():
    d = pd.DataFrame({"x": np.arange(4.0), "z": np.arange(4.0) * 10, "y": np.arange(4.0)}, index=list("abcd"))
    m = ss.Model()
    m.x, m.z, m.b = ss.data(d.x), ss.data(d.z), ss.Normal(0, 1)
    m.mean = m.x + m.z
    m.y = ss.Normal(m.mean * m.b, 1).observe(d.y)
    fit = sampled(m)
    found = fit.predict(d.iloc[::-1][["x"]]).predictions["mean"].isel(chain=0, draw=0)
    assert found.to_series().to_dict() == {"a": 0.0, "b": 11.0, "c": 22.0, "d": 33.0}
    with pytest.raises(ss.DataError, match=r"`z` still has the old ones"):
        fit.predict(d.rename(str.upper)[["x"]])
    with pytest.raises(ss.DataError, match=r"`z` still has the old ones"):
        fit.predict(d.iloc[:2][["x"]])


def test_starting_values_are_matched_by_label():
    m = ss.Model(coords={"site": list("abc")})
    m.a = ss.Normal(0, 1, dims="site")
    m.y = ss.Normal(m.a, [0.1, 1.0, 10.0], dims="site").observe([1.0, 2.0, 3.0])
    turned = ss.Model(coords={"site": list("cba")})
    turned.a = ss.Normal(0, 1, dims="site")
    turned.y = ss.Normal(turned.a, [10.0, 1.0, 0.1], dims="site").observe([3.0, 2.0, 1.0])
    from scistan.inference.inits import starting_values
    from scistan.targets.stan.program import lower_to_stan

    def start(model, inits):
        found = starting_values(model.instance(), lower_to_stan(model.to_graph()), inits, 1, 1, "{}")
        return json.loads(found[0])["a"]

    values = pd.Series([1.0, 2.0, 3.0], index=list("abc"))
    assert start(m, {"a": values}) == start(m, {"a": values.iloc[::-1]}) == [1.0, 2.0, 3.0]
    assert start(turned, {"a": values}) == [3.0, 2.0, 1.0]
    fit = sampled(m)
    assert start(turned, fit) == start(m, fit)[::-1]
    with pytest.raises(ss.DataError, match="'d'"):
        start(m, {"a": values.rename({"c": "d"})})


# -- what is set stays in its rows ---------------------------------------------------------------------
def test_do_leaves_the_rows_what_they_are():
    rng = np.random.default_rng(5)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=12))
    m.s = ss.HalfNormal(1)
    m.e = ss.Normal(0, m.s, shape=12)
    m.q = m.e + m.x
    m.y = ss.Normal(m.q, 1).observe(rng.normal(size=12))
    fit = sampled(m)
    for value in (2.0, np.full(12, 2.0)):
        found = fit.predict(do={"x": value}).predictions["q"].values
        np.testing.assert_allclose(found, fit.posterior["e"] + 2.0)
    with pytest.raises(ss.DataError, match="12 new rows"):
        fit.predict({"x": np.full(12, 2.0)})


# -- columns --------------------------------------------------------------------------------------------
TABLE = pd.DataFrame({"dose": [0.0, 1.0, 2.0, 1.0], "age": [3.0, 1.0, 4.0, 1.0]})
PRODUCTS = {
    "matmul": lambda m: m.x @ m.b,
    "sum": lambda m: ss.sum(m.x * m.b, axis=1),
    "mean": lambda m: ss.mean(m.b * m.x, axis=-1),
}


@pytest.mark.parametrize("read", [ss.data, ss.standardize])
@pytest.mark.parametrize("write", PRODUCTS.values(), ids=PRODUCTS)
def test_a_sum_over_columns_needs_all_that_were_fitted(write, read):
    m = ss.Model()
    m.x = read(TABLE)
    m.b = ss.Normal(0, 1, shape=2)
    m.q = write(m)
    m.y = ss.Normal(m.q, 1).observe(np.zeros(4))
    fit = sampled(m)
    with pytest.raises(ss.DataError, match=r"`x` came without the column 'age', which `b` was fitted with"):
        fit.predict({"x": TABLE[["dose"]]})
    with pytest.raises(ss.DataError):
        fit.predict({"x": TABLE[["dose"]]}, new_levels="draw")
    with pytest.raises(ss.DataError):
        fit.predict({"x": TABLE.rename(columns={"age": "weight"})}, new_levels="draw")
    for columns in (1, 3):
        with pytest.raises(ss.DataError, match="column"):
            fit.predict({"x": np.ones((2, columns))}, new_levels="draw")
    swapped = fit.predict({"x": TABLE[["age", "dose"]].iloc[:1]}).predictions["q"].values[..., 0]
    np.testing.assert_allclose(swapped, fit.predict({"x": TABLE}).predictions["q"].values[..., 0])


def test_some_of_the_years_are_no_missing_columns():
    table = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("site", "year"), coords={"year": [1, 2, 3]})
    m = ss.Model()
    m.x = ss.data(table)
    m.year_effect = ss.Normal(0, 1, dims="year")
    m.q = m.x + m.year_effect
    m.y = ss.Normal(m.q, 1).observe(table)
    fit = sampled(m)
    found = fit.predict({"x": table.sel(year=[3, 2])}).predictions["q"]
    fixed = found.sel(year=2).values - fit.posterior["year_effect"][:, :, None, 1]
    np.testing.assert_allclose(fixed, np.broadcast_to([1.0, 4.0], fixed.shape))
