"""Data that remember how they were coded: factors, standardized numbers and dates, and new data that go the same way."""

from __future__ import annotations

import datetime
import json
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.messages.model import ModelWarning
from scistan.model.fitted import FittedModel
from scistan.ops.coding import coding_from_plain


def codes(m: ss.Model, name: str) -> list[object]:
    return m.instance().values[m[name]._scistan_node_].tolist()


def labels(m: ss.Model, name: str) -> list[object]:
    """Read a factor back: the level of every row."""
    return [m.coords[name][code] for code in codes(m, name)]


def varying(site: object = ("b", "a", "c", "b"), y: object = (1.0, 2.0, 3.0, 4.0), levels: object = None) -> ss.Model:
    m = ss.Model("varying", coords={} if levels is None else {"site": levels})
    m.site = ss.factor(site)
    m.tau = ss.HalfNormal(1)
    m.effect = ss.Normal(0, m.tau, dims="site")
    m.y = ss.Normal(m.effect[m.site], 1).observe(y)
    return m


def predicted(m: ss.Model, data: dict[str, object], new_levels: str = "refuse"):
    return FittedModel(m).elsewhere(data, None, new_levels, {})


# -- levels ----------------------------------------------------------------------------------------
LEVELS = {
    "text": (["b", "a", "b"], ["a", "b"]),
    "an array of text": (np.array(["b", "a", "b"]), ["a", "b"]),
    "an array of objects": (np.array(["b", "a", "b"], dtype=object), ["a", "b"]),
    "pandas text": (pd.Series(["b", "a", "b"], dtype="string"), ["a", "b"]),
    "an index": (pd.Index(["b", "a", "b"]), ["a", "b"]),
    "xarray": (xr.DataArray(["b", "a", "b"]), ["a", "b"]),
    "whole numbers": ([10, 2, 10], [2, 10]),
    "truth": ([True, False, True], [False, True]),
    "two types": ([2, "a", 10], [10, 2, "a"]),
    "categories, used or not": (pd.Categorical(["lo", "hi"], categories=["none", "lo", "hi"]), ["none", "lo", "hi"]),
    "a column of categories": (pd.Series(["lo", "hi"]).astype(pd.CategoricalDtype(["lo", "hi"])), ["lo", "hi"]),
    "intervals": (pd.cut([1, 5, 9], [0, 4, 10]), ["(0, 4]", "(4, 10]"]),
    "dates": (pd.Series(pd.to_datetime(["2024-02-01", "2024-01-01"])), ["2024-01-01", "2024-02-01"]),
    "dates of NumPy": (np.array(["2024-02-01", "2024-01-01"], dtype="M8[ns]"), ["2024-01-01", "2024-02-01"]),
    "dates of Python": ([datetime.date(2024, 2, 1), datetime.date(2024, 1, 1)], ["2024-01-01", "2024-02-01"]),
}


@pytest.mark.parametrize(("values", "levels"), LEVELS.values(), ids=LEVELS)
def test_levels_are_the_categories_or_sorted_labels(values, levels):
    m = ss.Model()
    m.g = ss.factor(values)
    assert m.coords == {"g": levels}
    assert set(codes(m, "g")) <= set(range(len(levels)))
    assert labels(m.with_data(g=values), "g") == labels(m, "g")


def test_codes_stand_for_their_labels():
    m = varying()
    assert labels(m, "site") == ["b", "a", "c", "b"]
    assert m.effect[m.site].shape == (4,)
    assert m.prior(2).prior["effect"].coords["site"].values.tolist() == ["a", "b", "c"]


def test_levels_in_an_order_of_ones_own():
    m = ss.Model()
    m.dose = ss.factor(["high", "low"], levels=["low", "mid", "high"])
    assert m.coords == {"dose": ["low", "mid", "high"]}
    assert codes(m, "dose") == [2, 0]


def test_the_dim_has_the_name_that_the_factor_is_given():
    m = ss.Model()
    m.place = ss.factor(pd.Series(["a", "b"], name="site"))
    assert m.coords == {"place": ["a", "b"]}


def test_rows_keep_their_dim_and_labels():
    rows = pd.Series(["a", "b"], index=pd.Index([10, 20], name="visit"))
    m = ss.Model()
    m.site = ss.factor(rows)
    m.effect = ss.Normal(0, 1, dims="site")
    m.eta = m.effect[m.site]
    assert m.coords == {"visit": [10, 20], "site": ["a", "b"]}
    assert m.prior(2).prior["eta"].dims == ("chain", "draw", "visit")


