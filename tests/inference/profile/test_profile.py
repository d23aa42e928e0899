"""`ss.profile()` and `fit.profile`: which stages there are, what they count, and how they are shown."""

import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import numpy as np
import pytest

import scistan as ss
from scistan.inference.profile.flame import draw_flame
from scistan.inference.profile.tables import duration, size
from scistan.passes import PASSES
from scistan.profiling import CONVERTED, HITS, MISSES, Stage
from tests.zoo import eight_schools, logistic

SHORT = {"draws": 30, "warmup": 60, "chains": 2, "seed": 1, "progress": False}
pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")


def names(one):
    return list(one.children)


def test_every_fit_knows_what_its_making_took():
    fit = eight_schools().mcmc(engine="stanli", **SHORT)
    stages = fit.profile.stages
    assert stages.name == "mcmc"
    assert stages.calls == 1
    for wanted in ("graph", "lowering", "data", "data to JSON", "certificate", "sampling", "conversion", "gate"):
        assert wanted in names(stages), wanted
    passes = stages.find("passes")[0]
    assert names(passes) == [step.name for step in PASSES]
    assert 0 < stages.own_seconds < stages.seconds
    assert "generated quantities" not in names(stages)
    before = stages.seconds
    fit.idata
    assert {"posterior_predictive", "log_likelihood", "log_prior"} <= set(names(stages.find("generated quantities")[0]))
    assert stages.seconds > before


def test_what_auto_tries_is_a_stage_before_its_sampling():
    stages = logistic().mcmc(engine="auto", **SHORT).profile.stages
    assert "trial" in names(stages)
    assert names(stages).index("trial") < names(stages).index("sampling")


def test_a_block_records_every_verb_and_each_fit_keeps_its_own():
    m = eight_schools()
    with ss.profile() as p:
        first = m.mcmc(engine="stanli", **SHORT)
        second = m.mcmc(engine="stanli", **SHORT)
        second.idata
        m.prior(draws=10, seed=1)
        m.map(progress=False, starts=1)
    assert names(p.stages) == ["mcmc", "groups", "graph", "prior", "map"]
    assert p.stages.children["mcmc"].calls == 2
    assert first.profile.stages.calls == second.profile.stages.calls == 1
    assert {"lowering", "optimize"} <= set(names(p.stages.children["map"]))
    assert [(run.model, run.engine, run.fits) for run in p.runs] == [("eight_schools", "stanli", 2)]
    assert p.runs[0].gradients == int(sum(f.draws.statistics["n_steps"].sum() for f in (first, second)))


@pytest.mark.parametrize("verb", ["map", "mle"])
def test_a_point_estimate_knows_what_its_making_took(verb):
    m = ss.Model("line")
    m.x = ss.data(np.arange(20.0))
    m.b, m.s = ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.b * m.x, m.s).observe(np.arange(20.0) + np.sin(np.arange(20.0)))
    took = getattr(m, verb)(seed=1, progress=False).profile_of_run
    assert took.stages.name == verb
    assert {"graph", "lowering"} <= set(took.stages.children)
    assert 0 < sum(child.seconds for child in took.stages.children.values()) <= took.stages.seconds
    assert verb in str(took.report())


def test_what_executors_workers_did_is_brought_home():
    with ThreadPoolExecutor(2) as pool:
        fit = eight_schools().mcmc(engine="stanli", executor=pool, **SHORT)
    worker = fit.profile.stages.children["worker"]
    assert worker.calls == 2
    assert worker.children["sampling"].calls == 2
    with ThreadPoolExecutor(2) as pool, ss.profile() as p:
        ss.sample_models([eight_schools(), logistic()], executor=pool, engine="stanli", **SHORT)
    assert p.stages.children["mcmc"].calls == 2
    assert p.stages.find("worker")[0].calls == 4
    with ss.profile() as p:
        logistic().sbc(replications=3, draws=20, warmup=20, chains=1, seed=1, engine="stanli", progress=False)
    assert sum(one.calls for one in p.stages.find("sampling")) >= 3


