"""The verbs list their options in signature and docstring: those that are declared, and no others."""

import inspect
from dataclasses import fields

import pytest

import scistan as ss
from scistan.engines.options import RULES
from scistan.inference.point.options import Options


def keywords(verb) -> set[str]:
    return {p.name for p in inspect.signature(verb).parameters.values() if p.kind is p.KEYWORD_ONLY}


def test_mcmc_lists_what_the_engines_declare():
    listed = keywords(ss.Model.mcmc)
    assert listed == {*RULES, "keep", "executor", "plan", "time_limit", "integrate"}
    assert all(f"`{name}`" in inspect.getdoc(ss.Model.mcmc) for name in listed)


@pytest.mark.parametrize("verb", ["map", "mle"])
def test_estimates_list_their_options_with_the_declared_defaults(verb):
    found = inspect.signature(getattr(ss.Model, verb)).parameters
    declared = {field.name: field.default for field in fields(Options)}
    assert set(declared) == set(found) - {"self", "data", "plan", "unknown"}
    told = {name: found[name].default for name in declared if name != "seed"}
    assert told == {name: default for name, default in declared.items() if name != "seed"}
    assert all(f"`{name}`" in inspect.getdoc(ss.Model.map) for name in keywords(ss.Model.map))


def test_an_unknown_option_is_named():
    m = ss.Model("m")
    m.x = ss.Normal(0, 1)
    m.y = ss.Normal(m.x, 1).observe(0.0)
    with pytest.raises(ss.ModelError, match="adapt_dleta"):
        m.mcmc(adapt_dleta=0.9, progress=False)
    with pytest.raises(ss.ModelError, match="learning_rat"):
        m.map(learning_rat=0.1)
