"""Before and after: what each pass does to the models of the zoo and to the small ones here, one golden file a pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import scistan as ss
from scistan.passes import DATA_PASSES, PASSES, trace_passes
from scistan.passes.explain import changes
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import NUMPY
from tests.zoo import ZOO

X, Y = np.linspace(-1, 1, 60), np.linspace(0, 2, 60)


def looped() -> ss.Model:
    m = ss.Model("looped")
    m.mu = ss.Normal(0, 1)
    for k in range(3):
        m[f"y{k}"] = ss.Normal(m.mu, 1).observe(float(k))
    return m


def listed() -> ss.Model:
    m = ss.Model("listed")
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.y = ss.Normal(ss.stack([m.a + m.b * X[k] for k in range(3)]), 1).observe([0.0, 1.0, 2.0])
    return m


def covariance() -> ss.Model:
    m = ss.Model("covariance")
    m.chol = ss.LKJCholesky(2, 2.0)
    m.x = ss.MultivariateNormal(np.zeros(2), cov=m.chol @ m.chol.T)
    m.y = ss.Normal(m.x, 1).observe([0.0, 1.0])
    return m


def stable() -> ss.Model:
    m = ss.Model("stable")
    m.p = ss.Beta(2, 2)
    m.e = ss.Normal(0, 1)
    m.y = ss.Bernoulli(ss.inv_logit(m.e)).observe([0, 1])
    m.l = ss.log(1 - m.p) + ss.log(ss.exp(m.e) + ss.exp(m.p))
    return m


def independent() -> ss.Model:
    m = ss.Model("independent")
    m.mu, m.sigma = ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.mu, m.sigma).observe(Y)
    return m


def grouped() -> ss.Model:
    m = ss.Model("grouped")
    m.g = ss.data(np.repeat([0, 1, 2], 20))
    m.a = ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(m.a[m.g], 1).observe(Y)
    return m


SMALL = (looped, listed, covariance, stable, independent, grouped)
MODELS: dict[str, Callable[[], ss.Model]] = {**ZOO, **{make.__name__: make for make in SMALL}}


def pairs(name: str) -> Iterator[str]:
    """Write what the pass of this name changes in each model."""
    for model, make in MODELS.items():
        for step, before, after in trace_passes(make().to_graph()):
            if step.name == name:
                for variable, old, new in changes(before, after):
                    yield f"{model}.{variable}\n    {old}\n -> {new}\n"


def data_pairs(name: str) -> Iterator[str]:
    for model, make in MODELS.items():
        instance = make().instance()
        numbers = Evaluator(instance, NUMPY)
        (step,) = (one for one in DATA_PASSES if one.name == name)
        after = step.run(instance, lambda node, numbers=numbers: numbers[node].array)
        for variable, old, new in changes(instance.graph, after.graph):
            yield f"{model}.{variable}\n    {old}\n -> {new}\n"


@pytest.mark.parametrize("name", [step.name for step in PASSES])
def test_pairs_of_a_pass(name, golden):
    text = "\n".join(pairs(name))
    assert text, "a pass that changes none of these models has no pair to show"
    golden(f"passes/{name}.txt", text)


@pytest.mark.parametrize("name", [step.name for step in DATA_PASSES])
def test_pairs_of_a_pass_that_looks_at_data(name, golden):
    text = "\n".join(data_pairs(name))
    assert text
    golden(f"passes/{name}.txt", text)
