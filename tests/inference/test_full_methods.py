"""An executable with every method, for what cmdstanpy can do beside sampling with a diagonal metric."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.messages.sampling import ChainWarning


def small() -> ss.Model:
    """Give a model of two numbers."""
    m = ss.Model("small")
    m.mu = ss.Normal(0, 10)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.mu, m.sigma).observe(np.array([1.0, 2.0, 4.0, 3.0]))
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


def test_every_method_of_cmdstanpy_runs_on_a_full_executable(tmp_path):
    cmdstanpy = pytest.importorskip("cmdstanpy")
    m = small()
    path = m.compile(methods="full", progress=False)
    assert ss.compile_models({"small": m}, methods="full", progress=False) == {"small": path}
    assert "optimize" in methods_of(path)
    with cmdstanpy.disable_logging():
        model = cmdstanpy.CmdStanModel(exe_file=str(path))
        given = {"data": m.stan_data(), "seed": 1, "output_dir": str(tmp_path)}
        assert model.optimize(**given).converged
        assert model.pathfinder(draws=20, **given).draws().shape[0] == 20
        assert model.laplace_sample(draws=20, **given).draws().shape[0] == 20
        assert model.variational(draws=20, require_converged=False, **given).variational_sample.shape[0] == 20
        dense = model.sample(
            chains=1, iter_warmup=50, iter_sampling=20, metric="dense_e", show_progress=False, **given
        )
        assert dense.draws().shape[0] == 20


@pytest.mark.slow
def test_an_approximation_that_differs_from_the_posterior_warns():
    """A heavy tail beside a normal approximation: the importance ratios have no mean."""
    m = ss.Model("heavy")
    m.x = ss.StudentT(1.2, 0, 1, shape=5)
    with pytest.warns(ChainWarning, match="Pareto k"):
        fit = m.laplace(draws=400, seed=1, progress=False)
    assert fit.diagnose().hints[0].check == "Pareto k"
