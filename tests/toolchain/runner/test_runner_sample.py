"""The runner's sample method, driven by cmdstanpy: posteriors, metrics, adaptation, chains, files."""

from __future__ import annotations

import json
from pathlib import Path

import arviz
import cmdstanpy
import numpy as np
import pandas
import pytest
from scipy import stats

pytestmark = pytest.mark.slow

QUIET = {"show_progress": False}


@pytest.fixture(scope="module")
def conjugate(executable) -> cmdstanpy.CmdStanModel:
    return cmdstanpy.CmdStanModel(exe_file=executable("conjugate", full=False))


@pytest.fixture(scope="module")
def regression(executable) -> cmdstanpy.CmdStanModel:
    return cmdstanpy.CmdStanModel(exe_file=executable("regression"))


def assert_moments(draws: np.ndarray, mean: float, sd: float) -> None:
    """Compare chains x draws with a known mean and sd, within five Monte-Carlo standard errors."""
    assert abs(draws.mean() - mean) < 5 * sd / np.sqrt(arviz.ess(draws))
    square = (draws - mean) ** 2
    assert abs(square.mean() - sd**2) < 5 * square.std() / np.sqrt(arviz.ess(square))


def chains_of(fit: cmdstanpy.CmdStanMCMC, name: str) -> np.ndarray:
    return fit.draws_xr(name)[name].to_numpy()


def linear_posterior(data: dict) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(data["x"]), np.array(data["y"])
    covariance = np.linalg.inv(x.T @ x + np.eye(2) / 4)
    return covariance @ x.T @ y, covariance


def test_the_core_units_sample_a_conjugate_posterior(conjugate, conjugate_data):
    fit = conjugate.sample(conjugate_data, seed=1, chains=4, iter_sampling=2000, **QUIET)
    theta, rate = stats.beta(2 + 2, 3 + 8), stats.gamma(2 + 14, scale=1 / (1 + 5))
    assert_moments(chains_of(fit, "theta"), theta.mean(), theta.std())
    assert_moments(chains_of(fit, "rate"), rate.mean(), rate.std())
    assert_moments(chains_of(fit, "y_rep"), theta.mean(), np.sqrt(theta.mean() * (1 - theta.mean())))
    np.testing.assert_allclose(fit.stan_variable("log_rate"), np.log(fit.stan_variable("rate")), rtol=1e-6)
    assert fit.divergences.sum() == 0
    assert fit.column_names[:7] == (
        "lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__",
    )  # fmt: skip


@pytest.mark.parametrize("metric", ["diag_e", "dense_e", "unit_e"])
def test_every_metric_finds_the_posterior(regression, regression_data, metric):
    fit = regression.sample(regression_data, seed=2, metric=metric, iter_sampling=2000, **QUIET)
    mean, covariance = linear_posterior(regression_data)
    beta = chains_of(fit, "beta")
    for i in range(2):
        assert_moments(beta[..., i], mean[i], np.sqrt(covariance[i, i]))
    assert fit.metric_type == metric
    if metric == "dense_e":
        # The regularized estimate of 500 and more warmup draws.
        np.testing.assert_allclose(fit.inv_metric.mean(axis=0), covariance, rtol=0.3)
    elif metric == "diag_e":
        np.testing.assert_allclose(fit.inv_metric.mean(axis=0), np.diag(covariance), rtol=0.3)


@pytest.mark.parametrize("metric", ["diag_e", "dense_e", "unit_e"])
def test_no_adaptation_keeps_step_size_and_metric(regression, regression_data, metric):
    inverse = {"diag_e": np.full(2, 0.1), "dense_e": 0.1 * np.eye(2), "unit_e": None}[metric]
    fit = regression.sample(
        regression_data, seed=3, metric=metric, inv_metric=inverse, step_size=0.25, adapt_engaged=False, **QUIET
    )
    mean, covariance = linear_posterior(regression_data)
    assert_moments(chains_of(fit, "beta")[..., 0], mean[0], np.sqrt(covariance[0, 0]))
    assert set(fit.step_size) == {0.25}
    if inverse is not None:
        np.testing.assert_array_equal(fit.inv_metric[3], inverse)


