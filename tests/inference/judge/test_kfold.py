"""`fit.kfold()` beside closed forms, and what it refuses."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import scistan as ss
from tests.zoo import eight_schools

pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
RUN = {"draws": 500, "warmup": 300, "chains": 2, "seed": 1, "engine": "stanli", "progress": False}
Y = np.random.default_rng(2).normal(1.0, 1.0, 12)
ERRORS = 5  # standard errors of the Monte Carlo: one in a million


def normal(y=Y):
    m = ss.Model("normal")
    m.mu = ss.Normal(0, 2)
    m.y = ss.Normal(m.mu, 1).observe(y)
    return m


def exact(y, out):
    """The log density of rows `out` given the others, mu ~ Normal(0, 2) and y ~ Normal(mu, 1)."""
    rest = np.delete(y, out)
    precision = 1 / 4 + len(rest)
    return norm(rest.sum() / precision, np.sqrt(1 + 1 / precision)).logpdf(y[out])


def test_leaving_out_each_row_is_exact():
    found = normal().mcmc(**RUN).kfold(k=12, seed=3, progress=False)
    expected = np.array([exact(Y, [k])[0] for k in range(12)])
    np.testing.assert_array_less(np.abs(found.elpd_pointwise - expected), ERRORS * found.mcse_pointwise)
    assert found.k == 12
    assert found.mcse < 0.1
    assert abs(found.elpd - expected.sum()) < ERRORS * found.mcse
    assert 0 < found.p < 3
    assert found.se == pytest.approx(np.sqrt(12) * expected.std(ddof=1), rel=0.05)


def test_folds_are_drawn_by_the_seed_and_hold_equal_shares(tmp_path):
    fit = normal().mcmc(**RUN)
    found = fit.kfold(k=4, seed=3, folder=tmp_path / "folds", progress=False)
    assert np.bincount(found.folds).tolist() == [3, 3, 3, 3]
    for fold in range(4):
        out = np.flatnonzero(found.folds == fold)
        near = np.abs(found.elpd_pointwise[out] - exact(Y, out)) < ERRORS * found.mcse_pointwise[out]
        assert near.all()
    again = fit.kfold(k=4, folder=tmp_path / "folds", progress=False)
    assert again.reused == 4
    np.testing.assert_array_equal(again.elpd_pointwise, found.elpd_pointwise)
    with pytest.raises(ss.DataError, match="the data differ"):
        fit.kfold(k=3, seed=3, folder=tmp_path / "folds", progress=False)
    table = found.to_dataframe()
    assert list(table.columns) == ["fold", "elpd", "mcse"]
    assert table.index[3] == "y[3]"
    assert "4 folds" in repr(found)
    assert "4 folds" in found._repr_html_()


def test_leaving_out_a_group_is_exact():
    """The effect of a site that is left out has its prior: y ~ Normal(0, sqrt(1 + 1))."""
    site = pd.Series(["Faro", "Gent", "Faro", "Oslo", "Gent", "Oslo"])
    y = np.array([0.3, -1.2, 0.8, 1.9, -0.7, 1.1])
    m = ss.Model("sites")
    m.site = ss.factor(site)
    m.effect = ss.Normal(0, 1, dims="site")
    m.y = ss.Normal(m.effect[m.site], 1).observe(y)
    found = m.mcmc(**RUN).kfold(by="site", seed=3, progress=False)
    expected = norm(0, np.sqrt(2)).logpdf(y)
    assert found.groups == ("Faro", "Gent", "Oslo")
    np.testing.assert_array_less(np.abs(found.elpd_pointwise - expected), ERRORS * found.mcse_pointwise)
    assert found.by_group()["Oslo"] == pytest.approx(expected[[3, 5]].sum(), abs=0.3)
    assert list(found.to_dataframe()["site"]) == list(site)


def test_a_latent_of_each_row_is_drawn_anew():
    """Eight schools: a school left out is as likely as any new one."""
    m = ss.Model("schools", coords={"school": list("ABCDEF")})
    m.theta = ss.Normal(0, 1, dims="school")
    m.y = ss.Normal(m.theta, 1).observe([0.3, -1.2, 0.8, 1.9, -0.7, 1.1])
    found = m.mcmc(**RUN).kfold(by="school", seed=3, progress=False)
    expected = norm(0, np.sqrt(2)).logpdf([0.3, -1.2, 0.8, 1.9, -0.7, 1.1])
    np.testing.assert_array_less(np.abs(found.elpd_pointwise - expected), ERRORS * found.mcse_pointwise)
    assert list(found.to_dataframe().index)[:2] == ["y[A]", "y[B]"]


def test_along_another_axis_and_with_statistics_of_the_data():
    """The mean of a predictor stays that of all rows: as if it had been taken off before."""

    def panel(x, centre):
        m = ss.Model("panel", coords={"year": [2001, 2002, 2003]})
        m.x = ss.data(x)
        m.a, m.b = ss.Normal(0, 1, dims="year"), ss.Normal(0, 1)
        eta = m.b * (m.x - ss.mean(m.x) if centre else m.x)
        m.y = ss.Normal(eta[:, None] + m.a, 1, dims=("place", "year")).observe(np.reshape([*Y, 1, 2, 3], (5, 3)))
        return m.mcmc(**RUN)

    x = np.array([0.1, 0.5, 1.7, 2.0, 3.1])
    fit = panel(x, centre=True)
    rows = fit.kfold(k=5, seed=1, progress=False)
    before = panel(x - x.mean(), centre=False).kfold(k=5, seed=1, progress=False)
    np.testing.assert_allclose(rows.elpd_pointwise, before.elpd_pointwise, atol=ERRORS * rows.mcse_pointwise.max())
    years = fit.kfold(by="year", seed=1, progress=False)
    assert rows.elpd_pointwise.shape == years.elpd_pointwise.shape == (5, 3)
    assert np.isfinite(years.elpd_pointwise).all()
    assert years.groups == (2001, 2002, 2003)


def refused(m, match, **asked):
    fit = m.mcmc(draws=20, warmup=20, chains=1, seed=1, engine="stanli", progress=False)
    with pytest.raises(ss.ScistanError, match=match):
        fit.kfold(progress=False, **asked)


def test_what_cannot_be_parted_is_refused():
    walk = ss.Model("walk")
    walk.step = ss.Normal(0, 1, shape=6)
    walk.y = ss.Normal(ss.cumsum(walk.step), 1).observe(Y[:6])
    refused(walk, "the density of `y` at a row depends on other rows", k=3)

    together = ss.Model("together")
    together.mu = ss.Normal(0, 1)
    together.y = ss.MultivariateNormal(together.mu * np.ones(3), cov=np.eye(3)).observe(Y[:3])
    refused(together, "one density together")

    twice = ss.Model("twice")
    twice.x = ss.data(Y)
    twice.mu = ss.Normal(0, 1)
    twice.y = ss.Normal(twice.mu * twice.x, 1).observe(Y)
    twice.z = ss.Normal(twice.mu + twice.x, 1).observe(Y)
    refused(twice, "along them `z` is observed", var_name="y")
    refused(twice, "observes `y`, `z`, and rows of one of them are left out", k=3)

    flat = ss.Model("flat")
    flat.a = ss.Flat(shape=4)
    flat.y = ss.Normal(flat.a, 1).observe(Y[:4])
    refused(flat, "`a` has a flat prior for each row", k=2)

    single = ss.Model("single")
    single.a = ss.Normal(0, 1)
    single.y = ss.Normal(single.a, 1).observe(1.0)
    refused(single, "a single number|no row")

    refused(normal(), "`by` is 'sit'", by="sit")
    refused(normal(), "k=13 folds of 12 rows", k=13)
    refused(normal(), "at least 2", k=1)
    grouped = normal()
    grouped.place = ss.data([1.0, 2.0])
    grouped.w = grouped.place * grouped.mu
    refused(grouped, "has not one label for each row", by="place")


def test_results_are_the_same_on_an_executor():
    from concurrent.futures import ThreadPoolExecutor

    fit = eight_schools().mcmc(**{**RUN, "draws": 50, "warmup": 50})
    here = fit.kfold(k=3, seed=2, progress=False)
    with ThreadPoolExecutor(2) as pool:
        there = fit.kfold(k=3, seed=2, executor=pool, progress=False)
    np.testing.assert_array_equal(here.elpd_pointwise, there.elpd_pointwise)
    assert here.ill == there.ill
    assert "fits are not healthy" in repr(here)
