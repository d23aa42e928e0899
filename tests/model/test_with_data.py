"""`with_data`: other values, other lengths, other labels, and the same model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import scistan as ss
from scistan.model.fitted import FittedModel
from tests.zoo import eight_schools, varying_intercepts


def regression() -> ss.Model:
    m = ss.Model("regression", coords={"feature": ["u", "v"]})
    m.x = ss.data(np.arange(6.0).reshape(3, 2), dims=("row", "feature"))
    m.beta = ss.Normal(0, 1, dims="feature")
    m.y = ss.Normal(m.x @ m.beta, 1).observe([1.0, 2.0, 3.0])
    return m


def test_other_values():
    m = regression()
    other = m.with_data(y=[0.0, 0.0, 0.0])
    assert other.log_density({"beta": [0.0, 0.0]}) == pytest.approx(5 * stats.norm.logpdf(0))
    assert m.log_density({"beta": [0.0, 0.0]}) == pytest.approx(
        2 * stats.norm.logpdf(0) + stats.norm.logpdf([1, 2, 3]).sum()
    )


def test_other_lengths():
    other = regression().with_data(x=np.ones((5, 4)), y=np.zeros(5))
    assert other.simulate(seed=0)["beta"].shape == (4,)
    assert other.coords["feature"] == [0, 1, 2, 3]
    assert "[row: 5, feature: 4]" in repr(other)
    assert "[row: 3, feature: 2]" in repr(regression())


def test_the_program_is_the_same():
    m = regression()
    other = m.with_data(x=np.ones((5, 4)), y=np.zeros(5))
    assert m.text() == other.text()
    assert m.stan_code() == other.stan_code()


def test_labels_come_with_pandas():
    frame = pd.DataFrame(np.ones((2, 3)), index=pd.Index(["r", "s"], name="row"), columns=list("abc"))
    frame.columns.name = "feature"
    other = regression().with_data(x=frame, y=pd.Series([0.0, 1.0], index=frame.index))
    assert other.coords == {"feature": ["a", "b", "c"], "row": ["r", "s"]}
    assert other.prior(2).prior["beta"].coords["feature"].values.tolist() == ["a", "b", "c"]


def test_labels_come_with_xarray():
    array = xr.DataArray(np.ones((2, 1)), dims=("row", "feature"), coords={"feature": ["only"]})
    other = regression().with_data(x=array, y=[0.0, 1.0])
    assert other.coords["feature"] == ["only"]
    assert other.prior(2).prior["beta"].shape == (1, 2, 1)


def test_coords_alone_change_a_length():
    m = ss.Model(coords={"group": list("abc")})
    m.g = ss.data([0, 1, 2])
    m.a = ss.Normal(0, 1, dims="group")
    m.y = ss.Normal(m.a[m.g], 1).observe([0.0, 1.0, 2.0])
    other = m.with_data(coords={"group": list("pqrst")}, g=[4, 3], y=[1.0, 2.0])
    assert other.simulate(seed=0)["a"].shape == (5,)
    assert other.prior(2).prior["a"].coords["group"].values.tolist() == list("pqrst")
    again = other.with_data(g=[0, 0], y=[1.0, 2.0])  # the length stays that of the labels
    assert again.simulate(seed=0)["a"].shape == (5,)
    assert m.text() == other.text()


def test_coords_of_the_same_length_are_new_names():
    m = eight_schools()
    other = m.with_data(coords={"school": list("12345678")})
    assert other.prior(2).prior["theta"].coords["school"].values.tolist() == list("12345678")
    assert other.coords["school"] == list("12345678")
    assert m.coords["school"] == list("ABCDEFGH"), "the original keeps its own"
    assert m.prior(2).prior["theta"].coords["school"].values.tolist() == list("ABCDEFGH")


def test_the_original_keeps_its_values_lengths_and_labels():
    m = ss.Model(coords={"group": list("abc")})
    m.g = ss.data([0, 1, 2], dims="row")
    m.a = ss.Normal(0, 1, dims="group")
    m.y = ss.Normal(m.a[m.g], 1).observe([0.0, 1.0, 2.0])
    point = {"a": [0.1, 0.2, 0.3]}
    before = m.text(), m.log_density(point), {dim: list(labels) for dim, labels in m.coords.items()}
    m.with_data(coords={"group": list("pqrst"), "row": [7, 8]}, g=[4, 3], y=[1.0, 2.0])
    m.with_data(y=[5.0, 5.0, 5.0])
    m.with_data(coords={"row": list("xyz")})
    assert (m.text(), m.log_density(point), {dim: list(labels) for dim, labels in m.coords.items()}) == before


def test_swapping_step_by_step_or_at_once():
    m = varying_intercepts()
    rows = np.arange(3) % 5
    at_once = m.with_data(group=rows, x=np.ones(3), y=np.zeros(3))
    with pytest.raises(ss.DataError, match="swap every array"):
        m.with_data(group=rows)
    step = at_once.with_data(x=np.zeros(3))
    values = m.simulate(seed=0)
    values = {name: values[name] for name in ("mu", "tau", "alpha", "beta", "sigma")}
    assert step.log_density(values) != at_once.log_density(values)


def test_whole_numbers_may_become_real_ones_and_back():
    m = ss.Model()
    m.x = ss.data([1, 2, 3])
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b * m.x, 1).observe([1, 2, 3])
    assert np.isfinite(m.with_data(x=[0.5, 1.5, 2.5], y=[0.1, 0.2, 0.3]).log_density({"b": 1.0}))


def test_indices_and_counts_stay_whole_however_they_are_written():
    m = varying_intercepts()
    group = m.instance().values[m.group._scistan_node_]
    data = m.with_data(group=group.astype(float)).stan_data()
    assert np.asarray(data["group"]).dtype.kind == "i"
    assert np.array_equal(data["group"], m.stan_data()["group"])


def test_a_length_of_one_stays_one():
    m = ss.Model()
    m.x = ss.data([2.0])
    m.z = ss.Normal(m.x, 1)
    with pytest.raises(ss.DataError, match="needs"):
        m.with_data(x=[1.0, 2.0])


def test_bounds_that_are_data_are_swapped_and_checked():
    m = ss.Model()
    m.low = ss.data([0.0, 0.0])
    m.y = ss.Normal(0, 1, lower=m.low).observe([1.0, 2.0])
    assert np.isfinite(m.with_data(low=[0.5, 0.5]).log_density({}))
    with pytest.raises(ss.DataError, match="1 of 2"):
        m.with_data(low=[0.5, 5.0])


def test_a_swapped_model_can_be_extended():
    other = regression().with_data(x=np.ones((5, 2)), y=np.zeros(5))
    other.predicted = ss.Normal(other.x @ other.beta, 1)
    assert other.simulate(seed=0)["predicted"].shape == (5,)


def test_same_latents_same_draws():
    m = regression()
    other = m.with_data(y=[0.0, 0.0, 0.0])
    assert np.array_equal(m.simulate(seed=4)["beta"], other.simulate(seed=4)["beta"])


def test_a_dim_of_latents_alone_takes_another_length_on_every_target():
    m = ss.Model("m", coords={"g": list("abcde")})
    m.mu = ss.Normal(0, 1)
    m.t = ss.Normal(m.mu, 1, dims="g")
    m.y = ss.Normal(ss.sum(m.t), 1).observe(0.5)
    longer = m.with_data(coords={"g": list("abcdefg")})
    assert longer.stan_data()["N_g"] == 7
    assert longer.verify(points=2).ok


def test_data_in_a_dict_or_a_table():
    m = ss.Model()
    m.x = ss.data([1.0, 2.0])
    m.y = ss.Normal(m.x, 1).observe([0.0, 0.0])
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [2.0, 2.0, 2.0], "note": list("abc")})
    by_name = m.with_data(x=table.x, y=table.y).log_density({})
    assert m.with_data({"x": table.x, "y": table.y}).log_density({}) == by_name
    assert m.with_data(table).log_density({}) == by_name
    assert m.with_data(table, y=table.x).log_density({}) > by_name
    assert FittedModel(m).elsewhere(table[["x"]], None, "refuse", {}).shape(m.y.shape) == (3,)


def test_truth_is_a_number_where_it_is_no_index():
    m = ss.Model()
    m.smokes, m.g = ss.data([0, 1, 1]), ss.data([True, False, True])
    m.a = ss.Normal(0, 1, shape=2)
    m.y = ss.Bernoulli(ss.inv_logit(m.a[0] + m.a[1] * m.smokes + m.a[1 * m.g])).observe([0, 1, 1])
    flags = np.array([True, False, True])
    by_truth, by_number = (m.with_data(smokes=f, g=g, y=f) for f, g in ((flags, flags), (flags * 1, flags)))
    at = {"a": [0.5, -1.0]}
    assert by_truth.log_density(at) == by_number.log_density(at)
