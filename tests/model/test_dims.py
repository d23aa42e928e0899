"""Dims and coords: where they come from, and how they follow through expressions to the draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import scistan as ss


def dims_of(m: ss.Model, name: str) -> tuple[str, ...]:
    idata = m.prior(2, seed=0)
    group = idata.prior_predictive if m.variables[name] == "observed" else idata.prior
    return group[name].dims[2:]


@pytest.fixture
def m() -> ss.Model:
    m = ss.Model(coords={"school": list("abcd"), "year": [2001, 2002, 2003]})
    m.x = ss.data(np.arange(4.0), dims="school")
    m.table = ss.data(np.ones((4, 3)), dims=("school", "year"))
    m.theta = ss.Normal(0, 1, dims="school")
    m.tau = ss.Normal(0, 1, dims="year")
    return m


EXPRESSIONS = {
    "sum of a latent and a bare array": (lambda m: m.theta + np.arange(4.0), ("school",)),
    "bare array first": (lambda m: np.arange(4.0) * m.theta, ("school",)),
    "one number": (lambda m: m.theta[0], ()),
    "broadcast": (lambda m: m.theta[:, None] + m.tau, ("school", "year")),
    "table and row": (lambda m: m.table * m.tau, ("school", "year")),
    "matrix times vector": (lambda m: m.table @ m.tau, ("school",)),
    "transpose": (lambda m: m.table.T, ("year", "school")),
    "reduction": (lambda m: ss.sum(m.table, axis=1) * m.theta, ("school",)),
    "softmax": (lambda m: ss.softmax(m.tau), ("year",)),
    "reversed": (lambda m: m.theta[::-1], ("out_dim_0",)),  # its first element is not school a's
    "whole": (lambda m: m.theta[:], ("school",)),
    "part": (lambda m: m.theta[1:], ("out_dim_0",)),
    "picked by data with a dim": (lambda m: m.tau[m.index], ("school",)),
    "square": (lambda m: m.theta[:, None] * m.theta[None, :], ("school", "school_2")),
}


@pytest.mark.parametrize(("build", "expected"), EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_dims_follow_through_expressions(m, build, expected):
    m.index = ss.data([0, 1, 2, 0], dims="school")
    m.out = build(m)
    assert dims_of(m, "out") == expected


def test_two_dims_meet_on_axes_of_their_own():
    m = ss.Model(coords={"a": [1, 2], "b": [1, 2]})
    m.p, m.q = ss.Normal(0, 1, dims="a"), ss.Normal(0, 1, dims="b")
    with pytest.raises(ss.ModelError, match="`p` runs along dim `a` where `q` runs along dim `b`"):
        m.out = m.p + m.q
    m.out = m.p[:, None] + m.q
    m.y = ss.Normal(m.out, ss.exp(m.p)[:, None], dims=("a", "b")).observe(np.zeros((2, 2)))
    assert dims_of(m, "out") == dims_of(m, "y") == ("a", "b")


def test_one_thing_under_two_names_is_no_conflict():
    m = ss.Model(coords={"trait": ["u", "v"], "other": ["u", "v"]})
    m.corr = ss.data([[1.0, 0.5], [0.5, 1.0]], dims=("trait", "other"))
    m.sd = ss.HalfNormal(1, dims="trait")
    m.cov = ss.outer(m.sd, m.sd) * (m.corr + m.corr.T) / 2
    m.y = ss.MultivariateNormal(np.zeros(2), cov=m.cov).observe(np.zeros((3, 2)))
    assert m.log_density({"sd": [1.0, 1.0]}) < 0


def test_a_dim_of_length_1_broadcasts():
    m = ss.Model(coords={"a": ["only"], "b": [1, 2]})
    m.p, m.q = ss.Normal(0, 1, dims="a"), ss.Normal(0, 1, dims="b")
    m.out = m.p + m.q
    assert dims_of(m, "out") == ("b",)


def test_dims_of_the_distribution_win():
    m = ss.Model()
    values = pd.Series([1.0, 2.0], index=pd.Index(["p", "q"], name="plot"))
    m.y = ss.Normal(0, 1, dims="place").observe(values)
    assert dims_of(m, "y") == ("place",)
    assert m.coords == {"place": ["p", "q"]}


def test_dims_of_the_values_come_next():
    m = ss.Model()
    m.theta = ss.Normal(0, 1, shape=2)
    m.y = ss.Normal(m.theta, 1).observe(xr.DataArray([1.0, 2.0], dims="pupil"))
    assert dims_of(m, "y") == ("pupil",)


def test_dims_of_the_arguments_come_last():
    m = ss.Model(coords={"school": ["a", "b"], "year": [1, 2, 3]})
    m.theta = ss.Normal(0, 1, dims="school")
    m.sigma = ss.HalfNormal(1, dims="year")
    m.y = ss.Normal(m.theta[:, None], m.sigma).observe(np.zeros((2, 3)))
    m.z = ss.Normal(0, m.sigma).observe(np.zeros((2, 3)))
    assert dims_of(m, "y") == ("school", "year")
    assert dims_of(m, "z") == ("z_dim_0", "year")


def test_dims_given_to_observe():
    m = ss.Model(coords={"school": ["a", "b"]})
    m.y = ss.Normal(0, 1).observe([1.0, 2.0], dims="school")
    assert dims_of(m, "y") == ("school",)


def test_events_have_dims_too():
    m = ss.Model(coords={"kind": list("uvw"), "place": [1, 2]})
    m.alpha = ss.Gamma(2, 1, dims="kind")
    m.p = ss.Dirichlet(m.alpha, shape=2)
    m.q = ss.Dirichlet(np.ones(3), dims=("place", "kind"))
    m.n = ss.Multinomial(5, m.q).observe(np.array([[5, 0, 0], [1, 2, 2]]))
    assert dims_of(m, "p") == ("p_dim_0", "kind")
    assert dims_of(m, "q") == ("place", "kind")
    assert dims_of(m, "n") == ("place", "kind")


def test_coords_reach_every_group():
    m = ss.Model(coords={"school": ["a", "b"]})
    m.s = ss.data([1.0, 2.0], dims="school")
    m.theta = ss.Normal(0, 1, dims="school")
    m.y = ss.Normal(m.theta, m.s).observe([0.0, 1.0])
    idata = m.prior(3)
    for group in (idata.prior, idata.prior_predictive, idata.observed_data, idata.constant_data):
        assert group.coords["school"].values.tolist() == ["a", "b"]


def test_a_length_of_the_data_is_a_shape():
    m = ss.Model()
    m.x = ss.data(np.ones((5, 2)), dims=("row", "feature"))
    m.beta = ss.Normal(0, 1, shape=m.x.shape[1])
    m.y = ss.Normal(m.x @ m.beta, 1).observe(np.zeros(5))
    assert m.with_data(x=np.ones((7, 3)), y=np.zeros(7)).simulate(seed=0)["beta"].shape == (3,)


def test_a_shape_gives_new_dims_their_lengths():
    m = ss.Model(coords={"kind": list("uvw")})
    m.a = ss.Normal(0, 1, dims="q", shape=3)
    m.b = ss.Normal(m.a, 1, dims="q")
    m.p = ss.Dirichlet(np.ones(3), dims=("place", "kind"), shape=2)
    m.c = ss.Normal(0, 1, dims=("kind", "trial"), shape=(3, 4))
    m.y = ss.Normal(0, 1, dims="row", shape=5).observe()
    assert [dims_of(m, name) for name in ("a", "b", "p", "c", "y")] == [
        ("q",), ("q",), ("place", "kind"), ("kind", "trial"), ("row",)
    ]  # fmt: skip
    shapes = {name: array.shape for name, array in m.simulate(seed=0).items()}
    assert shapes == {"a": (3,), "b": (3,), "p": (2, 3), "c": (3, 4), "y": (5,)}
    assert m.stan_code() == m.with_data(y=np.zeros(7)).stan_code()


def test_a_shape_and_a_known_dim_must_agree():
    m = ss.Model(coords={"kind": list("uvw")})
    with pytest.raises(ss.DataError, match="length 2 along dim `kind`, whose coords have 3"):
        m.a = ss.Normal(0, 1, dims="kind", shape=2)
    assert "a" not in m


def test_repeated_labels_keep_their_dim_and_pair_with_the_same_rows_alone():
    rows = pd.DataFrame({"x": [0.0, 1.0, 2.0], "y": [1.0, 2.0, 3.0]}, index=pd.Index(list("aab"), name="person"))
    m = ss.Model()
    m.x = ss.data(rows.x)
    m.y = ss.Normal(m.x, 1).observe(rows.y)
    assert dims_of(m, "y") == ("person",)
    assert m.prior(2).prior_predictive["y"].coords["person"].values.tolist() == list("aab")
    with pytest.raises(ss.DataError, match=r"repeat(.|\n)*reset_index"):
        m.z = ss.Normal(m.x, 1).observe(rows.y.iloc[::-1])


def test_rows_of_repeated_measures_are_no_dim_of_persons():
    rows = pd.DataFrame({"y": [1.0, 2.0, 3.0]}, index=pd.Index(["ann", "ann", "bob"], name="person"))
    m = ss.Model(coords={"person": ["ann", "bob"]})
    m.a = ss.Normal(0, 1, dims="person")
    codes = pd.Series(pd.factorize(rows.index)[0], index=rows.index)
    with pytest.raises(ss.DataError, match=r"3 rows whose labels along dim `person` repeat(.|\n)*reset_index"):
        m.who = ss.data(codes)
    m.who = ss.data(codes.reset_index(drop=True), dims="row")
    m.y = ss.Normal(m.a[m.who], 1).observe(rows.y.reset_index(drop=True))
    assert dims_of(m, "y") == ("row",)
    m.z = ss.Normal(0, 1).observe(xr.DataArray(rows.y.to_numpy(), dims="visit", coords={"visit": [1, 1, 2]}))
    assert dims_of(m, "z") == ("visit",)
