"""Labels that were never fitted: their effects are drawn from their distribution given the draws."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import scistan as ss

SITES = [f"site {k}" for k in range(6)]
TAU, SIGMA = 1.5, 0.8
# Draws are nearly independent here: a mean of n of them is off by more than 5 sd / sqrt(n / 2) once in a million.
SURE = 5.0


def grouped(seed: int = 0) -> ss.Model:
    rng = np.random.default_rng(seed)
    g = np.repeat(np.arange(6), 8)
    effects = rng.normal(2, TAU, 6)
    treated = np.tile([0.0, 1.0], 24)
    m = ss.Model("sites", coords={"site": SITES})
    m.g, m.t = ss.data(g), ss.data(treated)
    m.mu = ss.Normal(0, 5)
    m.b = ss.Normal(0, 5)
    m.a = ss.Normal(m.mu, TAU, dims="site")
    m.y = ss.Normal(m.a[m.g] + m.b * m.t, SIGMA).observe(effects[g] + treated + rng.normal(0, SIGMA, 48))
    return m


@pytest.fixture(scope="module")
def fit():
    return grouped().mcmc(seed=3, draws=2000, warmup=500, chains=2, engine="stanli", progress=False)


def ask(fit, codes, labels, treated=None, **options):
    data = {"g": codes, "t": np.zeros(len(codes)) if treated is None else treated}
    return fit.predict(data, coords={"site": labels}, **options)


def test_they_are_refused_unless_asked_for(fit):
    with pytest.raises(ss.DataError, match=r"labels of `site` that were not fitted \('nowhere'\)(.|\n)*new_levels=\"draw\""):
        ask(fit, [6], [*SITES, "nowhere"])


def test_a_new_site_follows_the_closed_form(fit):
    """mu given y is normal; so is the effect of a new site, with the variance of mu and tau² added."""
    instance = fit.subject.instance
    values = {n: instance.values[leaf] for leaf, n in instance.graph.data_names.items()}
    y, g, t = values["y"], values["g"], values["t"]
    design = np.column_stack([np.ones(48), t, np.eye(6)[g]])
    prior = np.diag([5.0**2, 5.0**2, *[TAU**2] * 6])
    precision = np.linalg.inv(prior) + design.T @ design / SIGMA**2
    cov = np.linalg.inv(precision)
    mean = cov @ design.T @ y / SIGMA**2
    found = ask(fit, [6], [*SITES, "new"], new_levels="draw", var_names=["a", "y"]).predictions
    effect = found["a"].sel(site="new").values.ravel()
    sd = np.sqrt(cov[0, 0] + TAU**2)
    n = effect.size
    assert effect.mean() == pytest.approx(mean[0], abs=SURE * sd / np.sqrt(n / 2))
    assert effect.std() == pytest.approx(sd, rel=SURE / np.sqrt(n))
    spread = np.sqrt(sd**2 + SIGMA**2)
    assert found["y"].values.std() == pytest.approx(spread, rel=SURE / np.sqrt(n))


def test_the_same_site_in_every_call_and_noise_of_its_own(fit):
    first = ask(fit, [6, 0], [*SITES, "new"], new_levels="draw", var_names=["a", "y"]).predictions
    again = ask(fit, [7], ["other", *SITES, "new"], new_levels="draw", var_names=["a", "y"]).predictions
    np.testing.assert_array_equal(first["a"].sel(site="new"), again["a"].sel(site="new"))
    np.testing.assert_array_equal(first["a"].sel(site="site 3"), again["a"].sel(site="site 3"))
    assert not np.array_equal(again["a"].sel(site="other"), again["a"].sel(site="new"))
    assert not np.allclose(first["y"].values[..., 0], again["y"].values[..., 0])
    assert json.loads(again.attrs["new_levels"]) == {"site": ["other", "new"]}
    few = ask(fit, [6], [*SITES, "new"], new_levels="draw", var_names=["a"], draws=100).predictions
    assert few.sizes["draw"] == 50
    assert set(few["a"].sel(site="new").values.ravel()) <= set(first["a"].sel(site="new").values.ravel())


@pytest.mark.parametrize("site", ["new", "site 2"])
def test_a_contrast_in_one_call_and_in_two(fit, site):
    labels = [*SITES, "new"]
    code = labels.index(site)
    spread = np.sqrt(fit.posterior["b"].var() + 2 * SIGMA**2)
    n = fit.posterior["b"].size
    treated = ask(fit, [code], labels, [1.0], new_levels="draw").predictions["y"].values
    control = ask(fit, [code], labels, [0.0], new_levels="draw").predictions["y"].values
    both = ask(fit, [code, code], labels, [1.0, 0.0], new_levels="draw").predictions["y"].values
    for contrast in (treated - control, both[..., :1] - both[..., 1:]):
        assert contrast.std() == pytest.approx(spread, rel=SURE / np.sqrt(n))
        assert contrast.mean() == pytest.approx(fit.posterior["b"].mean(), abs=SURE * spread / np.sqrt(n / 2))


def two_effects() -> ss.Model:
    """Give two effects of each site, whose distributions are known: what is new of them is nothing but numbers drawn."""
    m = ss.Model("two effects", coords={"site": SITES[:2]})
    m.g = ss.data([0, 1])
    m.a, m.b = ss.Normal(0, 1, dims="site"), ss.Normal(0, 1, dims="site")
    m.y = ss.Normal(m.a[m.g] + m.b[m.g], 1).observe([0.3, -0.2])
    return m


def test_effects_of_a_new_site_are_apart_from_each_other_and_from_those_of_other_fits():
    first, second = (
        two_effects().mcmc(seed=seed, draws=200, warmup=200, chains=2, engine="stanli", progress=False)
        .predict({"g": [2]}, coords={"site": [*SITES[:2], "new"]}, new_levels="draw", var_names=["a", "b"], seed=1)
        .predictions.sel(site="new")
        for seed in (3, 4)
    )
    drawn = np.stack([effect.values.ravel() for found in (first, second) for effect in (found["a"], found["b"])])
    # Independent numbers: a correlation of n of them has a standard deviation of 1 / sqrt(n).
    apart = np.corrcoef(drawn)[~np.eye(4, dtype=bool)]
    assert np.abs(apart).max() < SURE / np.sqrt(drawn.shape[1])


def test_at_its_average_a_new_site_has_the_mean_given_the_others(fit):
    found = ask(fit, [6], [*SITES, "new"], new_levels="average", var_names=["a"]).predictions["a"]
    np.testing.assert_allclose(found.sel(site="new"), fit.posterior["mu"])


def test_labels_in_another_order_or_fewer_of_them(fit):
    turned = ask(fit, [0], SITES[::-1], var_names=["a"]).predictions["a"]
    few = ask(fit, [0], ["site 4"], var_names=["a"]).predictions["a"]
    fitted = fit.idata.posterior["a"]
    for label in SITES:
        np.testing.assert_array_equal(turned.sel(site=label), fitted.sel(site=label))
    np.testing.assert_array_equal(few.sel(site="site 4"), fitted.sel(site="site 4"))


def test_vectors_with_a_covariance():
    rng = np.random.default_rng(1)
    g = np.repeat(np.arange(12), 10)
    x = rng.normal(size=120)
    v = rng.multivariate_normal([1, -1], [[1, 0.6], [0.6, 1]], 12)
    m = ss.Model("slopes", coords={"site": list(range(100, 112)), "coef": ["intercept", "slope"]})
    m.g, m.x = ss.data(g), ss.data(x)
    m.mu = ss.Normal(0, 2, dims="coef")
    m.sd = ss.HalfNormal(1, dims="coef")
    m.corr = ss.LKJCholesky(2, 2)
    m.v = ss.MultivariateNormal(m.mu, chol=m.sd[:, None] * m.corr, dims=("site", "coef"))
    m.y = ss.Normal(m.v[m.g, 0] + m.v[m.g, 1] * m.x, 0.5).observe(v[g, 0] + v[g, 1] * x + rng.normal(0, 0.5, 120))
    fit = m.mcmc(seed=1, draws=1000, warmup=500, chains=4, engine="stanli", progress=False)
    found = fit.predict({"g": [12], "x": [1.0]}, coords={"site": [*range(100, 112), 999]}, new_levels="draw", var_names="v")
    new = found.predictions["v"].sel(site=999).values.reshape(-1, 2)
    chol = (fit.posterior["sd"][..., None] * fit.posterior["corr"]).reshape(-1, 2, 2)
    mu = fit.posterior["mu"].reshape(-1, 2)
    z = np.linalg.solve(chol, (new - mu)[..., None])[..., 0]  # standard normal if drawn as it should be
    np.testing.assert_allclose(z.mean(0), 0, atol=SURE / np.sqrt(len(z)))
    np.testing.assert_allclose(np.cov(z.T), np.eye(2), atol=SURE * np.sqrt(2 / len(z)))


def test_nested_and_crossed_groups():
    rng = np.random.default_rng(2)
    m = ss.Model("nested", coords={"district": ["n", "s"], "year": [1, 2, 3]})
    district_of = pd.Series([0, 0, 1, 1], index=pd.Index(list("abcd"), name="school"))
    m.district_of = ss.data(district_of)
    m.school, m.when = ss.data(np.repeat(np.arange(4), 6)), ss.data(np.tile([0, 1, 2], 8))
    m.u = ss.Normal(0, 3, dims="district")
    m.w = ss.Normal(0, 0.5, dims="year")
    m.c = ss.Normal(0, 0.1, dims=("school", "year"))
    m.a = ss.Normal(m.u[m.district_of], 0.01)
    m.mean = m.a[m.school] + m.w[m.when] + m.c[m.school, m.when]
    m.y = ss.Normal(m.mean, 1).observe(rng.normal(size=24))
    assert m.instance().dims["a"] == ("school",)
    fit = m.mcmc(seed=1, draws=300, warmup=300, chains=2, engine="stanli", progress=False)
    schools = pd.Series([0, 0, 1, 1, 2], index=pd.Index([*"abcd", "e"], name="school"))
    found = fit.predict(
        {"district_of": schools, "school": [4, 4, 0], "when": [3, 0, 3]},
        coords={"district": ["n", "s", "w"], "year": [1, 2, 3, 4]},
        new_levels="draw",
        var_names=["u", "w", "a", "c", "mean"],
    ).predictions
    west, school = found["u"].sel(district="w"), found["a"].sel(school="e")
    assert west.values.std() == pytest.approx(3, rel=SURE / np.sqrt(600))
    assert (school - west).values.std() == pytest.approx(0.01, rel=SURE / np.sqrt(600))
    cells = found["c"]
    np.testing.assert_array_equal(cells.sel(school="a", year=2), fit.idata.posterior["c"].sel(school="a", year=2))
    assert cells.sel(school="a", year=4).values.std() == pytest.approx(0.1, rel=SURE / np.sqrt(600))
    mean = school + found["w"].sel(year=4) + cells.sel(school="e", year=4)
    np.testing.assert_allclose(found["mean"].values[..., 0], mean)
    with pytest.raises(ss.DataError, match="`district_of`"):
        fit.predict({"school": [4], "when": [0]}, coords={"school": list("abcde")}, new_levels="draw")


def test_a_latent_per_row_is_new_on_new_rows():
    m = ss.Model("overdispersed")
    m.x = ss.data(np.linspace(0, 1, 20))
    m.tau = ss.HalfNormal(1)
    m.e = ss.Normal(0, m.tau, shape=m.x.shape)
    m.y = ss.PoissonLog(m.x + m.e).observe(np.arange(20) % 5)
    fit = m.mcmc(seed=1, draws=300, warmup=300, chains=2, engine="stanli", progress=False)
    assert fit.predict().predictions["y"].shape == (2, 300, 20)
    for x in (np.linspace(1, 2, 20), [0.5, 0.6]):
        with pytest.raises(ss.DataError, match=r"new rows, and `e` has no draws(.|\n)*draw"):
            fit.predict({"x": x})
        found = fit.predict({"x": x}, new_levels="draw", var_names=["e"]).predictions["e"]
        z = (found.values / fit.posterior["tau"][..., None]).ravel()
        assert z.std() == pytest.approx(1, rel=SURE / np.sqrt(z.size))
    other = fit.predict({"x": x}, new_levels="draw", var_names=["e"]).predictions["e"]
    assert not np.array_equal(found, other)  # rows without labels are other rows in every call


def test_elements_that_are_tied_to_each_other_are_not_drawn_alone():
    m = ss.Model("tied", coords={"site": list("abc")})
    m.g = ss.data([0, 1, 2])
    m.a = ss.Normal(0, 1, dims="site", constraint="sum_to_zero")
    m.f = ss.Flat(dims="site")
    m.y = ss.Normal(m.a[m.g] + m.f[m.g], 1).observe([0.0, 1.0, 2.0])
    fit = m.mcmc(seed=1, draws=50, warmup=50, chains=1, engine="stanli", progress=False)
    with pytest.raises(ss.UnsupportedError, match=r"`a` ties its elements along `site`"):
        fit.predict({"g": [3]}, coords={"site": list("abcd")}, new_levels="draw")
    n = ss.Model("flat", coords={"site": list("abc")})
    n.g = ss.data([0, 1, 2])
    n.f = ss.Flat(dims="site")
    n.y = ss.Normal(n.f[n.g], 1).observe([0.0, 1.0, 2.0])
    fit = n.mcmc(seed=1, draws=50, warmup=50, chains=1, engine="stanli", progress=False)
    with pytest.raises(ss.UnsupportedError, match=r"`f` has a flat prior"):
        fit.predict({"g": [3]}, coords={"site": list("abcd")}, new_levels="draw")


# -- one label, however it is written ------------------------------------------------------------------
@pytest.fixture(scope="module")
def numbered():
    m = ss.Model("numbered")
    m.site = ss.factor(np.repeat([10, 20, 30], 4))
    m.tau = ss.HalfNormal(1)
    m.a = ss.Normal(0, m.tau, dims="site")
    m.effect = 1 * m.a[m.site]
    m.y = ss.Normal(m.effect, 1).observe(np.linspace(-1, 1, 12))
    return m.mcmc(seed=2, draws=50, warmup=200, chains=2, engine="stanli", progress=False)


NINETY = [[90], [90.0], np.array([90.0]), np.array([90], dtype=np.int32), pd.Series([90], dtype="Int64"), pd.Categorical([90])]


@pytest.mark.parametrize("labels", NINETY, ids=repr)
def test_equal_labels_are_one_site(numbered, labels):
    expected = numbered.predict({"site": [90]}, new_levels="draw").predictions["effect"].values
    np.testing.assert_array_equal(
        numbered.predict({"site": labels}, new_levels="draw").predictions["effect"].values, expected
    )


@pytest.mark.parametrize("labels", [["10"], ["20.0"], [90, "30"]])
@pytest.mark.parametrize("policy", ["draw", "average"])
def test_a_label_of_another_type_is_no_new_site(numbered, labels, policy):
    with pytest.raises(ss.DataError, match=r"the new label '\d0(\.0)?' of `site` reads as \d0, which was fitted"):
        numbered.predict({"site": labels}, new_levels=policy)


def test_days_are_the_same_in_any_unit():
    days = np.array(["2024-01-01", "2024-01-02"], dtype="M8[D]")
    m = ss.Model("days", coords={"day": days})
    m.i = ss.data([0, 1, 1])
    m.a = ss.Normal(0, 1, dims="day")
    m.effect = 1 * m.a[m.i]
    m.y = ss.Normal(m.effect, 1).observe([0.0, 1.0, 2.0])
    fit = m.mcmc(seed=2, draws=20, warmup=100, chains=1, engine="stanli", progress=False)
    longer = np.array(["2024-01-01", "2024-01-02", "2024-01-09"], dtype="M8[D]")
    found = [
        fit.predict({"i": [2, 1]}, coords={"day": longer.astype(f"M8[{unit}]")}, new_levels="draw").predictions["effect"]
        for unit in ("D", "s", "ns")
    ]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_array_equal(found[0].values[..., 1], fit.posterior["a"][..., 1])
