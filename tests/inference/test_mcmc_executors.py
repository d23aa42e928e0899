"""Chains and many fits on executors: the same draws, wherever they are drawn."""

import warnings
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import scistan as ss
from tests.zoo import counts, eight_schools, logistic

SETTINGS = {"draws": 60, "warmup": 100, "chains": 3, "seed": 4, "progress": False}


@pytest.mark.parametrize("engine", ["stanli", "nutpie"])
def test_an_executor_gives_the_same_draws(engine):
    m = logistic()
    here = m.mcmc(engine=engine, **SETTINGS)
    with ThreadPoolExecutor(2) as pool:
        there = m.mcmc(engine=engine, executor=pool, parallel_chains=2, **SETTINGS)
    np.testing.assert_array_equal(here.posterior["beta"], there.posterior["beta"])
    assert there.draws.numbers == (1, 2, 3)


def test_starting_values_go_with_their_chains():
    inits = [{"rate": float(k)} for k in (1, 2, 3)]
    here = counts().mcmc(engine="stanli", inits=inits, **SETTINGS)
    with ThreadPoolExecutor(3) as pool:
        there = counts().mcmc(engine="stanli", inits=inits, executor=pool, **SETTINGS)
    np.testing.assert_array_equal(here.posterior["rate"], there.posterior["rate"])


class Flaky:
    """An executor one of whose workers dies."""

    def __init__(self, bad):
        self.bad, self.count = bad, 0

    def submit(self, function, *args):
        self.count += 1
        task = Future()
        if self.count in self.bad:
            task.set_exception(OSError("the worker died"))
        else:
            task.set_result(function(*args))
        return task


def test_a_worker_that_dies_costs_its_chain_only():
    with pytest.warns(UserWarning, match="chain 2 failed and is left out: OSError: the worker died"):
        fit = counts().mcmc(engine="stanli", executor=Flaky({2}), **SETTINGS)
    assert fit.shape == (2, 60)
    assert fit.draws.numbers == (1, 3)
    with pytest.raises(ss.SamplingError, match="no chain gave draws: OSError: the worker died"):
        counts().mcmc(engine="stanli", executor=Flaky({1, 2, 3}), **SETTINGS)


@pytest.mark.parametrize("named", [True, False])
def test_warnings_of_many_fits_point_at_the_users_line(named):
    models = {"a": counts()} if named else [counts()]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ss.sample_models(models, executor=Flaky({2}), engine="stanli", **SETTINGS)
    (own,) = [one for one in caught if "chain 2 failed" in str(one.message)]
    assert own.filename == __file__
    assert own.category.__name__ == "ChainWarning"


def test_many_fits_keep_their_places():
    models = {"a": counts(), "b": eight_schools(), "bad": _impossible(), "c": logistic()}
    with warnings.catch_warnings(), ThreadPoolExecutor(2) as pool:
        warnings.simplefilter("ignore")
        there = ss.sample_models(models, executor=pool, **SETTINGS)
        here = ss.sample_models(models, **SETTINGS)
    assert list(there) == list(models)
    assert isinstance(there["bad"], ss.SamplingError)
    for name in ("a", "b", "c"):
        for variable, array in here[name].posterior.items():
            np.testing.assert_array_equal(array, there[name].posterior[variable])
    assert [type(fit) for fit in ss.sample_models([counts()], engine="stanli", **SETTINGS)] == [type(here["a"])]


def _impossible():
    m = ss.Model("impossible")
    m.a = ss.Normal(0, 1)
    m.y = ss.Poisson(-ss.exp(m.a)).observe([3])
    return m


@pytest.mark.slow
def test_processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = logistic().mcmc(engine="stanli", executor=pool, **SETTINGS)
    here = logistic().mcmc(engine="stanli", **SETTINGS)
    np.testing.assert_array_equal(here.posterior["beta"], there.posterior["beta"])


@pytest.mark.slow
def test_a_local_dask_cluster(tmp_path):
    """Two worker processes with an empty cache of their own: a compiled program comes from the shared one."""
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    m = eight_schools()
    executable = m.compile(progress=False)
    own = {"SCISTAN_CACHE": str(tmp_path / "own"), "SCISTAN_CACHE_READONLY": str(executable.parents[2])}
    size = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(env=own, **size) as cluster, distributed.Client(cluster) as client:
        assert client.run(_cache_variables) == dict.fromkeys(client.scheduler_info()["workers"], own)
        pool = client.get_executor()
        for engine in ("stanli", "cmdstan"):
            there = m.mcmc(engine=engine, executor=pool, **SETTINGS)
            here = m.mcmc(engine=engine, **SETTINGS)
            np.testing.assert_array_equal(here.posterior["theta"], there.posterior["theta"])
        fits = ss.sample_models({"one": counts(), "two": logistic()}, executor=pool, engine="stanli", **SETTINGS)
    assert {name: fit.shape for name, fit in fits.items()} == {"one": (3, 60), "two": (3, 60)}
    assert list(tmp_path.rglob("model")) == []


def _cache_variables():
    import os

    return {name: os.environ[name] for name in ("SCISTAN_CACHE", "SCISTAN_CACHE_READONLY")}
