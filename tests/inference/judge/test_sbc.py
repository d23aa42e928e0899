"""`m.sbc()`: right models pass, wrong ones are found, and what it gives back is the same wherever it ran."""

import os
import signal
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import scistan as ss
from scistan.inference.judge import replicate as one
from scistan.inference.judge import sbc as _  # noqa: F401  which is to know the honest `simulated`
from scistan.inference.judge.uniform import p_value
from tests.inference.calibrated_models import KINDS

SMALL = {"replications": 12, "draws": 60, "warmup": 150, "seed": 3, "progress": False}
FAMILY_WISE = 1e-6


def same(here, there):
    assert here.numbers == there.numbers
    for name, places in here.places.items():
        np.testing.assert_array_equal(places, there.places[name])
        np.testing.assert_array_equal(here.ranks[name], there.ranks[name])


@pytest.mark.parametrize("kind", ["identical", "counts_in_groups"])
def test_a_right_model_passes(kind):
    found = KINDS[kind]().sbc(replications=60, seed=1, level=FAMILY_WISE, progress=False)
    assert found.ok, found
    assert set(found.places) == {t.name for t in KINDS[kind]().to_graph().latents} | {"log_lik"}
    assert f"{kind}: calibrated over 60 replications" in repr(found)


def test_a_wrong_posterior_is_found(monkeypatch):
    """What is simulated with twice the scale that is fitted is not calibrated."""
    wrong = ss.Model("wrong")
    wrong.mu, wrong.s = ss.Normal(0, 2), ss.Gamma(3, 2)
    wrong.y = ss.Normal(wrong.mu, 2 * wrong.s, shape=60).observe()
    there = one.blank(wrong.instance())
    honest = one.simulated

    def other(instance, seed):
        made = honest(there, seed)
        (leaf,) = [t.value for t in instance.graph.observed]
        (own,) = [t.value for t in there.graph.observed]
        return one.Simulated(made.truth, one.replace(instance, values={**instance.values, leaf: made.instance.values[own]}))

    monkeypatch.setattr(one, "simulated", other)
    found = KINDS["identical"]().sbc(replications=30, seed=1, level=FAMILY_WISE, progress=False)
    assert not found.ok
    assert "s" in [row.element for row in found.uncalibrated]
    assert "draws lie too high" in repr(found)


def test_a_sampler_that_moves_too_little_is_found():
    """Chains that start at Stan's own points and are not warmed up have not arrived."""
    found = KINDS["identical"]().sbc(
        replications=40, draws=25, warmup=0, seed=1, level=FAMILY_WISE, step_size=0.001, max_treedepth=1, progress=False
    )
    assert not found.ok


def test_draws_are_thinned_and_ties_are_broken_by_chance():
    rng = np.random.default_rng(1)
    draws = rng.normal(size=(2, 400))
    rank, among, place = one._place(0.1, draws, 80.0, rng)
    assert among == 80
    assert rank == (draws[:, ::10] < 0.1).sum()
    assert rank / 81 <= place <= (rank + 1) / 81
    tied = [one._place(3.0, np.full((2, 50), 3.0), 100.0, rng)[2] for k in range(400)]
    assert p_value(np.array(tied)) > 1e-6
    assert max(tied) - min(tied) > 0.9


def test_results_do_not_depend_on_where_they_are_made():
    m = KINDS["counts_in_groups"]()
    here = m.sbc(**SMALL)
    with ThreadPoolExecutor(3) as pool:
        same(here, m.sbc(executor=pool, **SMALL))
    assert here.seed == 3
    shorter = m.sbc(**{**SMALL, "replications": 5})
    np.testing.assert_array_equal(shorter.places["mu"], here.places["mu"][:5])


@pytest.mark.slow
def test_other_processes_build_the_model_from_its_record():
    m = KINDS["proportions"]()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = m.sbc(executor=pool, **SMALL)
    same(m.sbc(**SMALL), there)