def test_unchanged_data_are_converted_once():
    rng = np.random.default_rng(0)
    m = ss.Model("large")
    m.x = ss.data(rng.normal(size=4000))
    m.group = ss.data(rng.integers(0, 5, 4000))
    m.b = ss.Normal(0, 1)
    m.u = ss.Normal(0, 1, shape=5)
    m.y = ss.Normal(m.u[m.group] + m.b * m.x, 1).observe(rng.normal(size=4000))

    def written(**options):
        with ss.profile() as p:
            m.mcmc(**{**SHORT, "engine": "stanli", "draws": 5, "warmup": 5, "chains": 1, **options})
        total = {kind: p.stages.total(kind) for kind in (CONVERTED, HITS, MISSES)}
        what = "data as JSON"
        return total[CONVERTED]["NumPy to JSON"][1], *(total[k].get(what, (0, 0))[0] for k in (HITS, MISSES))

    first, hits, misses = written()
    assert (hits, misses) == (0, 3)
    assert first > 4000 * 10
    again, hits, misses = written(seed=5)
    assert (hits, misses) == (3, 0)
    assert again < 200
    assert written(data={"x": rng.normal(size=4000)})[1:] == (2, 1)

    def tensors():
        with ss.profile() as p:
            m.map(progress=False, starts=1, dtype="float32")
        return p.stages.total(CONVERTED).get("NumPy to torch", (0, 0.0))[1]

    assert tensors() > 4000 * 8
    assert tensors() < 4000 * 8


def test_the_users_copy_of_the_data_is_theirs_to_change():
    m = logistic(rows=40)
    data = m.stan_data()
    data["x"][:] = 0
    assert np.any(m.stan_data()["x"] != 0)


def test_the_report_is_a_table_a_picture_and_json():
    m = ss.Model("<script>alert(1)</script>")
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b, 1).observe(np.arange(30.0))
    with ss.profile(statements=True) as p:
        m.mcmc(engine="stanli", **SHORT)
    report = p.report()
    assert "mcmc" in repr(report)
    assert "Stan" in repr(report)
    html = report._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    ElementTree.fromstring(report.svg)
    assert report.svg == p.report().svg
    read = json.loads(report.to_json())
    assert read["stages"]["stages"][0]["name"] == "mcmc"
    assert read["statements"][0]["model"] == m.name
    assert json.loads(p.to_json()) == read
    assert copy.deepcopy(p).stages.seconds == p.stages.seconds
    assert pickle.loads(pickle.dumps(p)).stages.seconds == p.stages.seconds


@pytest.mark.parametrize("ending", [".html", ".svg", ".json", ".txt"])
def test_a_report_is_written_to_a_file(tmp_path, ending):
    with ss.profile() as p:
        eight_schools().prior(draws=5, seed=1)
    assert p.report().save(tmp_path / f"p{ending}").read_text(encoding="utf-8")
    with pytest.raises(ss.ScistanError, match="not written as `.docx`"):
        p.report().save(tmp_path / "p.docx")


def test_the_picture_is_of_the_stages_and_nothing_else():
    root = Stage("a & b", 1, seconds=10.0)
    root.absorb(Stage("first", 1, seconds=4.0))
    root.absorb(Stage("second", 2, seconds=6.0))
    root.children["second"].absorb(Stage("at once", 4, seconds=12.0))
    drawn = ElementTree.fromstring(draw_flame(root))
    ns = "{http://www.w3.org/2000/svg}"
    boxes = {g.find(f"{ns}title").text.split(":")[0]: g.find(f"{ns}rect").attrib for g in drawn.iter(f"{ns}g")}
    assert list(boxes) == ["a & b", "first", "second", "at once"]
    left, width = ({name: float(box[key]) for name, box in boxes.items()} for key in ("x", "width"))
    assert left == {"a & b": 0, "first": 0, "second": 384, "at once": 384}
    assert width == {"a & b": 959, "first": 383, "second": 575, "at once": 575}  # a pixel between neighbours
    assert draw_flame(root) == draw_flame(root.copied())


def test_a_profile_says_what_is_wrong_with_its_use():
    p = ss.profile()
    with pytest.raises(ss.ModelError, match="Nothing has been recorded yet"):
        p.report()
    assert "nothing is recorded" in repr(p)
    with p, pytest.raises(ss.ModelError, match="Nothing has been recorded yet"):
        p.report()
    with pytest.raises(ss.ModelError, match="recorded a block already"), p:
        pass
    with pytest.raises(ss.ScistanError, match="statements"):
        ss.profile(statements="all")


def test_a_block_that_fails_keeps_what_it_recorded():
    def fails(p):
        with p:
            eight_schools().prior(draws=5, seed=1)
            raise ZeroDivisionError

    p = ss.profile(statements=True)
    with pytest.raises(ZeroDivisionError):
        fails(p)
    assert "prior" in p.stages.children
    assert p.stages.failed == 1


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0 s"), (1.234567, "1.23 s"), (0.0456, "45.6 ms"), (0.9999, "1 s"), (7.89e-4, "789 µs"), (3e-8, "30 ns"), (4000, "4000 s")])
def test_durations_have_three_digits(seconds, shown):
    assert duration(seconds) == shown


@pytest.mark.parametrize(("amount", "shown"), [(0, "0 B"), (999, "999 B"), (1234, "1.23 kB"), (5.67e8, "567 MB"), (2e9, "2 GB")])
def test_sizes_have_three_digits(amount, shown):
    assert size(amount) == shown
