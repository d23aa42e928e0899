"""Random draws as derived quantities: drawn with the posterior, by their own stream, and in no density."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

import scistan as ss


def schools() -> ss.Model:
    m = ss.Model("schools", coords={"school": list("ABC")})
    m.scale = ss.data([10.0, 8.0, 9.0], dims="school")
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfNormal(5)
    m.theta = ss.Normal(m.mu, m.tau, dims="school")
    m.y = ss.Normal(m.theta, m.scale).observe([1.0, 2.0, 3.0])
    m.new = ss.Normal(m.mu, m.tau).draw()
    m.visits = ss.Poisson(ss.exp(0.1 * m.theta)).draw()
    m.cut = ss.Normal(m.mu, 1, lower=0).draw()
    m.above = m.new - m.mu
    m.x = ss.data([1.0, 2.0, 3.0, 4.0])
    m.line = ss.Normal(m.mu + 100 * m.x, 1).draw()
    return m


@pytest.fixture(scope="module")
def fit() -> Any:
    return schools().mcmc(draws=400, warmup=300, chains=2, seed=1, engine="stanli", progress=False)


def test_they_are_derived_and_no_target_computes_them() -> None:
    m = schools()
    assert {m.variables[name] for name in ("new", "visits", "cut", "above")} == {"derived"}
    assert not re.search(r"\b(new|visits|cut|above|line)\b", m.stan_code())
    assert m.verify(points=2).ok
    assert set(m.map(starts=2, seed=1).values) == {"mu", "tau", "theta"}


def test_the_prior_and_simulations_have_them() -> None:
    m = schools()
    drawn = m.prior(draws=4000, seed=2).prior
    z = ((drawn["new"] - drawn["mu"]) / drawn["tau"]).values.ravel()
    assert stats.kstest(z, "norm").pvalue > 1e-6
    assert (drawn["cut"] >= 0).all()
    assert drawn["visits"].dims == ("chain", "draw", "school")
    rate = np.exp(0.1 * drawn["theta"])
    spread = ((drawn["visits"] - rate) / np.sqrt(rate)).values.ravel()
    assert abs(spread.mean()) < 5 / np.sqrt(len(spread))
    np.testing.assert_array_equal(drawn["above"], drawn["new"] - drawn["mu"])
    once = m.simulate(seed=3)
    assert once["above"] == once["new"] - once["mu"]


def test_the_posterior_has_them_with_its_own_seed(fit: Any) -> None:
    posterior = fit.idata.posterior
    assert posterior["visits"].dims == ("chain", "draw", "school")
    assert list(posterior["visits"].coords["school"].values) == list("ABC")
    np.testing.assert_array_equal(posterior["above"], posterior["new"] - posterior["mu"])
    z = ((posterior["new"] - posterior["mu"]) / posterior["tau"]).values.ravel()
    assert stats.kstest(z, "norm").pvalue > 1e-6
    again = schools().mcmc(draws=400, warmup=300, chains=2, seed=1, engine="stanli", progress=False)
    np.testing.assert_array_equal(again.posterior["new"], fit.posterior["new"])


def test_predictions_draw_them_at_new_data(fit: Any, tmp_path: Any) -> None:
    first, other = (fit.predict(draws=50, seed=seed).predictions["new"] for seed in (1, 2))
    assert (first.values != other.values).all()
    np.testing.assert_array_equal(first, fit.predict(draws=50, seed=1).predictions["new"])
    there = fit.predict({"x": [7.0, 8.0]}, draws=50, seed=1).predictions
    assert there["line"].shape == (2, 25, 2)
    assert abs(float(there["line"].mean()) - 750) < 50
    fit.save(tmp_path / "fit.nc")
    np.testing.assert_array_equal(first, ss.load(tmp_path / "fit.nc").predict(draws=50, seed=1).predictions["new"])


def test_two_of_one_law_are_two_and_the_same_cell_run_twice_is_one() -> None:
    m = ss.Model("two")
    m.mu = ss.Normal(0, 1)
    for _ in range(2):
        m.a = ss.Normal(m.mu, 1).draw()
    m.b = ss.Normal(m.mu, 1).draw()
    drawn = m.prior(draws=20, seed=1).prior
    assert (drawn["a"] != drawn["b"]).all()


def test_what_depends_on_nothing_is_another_number_in_every_draw() -> None:
    m = ss.Model("coin")
    m.p = ss.Beta(2, 2)
    m.noise = ss.Normal(0, 1, shape=3).draw()
    m.twice = 2 * m.noise
    drawn = m.prior(draws=50, seed=1).prior
    assert drawn["noise"].shape == (1, 50, 3)
    assert len(np.unique(drawn["noise"])) == 150
    np.testing.assert_array_equal(drawn["twice"], 2 * drawn["noise"])


@pytest.mark.parametrize(
    "use",
    [
        lambda m: ss.Normal(m.new, 1).observe(1.0),
        lambda m: ss.Normal(0, 1, lower=m.above),
        lambda m: ss.Normal(m.above, 1),
        lambda m: ss.potential(-(m.above**2)),
    ],
)
def test_a_density_that_rests_on_one_is_refused_with_both_lines(use: Any) -> None:
    m = schools()
    with pytest.raises(ss.ModelError, match=r"(?s)`late` depends on `new` \(.*line \d+.*random draw.*line \d+"):
        m.late = use(m)


def test_what_has_no_draws_is_refused() -> None:
    with pytest.raises(ss.ModelError, match="Flat has no draws"):
        ss.Flat().draw()
    with pytest.raises(ss.ModelError, match="observed is not drawn"):
        ss.Normal(0, 1).observe(1.0).draw()
