"""An executable with every method, for what cmdstanpy can do beside sampling with a diagonal metric."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scistan as ss
from scistan.messages.sampling import ChainWarning

DATA = np.array([1.0, 2.0, 4.0, 3.0])
SPREAD = (1 / 100 + DATA.size) ** -0.5
CENTRE = SPREAD**2 * DATA.sum()


def small() -> ss.Model:
    """Give a model of two numbers."""
    m = ss.Model("small")
    m.mu = ss.Normal(0, 10)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.mu, m.sigma).observe(np.array([1.0, 2.0, 4.0, 3.0]))
    return m


def known() -> ss.Model:
    """Give a model whose posterior is known: a normal mean, with a quantity derived from it."""
    m = ss.Model("known")
    m.mu = ss.Normal(0, 10)
    m.y = ss.Normal(m.mu, 1).observe(DATA)
    m.twice = 2 * m.mu
    return m


def methods_of(path: Path) -> str:
    """Ask an executable for its methods."""
    told = subprocess.run([str(path), "info"], capture_output=True, text=True, check=True).stdout
    return next(line for line in told.splitlines() if line.startswith("methods = "))


@pytest.mark.parametrize("methods", ["all", None, 3, ["full"], np.array(["full"])], ids=str)
def test_methods_are_core_or_full(methods):
    with pytest.raises(ss.ModelError, match="`methods` must be 'core' or 'full'"):
        small().compile(methods=methods)
    with pytest.raises(ss.ModelError, match="`methods` must be 'core' or 'full'"):
        ss.compile_models([small()], methods=methods)


@pytest.fixture(scope="module")
def made() -> tuple[ss.Model, Path]:
    """Build an executable of every method."""
    pytest.importorskip("cmdstanpy")
    m = known()
    return m, m.compile(methods="full", progress=False)


@pytest.fixture(scope="module")
def full(made) -> Any:
    """Give it to cmdstanpy."""
    import cmdstanpy

    with cmdstanpy.disable_logging():
        yield cmdstanpy.CmdStanModel(exe_file=str(made[1]))


@pytest.fixture
def given(made, tmp_path) -> dict[str, Any]:
    """Give what every method takes."""
    return {"data": made[0].stan_data(), "seed": 1, "output_dir": str(tmp_path)}


def within(draws: np.ndarray, chance: float = 5.0) -> None:
    """Hold independent draws, or about half as many in effect, to the posterior that is known."""
    draws = np.asarray(draws).ravel()
    error = SPREAD / np.sqrt(draws.size / 2)
    assert abs(draws.mean() - CENTRE) < chance * error
    assert abs(draws.std() - SPREAD) < chance * error  # the error of a deviation is smaller still


@pytest.mark.slow
def test_an_executable_of_every_method_is_found_again(made):
    m, path = made
    assert ss.compile_models({"known": m}, methods="full", progress=False) == {"known": path}
    assert m.compile(progress=False) == path, "more than what is asked for will do"
    for method in ("sample", "optimize", "laplace", "pathfinder", "variational", "log_prob", "generate_quantities"):
        assert method in methods_of(path)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["diag_e", "dense_e", "unit_e"])
def test_sample(full, given, metric):
    fit = full.sample(chains=2, iter_warmup=300, iter_sampling=1000, metric=metric, show_progress=False, **given)
    within(fit.stan_variable("mu"), chance=8)  # a chain's draws depend on each other
    # Files are named by the second: in the same folder they would be those of the sample.
    apart = Path(given["output_dir"]) / "again"
    again = full.generate_quantities(data=given["data"], previous_fit=fit, seed=2, gq_output_dir=str(apart))
    np.testing.assert_allclose(again.stan_variable("twice"), 2 * fit.stan_variable("mu"), rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["lbfgs", "bfgs", "newton"])
def test_optimize(full, given, algorithm):
    found = full.optimize(algorithm=algorithm, **given)
    assert found.converged
    assert abs(found.stan_variable("mu") - CENTRE) < 1e-4


@pytest.mark.slow
def test_laplace_sample(full, given):
    within(full.laplace_sample(draws=2000, **given).stan_variable("mu"))


@pytest.mark.slow
def test_pathfinder(full, given):
    within(full.pathfinder(draws=2000, **given).stan_variable("mu"), chance=8)  # importance draws repeat each other


@pytest.mark.slow
def test_paths_that_are_not_drawn_again_all_have_their_share(made):
    m, _ = made
    given = {"engine": "cmdstan", "num_paths": 3, "psis_resample": False, "seed": 4, "progress": False}
    first, again = (m.pathfinder(draws=90, **given) for _ in range(2))
    np.testing.assert_array_equal(first.posterior["mu"], again.posterior["mu"])
    assert first.posterior["mu"].shape == (1, 90)
    written = np.split(first.cmdstan.stan_variable("mu"), 3)
    shares = [int(np.isin(first.posterior["mu"], path).sum()) for path in written]
    assert sum(shares) == 90
    if "path__" not in first.cmdstan.column_names:  # written path by path
        assert shares == [30, 30, 30]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["meanfield", "fullrank"])
def test_variational(full, given, algorithm):
    fit = full.variational(algorithm=algorithm, draws=2000, require_converged=False, **given)
    drawn = fit.stan_variable("mu", mean=False)
    # ADVI's own criterion is a hundredth of the ELBO: its optimum is near, not at, the posterior.
    assert abs(drawn.mean() - CENTRE) < SPREAD
    assert SPREAD / 2 < drawn.std() < SPREAD * 2


@pytest.mark.slow
def test_log_prob(full, given):
    values = [full.log_prob({"mu": mu}, given["data"], sig_figs=18).iloc[0] for mu in (0.0, 1.0)]
    exact = [-0.5 * ((mu - CENTRE) / SPREAD) ** 2 for mu in (0.0, 1.0)]
    assert np.isclose(values[1].iloc[0] - values[0].iloc[0], exact[1] - exact[0], rtol=1e-6)
    np.testing.assert_allclose(values[0].iloc[1], CENTRE / SPREAD**2, rtol=1e-6)


@pytest.mark.slow
def test_an_approximation_that_differs_from_the_posterior_warns():
    """A heavy tail beside a normal approximation: the importance ratios have no mean."""
    m = ss.Model("heavy")
    m.x = ss.StudentT(1.2, 0, 1, shape=5)
    with pytest.warns(ChainWarning, match="Pareto k"):
        fit = m.laplace(draws=400, seed=1, progress=False, engine="cmdstan")
    assert fit.diagnose().hints[0].check == "Pareto k"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pathfinder", "laplace", "variational"])
def test_the_embedded_engine_gives_what_the_compiled_one_gives(made, method):
    """One algorithm on two engines: the same approximation and, up to a constant, the same densities at its draws."""
    settled = {"grad_samples": 10, "tol_rel_obj": 1e-3} if method == "variational" else {}
    run = getattr(made[0], method)
    fits = {name: run(draws=4000, seed=4, progress=False, engine=name, **settled) for name in ("stanli", "cmdstan")}
    # The files of CmdStan hold eight digits of a draw.
    digits = 1e-6
    for name, fit in fits.items():
        assert fit.engine == name
        drawn, stated = fit.posterior["mu"].ravel(), fit.draws.statistics["lp"].ravel()
        if method != "variational":  # ADVI's criterion is a thousandth of its bound: its optimum is near the posterior
            within(drawn, chance=8)
        # `mu` is unbounded: there is no Jacobian in the density. A Laplace approximation by CmdStan drops constants.
        apart = stated[:20] - [made[0].log_density({"mu": mu}) for mu in drawn[:20]]
        np.testing.assert_allclose(apart, apart[0], atol=1e-4)
        if (name, method) != ("cmdstan", "laplace"):
            assert abs(apart[0]) < 1e-4
    if method != "pathfinder":  # one stream of random numbers, so that it is the same run
        mine, theirs = (fit.posterior["mu"] for fit in fits.values())
        np.testing.assert_allclose(mine, theirs, rtol=digits, atol=digits)
        mine, theirs = (fit.draws.statistics["lp_approx"] for fit in fits.values())
        np.testing.assert_allclose(mine, theirs, rtol=digits, atol=digits)
    else:  # paths are resampled by us on one side and by Stan on the other; repeated draws are half as many in effect
        mine, theirs = (np.asarray(fit.posterior["mu"]) for fit in fits.values())
        assert abs(mine.mean() - theirs.mean()) < 5 * SPREAD * np.sqrt(2 / 2000)
        assert abs(mine.std() - theirs.std()) < 5 * SPREAD / np.sqrt(2000)