def test_declared_coords_are_the_levels():
    m = varying(site=["d", "b", "c", "b"], levels=["b", "c", "d", "e"])
    assert codes(m, "site") == [2, 0, 1, 0]
    assert m.coords["site"] == ["b", "c", "d", "e"]
    assert m.simulate(seed=0)["effect"].shape == (4,)


def test_declared_coords_may_leave_out_categories_that_are_not_used():
    many = pd.Categorical(["a", "j", "j", "a"], categories=list("abcdefghij"))
    m = varying(site=many, levels=["j", "a"])
    assert labels(m, "site") == ["a", "j", "j", "a"]
    assert m.simulate(seed=0)["effect"].shape == (2,)


def test_a_covariate_that_came_first_has_the_levels():
    m = ss.Model()
    m.altitude = ss.data(pd.Series([1.0, 2.0], index=pd.Index(["q", "p"], name="site")))
    m.site = ss.factor(["p", "p", "q"])
    assert codes(m, "site") == [1, 1, 0]


def test_crossed_and_nested_factors():
    m = ss.Model()
    m.site, m.year = ss.factor(["b", "a", "b"]), ss.factor([2020, 2019, 2020])
    m.plot = ss.factor(["b1", "a1", "b2"])
    m.effect = ss.Normal(0, 1, dims=("site", "year"))
    m.of_plot = ss.Normal(0, 1, dims="plot")
    m.y = ss.Normal(m.effect[m.site, m.year] + m.of_plot[m.plot], 1).observe([1.0, 2.0, 3.0])
    assert m.verify(points=2).ok
    table = np.arange(4.0).reshape(2, 2)
    at = {"effect": table, "of_plot": [0.0, 0.0, 0.0]}
    by_hand = ss.Model()
    by_hand.effect, by_hand.of_plot = ss.Normal(0, 1, shape=(2, 2)), ss.Normal(0, 1, shape=3)
    by_hand.y = ss.Normal(by_hand.effect[[1, 0, 1], [1, 0, 1]] + by_hand.of_plot[[1, 0, 2]], 1).observe([1.0, 2.0, 3.0])
    assert m.log_density(at) == pytest.approx(by_hand.log_density(at))
    other = m.with_data(site=["a"], year=[2020], plot=["b2"], y=[1.0])
    assert codes(other, "site") + codes(other, "year") + codes(other, "plot") == [0, 1, 2]


def nested() -> ss.Model:
    m = ss.Model()
    m.cls = ss.factor(["c3", "c1", "c2"])
    m.school = ss.factor(pd.Series(["s1", "s2", "s2"], index=pd.Index(["c1", "c2", "c3"], name="cls")))
    m.of_school = ss.Normal(0, 1, dims="school")
    m.of_class = ss.Normal(m.of_school[m.school], 1, dims="cls")
    m.y = ss.Normal(m.of_class[m.cls], 1).observe([1.0, 2.0, 3.0])
    return m


def test_a_factor_along_the_levels_of_another():
    m = nested()
    other = m.with_data(cls=["k1", "k2"], y=[1.0, 2.0], school=pd.Series(["s1", "s0"], index=["k2", "k1"]))
    assert other.coords == {"cls": ["k1", "k2"], "school": ["s0", "s1"]}
    assert labels(other, "school") == ["s0", "s1"]
    new = {"cls": ["k1", "c2"], "school": pd.Series(["s0"], index=["k1"])}
    at = predicted(m, new, "extend")
    assert at.coords == {"cls": ["c1", "c2", "c3", "k1"], "school": ["s1", "s2", "s0"]}
    assert at.values[m.school._scistan_node_].tolist() == [0, 1, 1, 2]
    moved = FittedModel(m).elsewhere(new, {"school": ["s2", "s0", "s1"]}, "extend", {})
    assert moved.values[m.school._scistan_node_].tolist() == [2, 0, 0, 1]


def test_two_factors_of_the_same_labels_pick_along_one_dim():
    teams = ["Ajax", "Porto", "Roma"]
    m = ss.Model(coords={"team": teams})
    m.home, m.away = ss.factor(["Roma", "Ajax"], levels=teams), ss.factor(["Porto", "Roma"], levels=teams)
    m.strength = ss.Normal(0, 1, dims="team")
    m.gap = m.strength[m.home] - m.strength[m.away]
    assert m.prior(2).prior["gap"].shape == (1, 2, 2)


