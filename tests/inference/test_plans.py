"""A plan decides and predicts without running; the plan of a fit makes that fit again, bit for bit."""

import json
import pickle
import subprocess
import sys
import threading
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.history import Run, record
from scistan.history.learnt import failures_noted
from scistan.inference.plan import Choice, Plan
from scistan.inference.planning.machine import Machine
from scistan.inference.planning.place import device_for
from scistan.inference.planning.seconds import Effort, expected
from scistan.inference.planning.start import COLD, NEW, WARM
from scistan.inference.planning.workload import Workload
from scistan.inference.work import gradient_work

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
FEW = {"draws": 60, "warmup": 60, "chains": 2, "progress": False}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("SCISTAN_HISTORY", raising=False)


def regression(rows=120, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 2))
    m = ss.Model("regression")
    m.x = ss.data(x)
    m.b = ss.Normal(0, 1, shape=2)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.x @ m.b, m.s).observe(x @ [1.0, -1.0] + rng.normal(size=rows))
    return m


def funnel():
    m = ss.Model("funnel")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8, centred=True)
    m.y = ss.Normal(m.theta, np.array([15, 10, 16, 11, 9, 11, 10, 18.0])).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def same(one, other):
    assert one.engine == other.engine
    assert list(one.posterior) == list(other.posterior)
    for name in one.posterior:
        np.testing.assert_array_equal(one.posterior[name], other.posterior[name])
    for name in one.draws.statistics:
        np.testing.assert_array_equal(one.draws.statistics[name], other.draws.statistics[name])


def test_a_plan_says_what_is_decided_and_what_it_costs():
    plan = regression().plan(draws=500, chains=2, integrate=False)
    assert (plan.task, plan.engine, plan.draws, plan.chains) == ("mcmc", "auto", 500, 2)
    assert plan.seconds == pytest.approx(sum(plan.costs.values()))
    assert {choice.name for choice in plan.alternatives} <= {"stanli", "nutpie", "cmdstan"}
    assert plan.workload.parameters == 3
    assert plan.workload.rows == 120
    assert plan.workload.requires_gradient
    assert "linear predictor" in plan.workload.structure
    assert "hierarchical" in funnel().plan(integrate=False).workload.structure
    assert plan.machine.cores >= 1
    told = repr(plan)
    assert all(word in told for word in ("decision", "because", "expected", "choices", "work", "machine"))
    assert "<table>" in plan._repr_html_()


