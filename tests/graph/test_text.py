"""The graph's text: readable, the same for equal models, and read back to the same text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.distributions import REGISTRY as DISTRIBUTIONS
from scistan.errors import InternalError
from scistan.graph.graph import Graph
from scistan.graph.node import Variable
from scistan.graph.parse import parse
from scistan.graph.text import UnwritableError, exact_text, graph_text, short_text
from scistan.graph.verify import check
from scistan.ops import REGISTRY as OPS
from scistan.passes import run_passes
from scistan.shapes import Size
from tests.graph.random_graphs import random_model
from tests.zoo import ZOO

laws = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def read(text: str, *more: Graph) -> Graph:
    fused = {t.law.distribution.name: t.law.distribution for graph in more for t in graph.terms}
    return parse(text, OPS, {**DISTRIBUTIONS, **fused})


def test_a_text_as_people_read_it():
    m = ss.Model()
    m.x = ss.data(np.ones(5))
    m.group = ss.data([0, 1, 1, 0, 2])
    m.mu = ss.Normal(0, 5.0)
    m.tau = ss.HalfNormal(1, shape=3)
    m.slope = ss.Normal(m.mu, m.tau, lower=0)
    m.y = ss.Normal(m.slope[m.group] * m.x / ss.length(m.x), 1).observe(np.zeros(5))
    assert graph_text(m.to_graph()) == """\
%0 = variable mu []
%1 = variable tau [n0]
%2 = variable slope [n0]
%3 = data group int [n1]
%4 = index(%2, %3, items=(('array', 1),)) [n1]
%5 = data x real [n1]
%6 = multiply(%4, %5) [n1]
%7 = divide(%6, #n1) [n1]
%8 = data y real [n1]
latent mu = %0 ~ Normal(0, 5.0) []
latent tau = %1 ~ HalfNormal(1) [n0]
latent slope = %2 ~ Normal(%0, %1, lower=0) [n0]
observed y = %8 ~ Normal(%7, 1) [n1]
"""


def test_an_exact_text_says_what_each_length_is():
    m = ss.Model(coords={"arm": ["a", "b"]})
    m.x = ss.data(np.ones(5))
    m.level = ss.Normal(0, 1, dims="arm")
    m.half = ss.Normal(0, 1, shape=m.x.shape[0] // 2)
    m.y = ss.Normal(m.x[::2] @ m.x[:3] + m.level[0], 1).observe(np.zeros(5))
    exact = exact_text(m.to_graph())
    assert exact.text == """\
length n0 = 2 dim 0 'arm'
length n1 = 5 data 0 ''
length n2 = floor_divide(#n1, 2)
length n3 = slice(#n1, None, None, 2)
length n4 = 5 data 0 ''
%0 = variable level [n0]
%1 = variable half [n2]
%2 = data x real [n1]
%3 = index(%2, items=(('slice', None, None, 2),)) [n3]
%4 = index(%2, items=(('slice', None, 3, None),)) [3]
%5 = matmul(%3, %4, ranks=(1, 1)) [] where n3 = 3
%6 = index(%0, items=(('int', 0),)) []
%7 = add(%5, %6) []
%8 = data y real [n4]
latent level = %0 ~ Normal(0, 1) [n0]
latent half = %1 ~ Normal(0, 1) [n2]
observed y = %8 ~ Normal(%7, 1) [n4]
"""


def test_a_length_that_only_python_can_compute_is_not_written():
    size = Size.computed(lambda n: n**2, Size.new(3))
    with pytest.raises(UnwritableError, match="of a length"):
        exact_text(Graph(), [size])


@pytest.mark.parametrize("name", ZOO)
def test_every_kind_of_model_round_trips(name):
    graph = ZOO[name]().to_graph()
    stages = run_passes(graph)
    for stage in (graph, stages.plain, stages.fused):
        text = graph_text(stage)
        again = read(text, stage)
        assert graph_text(again) == text
        check(again)


@laws
@given(st.integers(0, 100_000))
def test_random_models_round_trip(seed):
    graph = random_model(seed).to_graph()
    check(graph)
    text = graph_text(graph)
    assert graph_text(read(text)) == text


@settings(laws, max_examples=15)
@given(st.integers(0, 100_000))
def test_equal_models_give_equal_text(seed):
    assert graph_text(random_model(seed).to_graph()) == graph_text(random_model(seed).to_graph())


def test_other_lengths_and_values_give_equal_text():
    def model(n: int) -> Graph:
        m = ss.Model()
        m.x = ss.data(np.random.default_rng(n).normal(size=(n, 3)))
        m.b = ss.Normal(0, 1, shape=m.x.shape[1])
        m.y = ss.Normal(m.x @ m.b, 1).observe(np.zeros(n))
        return m.to_graph()

    assert graph_text(model(4)) == graph_text(model(9))


def test_numbers_keep_their_kind():
    x = Variable("x", (), None, None)
    numbers = [1, 1.0, -2, -0.0, 1e-300, 0.1, float("inf"), -float("inf")]
    derived = {f"d{k}": OPS["add"].build((x, ss.ops.coerce.as_node(n))) for k, n in enumerate(numbers)}
    text = graph_text(Graph(derived=derived))
    again = parse(text, OPS, {})
    assert graph_text(again) == text
    for node, number in zip(again.derived.values(), numbers, strict=True):
        value = node.args[1].value
        assert (type(value), repr(value)) == (type(number), repr(number))


def test_what_is_read_is_fresh_and_has_no_values():
    text = graph_text(ZOO["logistic"]().to_graph())
    one, two = read(text), read(text)
    assert not {*one.data} & {*two.data}
    assert all(leaf.default is None for leaf in one.data)
    assert [t.name for t in one.terms] == ["alpha", "beta", "y"]
    assert list(one.data_names.values()) == list(two.data_names.values())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "no line of a graph's text"),
        ("%0 = unheard_of(1) []", "the op `unheard_of`"),
        ("%0 = variable x []\nlatent x = %0 ~ Unheard(1) []", "the distribution `Unheard`"),
        ("%0 = data x real []\nlatent x = %0 ~ Normal(0, 1) []", "is latent and its value is data"),
        ("%0 = exp(1) [n0]", "has other axes"),
    ],
)
def test_text_that_is_none(text, words):
    with pytest.raises(InternalError, match=words):
        read(text)


def test_a_short_text_is_cut():
    x = ss.ops.Expression(Variable("x", (), None, None))
    assert short_text((x + 1)._scistan_node_) == "(x + 1)"
    deep = x
    for _ in range(30):
        deep = ss.exp(deep)
    assert short_text(deep._scistan_node_) == "exp(exp(exp(exp(…))))"
    assert repr(ss.exp(x)) == "<exp(x)>"