def test_a_cell_run_twice_changes_nothing():
    m = varying()
    before = m.text(), m.coords, m.site._scistan_node_
    m.site = ss.factor(["b", "a", "c", "b"])
    assert (m.text(), m.coords, m.site._scistan_node_) == before
    with pytest.raises(ss.ModelError, match="`site` is used by `effect`"):  # the same codes of other labels are others
        m.site = ss.factor(["q", "p", "r", "q"])
    assert (m.text(), m.coords, m.site._scistan_node_) == before


def test_a_factor_that_nothing_uses_can_be_replaced():
    m = ss.Model()
    m.site = ss.factor(["b", "a"])
    m.site = ss.factor(["z", "y", "x"])
    assert m.coords == {"site": ["x", "y", "z"]}
    del m.site
    assert m.coords == {}


def test_codes_have_a_name_of_their_own_beside_the_levels():
    m = varying()
    held = m.prior(2).constant_data
    assert held["site_code"].values.tolist() == [1, 0, 2, 1]
    assert held["site"].values.tolist() == ["a", "b", "c"]
    m.site_code = ss.data(1.0)
    assert m.prior(2).constant_data["site_code_code"].values.tolist() == [1, 0, 2, 1]


# -- new data --------------------------------------------------------------------------------------
def test_known_labels_keep_the_levels():
    other = varying().with_data(site=["c", "a"], y=[0.0, 0.0])
    assert other.coords["site"] == ["a", "b", "c"]
    assert codes(other, "site") == [2, 0]
    assert other.simulate(seed=0)["effect"].shape == (3,)


def test_another_fit_takes_its_levels_from_its_own_data():
    m = varying()
    other = m.with_data(site=["q", "p", "a", "r", "q"], y=np.zeros(5))
    assert other.coords["site"] == ["a", "p", "q", "r"]
    assert labels(other, "site") == ["q", "p", "a", "r", "q"]
    assert other.simulate(seed=0)["effect"].shape == (4,)
    assert other.stan_code() == m.stan_code()
    assert m.coords["site"] == ["a", "b", "c"]
    back = other.with_data(site=["p"], y=[0.0])
    assert back.coords["site"] == ["a", "p", "q", "r"]


def test_new_categories_come_in_their_order():
    new = pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"])
    other = varying().with_data(site=new, y=[0.0, 0.0])
    assert other.coords["site"] == ["lo", "mid", "hi"]


def test_levels_can_be_given_with_the_data():
    other = varying().with_data(site=["q", "a"], y=[0.0, 0.0], coords={"site": ["q", "a", "z"]})
    assert other.coords["site"] == ["q", "a", "z"]
    assert codes(other, "site") == [0, 1]


def test_coords_in_another_order_move_the_codes():
    m = varying()
    other = m.with_data(coords={"site": ["c", "a", "b"]})
    assert labels(other, "site") == labels(m, "site")
    with pytest.raises(ss.DataError, match="`site` still has the old ones"):
        m.with_data(coords={"site": ["x", "y", "z"]})


def test_prediction_knows_its_levels():
    m = varying()
    at = predicted(m, {"site": ["c"]})
    assert at.values[m.site._scistan_node_].tolist() == [2]
    with pytest.raises(ss.DataError, match="did you mean 'a'"):
        predicted(m, {"site": ["aa"]})


def test_prediction_puts_new_levels_after_the_old_ones():
    m = varying()
    at = predicted(m, {"site": ["A", "b", "z"]}, "extend")
    assert at.coords["site"] == ["a", "b", "c", "A", "z"]
    assert at.values[m.site._scistan_node_].tolist() == [3, 1, 4]
    assert at.shape(m.effect._scistan_node_.shape) == (5,)


def with_altitude() -> ss.Model:
    m = ss.Model()
    m.site = ss.factor(["b", "a", "c", "b"])
    m.altitude = ss.data(pd.Series([3.0, 1.0, 2.0], index=pd.Index(["c", "a", "b"], name="site")))
    m.effect = ss.Normal(m.altitude, 1, dims="site")
    m.y = ss.Normal(m.effect[m.site], 1).observe([1.0, 2.0, 3.0, 4.0])
    return m


