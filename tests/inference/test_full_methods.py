"""An executable with every method, for what cmdstanpy can do beside sampling with a diagonal metric."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from tests.zoo import two_peaks


def methods_of(path: Path) -> str:
    """Ask an executable for its methods."""
    told = subprocess.run([str(path), "info"], capture_output=True, text=True, check=True).stdout
    return next(line for line in told.splitlines() if line.startswith("methods = "))


@pytest.mark.parametrize("methods", ["all", None, 3, ["full"], np.array(["full"])], ids=str)
def test_methods_are_core_or_full(methods):
    with pytest.raises(ss.ModelError, match="`methods` must be 'core' or 'full'"):
        two_peaks().compile(methods=methods)
    with pytest.raises(ss.ModelError, match="`methods` must be 'core' or 'full'"):
        ss.compile_models([two_peaks()], methods=methods)


def test_every_method_of_cmdstanpy_runs_on_a_full_executable(tmp_path):
    cmdstanpy = pytest.importorskip("cmdstanpy")
    m = two_peaks()
    path = m.compile(methods="full", progress=False)
    assert ss.compile_models({"it": m}, methods="full", progress=False) == {"it": path}
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