def test_a_folder_goes_on_where_it_stopped(tmp_path):
    m = KINDS["identical"]()
    first = m.sbc(**{**SMALL, "replications": 5}, folder=tmp_path / "sbc")
    again = m.sbc(**{**SMALL, "seed": None}, folder=tmp_path / "sbc")
    assert (first.reused, again.reused) == (0, 5)
    same(m.sbc(**SMALL), again)
    assert "5 results taken from the folder" in repr(again)
    with pytest.raises(ss.DataError, match="the model and the data and the settings differ"):
        KINDS["regression"]().sbc(**SMALL, folder=tmp_path / "sbc")
    with pytest.raises(ss.DataError, match="the settings differ"):
        m.sbc(**{**SMALL, "draws": 61}, folder=tmp_path / "sbc")


def test_tables_and_pictures():
    m = ss.Model("<b>", coords={"who": ["<i>", "b"]})
    m.effect = ss.Normal(0, 1, dims="who")
    m.sum = m.effect[0] + m.effect[1]
    m.y = ss.Normal(m.effect, 1).observe()
    found = m.sbc(**SMALL)
    table = found.to_dataframe()
    assert list(table.index) == ["effect[<i>]", "effect[b]", "log_lik"]
    assert table["p"].between(0, 1).all()
    assert "&lt;i&gt;" in found._repr_html_()
    assert "<i>" not in found._repr_html_()
    with_sum = m.sbc(**SMALL, var_names=["sum"])
    assert list(with_sum.places) == ["sum"]
    figure = found.plot()
    assert [axis.get_title() for axis in figure.axes[::2]] == list(table.index)
    assert len(found.plot(var_names="effect", kind="ecdf", most=1).axes) == 1
    with pytest.raises(ss.ModelError, match="has no ranks"):
        found.plot(var_names="sum")


def test_a_replication_that_fails_is_told():
    m = ss.Model("overflowing")
    m.a = ss.Normal(0, 30)
    m.y = ss.PoissonLog(m.a).observe()
    found = m.sbc(**SMALL, max_treedepth=4)
    assert found.failed
    assert not found.ok
    assert len(found.failed) + found.replications == 12
    assert f"{len(found.failed)} of 12 replications failed" in repr(found)


def test_what_cannot_be_calibrated_is_refused():
    flat = ss.Model("flat")
    flat.a = ss.Flat()
    flat.y = ss.Normal(flat.a, 1).observe([1.0])
    with pytest.raises(ss.UnsupportedError, match="`a`: Flat is no probability distribution"):
        flat.sbc(**SMALL)
    prior = ss.Model("prior")
    prior.a = ss.Normal(0, 1)
    with pytest.raises(ss.ModelError, match="`prior` observes nothing"):
        prior.sbc(**SMALL)
    m = KINDS["identical"]()
    with pytest.raises(ss.ModelError, match="`var_names` names `sigma`"):
        m.sbc(**SMALL, var_names=["sigma"])
    with pytest.raises(ss.ModelError, match="replications"):
        m.sbc(replications=1)
    with pytest.raises(ss.ModelError, match="level"):
        m.sbc(level=2)
    with pytest.raises(ss.ModelError, match="no option `adapt_dleta`"):
        m.sbc(adapt_dleta=0.9)
    with pytest.raises(ss.ModelError, match="inits"):
        m.sbc(inits={"mu": 1})


def test_nutpie_can_be_asked_for():
    assert KINDS["identical"]().sbc(**{**SMALL, "replications": 3}, engine="nutpie").replications == 3


@pytest.mark.slow
def test_a_dask_cluster_whose_worker_is_killed(tmp_path):
    """A worker that dies in the middle costs time alone: every replication is there, and as without the kill."""
    distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")
    m, settings = KINDS["counts_in_groups"](), {**SMALL, "replications": 60, "draws": 200}
    size = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    ready = []
    with distributed.LocalCluster(**size) as cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        killer = threading.Thread(target=_kill_when_busy, args=(tmp_path, next(iter(pids.values())), ready))
        killer.start()
        there = m.sbc(executor=client.get_executor(), folder=tmp_path / "sbc", **settings)
        killer.join()
    assert 5 <= ready[0] < 60  # results at the time of the kill
    assert there.replications == 60
    same(m.sbc(**settings), there)


def _kill_when_busy(folder, pid, ready):
    """Kill a worker once some replications are ready and others are not."""
    deadline = time.monotonic() + 120
    while len(list(folder.glob("sbc/*.npz"))) < 5 and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    ready.append(len(list(folder.glob("sbc/*.npz"))))