def test_a_plan_runs_nothing(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError

    monkeypatch.setattr("scistan.engines.registry.run_request", refuse)
    monkeypatch.setattr("scistan.inference.sample.sampled", refuse)
    for task in ("mcmc", "map", "mle", "prior", "predict", "compile"):
        found = regression().plan(task)
        assert found.task == task
        assert found.seconds > 0 or "cache" in found.why or "compiler" in found.why


def test_arguments_are_checked_as_the_verb_does():
    with pytest.raises(ss.ModelError, match="no plan for 'mcmcc'"):
        regression().plan("mcmcc")
    with pytest.raises(ss.ModelError, match="adapt_dleta"):
        regression().plan(adapt_dleta=0.9)
    with pytest.raises(ss.ModelError, match="`draws` must be a whole number"):
        regression().plan(draws=0)
    assert regression().plan(engine="stanli").engine == "stanli"
    with ss.using(engine="stanli"):
        assert regression().plan().engine == "stanli"


def test_counted_work_grows_with_what_moves():
    work = [gradient_work(regression(n).instance()) for n in (100, 200, 400)]
    assert work[2] - work[1] == pytest.approx(2 * (work[1] - work[0]))
    m = ss.Model("still")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe(3.0)
    alone = gradient_work(m.instance())
    m.x = ss.data(np.ones((50, 50)))
    m.z = m.x @ m.x
    assert gradient_work(m.instance()) == alone


@pytest.mark.parametrize(("moves", "power"), [(True, 3), (False, 2)])
def test_a_matrix_that_moves_is_factored_and_one_that_stands_still_is_not(moves, power):
    def work(n):
        m = ss.Model("vectors")
        m.a = ss.HalfNormal(1)
        m.y = ss.MultivariateNormal(np.zeros(n), cov=np.eye(n) * (m.a if moves else 1.0)).observe(np.zeros(n))
        return gradient_work(m.instance())

    assert np.log2(work(1600) / work(800)) == pytest.approx(power, abs=0.15)


def test_what_was_learnt_is_what_is_expected():
    m = regression()
    key = m.plan(integrate=False).workload.key
    work = gradient_work(m.instance())
    for _ in range(3):
        record(Run("mcmc", "stan", "stanli", structure=key, work=work, chains=4, at_once=2, iterations=8000, asked=8000,
                   evaluations=80_000, seconds=50.0, fixed=10.0, sampling=40.0))  # fmt: skip
    plan = m.plan(engine="stanli", parallel_chains=2, integrate=False)
    assert plan.learnt == 3
    assert plan.costs["running"] == pytest.approx(40.0)
    assert m.plan(engine="stanli", parallel_chains=2, draws=3000, integrate=False).costs["running"] == pytest.approx(80.0)
    # A structure that was never seen is judged by the engine's runs.
    assert funnel().plan(engine="stanli").learnt == 3


def test_first_calls_of_a_model_in_a_process_are_kept_apart():
    """What is lowered and imported once is not expected of the next call, nor of another model's first one."""
    rows = {"structure": regression().plan(integrate=False).workload.key, "iterations": 8000, "asked": 8000}
    for cold, fixed in ((1, 9.0), (2, 3.0), (0, 0.5), (0, 0.7)):
        record(Run("mcmc", "stan", "stanli", cold=cold, fixed=fixed, seconds=fixed + 1, sampling=1.0, **rows))

    def fixed(cold: int, key: str = rows["structure"]) -> float:
        return expected(Effort("mcmc", "stanli", 8000, cold=cold), Workload(key=key)).costs["fixed"]

    assert [fixed(WARM), fixed(COLD), fixed(NEW)] == pytest.approx([0.6, 9.0, 3.0])
    assert fixed(NEW, "of no run") == 3.0  # as another model's first call was
    m = regression()
    m.mcmc(seed=1, engine="stanli", draws=50, warmup=50, chains=1, progress=False)
    m.mcmc(seed=2, engine="stanli", draws=50, warmup=50, chains=1, progress=False)
    assert ss.history()["cold"].iloc[-1] == WARM


def test_predictions_improve_with_use():
    m = regression()
    ratios = []
    for k in range(4):
        fit = m.mcmc(seed=k, engine="stanli", draws=300, warmup=300, chains=2, progress=False)
        last = ss.history().iloc[-1]
        running = fit.plan.costs["running"] / last["sampling"]
        ratios.append(max(running, 1 / running))
    assert fit.plan.learnt == 3
    # The first prediction is built in; on a machine that others load by turns the later ones may still be off.
    assert min(ratios[1:]) < 3


@pytest.mark.parametrize("make", [regression, funnel])
def test_the_plan_of_a_fit_makes_it_again(make, tmp_path):
    fit = make().mcmc(seed=5, **FEW)
    assert fit.plan.chosen
    assert fit.plan.engine == fit.engine
    again = make().mcmc(plan=fit.plan, seed=fit.seed, progress=False)
    same(fit, again)
    assert not again.plan.chosen
    same(fit, make().mcmc(plan=pickle.loads(pickle.dumps(again.plan)), seed=fit.seed, progress=False))
    read = Plan.from_dict(json.loads(json.dumps(fit.plan.to_dict())))
    same(fit, make().mcmc(plan=read, seed=fit.seed, progress=False))
    loaded = ss.load(fit.save(tmp_path / "fit.nc"))
    assert loaded.plan.to_dict() == fit.plan.to_dict()
    same(fit, make().mcmc(plan=loaded.plan, seed=loaded.seed, progress=False))


ELSEWHERE = """
import sys, pickle, numpy as np
sys.path.insert(0, sys.argv[1])
import warnings; warnings.simplefilter("ignore")
from tests.inference.test_plans import regression, FEW
plan = pickle.load(open(sys.argv[2], "rb"))
fit = regression().mcmc(seed=5, **FEW) if plan is None else regression().mcmc(plan=plan, seed=5, progress=False)
np.savez(sys.argv[3], engine=fit.engine, **fit.posterior)
"""


@pytest.mark.slow
@pytest.mark.parametrize("history", ["full", "empty"])
@pytest.mark.parametrize("planned", [True, False])
def test_it_is_made_again_in_another_process_whatever_was_learnt(tmp_path, monkeypatch, history, planned):
    m = regression()
    fit = m.mcmc(seed=5, **FEW)
    if history == "full":  # of runs that say that another engine is a thousand times better
        other = "stanli" if fit.engine != "stanli" else "nutpie"
        for _ in range(20):
            record(Run("mcmc", "stan", other, structure=fit.plan.workload.key, parameters=3, rows=120, seconds=0.001,
                       effective=4000.0, iterations=240, asked=240, evaluations=2000, sampling=0.0005))  # fmt: skip
    else:
        ss.history.reset()
    (tmp_path / "plan").write_bytes(pickle.dumps(fit.plan if planned else None))
    root = Path(__file__).resolve().parents[2]
    words = [sys.executable, "-c", ELSEWHERE, str(root), str(tmp_path / "plan"), str(tmp_path / "draws.npz")]
    monkeypatch.setenv("SCISTAN_TEST_CACHE", str(tmp_path / "cache"))
    subprocess.run(words, check=True, cwd=root)
    there = np.load(tmp_path / "draws.npz")
    assert str(there["engine"]) == fit.engine
    for name, array in fit.posterior.items():
        np.testing.assert_array_equal(array, there[name])


@pytest.mark.parametrize("engine", ["stanli", "nutpie"])
def test_a_named_engine_with_options_is_repeated(engine):
    fit = regression().mcmc(engine=engine, adapt_delta=0.9, seed=2, **FEW)
    assert not fit.plan.chosen
    same(fit, regression().mcmc(plan=fit.plan, seed=2, progress=False))


def test_starting_values_are_part_of_the_plan():
    m = regression()
    fit = m.mcmc(engine="stanli", inits="prior", seed=2, **FEW)
    assert len(fit.plan.starts) == 2
    same(fit, m.mcmc(plan=fit.plan, seed=2, progress=False))


def test_merged_rows_are_merged_again():
    x = np.repeat([0.0, 1.0, 2.0], 40)
    m = ss.Model("merged")
    m.x = ss.data(x)
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.y = ss.BernoulliLogit(m.a + m.b * m.x).observe(np.tile([0, 1, 1], 40))
    fit = m.mcmc(engine="stanli", seed=2, **FEW)
    assert fit.plan.merged
    same(fit, m.mcmc(plan=fit.plan, seed=2, progress=False))


def test_a_plan_before_a_run_leaves_the_choice_to_the_race():
    m = regression()
    plan = m.plan(draws=60, warmup=60, chains=2)
    same(m.mcmc(plan=plan, seed=5, progress=False), m.mcmc(seed=5, **FEW))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"plan": "stanli"}, "`plan` must be a plan"),
        ({"plan": Plan("", task="map")}, "a plan for `map`"),
        ({"plan": Plan("stanli"), "engine": "nutpie"}, "`engine` is 'nutpie', and the plan says 'stanli'"),
        ({"plan": Plan("stanli", draws=50), "draws": 1000}, "`draws` is 1000, and the plan says 50"),
        ({"plan": Plan("stanli"), "adapt_delta": 0.9}, "`adapt_delta` is 0.9"),
        ({"plan": Plan("stanli"), "inits": "prior"}, "`inits` is 'prior'"),
    ],
)
def test_what_contradicts_a_plan_is_refused(given, told):
    with pytest.raises(ss.ModelError, match=told):
        regression().mcmc(progress=False, **given)


