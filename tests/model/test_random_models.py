"""Random models build, print, draw and evaluate; SciPy and torch agree; equal models give equal text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from scistan.distributions import REGISTRY as DISTRIBUTIONS
from scistan.graph.parse import parse
from scistan.graph.text import graph_text
from scistan.graph.verify import check
from scistan.ops import REGISTRY as OPS
from tests.random_models import Recipe, build, recipes

COMMON = {"derandomize": True, "deadline": None, "suppress_health_check": list(HealthCheck), "database": None}
FEW = settings(max_examples=30, phases=[Phase.explicit, Phase.generate], **COMMON)
MANY = settings(max_examples=3000, **COMMON)


def prints(recipe: Recipe) -> None:
    m, twin = build(recipe), build(recipe, name="twin")
    check(m.to_graph())
    assert m.text() == twin.text()
    assert graph_text(parse(m.text(), OPS, DISTRIBUTIONS)) == m.text()
    assert repr(m).count("\n") == len(m.variables)
    assert m._repr_html_().count("<tr>") == len(m.variables) + 1
    assert str(m.latex()) == str(twin.latex())
    latex = str(m.latex())
    assert latex.count("{") == latex.count("}")
    assert latex.count(r"\left") == latex.count(r"\right")
    assert m.graph().svg.count("<g ") == len(m.variables)


def draws(recipe: Recipe) -> None:
    m = build(recipe)
    one, other = m.simulate(seed=3), build(recipe).simulate(seed=3)
    graph = m.to_graph()
    for name, array in one.items():
        assert np.array_equal(array, other[name], equal_nan=True)
        node = next((t.value for t in graph.terms if t.name == name), graph.derived.get(name))
        assert array.shape == tuple(size.today for size in node.shape)
    many = m.prior(7, seed=3)
    for term in graph.terms:
        group = many.prior_predictive if term.is_observed else many.prior
        assert group[term.name].shape == (1, 7, *(size.today for size in term.law.shape))
        assert np.isfinite(group[term.name].values).all()


def evaluates(recipe: Recipe) -> None:
    m = build(recipe)
    values = m.simulate(seed=5)
    point = {term.name: values[term.name] for term in m.to_graph().latents}
    scipy = m.log_density(point, target="scipy")
    torch = m.log_density(point, target="torch")
    assert math.isfinite(scipy)
    assert torch == pytest.approx(scipy, rel=1e-9, abs=1e-9)


LAWS = {"prints": prints, "draws": draws, "evaluates": evaluates}


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_a_few_random_models(law):
    FEW(given(recipes())(law))()


@pytest.mark.long
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_thousands_of_random_models(law):
    MANY(given(recipes())(law))()
