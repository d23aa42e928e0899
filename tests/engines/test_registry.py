"""Engines by name: which there are, which are installed, and what to do about one that is not."""

import ast
import re
from pathlib import Path

import pytest

import scistan as ss
from scistan.engines import declaration, registry
from scistan.engines.declaration import LOW_RANK
from scistan.engines.options import RULES
from scistan.engines.registry import ENGINES, preferred
from scistan.inference.choose import fitting_engines
from tests.zoo import counts

SOURCE = Path(ss.__file__).parent


@pytest.fixture
def without(monkeypatch):
    """Make packages look as if they were not installed."""
    real = declaration.find_spec

    def remove(*names):
        monkeypatch.setattr(declaration, "find_spec", lambda name: None if name in names else real(name))

    return remove


def test_an_unknown_engine_lists_what_there_is(without):
    without("nutpie")
    with pytest.raises(ss.ModelError, match=r"no engine 'stan'") as caught:
        counts().mcmc(engine="stan")
    assert "auto, stanli, nutpie (nutpie not installed), cmdstan" in str(caught.value)


def test_a_missing_engine_says_how_to_get_it(without):
    without("nutpie")
    with pytest.raises(ss.UnsupportedError, match=r"pip install 'scistan\[nutpie\]'"):
        counts().mcmc(engine="nutpie")


def test_auto_does_without_what_is_missing(without):
    without("nutpie", "cmdstanpy")
    fit = counts().mcmc(draws=200, warmup=200, seed=1)
    assert fit.engine == "stanli"
    assert "nutpie is not at hand" in fit.why


def users_of_engines():
    """All that stands above the engines, and the tables of options that they share."""
    folders = ("inference", "model", "diagnostics")
    above = {path for folder in folders for path in (SOURCE / folder).rglob("*.py")}
    return sorted(above | {SOURCE / "engines" / "options.py", SOURCE / "engines" / "declaration.py"})


def test_engines_are_named_where_they_are_declared_and_nowhere_above():
    """Of an engine the others know what it declares."""
    named = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in users_of_engines()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in set(ENGINES) - {"jax"}  # a library of arrays too
    ]
    assert named == []


@pytest.mark.parametrize("name", ["choose", "climb", "sample", "metric"])
def test_who_decides_does_not_even_mention_an_engine(name):
    text = (SOURCE / "inference" / f"{name}.py").read_text()
    assert re.findall("|".join(ENGINES), text, re.IGNORECASE) == []


@pytest.mark.parametrize("name", ENGINES)
def test_a_declaration_is_of_a_piece(name):
    engine = ENGINES[name]
    assert engine.make().name == name
    assert engine.options.keys() <= RULES.keys()
    assert engine.few or "diag" in engine.metrics, "the metric of a call that names none"
    assert not (engine.embedded and engine.compiled)
    if engine.preference is not None:
        assert engine.stans_nuts or engine.low_rank, "a rung of `auto`'s ladder"
    if not engine.embedded:
        assert engine.compiled, "either the kernels are compared with SciPy, or Stan itself runs"


def test_preferences_are_an_order_and_every_option_has_an_engine():
    places = [engine.preference for engine in ENGINES.values() if engine.preference is not None]
    assert len(set(places)) == len(places)
    assert {option for engine in ENGINES.values() for option in engine.options} == set(RULES)
    assert preferred(reversed(ENGINES), lambda _: True) == ["nutpie", "stanli", "cmdstan"]
    assert preferred(ENGINES, lambda engine: LOW_RANK in engine.metrics) == ["nutpie"]


def test_an_engine_that_declares_no_preference_is_never_chosen_unasked(monkeypatch):
    new = declaration.EngineDeclaration(
        place="scistan.engines.stanli:StanliEngine", packages=("stanli",), fix="", options=dict.fromkeys(RULES, ""),
        metrics={"diag": "diag"}, embedded=True,
    )  # fmt: skip
    monkeypatch.setattr(registry, "ENGINES", {**ENGINES, "new": new})
    assert registry.engines_at_hand()[-1] == "new"
    assert "new" not in fitting_engines(registry.engines_at_hand(), {}, inits=False, warmup=1000)
