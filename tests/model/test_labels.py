"""Law 3: labelled things are matched by label where data enter; permuting them changes no density."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss

laws = settings(derandomize=True, deadline=None, max_examples=25, database=None)
ROWS = list("abcdefgh")
COLUMNS = ["dose", "age", "weight"]
POINT = {"beta": [0.5, -1.0, 2.0], "a": [0.1, 0.2, 0.3], "s": 0.7}


def table(rows=ROWS, name=None) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(len(ROWS), 3)), index=pd.Index(ROWS, name=name), columns=COLUMNS)
    return frame.loc[list(rows)]


def outcome(name=None) -> pd.Series:
    return pd.Series(np.random.default_rng(6).normal(size=len(ROWS)), index=pd.Index(ROWS, name=name))


def scale(name=None) -> pd.Series:
    return pd.Series(np.linspace(1, 2, len(ROWS)), index=pd.Index(ROWS, name=name))


def regression(x, y, sd, named=False) -> ss.Model:
    m = ss.Model("regression", coords={"coef": COLUMNS, "group": ["u", "v", "w"]})
    m.x = ss.data(x)
    m.sd = ss.data(sd)
    m.beta = ss.Normal(0, [1.0, 2.0, 3.0], dims="coef")
    m.a = ss.Normal(0, pd.Series([1.0, 2.0, 3.0], index=["u", "v", "w"]), dims="group")
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.x @ m.beta + ss.sum(m.a), m.s * m.sd).observe(y)
    return m


def density(m: ss.Model) -> float:
    return m.log_density(POINT)


permutations = st.permutations(ROWS)


@pytest.mark.parametrize("name", [None, "patient"])
@laws
@given(rows=permutations, others=permutations, columns=st.permutations(COLUMNS))
def test_permuted_rows_and_columns_are_one_model(name, rows, others, columns):
    expected = density(regression(table(name=name), outcome(name), scale(name)))
    x = table(rows, name)[list(columns)]
    assert density(regression(x, outcome(name).loc[list(others)], scale(name))) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", [None, "patient"])
@laws
@given(rows=permutations, others=permutations, columns=st.permutations(COLUMNS))
def test_swapped_data_are_matched_by_label(name, rows, others, columns):
    m = regression(table(name=name), outcome(name), scale(name))
    expected = density(m)
    x, y = table(rows, name)[list(columns)], outcome(name).loc[list(others)]
    assert density(m.with_data(x=x, y=y)) == pytest.approx(expected, rel=1e-12)
    assert density(m.with_data(x=x)) == pytest.approx(expected, rel=1e-12)
    # Other labels altogether, in one order here and in another there.
    new = {row: f"new {row}" for row in ROWS}
    other = m.with_data(x=x.rename(new), y=y.rename(new), sd=scale(name).rename(new))
    assert density(other) == pytest.approx(expected, rel=1e-12)


@laws
@given(rows=st.permutations(range(8)), others=st.permutations(range(8)))
def test_positions_of_a_table_are_labels_beside_other_orders(rows, others):
    frame = pd.DataFrame({"x": np.arange(8.0), "y": np.arange(8.0) * 2})
    m = ss.Model()
    m.x = ss.data(frame.x.iloc[list(rows)])
    m.y = ss.Normal(2 * m.x, 1).observe(frame.y.iloc[list(others)])
    assert m.log_density({}) == pytest.approx(8 * -0.9189385332046727, rel=1e-12)


@laws
@given(order=st.permutations(["u", "v", "w"]))
def test_levels_of_values_and_labelled_arrays_in_expressions(order):
    m = regression(table(), outcome(), scale())
    labelled = pd.Series(POINT["a"], index=["u", "v", "w"]).loc[list(order)]
    assert m.log_density({**POINT, "a": labelled}) == density(m)
    array = xr.DataArray(labelled.to_numpy(), dims="group", coords={"group": list(order)})
    assert m.log_density({**POINT, "a": array}) == density(m)
    m.far = m.a * 0 + labelled
    m.farther = labelled + m.a * 0
    m.farthest = m.a * 0 + array
    prior = m.prior(2, seed=0).prior
    for name in ("far", "farther", "farthest"):
        np.testing.assert_array_equal(prior[name].values[0, 0], POINT["a"])


def test_covariances_and_event_columns_are_matched_too():
    cov = pd.DataFrame([[1.0, 0.5], [0.5, 4.0]], index=["p", "q"], columns=["p", "q"])
    values = pd.DataFrame([[0.3, -2.0], [1.0, 3.0]], columns=["p", "q"])
    found = []
    for k in (["p", "q"], ["q", "p"]):
        for own in (["p", "q"], ["q", "p"]):
            m = ss.Model()
            m.mu = ss.data(pd.Series([0.0, 1.0], index=["p", "q"]))
            m.y = ss.MultivariateNormal(m.mu, cov=cov.loc[k, k]).observe(values[own])
            found.append(m.log_density({}))
    assert found == pytest.approx([found[0]] * 4, rel=1e-12)


# -- what does not match is refused by name ----------------------------------------------------------
def refused(call, *words):
    with pytest.raises(ss.DataError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_disjoint_rows_are_refused():
    m = regression(table(), outcome(), scale())
    refused(lambda: m.with_data(x=table().rename(str.upper), y=outcome()), "`y`", "'A'")
    refused(lambda: m.with_data(x=table().rename(str.upper)), "`x`", "`sd`", "`y`", "still")
    refused(lambda: m.with_data(x=table().iloc[:3], y=outcome().iloc[:3]), "`sd`")
    refused(lambda: m.with_data(x=table().iloc[:3].to_numpy(), y=np.zeros(3)), "`sd`", "length 8")


def test_other_rows_meet_nowhere():
    m = ss.Model()
    m.x = ss.data(pd.Series([1.0, 2.0], index=["a", "b"]))
    m.z = ss.data(pd.Series([1.0, 2.0], index=["a", "c"]))
    def meet():
        m.sum = m.x + m.z
    refused(meet, "`z`", "`x`", "'c'", "'b'")
    def observe():
        m.y = ss.Normal(m.x, 1).observe(pd.Series([1.0, 2.0]))
    refused(observe, "`y`", "0, 1", "set_index")
    assert "y" not in m.variables
    m.y = ss.Normal(m.x, 1).observe(np.array([1.0, 2.0]))  # no labels at all: positions


def test_rows_never_given_an_index_are_positions_along_a_dim_of_the_users():
    m = ss.Model(coords={"school": list("AB")})
    m.x = ss.data(pd.Series([1.0, 2.0]), dims="school")
    m.y = ss.Normal(m.x, 1, dims="school").observe(pd.Series([1.0, 2.0]))
    assert m.coords == {"school": ["A", "B"]}
    assert m.with_data(x=pd.Series([2.0, 1.0])).coords == {"school": ["A", "B"]}


def test_lags_of_a_labelled_series_pair_by_position():
    for index in (pd.date_range("2020", periods=5), pd.RangeIndex(3, 8), pd.Index(range(5), name="time")):
        y = pd.Series([0.0, 1.0, 3.0, 2.0, 5.0], index=index)
        m = ss.Model()
        m.y = ss.data(y)
        m.phi = ss.Normal(0, 1)
        m.residual = m.y[1:] - m.phi * m.y[:-1]
        m.z = ss.Normal(m.residual, 1).observe(np.zeros(4))
        lags = y.to_numpy()[1:] - 0.5 * y.to_numpy()[:-1]
        expected = -0.5 * np.sum(lags**2) - 5 * 0.9189385332046727 - 0.125
        assert m.log_density({"phi": 0.5}) == pytest.approx(expected, rel=1e-12)


def test_a_series_read_by_position_keeps_its_order():
    y = pd.Series([0.0, 1.0, 3.0, 2.0], index=[2001, 2002, 2003, 2004])
    x = pd.Series([40.0, 10.0, 30.0, 20.0], index=[2004, 2001, 2003, 2002])
    m = ss.Model()
    m.x, m.y = ss.data(x), ss.data(y)
    m.lag = m.y[1:] - m.y[:-1]
    m.sum = m.x + m.y  # x is the one that moves
    prior = m.simulate(seed=0)
    np.testing.assert_array_equal(prior["lag"], [1.0, 2.0, -1.0])
    np.testing.assert_array_equal(prior["sum"], [10.0, 21.0, 33.0, 42.0])
    m.later = ss.data(x.iloc[::-1])
    m.total = m.later + m.y
    def lag():
        m.jump = m.later[1:] - m.later[:-1]
    refused(lag, "`later`", "by position")


def test_two_orders_that_are_both_read_by_position_do_not_meet():
    y = pd.Series([0.0, 1.0, 3.0], index=[2001, 2002, 2003])
    m = ss.Model()
    m.x, m.y = ss.data(y.iloc[::-1]), ss.data(y)
    m.lag, m.back = m.y[1:] - m.y[:-1], m.x[1:] - m.x[:-1]
    def meet():
        m.sum = m.x + m.y
    refused(meet, "by position")


def test_a_series_read_by_position_does_not_take_the_order_of_a_dim():
    y = pd.Series([0.0, 1.0, 3.0], index=[2001, 2002, 2003])
    m = ss.Model(coords={"year": [2003, 2001, 2002]})
    m.y = ss.data(y)
    m.lag = m.y[1:] - m.y[:-1]
    m.a = ss.Normal(0, 1, dims="year")
    def meet():
        m.sum = m.a + m.y
    refused(meet, "`y`", "by position")
    other = ss.Model(coords={"year": [2001, 2002, 2003]})
    other.y = ss.data(y)
    other.lag = other.y[1:] - other.y[:-1]
    other.a = ss.Normal(0, 1, dims="year")
    other.sum = other.a + other.y  # in that order it may


def test_an_array_without_labels_goes_with_the_dim_that_it_met():
    """It was written beside the dim, whose labels come later: in another order of them it moves as the others do."""
    m = ss.Model()
    m.x, m.z = ss.data([1.0, 2.0, 3.0], dims="site"), ss.data([10.0, 20.0, 30.0])
    m.sum = m.x + m.z
    m.w = ss.data(pd.Series([0.1, 0.2, 0.3], index=list("abc")), dims="site")
    m.y = ss.Normal(m.sum, m.w).observe([12.0, 22.0, 31.0])
    turned = m.with_data(coords={"site": list("cab")})
    assert turned.log_density({}) == pytest.approx(m.log_density({}), rel=1e-12)
    np.testing.assert_array_equal(turned.simulate(seed=0)["sum"], [33.0, 11.0, 22.0])


def test_what_stands_beside_an_array_without_labels_does_not_move():
    x, z = pd.Series([1.0, 2.0, 3.0], index=list("abc")), pd.Series([30.0, 10.0, 20.0], index=list("cab"))
    m = ss.Model()
    m.x, m.z = ss.data(x), ss.data(z)
    m.pair = m.x * np.array([1.0, 10.0, 100.0])
    m.sum = m.z + m.x  # z is the one that moves, though it stands first
    drawn = m.simulate(seed=0)
    np.testing.assert_array_equal(drawn["pair"], [1.0, 20.0, 300.0])
    np.testing.assert_array_equal(drawn["sum"], [11.0, 22.0, 33.0])
    def observe():  # is it in the order of x, or of z?
        m.y = ss.Normal(m.sum, 1).observe(np.zeros(3))
    refused(observe, "without labels", "give every array labels")
    m.y = ss.Normal(m.sum, 1).observe(pd.Series([22.0, 11.0, 33.0], index=list("bac")))
    assert m.log_density({}) == pytest.approx(3 * -0.9189385332046727)


def test_coords_in_another_order_take_everything_along():
    m = regression(table(name="patient"), outcome("patient"), scale("patient"))
    other = m.with_data(coords={"patient": ROWS[::-1]})
    assert density(other) == pytest.approx(density(m), rel=1e-12)
    assert other.coords["patient"] == ROWS[::-1]
    np.testing.assert_array_equal(
        other.prior(2).constant_data["sd"].sel(patient="c"), m.prior(2).constant_data["sd"].sel(patient="c")
    )


def test_a_failed_assignment_leaves_the_order_as_it_was():
    m = ss.Model()
    m.x = ss.data(pd.Series([1.0, 2.0, 3.0], index=list("abc")))
    with pytest.raises(ss.ScistanError):
        m.y = ss.Poisson(m.x).observe(pd.Series([1.0, -2.0, 3.0], index=list("cab")))
    m.y = ss.Normal(m.x, 1).observe(np.array([1.0, 2.0, 3.0]))
    assert m.log_density({}) == pytest.approx(3 * -0.9189385332046727)


def test_labels_come_out_with_the_draws_though_the_axis_has_no_name():
    m = ss.Model()
    m.x = ss.data(pd.Series([1.0, 2.0], index=["p", "q"]))
    m.y = ss.Normal(m.x, 1).observe(np.zeros(2))
    found = m.prior(2).prior_predictive["y"]
    assert found.coords["y_dim_0"].values.tolist() == ["p", "q"]