def test_a_plan_for_a_disabled_engine_is_refused_with_the_reason(monkeypatch):
    monkeypatch.setenv("SCISTAN_DISABLE", "nutpie")
    with pytest.raises(ss.UnsupportedError, match="SCISTAN_DISABLE names nutpie"):
        regression().mcmc(plan=Plan("nutpie", warmup=60, draws=60, chains=1), progress=False)


def test_an_estimate_has_its_plan_too(tmp_path):
    m = regression()
    estimate = m.map(seed=4, starts=3, progress=False)
    assert (estimate.plan.task, estimate.plan.target, estimate.plan.options) == ("map", "torch", {"starts": 3})
    assert estimate.plan.seconds > 0
    again = m.map(plan=estimate.plan, seed=estimate.seed, progress=False)
    assert again.starts == 3
    np.testing.assert_array_equal(estimate.coordinates, again.coordinates)
    loaded = ss.load(estimate.save(tmp_path / "estimate.npz"))
    assert loaded.plan.to_dict() == estimate.plan.to_dict()
    with pytest.raises(ss.ModelError, match="`starts` is 5, and the plan says 3"):
        m.map(plan=estimate.plan, starts=5)
    with pytest.raises(ss.ModelError, match="a plan for `map`"):
        m.mle(plan=estimate.plan)


def test_every_part_of_a_plan_survives_as_json():
    plan = Plan(
        "stanli", {"metric": "dense", "inv_metric": np.eye(2)}, 7, "why", starts=("{}", "{}"), inv_metric=np.ones(3),
        centring={"theta": np.array([0.0, 0.5])}, seconds=1.5, costs={"fixed": 1.5}, machine=Machine(2, float("inf")),
        alternatives=(Choice("nutpie", None, "it is not installed"),), workload=ss.Workload(data_shape=(3, 4)),
    )  # fmt: skip
    back = Plan.from_dict(json.loads(json.dumps(plan.to_dict())))
    np.testing.assert_array_equal(back.options["inv_metric"], np.eye(2))
    np.testing.assert_array_equal(back.centring["theta"], [0.0, 0.5])
    assert back.machine == plan.machine
    assert back.workload == plan.workload
    assert back.alternatives == plan.alternatives
    assert replace(back, options={}) == replace(plan, options={})


