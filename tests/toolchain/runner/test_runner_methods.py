"""The runner's other methods, driven by cmdstanpy: optimize, laplace, pathfinder, variational and the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cmdstanpy
import numpy as np
import pandas
import pytest
import stanli

pytestmark = pytest.mark.slow

MODELS = Path(__file__).parent / "models"
OUTCOMES = {"theta": (2 + 2, 3 + 8), "rate": (2 + 14, 1 + 5)}


@pytest.fixture(scope="module")
def conjugate(executable) -> cmdstanpy.CmdStanModel:
    return cmdstanpy.CmdStanModel(exe_file=executable("conjugate"))


@pytest.fixture(scope="module")
def regression(executable) -> cmdstanpy.CmdStanModel:
    return cmdstanpy.CmdStanModel(exe_file=executable("regression"))


@pytest.fixture(scope="module")
def shapes(executable) -> cmdstanpy.CmdStanModel:
    return cmdstanpy.CmdStanModel(exe_file=executable("shapes"))


def interpreted(name: str, data: dict | None = None) -> stanli.Model:
    return stanli.Model(stan_code=(MODELS / f"{name}.stan").read_text(), data=data or {})


def assert_mean(draws: np.ndarray, mean: float, sd: float) -> None:
    """Compare independent draws with a known mean, within five standard errors."""
    assert abs(draws.mean() - mean) < 5 * sd / np.sqrt(len(draws))


def linear_posterior(data: dict) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.array(data["x"]), np.array(data["y"])
    covariance = np.linalg.inv(x.T @ x + np.eye(2) / 4)
    return covariance @ x.T @ y, covariance


@pytest.mark.parametrize("algorithm", ["lbfgs", "bfgs", "newton"])
@pytest.mark.parametrize("jacobian", [False, True])
def test_every_optimizer_finds_the_mode(conjugate, conjugate_data, algorithm, jacobian):
    fit = conjugate.optimize(conjugate_data, algorithm=algorithm, jacobian=jacobian, seed=1, sig_figs=17)
    (a, b), (shape, inverse_scale) = OUTCOMES["theta"], OUTCOMES["rate"]
    # On the unconstrained scale the density has one more factor theta * (1 - theta), and rate.
    theta = a / (a + b) if jacobian else (a - 1) / (a + b - 2)
    rate = (shape if jacobian else shape - 1) / inverse_scale
    np.testing.assert_allclose([fit.theta, fit.rate], [theta, rate], rtol=1e-3 if algorithm != "newton" else 1e-6)


def test_the_optimum_equals_stanlis(conjugate, conjugate_data):
    fit = conjugate.optimize(conjugate_data, algorithm="lbfgs", jacobian=True, seed=2, sig_figs=17, tol_rel_grad=1)
    other = interpreted("conjugate", conjugate_data).optimize(seed=2)
    np.testing.assert_allclose(fit.optimized_params_dict["lp__"], other.lp, rtol=1e-8)
    np.testing.assert_allclose([fit.theta, fit.rate], [other["theta"], other["rate"]], rtol=1e-3)


@pytest.mark.parametrize("algorithm", ["lbfgs", "newton"])
def test_saved_iterations_climb(conjugate, conjugate_data, algorithm):
    fit = conjugate.optimize(conjugate_data, algorithm=algorithm, save_iterations=True, inits={"theta": 0.9, "rate": 9})
    path = fit.optimized_iterations_pd["lp__"].to_numpy()
    assert len(path) > 3
    np.testing.assert_allclose(fit.optimized_iterations_pd[["theta", "rate"]].iloc[0], [0.9, 9], rtol=1e-6)
    assert path[-1] == path.max()


def test_optimizer_settings_reach_the_optimizer(conjugate, conjugate_data):
    fit = conjugate.optimize(
        conjugate_data, algorithm="lbfgs", iter=2, init_alpha=0.01, history_size=3, tol_obj=1e-3, tol_param=1e-4,
        save_iterations=True,
    )  # fmt: skip
    assert len(fit.optimized_iterations_np) == 3
    config = fit.metadata.cmdstan_config
    names = ("iter", "init_alpha", "history_size", "tol_obj", "tol_param")
    assert [config[name] for name in names] == [2, 0.01, 3, 1e-3, 1e-4]


def test_laplace_is_exact_for_a_normal_posterior(regression, regression_data):
    # An exact mode, as its error would enter log_p - log_q below.
    exact = {"algorithm": "lbfgs", "tol_rel_grad": 1, "sig_figs": 17}
    fit = regression.laplace_sample(regression_data, draws=4000, seed=3, opt_args=exact)
    mean, covariance = linear_posterior(regression_data)
    beta = fit.stan_variable("beta")
    for i in range(2):
        assert_mean(beta[:, i], mean[i], np.sqrt(covariance[i, i]))
    # The standard error of a covariance of n normal draws is at most sqrt(2 v w / n).
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert np.all(np.abs(np.cov(beta.T) - covariance) < 5 * np.sqrt(2 / 4000) * scale)
    # With the normal's constants dropped, log_p and log_q differ by their values at the mode.
    difference = fit.method_variables()["log_p__"] - fit.method_variables()["log_q__"]
    np.testing.assert_allclose(difference, difference[0], atol=1e-4)


@pytest.mark.parametrize("jacobian", [False, True])
def test_laplace_takes_the_mode_as_csv_or_json(conjugate, conjugate_data, conjugate_file, run, tmp_path, jacobian):
    fit = conjugate.laplace_sample(conjugate_data, seed=4, jacobian=jacobian, opt_args={"save_iterations": True})
    mode = {"theta": float(fit.mode.theta), "rate": float(fit.mode.rate)}
    (tmp_path / "mode.json").write_text(json.dumps(mode))
    words = ["laplace", "mode=mode.json", f"jacobian={int(jacobian)}", "data", f"file={conjugate_file}"]
    answer = run(conjugate.exe_file, *words, "random", "seed=4", "output", "diagnostic_file=hessian.json")
    assert answer.returncode == 0, answer.stderr
    table = pandas.read_csv(tmp_path / "output.csv", comment="#")
    np.testing.assert_allclose(table["theta"], fit.stan_variable("theta"), rtol=1e-4)
    hessian = json.loads((tmp_path / "hessian.json").read_text())
    # On the logit scale the second derivative of a beta kernel is -(a + b) theta (1 - theta), on the log scale -b rate.
    (a, b), (_, inverse_scale) = OUTCOMES["theta"], OUTCOMES["rate"]
    count = a + b - (0 if jacobian else 2)
    expected = np.diag([-count * mode["theta"] * (1 - mode["theta"]), -inverse_scale * mode["rate"]])
    np.testing.assert_allclose(hessian["Hessian"], expected, rtol=1e-3, atol=1e-3)


def test_laplace_can_skip_the_density(conjugate, conjugate_file, run, tmp_path):
    (tmp_path / "mode.json").write_text('{"theta": 0.25, "rate": 2.6}')
    words = ["laplace", "mode=mode.json", "calculate_lp=0", "draws=7", "data", f"file={conjugate_file}"]
    assert run(conjugate.exe_file, *words).returncode == 0
    table = pandas.read_csv(tmp_path / "output.csv", comment="#")
    assert len(table) == 7
    assert table["log_p__"].isna().all()


def quantities_of(fit):
    """List what the model has of a fit's columns: Stan 2.39 tells beside them which path each draw comes from."""
    return [name for name in fit.metadata.column_names if not name.endswith("__")]