@pytest.mark.parametrize("metric", ["diag_e", "dense_e", "unit_e"])
@pytest.mark.parametrize("engaged", ["0", "1"])
def test_static_hmc_finds_the_posterior(executable, run, tmp_path, regression_data, metric, engaged):
    (tmp_path / "data.json").write_text(json.dumps(regression_data))
    words = ["sample", "num_samples=4000", "adapt", f"engaged={engaged}", "algorithm=hmc", "engine=static"]
    words += ["int_time=1.2", f"metric={metric}", "stepsize=0.2", "data", "file=data.json", "random", "seed=4"]
    assert run(executable("regression"), *words).returncode == 0
    table = pandas.read_csv(tmp_path / "output.csv", comment="#")
    assert len(table) == 4000
    mean, covariance = linear_posterior(regression_data)
    assert_moments(table["beta.1"].to_numpy()[None], mean[0], np.sqrt(covariance[0, 0]))


def test_the_same_seed_gives_the_same_draws(conjugate, conjugate_data):
    first, again, other = (conjugate.sample(conjugate_data, seed=seed, **QUIET).draws() for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_chains_in_one_process_equal_chains_in_their_own(conjugate, conjugate_data):
    together = conjugate.sample(conjugate_data, seed=7, chains=3, **QUIET)
    apart = conjugate.sample(conjugate_data, seed=7, chains=3, force_one_process_per_chain=True, **QUIET)
    np.testing.assert_array_equal(together.draws(), apart.draws())
    assert not np.array_equal(together.draws()[:, 0], together.draws()[:, 1])


def test_warmup_thinning_and_significant_figures_reach_the_file(conjugate, conjugate_data):
    fit = conjugate.sample(
        conjugate_data, seed=8, iter_warmup=300, iter_sampling=100, thin=3, save_warmup=True, sig_figs=17, **QUIET
    )
    assert fit.draws(inc_warmup=True).shape[:2] == (134, 4)
    assert fit.draws().shape[:2] == (34, 4)
    assert fit.metadata.cmdstan_config["thin"] == 3
    rate, log_rate = fit.stan_variable("rate"), fit.stan_variable("log_rate")
    np.testing.assert_allclose(log_rate, np.log(rate), rtol=1e-15)


def test_adaptation_settings_reach_the_sampler(conjugate, conjugate_data):
    careful = conjugate.sample(conjugate_data, seed=9, adapt_delta=0.99, max_treedepth=3, **QUIET)
    usual = conjugate.sample(conjugate_data, seed=9, **QUIET)
    assert careful.step_size.mean() < 0.7 * usual.step_size.mean()
    assert careful.method_variables()["treedepth__"].max() <= 3
    fit = conjugate.sample(
        conjugate_data, seed=9, adapt_init_phase=10, adapt_metric_window=20, adapt_step_size=30, **QUIET
    )
    config = fit.metadata.cmdstan_config
    assert [config[name] for name in ("init_buffer", "window", "term_buffer")] == [10, 20, 30]


def test_each_chain_starts_at_its_own_values(conjugate, conjugate_data):
    starts = [{"theta": 0.1 * (i + 1), "rate": 1.0 + i} for i in range(3)]
    fit = conjugate.sample(
        conjugate_data, inits=starts, chain_ids=[4, 5, 6], chains=3, iter_warmup=0, iter_sampling=1, step_size=1e-9,
        max_treedepth=1, adapt_engaged=False, seed=10, **QUIET,
    )  # fmt: skip
    np.testing.assert_allclose(fit.stan_variable("theta"), [0.1, 0.2, 0.3], rtol=1e-5)
    np.testing.assert_allclose(fit.stan_variable("rate"), [1, 2, 3], rtol=1e-5)
    zero = conjugate.sample(
        conjugate_data, inits=0, chains=1, iter_warmup=0, iter_sampling=1, step_size=1e-9, max_treedepth=1,
        adapt_engaged=False, **QUIET,
    )  # fmt: skip
    np.testing.assert_allclose(zero.stan_variable("theta"), 0.5, rtol=1e-5)


def test_each_chain_takes_its_own_metric(conjugate, conjugate_data):
    metrics = [{"inv_metric": [0.5, 0.25 * (i + 1)]} for i in range(2)]
    fit = conjugate.sample(
        conjugate_data,
        chains=2,
        inv_metric=metrics,
        metric="diag_e",
        adapt_engaged=False,
        step_size=0.5,
        seed=11,
        **QUIET,
    )
    np.testing.assert_array_equal(fit.inv_metric, [[0.5, 0.25], [0.5, 0.5]])


def test_a_saved_metric_can_be_used_again(executable, run, tmp_path, conjugate_file):
    program = executable("conjugate", full=False)
    data = ["data", f"file={conjugate_file}", "random", "seed=12"]
    saved = run(
        program, "sample", "num_chains=2", "adapt", "save_metric=1", *data, "output", "file=fit.csv", "refresh=0"
    )
    assert saved.returncode == 0, saved.stderr
    metric = json.loads((tmp_path / "fit_metric_2.json").read_text())
    assert metric["metric_type"] == "diag_e"
    assert len(metric["inv_metric"]) == 2
    assert metric["stepsize"] > 0
    words = [
        "sample",
        "num_chains=2",
        "num_warmup=0",
        "adapt",
        "engaged=0",
        "algorithm=hmc",
        "metric_file=fit_metric.json",
    ]
    assert run(program, *words, f"stepsize={metric['stepsize']}", *data, "output", "file=again.csv").returncode == 0
    text = (tmp_path / "again_2.csv").read_text()
    elements = text.split("inverse mass matrix:\n# ")[1].splitlines()[0]
    np.testing.assert_allclose([float(x) for x in elements.split(",")], metric["inv_metric"], rtol=1e-5)


def test_fixed_param_repeats_the_start_values(conjugate, conjugate_data):
    fit = conjugate.sample(
        conjugate_data, inits={"theta": 0.2, "rate": 3}, fixed_param=True, chains=2, iter_sampling=2000, seed=13,
        force_one_process_per_chain=True, **QUIET,
    )  # fmt: skip
    assert set(fit.stan_variable("theta")) == {0.2}
    assert_moments(chains_of(fit, "y_rep"), 0.2, 0.4)
    assert not np.array_equal(fit.draws()[:, 0], fit.draws()[:, 1])


def test_a_model_without_parameters_runs_fixed_param(executable):
    model = cmdstanpy.CmdStanModel(exe_file=executable("no_parameters", full=False))
    fit = model.sample({"mu": 3.0}, seed=14, iter_sampling=1000, chains=2, **QUIET)
    assert fit.metadata.cmdstan_config["algorithm"] == "fixed_param"
    assert_moments(chains_of(fit, "x"), 3, 1)


def test_the_progress_bar_and_the_latent_dynamics_work(conjugate, conjugate_data, capfd):
    fit = conjugate.sample(
        conjugate_data, seed=15, chains=2, show_progress=True, refresh=500, save_latent_dynamics=True, save_profile=True
    )
    assert "Sampling completed" in "".join(capfd.readouterr())
    dynamics = Path(fit.runset.diagnostic_files[1]).read_text()
    assert "p_theta" in dynamics
    assert "g_rate" in dynamics
    profile = Path(fit.runset.profile_files[0]).read_text().splitlines()
    assert profile[0].startswith("name,thread_id,total_time,forward_time,reverse_time")
    assert all(line.startswith("coins,") for line in profile[1:])
    assert len(profile) > 1


def test_the_csv_can_be_read_again(conjugate, conjugate_data):
    fit = conjugate.sample(conjugate_data, seed=16, chains=2, **QUIET)
    again = cmdstanpy.from_csv(fit.runset.csv_files)
    np.testing.assert_array_equal(again.draws(), fit.draws())
    assert set(fit.time[0]) == {"warmup", "sampling", "total"}


def test_threads_do_not_change_the_draws(executable, run, tmp_path, conjugate_file):
    program = executable("conjugate", full=False)
    words = ["sample", "num_chains=4", "data", f"file={conjugate_file}", "random", "seed=17", "output"]
    assert run(program, *words, "file=one.csv", "num_threads=1").returncode == 0
    assert run(program, *words, "file=two.csv", STAN_NUM_THREADS="2").returncode == 0
    for chain in range(1, 5):
        one, two = (
            [row for row in (tmp_path / f"{name}_{chain}.csv").read_text().splitlines() if not row.startswith("#")]
            for name in ("one", "two")
        )
        assert one == two
