"""Fits of coded data: what is predicted is asked for in labels and original units."""

import numpy as np
import pandas as pd
import pytest

import scistan as ss


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"arm": rng.choice(["low", "high", "none"], 60), "dose": rng.normal(50, 10, 60)})
    rows["y"] = rows.arm.map({"low": 1.0, "high": 3.0, "none": 0.0}) + 0.1 * (rows.dose - 50) + rng.normal(0, 0.1, 60)
    return rows


def trial() -> ss.Model:
    rows = table()
    m = ss.Model("trial")
    m.arm, m.dose = ss.factor(rows.arm, levels=["none", "low", "high"]), ss.standardize(rows.dose)
    m.level, m.slope = ss.Normal(0, 5, dims="arm"), ss.Normal(0, 5)
    m.mean = m.level[m.arm] + m.slope * m.dose
    m.y = ss.Normal(m.mean, 0.1).observe(rows.y)
    return m


@pytest.fixture(scope="module")
def fitted():
    return trial().mcmc(seed=1, draws=200, warmup=300, chains=2, engine="stanli", progress=False)


def test_labels_and_original_units_are_what_is_asked_for(fitted):
    found = fitted.predict({"arm": ["high", "none"], "dose": [60.0, 50.0]})
    np.testing.assert_allclose(found.predictions["mean"].mean(("chain", "draw")), [4, 0], atol=0.2)
    level, slope = fitted.posterior["level"], fitted.posterior["slope"]
    center, scale = table().dose.mean(), table().dose.std(ddof=0)
    by_hand = level[..., 2] + slope * (60 - center) / scale
    np.testing.assert_allclose(found.predictions["mean"].values[..., 0], by_hand)
    assert found.predictions_constant_data["arm_code"].values.tolist() == [2, 0]


def test_rows_of_the_table_go_in_as_they_are(fitted):
    means = fitted.predict(table().drop(columns="y")).predictions["mean"].mean(("chain", "draw"))
    np.testing.assert_allclose(means, fitted.idata.posterior["mean"].mean(("chain", "draw")))


def test_labels_that_were_not_fitted_are_refused_by_name(fitted):
    with pytest.raises(ss.DataError, match=r"did you mean 'high'\?.*new_levels"):
        fitted.predict({"arm": ["hihg"], "dose": [50.0]})


def test_another_fit_may_have_other_levels():
    m = ss.Model("groups")
    m.group = ss.factor(["a", "b", "a"])
    m.level = ss.Normal(0, 5, dims="group")
    m.y = ss.Normal(m.level[m.group], 0.1).observe([1.0, 2.0, 1.0])
    other = {"group": ["q", "p", "r", "q"], "y": [1.0, 0.0, 5.0, 1.0]}
    fit = m.mcmc(seed=1, draws=200, warmup=300, chains=2, engine="stanli", progress=False, data=other)
    means = fit.idata.posterior["level"].mean(("chain", "draw")).to_series().to_dict()
    assert means == pytest.approx({"p": 0.0, "q": 1.0, "r": 5.0}, abs=0.1)