def by_path(fit):
    """Give the draws path by path: Stan 2.39 writes what is not drawn again as paths come to their ends."""
    names, draws = fit.metadata.column_names, fit.draws()
    return draws[np.argsort(draws[:, names.index("path__")], kind="stable")] if "path__" in names else draws


def test_pathfinder_approaches_a_normal_posterior(regression, regression_data):
    fit = regression.pathfinder(regression_data, seed=5, draws=2000, num_single_draws=2000, inits=0.5)
    mean, covariance = linear_posterior(regression_data)
    # The approximation is the posterior's own shape; resampling repeats draws, hence half of them count.
    assert_mean(fit.stan_variable("beta")[::2, 0], mean[0], np.sqrt(covariance[0, 0]))
    assert (len(fit.draws()), len(quantities_of(fit))) == (2000, 2)
    assert fit.metadata.column_names[:2] == ("lp_approx__", "lp__")


@pytest.mark.parametrize(
    ("settings", "rows"),
    [
        ({"num_paths": 1, "num_single_draws": 300}, 300),
        ({"num_paths": 2, "num_single_draws": 300, "psis_resample": False}, 600),
        ({"num_paths": 2, "num_single_draws": 300, "calculate_lp": False}, 600),
        ({"num_paths": 3, "draws": 120, "num_elbo_draws": 10, "max_lbfgs_iters": 20, "history_size": 4}, 120),
    ],
)
def test_pathfinder_settings_decide_the_draws(conjugate, conjugate_data, settings, rows):
    fit = conjugate.pathfinder(conjugate_data, seed=6, **settings)
    assert (len(fit.draws()), len(quantities_of(fit))) == (rows, 4)
    again = conjugate.pathfinder(conjugate_data, seed=6, **settings)
    np.testing.assert_array_equal(by_path(fit), by_path(again))
    inits = fit.create_inits(seed=1, chains=2)
    assert set(inits[0]) >= {"theta", "rate"}