def test_failures_of_an_engine_are_counted_and_mistakes_in_a_model_are_not():
    with pytest.raises(ss.SamplingError), failures_noted("mcmc", "stan", "stanli"):
        raise ss.SamplingError("no chain came to its end")
    with pytest.raises(ss.ModelError), failures_noted("mcmc", "stan", "stanli"):
        raise ss.ModelError("no such engine")
    assert regression().mcmc(engine="stanli", seed=1, **FEW).engine == "stanli"
    found = ss.history.counts()["stanli"]
    assert (found.succeeded, found.failed) == (1, 1)


def test_an_estimate_that_fails_is_counted():
    with pytest.raises(ss.UnsupportedError):
        regression().map(device="cuda:7", progress=False)
    assert ss.history.counts()["torch"].failed == 1


def test_a_compilation_that_pays_is_advised_and_made_beside_where_allowed(monkeypatch):
    m = regression()
    workload = m.plan(integrate=False).workload  # as an executable has it
    much = {"structure": workload.key, "work": workload.work, "iterations": 240, "asked": 240, "evaluations": 2000.0}
    assert m.plan(engine="stanli", integrate=False).advice == ""
    for engine, seconds in [("cmdstan", 1.0), ("stanli", 9.0)]:
        for _ in range(12):
            record(Run("mcmc", "stan", engine, sampling=seconds, seconds=seconds, compile=20.0 * (engine == "cmdstan"),
                       **much))  # fmt: skip
    # 12 runs that an executable would have made about 8 s shorter each, against 20 s of compiling.
    advice = m.plan(integrate=False).advice
    assert "this model ran 12 times here" in advice
    assert "takes about 20 s to build" in advice
    built = threading.Event()
    monkeypatch.setattr("scistan.inference.compile.compile_model", lambda *_, **__: built.set())
    m.mcmc(engine="stanli", integrate=False, seed=1, **FEW)
    assert not built.is_set()
    with ss.using(background_compile=True):
        fit = m.mcmc(engine="stanli", integrate=False, seed=1, **FEW)
        again = m.mcmc(engine="stanli", integrate=False, seed=1, **FEW)
    assert built.wait(20)
    assert any("being built beside you" in note for note in fit.notes)
    assert not any("being built beside you" in note for note in again.notes)


# -- approximations, devices and batches -------------------------------------------------------------------
@pytest.mark.parametrize("task", ["pathfinder", "laplace", "variational"])
def test_an_approximation_is_planned_as_it_is_made_and_remembered(task):
    m = regression()
    plan = m.plan(task, draws=200)
    expected = "torch" if task == "laplace" and find_spec("torch") else "stanli"
    assert (plan.task, plan.engine, plan.draws) == (task, expected, 200)
    assert plan.seconds > 0
    assert plan.learnt == 0
    fit = getattr(m, task)(draws=200, seed=1, progress=False)
    assert (fit.plan.task, fit.plan.engine) == (task, fit.engine)
    assert m.plan(task).learnt == 1
    with pytest.raises(ss.ModelError, match="nonsense"):
        m.plan(task, nonsense=1)


def test_batches_are_chosen_where_all_at_once_would_not_fit(monkeypatch):
    m = regression(2000)
    assert m.plan("map").batch_size is None
    small = Machine(2, free_memory=1e6)
    monkeypatch.setattr("scistan.inference.planning.decide.machine_now", lambda: small)
    plan = m.plan("map", starts=8)
    assert 0 < plan.batch_size < 2000
    assert 6 * 8 * m.plan("map").workload.bytes * plan.batch_size / 2000 <= 0.7 * small.free_memory
    assert f"`batch_size={plan.batch_size}` fits" in plan.why
    assert m.plan("map", batch_size=77).batch_size == 77
    whole, batched = m.map(seed=1, progress=False), m.map(plan=plan, seed=1, progress=False)
    np.testing.assert_allclose(batched["b"], whole["b"], atol=1e-4)


def test_a_gpu_is_chosen_for_work_that_is_worth_it_and_fits_unless_a_device_is_asked_for():
    work = replace(regression().plan("map").workload, work=1e7, data_size=10**6)
    gpu = Machine(2, 1e10, {"cuda:0": 1e9, "cuda:1": 8e9})
    assert device_for(None, work, gpu)[0] == "cuda:1"
    assert device_for("cpu", work, gpu)[0] == "cpu"
    assert device_for(None, replace(work, work=1e3), gpu)[0] == "cpu"
    assert device_for(None, replace(work, data_size=10**10), gpu)[0] == "cpu"
    assert device_for(None, work, Machine(2, 1e10))[0] == "cpu"
