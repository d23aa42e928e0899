"""The compiled engine and what only CmdStan does: real builds, so slow."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.engines.registry import run_request
from tests.engines.support import request
from tests.zoo import eight_schools

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::UserWarning")]


@pytest.fixture(scope="module")
def fit():
    return eight_schools().mcmc(seed=1, engine="cmdstan", adapt_delta=0.95, progress=False)


def test_cmdstanpys_own_object(fit):
    native = fit.cmdstan
    assert type(native).__name__ == "CmdStanMCMC"
    np.testing.assert_allclose(native.stan_variable("mu"), fit.posterior["mu"].ravel(), rtol=1e-12)
    stanli = eight_schools().mcmc(seed=1, engine="stanli", draws=20, warmup=20)
    with pytest.raises(ss.ModelError, match="has no cmdstanpy object"):
        stanli.cmdstan


def test_a_limit_of_time_gives_what_there_is_by_then():
    fit = eight_schools().mcmc(
        draws=50_000_000, warmup=20, chains=2, seed=1, engine="cmdstan", progress=False, time_limit=3, keep=["mu"], thin=1000
    )
    assert 0 < fit.posterior["mu"].shape[1] < 50_000
    assert any("`time_limit=3` was reached" in note for note in fit.notes)


def test_every_option_reaches_the_executable():
    options = {
        "adapt_delta": 0.9,
        "max_treedepth": 6,
        "step_size": 0.3,
        "thin": 2,
        "save_warmup": True,
        "init_radius": 0.5,
        "inv_metric": np.full(10, 0.7),
        "metric": "diag",
        "parallel_chains": 2,
        "threads_per_chain": 1,
        "adapt_engaged": True,
    }
    draws = run_request("cmdstan", request(eight_schools(), options=options))
    assert draws.kept.shape == (2, 50)
    assert draws.warmup is not None
    assert draws.warmup.shape == (2, 100)
    assert draws.statistics["tree_depth"].max() <= 6


def test_draws_do_not_depend_on_how_many_chains_run_at_once():
    together = run_request("cmdstan", request(eight_schools(), chains=3))
    alone = run_request("cmdstan", request(eight_schools(), chains=3, options={"parallel_chains": 1}))
    np.testing.assert_array_equal(together.values["theta"], alone.values["theta"])
    one = run_request("cmdstan", request(eight_schools(), chains=1, first_chain=3))
    np.testing.assert_array_equal(one.values["theta"][0], together.values["theta"][2])


def test_starting_values_reach_the_executable():
    start = {"mu": 1.0, "tau": 2.0, "theta": np.arange(8.0)}
    tiny = {"step_size": 1e-9, "adapt_engaged": False, "max_treedepth": 1, "chains": 1, "seed": 1}
    drawn = eight_schools().mcmc(1, 0, engine="cmdstan", inits=start, progress=False, **tiny).posterior
    for name, value in start.items():
        np.testing.assert_allclose(drawn[name][0, 0], value, atol=1e-6)


def test_a_chain_that_is_killed_leaves_the_others():
    def kill_one():
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for entry in Path("/proc").iterdir():
                try:
                    words = (entry / "cmdline").read_bytes().split(b"\0")
                    ours = {b"id=2", b"num_samples=60000"} <= set(words) and words[0] != b"/bin/sh"
                    if entry.name.isdigit() and ours:
                        os.kill(int(entry.name), 9)
                        return
                except OSError:
                    continue
            time.sleep(0.01)

    killer = threading.Thread(target=kill_one)
    killer.start()
    # thinned so far that the chains take long and their files stay small
    options = {"thin": 600, "parallel_chains": 3}
    draws = run_request("cmdstan", request(eight_schools(), chains=3, draws=60_000, options=options))
    killer.join()
    assert draws.numbers == (1, 3)
    assert "SIGKILL" in draws.notes[0]


def test_temporary_files_go(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fit = eight_schools().mcmc(seed=1, engine="cmdstan", draws=20, warmup=20, progress=False)
    assert list(tmp_path.iterdir())
    del fit
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_compile_gives_paths_or_errors_as_given():
    bad = ss.Model("bad")
    bad.y = ss.Normal(0, 1, shape=2).observe()
    path = eight_schools().compile(progress=False)
    assert os.access(path, os.X_OK)
    found = ss.compile_models({"good": eight_schools(), "again": eight_schools()}, progress=False)
    assert found == {"good": path, "again": path}
    assert ss.compile_models([eight_schools()], progress=False) == [path]


@pytest.mark.parametrize("method", ["pathfinder", "laplace", "variational"])
def test_approximations_are_fits_of_the_same_shape(method, fit):
    found = getattr(eight_schools(), method)(draws=500, seed=3, progress=False, engine="cmdstan")
    assert found.method == method
    assert found.idata.posterior["theta"].shape == (1, 500, 8)
    assert list(found.idata.posterior.coords["school"].values) == list("ABCDEFGH")
    assert found.idata.posterior_predictive["y"].shape == (1, 500, 8)
    assert {"lp", "lp_approx"} <= set(found.idata.sample_stats.data_vars)
    sd = fit.posterior["mu"].std()
    assert abs(found.posterior["mu"].mean() - fit.posterior["mu"].mean()) < sd
    assert 0.3 < found.posterior["mu"].std() / sd < 2
    assert found.diagnose().checks == ("Pareto k",)
    assert type(found.cmdstan).__name__ in ("CmdStanPathfinder", "CmdStanLaplace", "CmdStanVB")
    with pytest.raises(ss.ModelError, match=f"'{method}' has no option `adapt_delta`"):
        getattr(eight_schools(), method)(adapt_delta=0.9)


def test_an_approximation_starts_chains(fit):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rough = eight_schools().pathfinder(draws=200, seed=3, progress=False, engine="cmdstan")
        found = eight_schools().mcmc(draws=50, warmup=50, seed=1, inits=rough)
    assert found.engine == "stanli"


def test_cmdstanpy_keeps_its_log_to_itself():
    """In a fresh process: cmdstanpy sets its own level when it first writes."""
    code = """
import scistan as ss
m = ss.Model("quiet")
m.mu = ss.Normal(0, 1)
m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0, 3.0])
m.pathfinder(draws=50, seed=1, progress=False, engine="cmdstan")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "INFO" not in done.stderr


WITHOUT_STREAMS = """
import os, sys, warnings
warnings.simplefilter("ignore")
from tests.zoo import eight_schools
answers = os.fdopen(os.dup2(1, 30), "w")
if sys.argv[1] == "stderr":
    sys.stderr.close()
else:
    for number in sys.argv[1]:
        os.close(int(number))
fit = eight_schools().mcmc(draws=20, warmup=30, chains=2, seed=1, engine="cmdstan")
print(fit["mu"].values.tolist(), file=answers, flush=True)
"""


@pytest.mark.parametrize("closed", ["stderr", "2", "12", "012"])
def test_a_run_in_a_process_whose_streams_are_closed(fit, closed):
    expected = eight_schools().mcmc(draws=20, warmup=30, chains=2, seed=1, engine="cmdstan", progress=False)
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_STREAMS, closed], stdout=subprocess.PIPE, text=True, check=False, timeout=300
    )
    assert json.loads(done.stdout) == expected["mu"].values.tolist()
