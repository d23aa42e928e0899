"""Axes that are known by name are found by name, wherever values with named axes enter."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import scistan as ss

VALUES = np.arange(9.0).reshape(3, 3)
COORDS = {"p": list("abc"), "q": list("xyz")}
ARRAY = xr.DataArray(VALUES, dims=("p", "q"), coords=COORDS)
TABLE = ARRAY.to_pandas()
TURNED = {
    "array": ARRAY.T,
    "array in another order": ARRAY.T.isel(p=[2, 0, 1], q=slice(None, None, -1)),
    "array without labels": xr.DataArray(VALUES.T, dims=("q", "p")),
    "table": TABLE.T,
    "table in another order": TABLE.T.iloc[::-1][["c", "a", "b"]],
}


def model() -> ss.Model:
    m = ss.Model(coords=COORDS)
    m.s = ss.data(VALUES, dims=("p", "q"))
    m.t = ss.Normal(0, 1, dims=("p", "q"))
    m.y = ss.Normal(m.t, 1 + m.s).observe(VALUES)
    return m


def observed(values) -> ss.Model:
    m = ss.Model(coords=COORDS)
    m.s = ss.data(VALUES, dims=("p", "q"))
    m.t = ss.Normal(0, 1, dims=("p", "q"))
    m.y = ss.Normal(m.t, 1 + m.s, dims=("p", "q")).observe(values)
    return m


def given_as_data(values) -> ss.Model:
    m = ss.Model(coords=COORDS)
    m.s = ss.data(values, dims=("p", "q"))
    m.t = ss.Normal(0, 1, dims=("p", "q"))
    m.y = ss.Normal(m.t, 1 + m.s).observe(VALUES)
    return m


ENTRIES = {
    "data": lambda v: given_as_data(v).log_density({"t": VALUES}),
    "observe": lambda v: observed(v).log_density({"t": VALUES}),
    "with_data": lambda v: model().with_data(s=v).log_density({"t": VALUES}),
    "other observations": lambda v: model().with_data(y=v).log_density({"t": VALUES}),
    "log_density": lambda v: model().log_density({"t": v}),
    "given": lambda v: model().given(t=v).log_density({}),
    "do": lambda v: model().do(s=v).log_density({"t": VALUES}),
}


@pytest.mark.filterwarnings("ignore::scistan.messages.model.ModelWarning")
@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize("values", TURNED.values(), ids=TURNED)
def test_turned_axes_are_turned_back(values, entry):
    assert entry(values) == pytest.approx(entry(VALUES), abs=1e-12)


def test_what_is_set_is_turned_too():
    m = model()
    np.testing.assert_array_equal(m.do(t=ARRAY.T).simulate(seed=1)["y"], m.do(t=VALUES).simulate(seed=1)["y"])


def test_names_that_contradict_are_refused():
    with pytest.raises(ss.DataError, match=r"has dims \('q', 'r'\), and the model \('p', 'q'\)"):
        ss.data(ARRAY.T.rename(p="r"), dims=("p", "q"))
    with pytest.raises(ss.DataError, match="has dims"):
        ss.standardize(ARRAY.T, dims=("p", "q"))
    renamed = ss.Model()
    renamed.s = ss.data(ARRAY, dims=("row", "column"))
    assert renamed.coords == {"row": ["a", "b", "c"], "column": ["x", "y", "z"]}


def test_a_frame_whose_rows_are_to_be_columns_is_refused():
    frame = pd.DataFrame(VALUES, index=pd.Index(list("xyz"), name="q"))
    with pytest.raises(ss.DataError, match="has dims"):
        ss.data(frame, dims=("p", "q"))


# -- a DataArray on the left of an operator -----------------------------------------------------------
X = pd.Series([1.0, 2.0, 3.0], index=pd.Index(list("abc"), name="row"))
BACKWARDS = xr.DataArray([30.0, 20.0, 10.0], dims="row", coords={"row": list("cba")})
OPERATORS = {
    "add": lambda m, a: a + m.x,
    "subtract": lambda m, a: a - m.x,
    "divide": lambda m, a: a / m.x,
    "power": lambda m, a: a**m.b + m.x,
    "twice": lambda m, a: (a * m.b - m.x) * 2,
    "by a number": lambda m, a: m.x + a * m.b,
    "by NumPy": lambda m, a: np.add(a, m.x),
    "inside a function": lambda m, a: np.exp(a * m.b / 100) - m.x,
    "inside a function of ours": lambda m, a: ss.log(a + m.x),
    "between two": lambda m, a: a * m.b + a + m.x,
}


@pytest.mark.parametrize("write", OPERATORS.values(), ids=OPERATORS)
def test_an_array_on_the_left_is_matched_by_label(write):
    def value(array):
        m = ss.Model()
        m.x = ss.data(X)
        m.b = ss.Normal(0, 1)
        m.t = write(m, array)
        m.y = ss.Normal(m.t, m.b**2).observe(X)
        return m.log_density({"b": 0.7})

    assert value(BACKWARDS) == pytest.approx(value(BACKWARDS[::-1]), abs=1e-12)
    assert value(BACKWARDS) == pytest.approx(value(BACKWARDS.to_series()), abs=1e-12)


def test_labels_that_xarray_lost_are_told():
    m = ss.Model()
    m.x = ss.data(X)
    m.b = ss.Normal(0, 1)
    with pytest.raises(ss.ModelError, match="xarray computed with a quantity of a model by position"):
        m.t = (BACKWARDS * m.b).isel(row=[0, 1])
    with pytest.raises(ss.DataError, match="'d' is not among those of `x`"):
        m.t = BACKWARDS.assign_coords(row=list("abd")) + m.x
