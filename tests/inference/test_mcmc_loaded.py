"""A fit read from its file alone predicts as it did: factors, standardized data, new levels, other orders."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import scistan as ss

SITES = ["Bergen", "Bodo", "Oslo"]


def trial(order=SITES, columns=("dose", "age")) -> ss.Model:
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(10, 3, (30, 2)), columns=["dose", "age"])
    site = pd.Series(np.array(SITES)[np.arange(30) % 3])
    m = ss.Model("trial", coords={"site": list(order)})
    m.site = ss.factor(site)
    m.x = ss.standardize(x[list(columns)])
    m.tau = ss.HalfNormal(1)
    m.effect = ss.Normal(0, m.tau, dims="site")
    m.b = ss.Normal(0, 1, shape=2)
    m.mean = m.effect[m.site] + m.x @ m.b
    m.y = ss.Normal(m.mean, 0.5).observe(site.map({"Bergen": 0.0, "Bodo": 1.0, "Oslo": 2.0}) + 0.3 * x.dose - x.age)
    return m


@pytest.fixture(scope="module")
def fit():
    return trial().mcmc(seed=1, draws=200, warmup=300, chains=2, engine="stanli", progress=False)


@pytest.fixture(scope="module")
def path(fit, tmp_path_factory):
    return fit.save(tmp_path_factory.mktemp("fits") / "trial.nc")


NEW = {"site": ["Oslo", "Turku"], "x": pd.DataFrame({"age": [10.0, 12.0], "dose": [9.0, 8.0]})}


def test_it_predicts_without_the_model(fit, path):
    loaded = ss.load(path)
    assert loaded.certificate.ok
    for options in ({"new_levels": "draw"}, {"new_levels": "average", "do": {"site": "Bodo"}}):
        here, there = (f.predict(NEW, seed=3, **options).predictions for f in (fit, loaded))
        assert here.equals(there)
    with pytest.raises(ss.DataError, match="'Turku'"):
        loaded.predict(NEW)
    assert loaded.idata.constant_data["site_code"].equals(fit.idata.constant_data["site_code"])


def test_a_model_with_levels_in_another_order_is_matched_by_label(fit, path):
    loaded = ss.load(path, model=trial(SITES[::-1]))
    for label in SITES:
        np.testing.assert_array_equal(
            loaded.idata.posterior["effect"].sel(site=label), fit.idata.posterior["effect"].sel(site=label)
        )
    codes, sites = (loaded.idata.constant_data[name].values for name in ("site_code", "site"))
    assert sites[codes[:3]].tolist() == SITES
    known = {"site": ["Oslo", "Bergen"], "x": NEW["x"]}
    here, there = (f.predict(known, seed=3).predictions["mean"] for f in (fit, loaded))
    np.testing.assert_allclose(here.values, there.values)
    with pytest.raises(ss.DataError, match="'Turku'"):
        ss.load(path, model=trial([*SITES, "Turku"]))


def test_a_model_with_columns_in_another_order_keeps_no_wrong_meaning(fit, path):
    """The coefficients have no labels of their own: their columns do."""
    turned = trial(columns=("age", "dose"))
    try:
        loaded = ss.load(path, model=turned)
    except ss.DataError:
        return
    known = {"site": ["Oslo", "Bergen"], "x": NEW["x"]}
    here, there = (f.predict(known, seed=3).predictions["mean"] for f in (fit, loaded))
    np.testing.assert_allclose(here.values, there.values)
