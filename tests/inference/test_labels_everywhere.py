"""Cases that an attack from outside found: each paired by position, or called by a wrong name, without a word."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import scistan as ss

FAST = {"engine": "stanli", "draws": 200, "warmup": 200, "chains": 2, "progress": False, "seed": 1}
COV = pd.DataFrame([[1, 0.8, 0], [0.8, 1.5, 0.3], [0, 0.3, 4.0]], index=list("pqr"), columns=list("pqr"))
TURNED = list("rqp")


def value(m: ss.Model, name: str) -> np.ndarray:
    return m.simulate(seed=0)[name]


# -- linear algebra ------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", ["chol", "prec", "cov"])
@pytest.mark.parametrize("cov", [COV, COV.loc[TURNED, TURNED]], ids=["in order", "turned"])
@pytest.mark.parametrize("columns", [list("pqr"), TURNED], ids=["in order", "turned"])
def test_factors_and_inverses_of_a_labelled_matrix(form, cov, columns):
    y = pd.DataFrame([[0.0, 1, 5], [1, 0, 6]], columns=list("pqr"))
    m = ss.Model()
    m.s = ss.data(cov)
    through = {"chol": ss.cholesky, "prec": ss.inverse, "cov": lambda s: ss.cholesky(s) @ ss.cholesky(s).T}
    m.y = ss.MultivariateNormal(np.zeros(3), **{form: through[form](m.s)}).observe(y[columns])
    expected = stats.multivariate_normal(np.zeros(3), COV.to_numpy()).logpdf(y.to_numpy()).sum()
    assert m.log_density({}) == pytest.approx(expected, rel=1e-10)


def test_solutions_and_diagonals():
    v = pd.Series([1.0, 2.0, 3.0], index=list("pqr"))
    m = ss.Model()
    m.s, m.v = ss.data(COV), ss.data(v[::-1])
    m.x = ss.solve(m.s, m.v)
    np.testing.assert_allclose(value(m, "x"), np.linalg.solve(COV, v))
    n = ss.Model()
    n.s = ss.data(COV.loc[TURNED])
    n.d = ss.diagonal(n.s)
    found = n.prior(1).prior["d"].isel(chain=0, draw=0)
    assert dict(zip(found.coords["d_dim_0"].values, found.values, strict=True)) == {"p": 1.0, "q": 1.5, "r": 4.0}


# -- factors -------------------------------------------------------------------------------------------
def test_a_factor_picks_by_label_along_an_index_without_a_name():
    m = ss.Model()
    m.arm = ss.factor(["lo", "hi", "ctl"])
    m.w = ss.data(pd.Series({"lo": 1.0, "hi": 2.0, "ctl": 0.0}))
    m.v = 1.0 * m.w[m.arm]
    assert value(m, "v").tolist() == [1.0, 2.0, 0.0]
    m.other = ss.data(pd.Series({"x": 1.0, "y": 2.0, "z": 0.0}))
    with pytest.raises(ss.DataError, match="'x'"):
        m.u = m.other[m.arm] * 1.0


def test_nobody_computes_with_codes():
    m = ss.Model()
    m.year = ss.factor([1, 2, 3, 2, 1])
    for build in (lambda: m.year == 2, lambda: 1.0 * m.year, lambda: ss.sum(m.year)):
        with pytest.raises(ss.ModelError, match="`year` is a factor"):
            m.e = build()
    m.treated = ss.factor([True, False, True])
    m.dose = 2.0 * m.treated
    assert value(m, "dose").tolist() == [2.0, 0.0, 2.0]


def test_masks_are_matched_by_label():
    s = pd.Series([1.0, -2.0, 3.0, -4.0], index=list("abcd"))
    m = ss.Model()
    m.x = ss.data(s)
    m.s = 1 * m.x[s[::-1] > 0]
    assert value(m, "s").tolist() == [1.0, 3.0]
    with pytest.raises(ss.ModelError, match="labels of the mask"):
        m.t = 1 * m.x[pd.Series([True] * 4, index=list("wxyz"))]


# -- dims ----------------------------------------------------------------------------------------------
def test_dims_with_the_same_labels_are_two_dims():
    flow = xr.DataArray(
        [[1.0, 2], [3, 4]], dims=("origin", "dest"), coords={"origin": ["NO", "SE"], "dest": ["NO", "SE"]}
    )
    m = ss.Model()
    m.flow, m.b = ss.data(flow), ss.Normal(0, 1)
    with pytest.raises(ss.ModelError, match="`dest`"):
        m.y = ss.Normal(m.b * m.flow, 1).observe(flow.T)
    with pytest.raises(ss.ModelError, match="`dest`"):
        m.sum = m.flow + flow.T
    m.symmetric = m.flow + m.flow.T  # turned on purpose


def test_values_are_turned_by_the_names_of_their_dims():
    a = xr.DataArray([[1.0, 2], [3, 4]], dims=("i", "j"))
    m = ss.Model(coords={"i": ["a", "b"], "j": ["p", "q"]})
    m.b = ss.Normal(0, [[1.0, 2.0], [3.0, 4.0]], dims=("i", "j"))
    m.y = ss.Normal(m.b, 1).observe(a.values)
    assert m.log_density({"b": a}) == m.log_density({"b": a.T})
    with pytest.raises(ss.DataError, match="dims"):
        m.log_density({"b": a.rename(j="k")})


def test_coords_may_be_an_array_of_any_library():
    labels = xr.DataArray(["NO", "SE"], dims="i", coords={"i": ["NO", "SE"]})
    for given in (labels, pd.Index(["NO", "SE"]), np.array(["NO", "SE"])):
        assert ss.Model(coords={"i": given}).coords == {"i": ["NO", "SE"]}


def test_what_is_read_by_position_later_moves_the_others():
    m = ss.Model()
    m.z = ss.data(pd.Series([3.0, 1.0, 2.0], index=list("cab")))
    m.y = ss.data(pd.Series([10.0, 20.0, 30.0], index=list("abc")))
    m.sum = m.y + m.z
    m.lag = m.z[1:] - m.z[:-1]
    assert value(m, "lag").tolist() == [-2.0, 1.0]
    found = m.prior(1).prior["sum"].isel(chain=0, draw=0)
    assert dict(zip(found.coords["sum_dim_0"].values, found.values, strict=True)) == {"a": 11.0, "b": 22.0, "c": 33.0}


# -- prediction ----------------------------------------------------------------------------------------
def rows(x) -> ss.Model:
    m = ss.Model()
    m.x = ss.data(x)
    m.b, m.t = ss.Normal(0, 1), ss.HalfNormal(5)
    m.u = ss.Normal(0 * m.x, m.t)
    m.y = ss.Normal(m.b * m.x + m.u, 0.1).observe(pd.Series(np.arange(20.0)))
    return m


def test_rows_are_known_by_their_labels_whatever_their_values():
    fit = rows(pd.Series(np.ones(20))).mcmc(**FAST)

    def ask(index, **options):
        data = {"x": pd.Series(np.ones(len(index)), index=index)}
        return fit.predict(data, var_names=["u", "y"], **options).predictions

    np.testing.assert_array_equal(ask([5, 3])["u"].values, fit.posterior["u"][..., [5, 3]])
    np.testing.assert_array_equal(ask(pd.RangeIndex(20))["u"].values, fit.posterior["u"])
    with pytest.raises(ss.DataError, match="20, 21, 22"):
        ask(range(10, 30))
    mixed = ask(range(10, 30), new_levels="draw")
    np.testing.assert_array_equal(mixed["u"].values[..., :10], fit.posterior["u"][..., 10:])
    assert mixed["y"].std(("chain", "draw")).values[15] > 3


def test_draws_keep_their_numbers():
    m = ss.Model()
    m.x, m.b = ss.data([1.0, 2.0]), ss.Normal(0, 1)
    m.mu = m.b * m.x
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
    fit = m.mcmc(**FAST)
    few = fit.predict({"x": [1.0]}, draws=40).predictions
    joined = few["mu"].isel(mu_dim_0=0) - fit.idata.posterior["b"]
    assert joined.sizes["draw"] == 20
    assert abs(joined).max() == 0


def test_a_latent_that_was_given_has_its_value():
    m = ss.Model()
    m.b, m.c = ss.Normal(0, 1), ss.Normal(0, 1)
    m.y = ss.Normal(m.b + m.c, 1).observe([1.0, 2.0])
    found = m.given(b=2.0).mcmc(**FAST).predict().predictions
    assert (found["b"] == 2.0).all()


def test_readers_of_one_file_have_noise_of_their_own(tmp_path):
    m = ss.Model()
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b, 1).observe([1.0, 2.0])
    fit = m.mcmc(**FAST)
    path = fit.save(tmp_path / "fit.nc")
    calls = [fit.predict(), ss.load(path).predict(), ss.load(path).predict()]
    first, second, third = (call.predictions["y"] for call in calls)
    for one, other in ((first, second), (second, third)):
        assert float((one - other).std()) == pytest.approx(np.sqrt(2), rel=5 / np.sqrt(400))


def test_one_row_is_a_statistic_and_two_deviations_standardize():
    x = np.arange(5.0)
    m = ss.Model()
    m.x, m.b = ss.data(x), ss.Normal(0, 1)
    m.z = (m.x - m.x.mean()) / (2 * m.x.std())
    m.y = ss.Normal(m.b * m.z, 1).observe(x)
    fit = m.mcmc(**FAST)
    np.testing.assert_allclose(fit.predict({"x": [2.0, 2 + x.std()]}).predictions["z"].values[0, 0], [0, 0.5], atol=1e-12)
    n = ss.Model()
    n.x, n.b = ss.data(x), ss.Normal(0, 1)
    n.y = ss.Normal(n.b * (n.x - n.x[0]), 1).observe(x)
    with pytest.raises(ss.DataError, match="rows that were replaced"):
        n.mcmc(**FAST).predict({"x": [10.0, 11.0]})
    with pytest.raises(ss.ModelError, match="holds a latent"):
        n.w = ss.frozen(n.b * ss.max(n.x)) * n.x


def test_what_is_written_after_the_fit():
    m = ss.Model()
    m.b = ss.Normal(0, 1)
    m.d = 2 * m.b
    m.y = ss.Normal(m.b, 1).observe([1.0, 2.0])
    fit = m.mcmc(**FAST)
    m.extra = ss.data([1.0, 2.0, 3.0])
    m.q, m.d = m.b * m.extra, 3 * m.b
    found = fit.predict({"extra": [4.0, 5.0]}).predictions
    np.testing.assert_allclose(found["q"], fit.posterior["b"][..., None] * [4.0, 5.0])
    np.testing.assert_allclose(found["d"], 3 * fit.posterior["b"])
