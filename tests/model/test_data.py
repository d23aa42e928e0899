"""What numbers become: literals or data, one leaf or two, with the labels that came with them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import scistan as ss
from scistan.graph.node import Data, Literal
from scistan.ops.coerce import as_node

LITERALS = [3, 2.5, True]
DATA = [np.float64(2.5), np.int64(3), np.array(2.5), np.array([1.0]), [1.0, 2.0], (1, 2), np.bool_(True)]


@pytest.mark.parametrize("value", LITERALS, ids=repr)
def test_python_numbers_are_literals(value):
    assert isinstance(as_node(value), Literal)


@pytest.mark.parametrize("value", DATA, ids=repr)
def test_everything_else_is_data(value):
    assert isinstance(as_node(value), Data)


def test_numbers_of_numpy_are_data_though_float64_is_a_float():
    m = ss.Model()
    m.mu = ss.Normal(0, np.float64(5))
    assert m.text().count("data _") == 1
    m.nu = ss.Normal(0, 5.0)
    assert m.text().count("data _") == 1


def test_the_same_array_is_one_leaf_and_equal_arrays_are_two():
    x, twin = np.arange(3.0), np.arange(3.0)
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.one = x * m.a + x
    assert m.text().count("data _") == 1
    m.two = x * m.a + twin
    assert m.text().count("data _") == 2


def test_an_array_written_to_in_between_is_another_leaf():
    x = np.arange(3.0)
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.one = x * m.a
    x[0] = 7.0
    m.two = x * m.a
    assert m.text().count("data _") == 2


def test_values_are_copied_and_frozen():
    x = np.arange(3.0)
    m = ss.Model()
    m.x = ss.data(x)
    m.a = ss.Normal(0, 1)
    m.z = m.x * m.a
    before = m.simulate(seed=0)["z"]
    x[:] = 100.0
    assert np.array_equal(m.simulate(seed=0)["z"], before)
    with pytest.raises(ValueError, match="read-only"):
        m.instance().values[m.x._scistan_node_][0] = 1.0


def test_each_observed_variable_has_values_of_its_own():
    values = np.array([1.0, 2.0])
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe(values)
    m.z = ss.Normal(m.mu, 2).observe(values)
    idata = m.with_data(y=[3.0, 4.0]).prior(2)
    assert idata.observed_data["y"].values.tolist() == [3.0, 4.0]
    assert idata.observed_data["z"].values.tolist() == [1.0, 2.0]


def test_observed_named_data_are_swapped_under_either_name():
    m = ss.Model()
    m.measured = ss.data([1.0, 2.0])
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe(m.measured)
    for name in ("measured", "y"):
        idata = m.with_data(**{name: [3.0, 4.0, 5.0]}).prior(2)
        assert idata.observed_data["y"].values.tolist() == [3.0, 4.0, 5.0]


def test_whole_numbers_stay_whole():
    m = ss.Model()
    m.n = ss.data([3, 4])
    m.rate = ss.Gamma(2, 1)
    m.twice = m.n * 2
    m.y = ss.Poisson(m.rate).observe([1, 2])
    m.z = ss.Binomial(m.n, 0.5).observe([1.0, 2.0])  # whole numbers, written as real ones
    idata = m.prior(5, seed=0)
    assert idata.prior["twice"].dtype.kind == "i"
    assert idata.prior_predictive["y"].dtype.kind == "i"
    assert idata.prior_predictive["z"].dtype.kind == "i"
    assert idata.constant_data["n"].dtype.kind == "i"
    assert m.simulate(seed=0)["y"].dtype.kind == "i"


def test_axes_of_length_one_stay():
    m = ss.Model(coords={"only": ["this"]})
    m.x = ss.data([[2.0]])
    m.a = ss.Normal(0, 1, shape=1)
    m.b = ss.Normal(0, 1, dims="only")
    m.c = m.b * 2
    m.y = ss.Normal(m.a, 1).observe([0.5])
    idata = m.prior(4, seed=0)
    assert idata.prior["a"].shape == (1, 4, 1)
    assert idata.prior["c"].dims == ("chain", "draw", "only")
    assert idata.prior_predictive["y"].shape == (1, 4, 1)
    assert m.simulate()["a"].shape == (1,)


def test_a_series_brings_its_name_and_labels():
    m = ss.Model()
    m.x = ss.data(pd.Series([1.0, 2.0], index=pd.Index(["p", "q"], name="plot")))
    m.y = ss.Normal(m.x, 1).observe([0.0, 0.0])
    idata = m.prior(2)
    assert m.coords == {"plot": ["p", "q"]}
    assert idata.prior_predictive["y"].coords["plot"].values.tolist() == ["p", "q"]


def test_a_frame_brings_two():
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], index=pd.Index([10, 20], name="row"), columns=["u", "v"])
    frame.columns.name = "feature"
    m = ss.Model()
    m.x = ss.data(frame)
    m.beta = ss.Normal(0, 1, dims="feature")
    m.eta = m.x @ m.beta
    assert m.prior(2).prior["eta"].dims == ("chain", "draw", "row")
    assert m.coords == {"row": [10, 20], "feature": ["u", "v"]}


def test_levels_of_an_index_become_text():
    index = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=["site", "year"])
    m = ss.Model()
    m.x = ss.data(pd.Series(np.arange(4.0), index=index))
    assert m.coords == {"site_year": ["a, 1", "a, 2", "b, 1", "b, 2"]}
    m.z = ss.Normal(m.x, 1)
    assert m.prior(2).prior["z"].coords["site_year"].values[0] == "a, 1"


def test_dates_are_labels():
    days = pd.date_range("2024-01-01", periods=3, name="day")
    m = ss.Model()
    m.x = ss.data(pd.Series([1.0, 2.0, 3.0], index=days))
    m.z = ss.Normal(m.x, 1)
    assert m.prior(2).prior["z"].coords["day"].dtype.kind == "M"


def test_dims_given_here_rename_the_axes_and_keep_the_labels():
    series = pd.Series([1.0, 2.0], index=pd.Index(["p", "q"], name="plot"))
    m = ss.Model()
    m.x = ss.data(series, dims="place")
    assert m.coords == {"place": ["p", "q"]}


def test_pandas_own_whole_numbers_and_missing_values():
    assert as_node(pd.Series([1, 2], dtype="Int64")).integer
    with pytest.raises(ss.DataError, match="NaN"):
        ss.data(pd.Series([1, None], dtype="Int64"))
    with pytest.raises(ss.ModelError, match=r"ss\.factor"):
        as_node(pd.Series(["a", "b"], dtype="category"))


def test_a_data_array_brings_dims_and_coords():
    array = xr.DataArray([[1.0, 2.0]], dims=("a", "b"), coords={"b": ["x", "y"]})
    m = ss.Model()
    m.x = ss.data(array)
    m.z = ss.Normal(m.x, 1)
    assert m.prior(2).prior["z"].dims == ("chain", "draw", "a", "b")
    assert m.coords == {"b": ["x", "y"]}


def test_torch_tensors_are_read():
    torch = pytest.importorskip("torch")
    node = as_node(torch.arange(3))
    assert node.integer
    assert node.default.tolist() == [0, 1, 2]