def test_pathfinder_saves_every_path(conjugate, conjugate_file, run, tmp_path):
    words = ["pathfinder", "num_paths=2", "num_draws=50", "num_psis_draws=60", "save_single_paths=1"]
    answer = run(conjugate.exe_file, *words, "id=3", "data", f"file={conjugate_file}", "output", "file=fit.csv")
    assert answer.returncode == 0, answer.stderr
    assert len(pandas.read_csv(tmp_path / "fit.csv", comment="#")) == 60
    for path in (3, 4):
        assert len(pandas.read_csv(tmp_path / f"fit_path_{path}.csv", comment="#")) == 50
        assert "iter" in json.loads((tmp_path / f"fit_path_{path}.json").read_text())["0"]


@pytest.mark.parametrize("algorithm", ["meanfield", "fullrank"])
@pytest.mark.parametrize("engaged", [True, False])
def test_variational_comes_near_the_posterior(regression, regression_data, algorithm, engaged):
    fit = regression.variational(
        regression_data, algorithm=algorithm, seed=7, adapt_engaged=engaged, eta=None if engaged else 0.1,
        iter=20000, tol_rel_obj=0.001, draws=500, require_converged=False,
    )  # fmt: skip
    mean, covariance = linear_posterior(regression_data)
    # Stochastic optimization ends near the mean; both families have the right mean for a normal posterior.
    assert np.all(np.abs(fit.stan_variable("beta", mean=True) - mean) < 0.5 * np.sqrt(np.diag(covariance)))
    assert fit.variational_sample.shape == (500, 5)
    assert fit.eta > 0 if engaged else fit.eta == 0.1


@pytest.mark.filterwarnings("ignore:stanli. parts of this model")  # complex numbers, which the density does not use
@pytest.mark.parametrize("name", ["conjugate", "regression", "shapes"])
def test_log_prob_and_gradient_equal_stanlis(executable, run, tmp_path, name, request):
    data = request.getfixturevalue(f"{name}_data") if name != "shapes" else {}
    other = interpreted(name, data)
    (tmp_path / "data.json").write_text(json.dumps(data))
    size = {"conjugate": 2, "regression": 2, "shapes": 11}[name]
    points = np.random.default_rng(8).normal(0, 1, (5, size))
    # stanli has the simplex transform of Stan 2.37: other coordinates, so keep them still and leave them out.
    simplex = 2 if name == "shapes" else 0
    points[:, :simplex] = 0
    (tmp_path / "points.json").write_text(json.dumps({"params_r": points.tolist()}))
    words = ["log_prob", "unconstrained_params=points.json", "data", "file=data.json", "output", "sig_figs=17"]
    answer = run(executable(name), *words)
    assert answer.returncode == 0, answer.stderr
    table = pandas.read_csv(tmp_path / "output.csv", comment="#")
    expected = [other.log_prob_grad(point) for point in points]
    gradients = np.array([gradient for _, gradient in expected])
    np.testing.assert_allclose(table.iloc[:, 1 + simplex :], gradients[:, simplex:], rtol=1e-9, atol=1e-9)
    densities = np.array([density for density, _ in expected])
    offset = densities[0] - table["lp__"][0] if simplex else 0
    np.testing.assert_allclose(table["lp__"] + offset, densities, rtol=1e-10)
    assert all(column.startswith("g_") for column in table.columns[1:])


def test_log_prob_of_constrained_values(conjugate, conjugate_data):
    theta, rate = 0.3, 2.5
    (a, b), (shape, inverse_scale) = OUTCOMES["theta"], OUTCOMES["rate"]
    kernel = (a - 1) * np.log(theta) + (b - 1) * np.log1p(-theta) + (shape - 1) * np.log(rate) - inverse_scale * rate
    values = {"theta": theta, "rate": rate}
    plain = conjugate.log_prob(values, conjugate_data, jacobian=False, sig_figs=17)
    adjusted = conjugate.log_prob(values, conjugate_data, sig_figs=17)
    np.testing.assert_allclose(plain["lp__"], kernel, rtol=1e-12)
    np.testing.assert_allclose(adjusted["lp__"], kernel + np.log(theta * (1 - theta) * rate), rtol=1e-12)
    np.testing.assert_allclose(adjusted["g_theta"], a - (a + b) * theta, rtol=1e-12)


def test_log_prob_reads_the_draws_of_a_fit(shapes, run, tmp_path):
    fit = shapes.sample(seed=9, chains=1, iter_sampling=50, sig_figs=17, show_progress=False)
    answer = run(shapes.exe_file, "log_prob", f"constrained_params={fit.runset.csv_files[0]}", "output", "sig_figs=17")
    assert answer.returncode == 0, answer.stderr
    table = pandas.read_csv(tmp_path / "output.csv", comment="#")
    np.testing.assert_allclose(table["lp__"], fit.method_variables()["lp__"][:, 0], rtol=1e-8)


