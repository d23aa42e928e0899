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
