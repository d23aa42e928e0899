"""Fits of models with discrete latents: what is given back with the draws, and what it says of itself."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp
from scipy.stats import norm

import scistan as ss
from scistan.errors import ModelError
from scistan.inference.fit import Fit
from tests.inference.test_prior_agreement import disagreements
from tests.passes.states.hidden_models import change_point, markov


def two_normals(rows: int = 60) -> ss.Model:
    rng = np.random.default_rng(3)
    y = np.concatenate([rng.normal(-2, 1, rows // 3), rng.normal(2, 0.7, rows - rows // 3)])
    m = ss.Model("two_normals", coords={"row": [f"r{k}" for k in range(rows)]})
    m.w = ss.Dirichlet(np.ones(2))
    m.mu = ss.Normal(0, 3, shape=2, constraint="ordered")
    m.sigma = ss.HalfNormal(1, shape=2)
    m.z = ss.Categorical(m.w, dims="row")
    m.high = 1.0 * m.z
    m.y = ss.Normal(m.mu[m.z], m.sigma[m.z]).observe(y, dims="row")
    return m


@pytest.fixture(scope="module")
def fit() -> Fit:
    return two_normals().mcmc(draws=250, warmup=300, chains=2, seed=1, engine="stanli", progress=False)


def test_draws_of_states_come_with_the_others(fit: Fit) -> None:
    z = fit.idata.posterior["z"]
    assert z.shape == (2, 250, 60)
    assert z.dims == ("chain", "draw", "row")
    assert set(np.unique(z)) == {0, 1}
    assert np.array_equal(fit["high"], z)
    assert "z: 2 states in each of 60 rows" in fit.idata.posterior.attrs["summed"]


def test_probabilities_are_labelled_and_fit_the_draws(fit: Fit) -> None:
    found = fit.posterior_of("z")
    assert found.dims == ("row", "z_value")
    assert list(found["row"].values[:2]) == ["r0", "r1"]
    w, mu, sigma = (fit.posterior[n].reshape(-1, 2) for n in ("w", "mu", "sigma"))
    y = fit.idata.observed_data["y"].values
    logs = np.log(w)[:, None] + norm.logpdf(y[None, :, None], mu[:, None], sigma[:, None])
    expected = np.exp(logs - logsumexp(logs, axis=-1, keepdims=True)).mean(0)
    assert np.allclose(found.values, expected, atol=1e-12)
    frequency = (fit.idata.posterior["z"].values == 1).mean((0, 1))
    assert np.allclose(frequency, expected[:, 1], atol=5 * 0.5 / np.sqrt(500))
    with pytest.raises(ModelError, match="is no discrete latent"):
        fit.posterior_of("mu")


def test_log_likelihood_is_marginal_where_a_row_has_its_own_sum(fit: Fit) -> None:
    found = fit.idata.log_likelihood
    assert not [key for key in found.attrs if key.endswith("_given")]
    w, mu, sigma = (fit.posterior[n][0, 0] for n in ("w", "mu", "sigma"))
    y = fit.idata.observed_data["y"].values
    expected = logsumexp(np.log(w) + norm.logpdf(y[:, None], mu, sigma), axis=1)
    assert np.allclose(found["y"].values[0, 0], expected)


def test_predictions_follow_the_states(fit: Fit) -> None:
    predicted = fit.idata.posterior_predictive["y"].values
    z = fit.idata.posterior["z"].values
    assert abs(predicted[z == 0].mean() + 2) < 1
    assert abs(predicted[z == 1].mean() - 2) < 1


def test_states_are_not_judged_by_r_hat(fit: Fit) -> None:
    assert not [f for f in fit.diagnose().findings if "`z" in str(f)]


def test_a_fit_is_saved_and_read_back(fit: Fit, tmp_path: Path) -> None:
    again = ss.load(fit.save(tmp_path / "fit.nc"))
    assert np.array_equal(again.idata.posterior["z"], fit.idata.posterior["z"])
    assert np.allclose(again.posterior_of("z"), fit.posterior_of("z"))


def test_a_sum_over_many_rows_gives_conditional_log_likelihoods() -> None:
    fit = change_point(6).mcmc(draws=100, warmup=200, chains=2, seed=1, engine="stanli", progress=False)
    found = fit.idata.log_likelihood
    assert found["y"].shape == (2, 100, 6)
    assert found.attrs["y_given"] == "tau"
    a, b, tau = (fit.posterior[n][0, 5] for n in ("a", "b", "tau"))
    y = fit.idata.observed_data["y"].values
    expected = norm.logpdf(y, np.where(np.arange(6) < tau, a, b), 1)
    assert np.allclose(found["y"].values[0, 5], expected)


def test_estimates_sum_over_states() -> None:
    m = two_normals()
    found = m.mle(seed=1, progress=False)
    assert found.converged, found
    assert found["mu"][0] == pytest.approx(-2, abs=0.7)
    drawn = found.idata(20)
    assert drawn.posterior["z"].shape == (1, 20, 60)
    assert drawn.posterior_predictive["y"].shape == (1, 20, 60)


def test_new_rows_draw_their_states() -> None:
    rng = np.random.default_rng(3)
    y = np.concatenate([rng.normal(-2, 1, 20), rng.normal(2, 0.7, 30)])
    m = ss.Model()
    m.x = ss.data(np.zeros(50))
    m.p, m.mu = ss.Beta(2, 2), ss.Normal(0, 3, shape=2, constraint="ordered")
    m.z = ss.Bernoulli(m.p + 0.0 * m.x)
    m.y = ss.Normal(m.mu[m.z], 1).observe(y)
    fit = m.mcmc(draws=100, warmup=200, chains=2, seed=1, engine="stanli", progress=False)
    found = fit.predict({"x": np.zeros(400)}).predictions["y"]
    assert found.shape == (2, 100, 400)
    expected = fit.posterior["p"].mean()
    assert (found.values > 0).mean() == pytest.approx(expected, abs=0.05)


def test_a_chain_is_given_back_with_its_paths_and_one_step_ahead() -> None:
    m = markov(6)
    fit = m.mcmc(draws=100, warmup=200, chains=2, seed=1, engine="stanli", progress=False)
    smoothed = fit.posterior_of("s")
    assert smoothed.dims == ("s_dim_0", "s_value")
    assert np.allclose(smoothed.sum("s_value"), 1)
    drawn = fit.idata.posterior["s"].values
    assert np.allclose((drawn == 1).mean((0, 1)), smoothed.values[:, 1], atol=5 * 0.5 / np.sqrt(200))
    assert fit.most_likely_path("s").shape == (2, 100, 6)
    found = fit.idata.log_likelihood
    assert found.attrs["y_ahead"] == "s"
    values = {t: fit.posterior[t][1, 7] for t in ("P", "start", "mu")}
    prior = m.log_density(values) - found["y"].values[1, 7].sum()
    assert prior == pytest.approx(fit.idata.log_prior["log_prior"].values[1, 7])


def test_a_mixture_tells_where_its_elements_come_from() -> None:
    rng = np.random.default_rng(3)
    y = np.concatenate([rng.normal(-2, 1, 20), rng.normal(2, 0.7, 30)])
    m = ss.Model()
    m.w, m.mu = ss.Dirichlet(np.ones(2)), ss.Normal(0, 3, shape=2, constraint="ordered")
    m.y = ss.Mixture(m.w, ss.Normal(m.mu, 1)).observe(y)
    fit = m.mcmc(draws=100, warmup=200, chains=2, seed=1, engine="stanli", progress=False)
    found = fit.posterior_of("y")
    w, mu = (fit.posterior[n].reshape(-1, 2) for n in ("w", "mu"))
    logs = np.log(w)[:, None] + norm.logpdf(y[None, :, None], mu[:, None], 1)
    expected = np.exp(logs - logsumexp(logs, axis=-1, keepdims=True)).mean(0)
    assert found.dims == ("y_dim_0", "y_component")
    assert np.allclose(found, expected)


def test_label_switching_is_told_by_its_name() -> None:
    rng = np.random.default_rng(3)
    m = ss.Model()
    m.w = ss.Dirichlet(np.ones(2))
    m.mu = ss.Normal(0, 5, shape=2)
    m.z = ss.Categorical(m.w, shape=80)
    m.y = ss.Normal(m.mu[m.z], 1).observe(np.concatenate([rng.normal(-4, 1, 40), rng.normal(4, 1, 40)]))
    inits = [{"mu": [-4.0, 4.0], "w": [0.5, 0.5]}, {"mu": [4.0, -4.0], "w": [0.5, 0.5]}]
    with pytest.warns(UserWarning, match="R-hat"):
        fit = m.mcmc(draws=150, warmup=200, chains=2, seed=1, engine="stanli", inits=inits, progress=False)
    assert 'constraint="ordered"' in str(fit.diagnose())


@pytest.mark.long
def test_prior_draws_and_chains_agree() -> None:
    m = ss.Model()
    m.p = ss.Beta(2, 2)
    m.z = ss.Bernoulli(m.p)
    m.x = ss.Normal(2 * m.z, 1 + m.z)
    m.u = ss.Mixture([0.3, 0.7], [ss.Normal(-1, 1), ss.Gamma(3, 2)])
    m.s = ss.Series(lambda past: ss.Bernoulli(0.2 + 0.6 * past[-1]), start=ss.Bernoulli(0.5), length=3)
    m.e = ss.Normal(1.0 * m.s, 1)
    assert not disagreements(m, seed=1)


@pytest.mark.long
def test_what_was_simulated_is_recovered_as_often_as_is_claimed() -> None:
    m = ss.Model("regimes")
    m.stay = ss.Beta(8, 2, shape=2)
    m.mu = ss.Normal([-1.0, 1.0], 0.7, constraint="ordered")
    rows = ss.stack([ss.stack([m.stay[0], 1 - m.stay[0]]), ss.stack([1 - m.stay[1], m.stay[1]])])
    m.s = ss.Series(lambda past: ss.Categorical(rows[past[-1]]), start=ss.Categorical([0.5, 0.5]), length=40)
    m.empty = ss.Beta(2, 4)
    m.y = ss.Normal(m.mu[m.s], 0.7).observe()
    m.rate = ss.Gamma(4, 2)
    m.n = ss.Mixture([m.empty, 1 - m.empty], [ss.DiscreteRange(0, 0), ss.Poisson(m.rate)], shape=30).observe()
    covered = dict.fromkeys(("stay", "mu", "empty", "rate"), 0)
    right = 0
    for seed in range(50):
        truth = m.simulate(seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = m.with_data(y=truth["y"], n=truth["n"]).mcmc(
                draws=400, warmup=400, chains=1, seed=seed, engine="stanli", progress=False
            )
        for name in covered:
            draws, true = fit.posterior[name], np.asarray(truth[name])
            low, high = np.quantile(draws, [0.1, 0.9], axis=(0, 1))
            covered[name] += int(np.ravel((low < true) & (true < high))[0])
        p = fit.posterior_of("s").values[:, 1]
        right += float(np.sum((p > 0.5) == truth["s"]) - np.sum(np.maximum(p, 1 - p)))
    for name, count in covered.items():
        assert stats.binomtest(count, 50, 0.8).pvalue > 1e-6, (name, count)
    # The probabilities of the likelier states add up to how many of them are right; along a chain they go together, so
    # that a data set counts as one draw of at most 40.
    assert abs(right) < 5 * 40 * np.sqrt(50) / 4
