"""`ss.backends()` says what the declarations say, and what is missing here."""

from __future__ import annotations

import sys
import types

import pytest

import scistan as ss
from scistan.distributions.declaration import REGISTRY
from scistan.engines import declaration
from scistan.engines.options import METHOD_OPTIONS
from scistan.engines.registry import ENGINES
from scistan.inference.capabilities import backends as module
from scistan.inference.capabilities import counted
from scistan.targets import registry as targets
from scistan.targets.registry import TARGETS


@pytest.fixture
def without(monkeypatch):
    """Make packages look as if they were not installed."""
    real = declaration.find_spec

    def remove(*names):
        for place in (declaration, targets):
            monkeypatch.setattr(place, "find_spec", lambda name: None if name in names else real(name))

    return remove


def test_every_target_and_engine_has_a_row_with_its_tasks_and_options():
    found = ss.backends()
    assert [row["backend"] for row in found.records()] == [*TARGETS, *ENGINES]
    for name, engine in ENGINES.items():
        assert set(found[name].tasks) == {"mcmc", *engine.methods}
        assert set(found[name].tasks["mcmc"]) == set(engine.options)
    assert found["scipy"].able
    assert set(found["torch"].devices) <= {"cpu", "cuda", "mps"}


def test_methods_take_options_that_have_a_rule():
    """An option in an engine's declaration that nothing reads would be refused wherever it is given."""
    for engine in ENGINES.values():
        for method, options in engine.methods.items():
            assert options <= set(METHOD_OPTIONS[method])


def test_what_is_not_installed_says_how_to_get_it(without):
    without("nutpie", "torch")
    found = ss.backends()
    assert found["nutpie"].missing == "nutpie not installed"
    assert found["nutpie"].remedy == ENGINES["nutpie"].fix
    assert not found["torch"].able
    assert found["torch"].devices == ()
    assert "pip install" in repr(found)


def test_no_compiler_is_what_cmdstan_lacks(monkeypatch):
    monkeypatch.setattr("scistan.toolchain.find.find_compiler", lambda *_: None)
    found = ss.backends()["cmdstan"]
    assert "compiler" in found.missing
    assert found.remedy


def test_it_shows_itself_as_text_in_a_notebook_and_as_a_frame():
    found = ss.backends()
    assert "low_rank" in repr(found)
    assert found._repr_html_().startswith("<table>")
    frame = found.to_dataframe()
    assert list(frame["backend"]) == [*TARGETS, *ENGINES]
    assert {"options", "remedy", "versions"} <= set(frame)
    assert len(found.distributions.to_dataframe()) == sum(d.public for d in REGISTRY.values())
    assert "<td" in found.operations._repr_html_()


def test_an_unknown_backend_is_named():
    with pytest.raises(ss.ModelError, match="there is no backend 'stanly'"):
        ss.backends()["stanly"]


def test_every_operation_has_every_target():
    """A row without Stan would be a model that only fails when it is sampled."""
    for row in ss.backends().operations.records():
        assert row["scipy"], row
        assert row["torch"], row
        assert row["stan"], row


def test_runs_are_counted_where_a_history_is_kept(monkeypatch):
    seen = types.SimpleNamespace(succeeded=3, failed=1)
    history = types.ModuleType("scistan.history")
    history.counts = lambda: {"stanli": seen}
    monkeypatch.setitem(sys.modules, "scistan.history", history)
    monkeypatch.setattr(counted, "find_spec", lambda _: object())
    found = ss.backends()
    assert (found["stanli"].succeeded, found["stanli"].failed) == (3, 1)
    assert found["nutpie"].succeeded is None
    assert "3 good, 1 failed" in repr(found)


def test_without_a_history_nothing_is_counted(monkeypatch):
    monkeypatch.setattr(module, "run_counts", dict)
    assert "runs" not in ss.backends().columns()