@pytest.mark.parametrize("sites", [["z", "a"], ["z"], ["c", "z", "b", "a"], ["a", "b", "c", "z"]])
def test_data_along_the_levels_are_given_for_the_new_ones_or_for_all(sites):
    m = with_altitude()
    altitude = pd.Series([ord(site) * 1.0 for site in sites], index=sites)
    at = predicted(m, {"site": ["z", "a"], "altitude": altitude}, "extend")
    expected = {"a": 1.0, "b": 2.0, "c": 3.0} | altitude.to_dict()
    assert dict(zip(at.coords["site"], at.values[m.altitude._scistan_node_], strict=True)) == expected


def test_data_along_the_levels_of_another_fit_are_matched():
    altitude = pd.Series([20.0, 10.0], index=["q", "p"])
    other = with_altitude().with_data(site=["q", "p", "p"], y=np.zeros(3), altitude=altitude)
    assert other.coords["site"] == ["p", "q"]
    assert codes(other, "altitude") == [10.0, 20.0]


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(6)), st.permutations(["a", "b", "c", "d"]))
def test_neither_the_order_of_rows_nor_of_levels_changes_the_density(rows, levels):
    site, y = np.array(list("badcab")), np.arange(6.0)
    plain, effects = varying(site=site, y=y), {"a": 0.3, "b": -1.0, "c": 2.0, "d": 0.1}

    def density(m: ss.Model) -> float:
        return m.log_density({"tau": 1.0, "effect": [effects[level] for level in m.coords["site"]]})

    expected = density(plain)
    moved, moved_y = site[rows], y[rows]
    assert density(varying(site=moved, y=moved_y)) == pytest.approx(expected)
    assert density(varying(site=pd.Categorical(moved, categories=levels), y=moved_y)) == pytest.approx(expected)
    assert density(varying(site=moved, y=moved_y, levels=levels)) == pytest.approx(expected)
    assert density(plain.with_data(site=moved, y=moved_y)) == pytest.approx(expected)
    assert density(plain.with_data(coords={"site": levels})) == pytest.approx(expected)


