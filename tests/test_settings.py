"""Settings: an argument beats `ss.using`, which beats `ss.set_default`, which beats the environment."""

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

import scistan as ss
from scistan.given import Usual, usual
from scistan.settings import SETTINGS, in_force, setting, under_settings


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    for name in SETTINGS:
        monkeypatch.delenv(f"SCISTAN_{name.upper()}", raising=False)
    monkeypatch.delenv("SCISTAN_DISABLE", raising=False)
    yield
    ss.set_default(**dict.fromkeys(SETTINGS))


def coin():
    m = ss.Model("coin")
    m.p = ss.Beta(1, 1)
    m.y = ss.Bernoulli(m.p).observe([1, 0, 1, 1])
    return m


def test_each_level_beats_those_below(monkeypatch):
    assert setting("engine") == "auto"
    monkeypatch.setenv("SCISTAN_ENGINE", "nutpie")
    assert setting("engine") == "nutpie"
    ss.set_default(engine="cmdstan")
    assert setting("engine") == "cmdstan"
    with ss.using(engine="stanli"):
        assert setting("engine") == "stanli"
        assert setting("engine", "auto") == "auto"
        assert setting("engine", usual("auto")) == "stanli"
        with ss.using(device="cuda"):
            assert (setting("engine"), setting("device")) == ("stanli", "cuda")
        assert setting("device") == "cpu"
    assert setting("engine") == "cmdstan"
    ss.set_default(engine=None)
    assert setting("engine") == "nutpie"


def test_a_default_is_told_from_the_same_value_given():
    assert usual(1000) == 1000
    assert usual("auto") == "auto"
    assert isinstance(usual(4), Usual)
    assert not isinstance(4, Usual)


def test_where_each_comes_from_is_shown(monkeypatch):
    monkeypatch.setenv("SCISTAN_DEVICE", "cuda:1")
    monkeypatch.setenv("SCISTAN_DISABLE", "nutpie, cuda")
    with ss.using(dtype="float32"):
        shown = ss.defaults()
    sources = {name: source for name, _, source in shown.rows}
    assert (shown["device"], sources["device"]) == ("cuda:1", "SCISTAN_DEVICE")
    assert (shown["dtype"], sources["dtype"]) == ("float32", "ss.using")
    assert (shown["engine"], sources["engine"]) == ("auto", "built in")
    assert (shown["disable"], sources["disable"]) == ("cuda, nutpie", "SCISTAN_DISABLE")
    assert "SCISTAN_DEVICE" in repr(shown)
    assert "SCISTAN_DEVICE" in shown._repr_html_()


def test_an_error_in_the_block_restores_what_was():
    with pytest.raises(KeyError), ss.using(engine="stanli"):
        raise KeyError
    assert setting("engine") == "auto"


def test_a_thread_has_its_own_and_our_workers_inherit():
    with ss.using(engine="stanli"), ThreadPoolExecutor(2) as threads:
        assert threads.submit(setting, "engine").result() == "auto"
        assert threads.submit(under_settings(setting), "engine").result() == "stanli"
        assert threads.submit(setting, "engine").result() == "auto"


def test_async_tasks_do_not_see_each_other():
    async def task(engine):
        with ss.using(engine=engine):
            await asyncio.sleep(0.01)
            return setting("engine")

    async def both():
        return await asyncio.gather(task("stanli"), task("nutpie"))

    assert asyncio.run(both()) == ["stanli", "nutpie"]


def test_settings_travel_with_a_task_to_another_process(monkeypatch):
    monkeypatch.setenv("SCISTAN_DTYPE", "float32")
    ss.set_default(device="cuda")
    with ss.using(engine="stanli"):
        assert in_force() == {"engine": "stanli", "device": "cuda", "dtype": "float32"}
        sent = pickle.dumps(under_settings(setting))
    monkeypatch.delenv("SCISTAN_DTYPE")
    ss.set_default(device=None)
    back = pickle.loads(sent)
    assert [back(name) for name in ("engine", "device", "dtype")] == ["stanli", "cuda", "float32"]
    assert setting("engine") == "auto"
    assert under_settings(setting) is setting


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda: ss.set_default(engine="stan"), "`engine` of `ss.set_default` must be 'auto' or 'stanli'"),
        (lambda: ss.set_default(dtype="float16"), "`dtype` of `ss.set_default`"),
        (lambda: ss.using(device="gpu").__enter__(), "`device` of `ss.using` must be 'cpu'"),
        (lambda: ss.using(motor="stanli").__enter__(), "knows no setting `motor`"),
        (lambda: ss.set_default(history="yes"), "`history` of `ss.set_default` must be True or False"),
    ],
)
def test_what_cannot_be_is_refused_by_name(change, told):
    with pytest.raises(ss.ModelError, match=told):
        change()
    assert setting("engine") == "auto"


def test_a_bad_environment_variable_is_named(monkeypatch):
    monkeypatch.setenv("SCISTAN_ENGINE", "stanly")
    with pytest.raises(ss.ModelError, match="environment variable SCISTAN_ENGINE must be"):
        coin().mcmc(progress=False)
    with ss.using(engine="stanli"):
        assert setting("engine") == "stanli"
    monkeypatch.setenv("SCISTAN_DISABLE", "nutpy")
    with pytest.raises(ss.ModelError, match="SCISTAN_DISABLE names 'nutpy'"):
        ss.defaults()
    monkeypatch.setenv("SCISTAN_HISTORY", "perhaps")
    with pytest.raises(ss.ModelError, match="SCISTAN_HISTORY must be True or False"):
        setting("history")


def test_verbs_follow_their_settings(monkeypatch):
    few = {"draws": 20, "warmup": 20, "chains": 1, "progress": False, "seed": 1}
    with ss.using(engine="nutpie"):
        assert coin().mcmc(**few).engine == "nutpie"
        assert coin().mcmc(engine="stanli", **few).engine == "stanli"
    monkeypatch.setenv("SCISTAN_ENGINE", "stanli")
    assert coin().mcmc(**few).engine == "stanli"
    with ss.using(device="cuda:7"), pytest.raises(ss.UnsupportedError, match="cuda:7"):
        coin().map(progress=False)
    with ss.using(dtype="float32"):
        assert coin().map(progress=False).dtype == "float32"
        assert coin().map(progress=False, dtype="float64").dtype == "float64"


def test_what_is_disabled_is_refused_whoever_asks(monkeypatch):
    monkeypatch.setenv("SCISTAN_DISABLE", "nutpie,torch")
    few = {"draws": 20, "warmup": 20, "chains": 1, "progress": False, "seed": 1}
    with pytest.raises(ss.UnsupportedError, match="'nutpie' cannot be used: SCISTAN_DISABLE names nutpie"):
        coin().mcmc(engine="nutpie", **few)
    with pytest.raises(ss.UnsupportedError, match="SCISTAN_DISABLE names torch"):
        coin().map(progress=False)
    assert coin().mcmc(**few).engine == "stanli"
    assert "nutpie" not in {choice.name for choice in coin().plan().alternatives}
