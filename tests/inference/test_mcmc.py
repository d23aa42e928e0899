"""Sampling with the embedded engine: right answers, the user's names, and health on show."""

import numpy as np
import pytest

import scistan as ss
from tests.zoo import ZOO, eight_schools, logistic


@pytest.fixture(scope="module")
def fit():
    return eight_schools().mcmc(draws=2000, seed=1, progress=False, adapt_delta=0.95)


def test_eight_schools_matches_the_reference(fit, posteriordb):
    _, reference = posteriordb("eight_schools-eight_schools_noncentered")
    for name, known in reference["parameters"].items():
        variable, _, index = name.partition("[")
        draws = fit.posterior[variable]
        draws = draws[..., int(index[:-1]) - 1] if index else draws
        assert abs(draws.mean() - known["mean"]) < 0.1 * known["sd"], name
        assert abs(draws.std() / known["sd"] - 1) < 0.1, name


def test_dims_and_coords_reach_arviz(fit):
    posterior = fit.idata.posterior
    assert posterior["theta"].dims == ("chain", "draw", "school")
    assert list(posterior.coords["school"].values) == list("ABCDEFGH")
    assert set(posterior.data_vars) == {"mu", "tau", "theta"}
    assert fit.idata.log_likelihood["y"].dims == ("chain", "draw", "school")
    assert fit.idata.posterior_predictive["y"].shape == (4, 2000, 8)
    assert {"diverging", "energy", "lp", "n_steps", "step_size", "tree_depth"} <= set(fit.idata.sample_stats.data_vars)
    assert posterior.attrs["engine"] == "stanli"
    assert posterior.attrs["seed"] == 1


def test_log_likelihood_is_the_density_at_each_draw(fit):
    from scipy import stats

    theta = fit.posterior["theta"][1, 7]
    expected = stats.norm(theta, [15, 10, 16, 11, 9, 11, 10, 18.0]).logpdf([28, 8, -3, 7, -1, 1, 18, 12.0])
    np.testing.assert_allclose(fit.idata.log_likelihood["y"].values[1, 7], expected, rtol=1e-12)


def test_log_prior_is_the_joint_less_the_likelihood(fit):
    m = eight_schools()
    point = {name: array[2, 5] for name, array in fit.posterior.items()}
    joint = m.log_density(point)
    expected = joint - fit.idata.log_likelihood["y"].values[2, 5].sum()
    np.testing.assert_allclose(fit.idata["log_prior"]["log_prior"].values[2, 5], expected, rtol=1e-10)


def test_summary_and_diagnosis(fit):
    assert fit.diagnose().ok, fit.diagnose()
    assert "theta[A]" in fit.summary().index
    assert "healthy" in repr(fit)


def test_loo_works_at_once(fit):
    import arviz

    found = arviz.loo(fit.idata)
    assert np.isfinite(found.elpd_loo if hasattr(found, "elpd_loo") else found.elpd)


def test_same_seed_same_draws():
    m = logistic()
    first, again = (m.mcmc(draws=50, warmup=50, chains=2, seed=7) for _ in range(2))
    other = m.mcmc(draws=50, warmup=50, chains=2, seed=8)
    np.testing.assert_array_equal(first.posterior["beta"], again.posterior["beta"])
    assert not np.array_equal(first.posterior["beta"], other.posterior["beta"])


@pytest.mark.parametrize("name", [n for n in ZOO if n != "eight_schools"])
def test_every_model_of_the_zoo_samples(name):
    m = ZOO[name]()
    fit = m.mcmc(draws=100, warmup=200, chains=2, seed=3)
    for term in m.to_graph().latents:
        assert np.isfinite(fit.posterior[term.name]).all()
    assert set(fit.idata.posterior_predictive.data_vars) == {"y"} or "z" in fit.idata.posterior_predictive


def test_a_vector_of_length_one_stays_a_vector():
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=1)
    m.y = ss.Normal(m.a, 1).observe([0.5])
    assert m.mcmc(draws=20, warmup=20, chains=1, seed=1).posterior["a"].shape == (1, 20, 1)


def test_sick_chains_are_not_called_healthy():
    m = ss.Model()
    m.scale = ss.HalfCauchy(1)
    m.x = ss.Normal(0, m.scale, shape=9, centred=True)
    m.y = ss.Normal(m.x, 100.0).observe(np.zeros(9))
    diagnosis = m.mcmc(draws=300, warmup=300, seed=2).diagnose()
    assert not diagnosis.ok
    assert all(h.suggestion and h.fact for h in diagnosis.hints)


def test_bad_requests_are_refused():
    m = eight_schools()
    with pytest.raises(ss.ModelError, match="draws"):
        m.mcmc(draws=0)
    with pytest.raises(ss.ModelError, match="no engine 'stan'"):
        m.mcmc(engine="stan")
    with pytest.raises(ss.ModelError, match="adapt_dleta"):
        m.mcmc(engine="stanli", adapt_dleta=0.9)
    with pytest.raises(ss.ModelError, match="starting value of `tau`"):
        m.mcmc(inits={"mu": 0.0, "tau": -1.0, "theta": np.zeros(8)})