def test_generated_quantities_of_a_fit(conjugate, conjugate_data):
    fit = conjugate.sample(conjugate_data, seed=10, chains=3, iter_sampling=1000, sig_figs=17, show_progress=False)
    generated = conjugate.generate_quantities(conjugate_data, fit, seed=11, sig_figs=17)
    assert generated.draws().shape == (1000, 3, 2)
    np.testing.assert_allclose(generated.stan_variable("log_rate"), fit.stan_variable("log_rate"), rtol=1e-12)
    coins = generated.draws()[:, :, generated.column_names.index("y_rep")]
    theta = fit.stan_variable("theta")
    spread = np.sqrt((theta * (1 - theta)).sum())
    assert abs(coins.sum() - theta.sum()) < 5 * spread
    # Chains do not share their random numbers.
    assert len({coins[:, i].tobytes() for i in range(3)}) == 3


def test_generated_quantities_keep_every_shape(shapes):
    fit = shapes.sample(
        seed=12, chains=2, iter_sampling=20, save_warmup=True, iter_warmup=60, sig_figs=17, show_progress=False
    )
    generated = shapes.generate_quantities(previous_fit=fit, seed=12, sig_figs=17)
    for name in ("R", "z"):
        np.testing.assert_allclose(generated.stan_variable(name), fit.stan_variable(name), rtol=1e-12)
    assert generated.draws(inc_warmup=True).shape[0] == 80


def test_generated_quantities_of_several_files(conjugate, conjugate_data, conjugate_file, run, tmp_path):
    fit = conjugate.sample(conjugate_data, seed=13, chains=2, iter_sampling=30, show_progress=False)
    for i, path in enumerate(fit.runset.csv_files, start=1):
        (tmp_path / f"fit_{i}.csv").write_text(Path(path).read_text())
    words = ["generate_quantities", "fitted_params=fit.csv", "num_chains=2", "data", f"file={conjugate_file}"]
    answer = run(conjugate.exe_file, *words, "output", "file=new.csv")
    assert answer.returncode == 0, answer.stderr
    for i in (1, 2):
        table = pandas.read_csv(tmp_path / f"new_{i}.csv", comment="#")
        assert list(table.columns) == ["y_rep", "log_rate"]
        expected = fit.draws()[:, i - 1, fit.column_names.index("log_rate")]
        np.testing.assert_allclose(table["log_rate"], expected, rtol=1e-6)


def test_generated_quantities_of_other_fits(conjugate, conjugate_data):
    mode = conjugate.optimize(conjugate_data, seed=14)
    assert conjugate.generate_quantities(conjugate_data, mode, seed=14).draws().shape == (1, 1, 2)
    family = conjugate.variational(conjugate_data, seed=14, require_converged=False)
    assert conjugate.generate_quantities(conjugate_data, family, seed=14).draws().shape == (1000, 1, 2)


def test_diagnose_compares_gradients(conjugate, conjugate_data, conjugate_file, run):
    table = conjugate.diagnose(inits={"theta": 0.3, "rate": 2.0}, data=conjugate_data)
    a, b = OUTCOMES["theta"]
    np.testing.assert_allclose(table["model"][0], a - (a + b) * 0.3, rtol=1e-5)
    assert np.all(np.abs(table["error"]) < 1e-5)
    strict = run(conjugate.exe_file, "diagnose", "test=gradient", "error=1e-30", "data", f"file={conjugate_file}")
    assert strict.returncode == 1
    assert "differ from finite differences" in strict.stderr


METHODS: dict[str, Callable[[cmdstanpy.CmdStanModel, dict], np.ndarray]] = {
    "optimize": lambda model, data: model.optimize(data, seed=15).optimized_params_np,
    "laplace": lambda model, data: model.laplace_sample(data, seed=15).draws(),
    "pathfinder": lambda model, data: model.pathfinder(data, seed=15).draws(),
    "variational": lambda model, data: model.variational(data, seed=15, require_converged=False).variational_sample,
}


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_output(conjugate, conjugate_data, method):
    np.testing.assert_array_equal(
        METHODS[method](conjugate, conjugate_data), METHODS[method](conjugate, conjugate_data)
    )


def test_csv_files_of_every_method_can_be_read_again(conjugate, conjugate_data):
    mode = conjugate.optimize(conjugate_data, seed=16)
    assert cmdstanpy.from_csv(mode.runset.csv_files).optimized_params_dict == mode.optimized_params_dict
    path = conjugate.pathfinder(conjugate_data, seed=16)
    np.testing.assert_array_equal(cmdstanpy.from_csv(path._runset.csv_files).draws(), path.draws())
    normal = conjugate.laplace_sample(conjugate_data, mode=conjugate.optimize(conjugate_data, jacobian=True), seed=16)
    np.testing.assert_array_equal(cmdstanpy.from_csv(normal._runset.csv_files).draws(), normal.draws())