# -- text, categories and outcomes as they are -----------------------------------------------------
def test_text_makes_the_factor_itself_and_says_so():
    m = ss.Model()
    with pytest.warns(ModelWarning, match=r"`site` holds text: taken as a factor of levels '1', '2'"):
        m.site = ss.data(["2", "1"])
    assert m.coords == {"site": ["1", "2"]}
    with pytest.warns(ModelWarning, match="`arm` holds categories"):
        m.arm = ss.data(pd.Series(["lo", "hi"], dtype="category"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.said = ss.factor(["2", "1"])
        assert codes(m.with_data(site=["1", "1"]), "site") == [0, 0]


def test_truth_stays_a_number_in_plain_data():
    m = ss.Model()
    m.flag = ss.data([True, False])
    assert m.coords == {}
    assert codes(m, "flag") == [1, 0]


OUTCOMES = {
    "Bernoulli": (lambda: ss.Bernoulli(0.25), ["yes", "no", "yes"], [1, 0, 1]),
    "BernoulliLogit": (lambda: ss.BernoulliLogit(0.25), ["yes", "no", "yes"], [1, 0, 1]),
    "Categorical": (lambda: ss.Categorical([0.2, 0.3, 0.5]), ["b", "c", "a"], [1, 2, 0]),
    "OrderedLogistic": (
        lambda: ss.OrderedLogistic(0.3, [-1.0, 1.0]), pd.Categorical(["hi", "lo"], categories=["lo", "mid", "hi"]), [2, 0]
    ),
}


@pytest.mark.parametrize(("distribution", "values", "expected"), OUTCOMES.values(), ids=OUTCOMES)
def test_labels_are_outcomes(distribution, values, expected):
    by_label, by_code = ss.Model(), ss.Model()
    by_label.y = distribution().observe(ss.factor(values))
    by_code.y = distribution().observe(expected)
    assert by_label.log_density({}) == by_code.log_density({})
    assert codes(by_label.with_data(y=values[:1]), "y") == expected[:1]
    with pytest.raises(ss.DataError, match="not among the levels"):
        by_label.with_data(y=["other"])
    assert by_label.coords == {}


def test_text_observed_says_what_it_became():
    m = ss.Model()
    with pytest.warns(ModelWarning, match="`y` holds text: taken as a factor of levels 'no', 'yes'"):
        m.y = ss.Bernoulli(0.25).observe(["yes", "no"])
    assert m.prior(1).observed_data["y"].values.tolist() == [1, 0]


def test_a_named_factor_can_be_observed():
    m = ss.Model()
    m.arm = ss.factor(["b", "a", "b"])
    m.p = ss.Dirichlet([1.0, 1.0], dims="arm")
    m.y = ss.Categorical(m.p).observe(m.arm)
    assert m.log_density({"p": [0.25, 0.75]}) == pytest.approx(2 * np.log(0.75) + np.log(0.25))
    assert codes(m.with_data(arm=["a", "a"]), "y") == [0, 0]


# -- standardized numbers --------------------------------------------------------------------------
def frame() -> pd.DataFrame:
    return pd.DataFrame({"age": [30.0, 40.0, 80.0], "dose": [1.0, 2.0, 4.0]})


def test_each_column_has_mean_0_and_sd_1():
    m = ss.Model()
    m.x, m.one = ss.standardize(frame()), ss.standardize([1, 2, 6])
    table = np.array(codes(m, "x"))
    assert np.allclose(table.mean(0), 0)
    assert np.allclose(table.std(0), 1)
    assert np.allclose(codes(m, "one"), (np.array([1, 2, 6]) - 3) / np.std([1, 2, 6]))


def test_new_data_are_in_original_units():
    m = ss.Model()
    m.x = ss.standardize(frame()["age"])
    other = m.with_data(x=[50.0, 50.0])
    assert codes(other, "x") == [0.0, 0.0]
    assert np.allclose(codes(m.with_data(x=frame()["age"]), "x"), codes(m, "x"))
    assert predicted(m, {"x": [50.0]}).values[m.x._scistan_node_].tolist() == [0.0]


def test_columns_are_standardized_by_their_labels():
    m = ss.Model()
    m.x = ss.standardize(frame())
    swapped = m.with_data(x=frame()[["dose", "age"]])
    assert np.allclose(codes(swapped, "x"), codes(m, "x"))


def test_declared_columns_in_another_order():
    m = ss.Model(coords={"feature": ["dose", "age"]})
    m.x = ss.standardize(frame(), dims=("row", "feature"))
    own = (frame() - frame().mean()) / frame().std(ddof=0)
    assert np.allclose(codes(m, "x"), own[["dose", "age"]])
    assert np.allclose(codes(m.with_data(x=frame()), "x"), own[["dose", "age"]])


# -- dates -----------------------------------------------------------------------------------------
DATES = {
    "pandas": pd.Series(pd.to_datetime(["2024-03-05 00:00", "2024-03-01 12:00"])),
    "an index": pd.to_datetime(["2024-03-05 00:00", "2024-03-01 12:00"]),
    "numpy": np.array(["2024-03-05", "2024-03-01T12"], dtype="M8[h]"),
    "python": [datetime.datetime(2024, 3, 5), datetime.datetime(2024, 3, 1, 12)],
    "xarray": xr.DataArray(pd.to_datetime(["2024-03-05 00:00", "2024-03-01 12:00"])),
    "a zone": pd.Series(pd.to_datetime(["2024-03-05 01:00", "2024-03-01 13:00"])).dt.tz_localize("Europe/Oslo"),
}


@pytest.mark.parametrize("dates", DATES.values(), ids=DATES)
def test_dates_are_days_since_the_earliest(dates):
    m = ss.Model()
    m.day = ss.data(dates)
    assert codes(m, "day") == [3.5, 0.0]
    assert codes(m.with_data(day=pd.to_datetime(["2024-03-02", "2024-02-28"])), "day") == [0.5, -2.5]
    assert codes(m.with_data(day=["2024-03-03", "2024-03-02"]), "day") == [1.5, 0.5]


def test_spans_of_time_are_days():
    m = ss.Model()
    m.wait = ss.data([datetime.timedelta(hours=12), datetime.timedelta(days=2)])
    assert codes(m, "wait") == [0.5, 2.0]
    assert codes(m.with_data(wait=pd.to_timedelta(["6 hours"])), "wait") == [0.25]


def test_dates_can_be_standardized():
    m = ss.Model()
    m.day = ss.standardize(pd.to_datetime(["2024-03-01", "2024-03-03"]))
    assert codes(m, "day") == [-1.0, 1.0]
    assert codes(m.with_data(day=[datetime.date(2024, 3, 5)]), "day") == [3.0]


# -- saving ----------------------------------------------------------------------------------------
CODED = {
    "text": lambda: ss.factor(["b", "a"]),
    "levels given": lambda: ss.factor(["b", "a"], levels=["b", "a", "c"]),
    "two types": lambda: ss.factor([True, 2.5, "a"]),
    "intervals": lambda: ss.factor(pd.cut([1, 5], [0, 4, 10])),
    "dates": lambda: ss.data(pd.to_datetime(["2024-03-05 00:00", "2024-03-01 12:00"])),
    "spans": lambda: ss.data(pd.to_timedelta(["1 days"])),
    "standardized": lambda: ss.standardize([1.0, 2.0, 4.0]),
    "a standardized table": lambda: ss.standardize(frame()),
    "standardized dates": lambda: ss.standardize(pd.to_datetime(["2024-03-05 00:00", "2024-03-01 12:00"])),
}


@pytest.mark.parametrize("make", CODED.values(), ids=CODED)
def test_a_coding_is_read_back_as_it_was_written(make):
    coding = make()._scistan_node_.coding
    assert coding_from_plain(json.loads(json.dumps(coding.to_plain()))) == coding


def test_observed_dates_are_told() -> None:
    dates = pd.to_datetime(["2020-01-03", "2020-01-01", "2020-01-06"])
    m = ss.Model()
    m.mu = ss.Normal(0, 10)
    with pytest.warns(ModelWarning, match=r"`y` observes dates: Normal sees days since .* 2020-01-01"):
        m.y = ss.Normal(m.mu, 1).observe(dates)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.x = ss.data(dates)  # as a predictor nothing hangs on the origin
        m.z = ss.Normal(m.mu, 1).observe(dates - dates.min())


def test_an_order_of_outcomes_is_never_the_alphabets() -> None:
    doses = ["none", "low", "high", "low"]
    m = ss.Model()
    for unordered in (doses, pd.Series(doses, dtype="category"), np.array(doses)):
        with pytest.raises(ss.ModelError, match=r"have an order, and these labels have none.*'high', 'low', 'none'"):
            m.y = ss.OrderedLogistic(0.3, [-1.0, 1.0]).observe(ss.factor(unordered))
    chosen = ["none", "low", "high"]
    by_alphabet = ["a_first", "b_second", "c_third"]
    for name, values in {
        "levels": ss.factor(doses, levels=chosen),
        "categories": ss.factor(pd.Categorical(doses, categories=chosen)),
        "in_order": ss.factor(pd.Categorical([by_alphabet[chosen.index(d)] for d in doses], by_alphabet, ordered=True)),
        "numbers": ss.factor([0, 10, 20, 10]),
    }.items():
        m[name] = ss.OrderedLogistic(0.3, [-1.0, 1.0]).observe(values)
        assert codes(m, name) == [0, 1, 2, 1]
    m.category = ss.Categorical([0.2, 0.3, 0.5]).observe(ss.factor(doses))  # whose outcomes have no order


def test_a_table_gives_the_columns_that_a_table_of_the_model_was_made_of() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"dose": rng.normal(5, 2, 8), "age": rng.normal(40, 9, 8), "arm": list("abababab")})
    y = np.arange(8.0)

    def model(coded) -> ss.Model:
        m = ss.Model()
        m.X = coded(table[["dose", "age"]])
        m.arm = ss.factor(table.arm)
        m.b = ss.Normal(0, 1, shape=2)
        m.e = ss.Normal(0, 1, dims="arm")
        m.y = ss.Normal(m.X @ m.b + m.e[m.arm], 1).observe(y)
        return m

    new = table.iloc[[3, 1]].assign(y=[0.0, 1.0])
    at = {"b": [0.3, -0.1], "e": [1.0, -1.0]}
    for coded in (ss.data, ss.standardize):
        m = model(coded)
        expected = m.with_data(X=new[["dose", "age"]], arm=new.arm, y=new.y).log_density(at)
        assert m.with_data(new).log_density(at) == expected
        assert m.with_data(new[["y", "age", "arm", "dose"]]).log_density(at) == expected  # by label, in any order
        with pytest.raises(ss.DataError, match="`X`"):
            m.with_data(new[["y", "age", "arm"]])  # a column is missing: none is made up
        twice = pd.concat([new, new[["age"]]], axis=1)
        with pytest.raises(ss.DataError, match="age"):
            m.with_data(twice)
