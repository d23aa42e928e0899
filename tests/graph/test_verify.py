"""The verifier: sound graphs pass, and each law's breach is found and told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import scistan as ss
from scistan.errors import InternalError
from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Variable, literal
from scistan.graph.verify import check
from scistan.ops import REGISTRY
from scistan.passes import DATA_PASSES, PASSES
from scistan.shapes import Size
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import NUMPY
from tests.graph.random_graphs import random_model
from tests.zoo import ZOO


def small() -> Graph:
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(m.a, 1, shape=3)
    m.c = ss.exp(m.b)
    m.y = ss.Normal(m.c, 1).observe(np.zeros(3))
    return m.to_graph()


@pytest.mark.parametrize("name", ZOO)
def test_every_pass_leaves_a_sound_graph(name):
    graph = ZOO[name]().to_graph()
    check(graph)
    for step in PASSES:
        graph = step.run(graph)
        check(graph)


@pytest.mark.parametrize("name", ZOO)
def test_passes_that_look_at_data_leave_a_sound_graph(name):
    instance = ZOO[name]().instance()
    numbers = Evaluator(instance, NUMPY)
    for step in DATA_PASSES:
        instance = step.run(instance, lambda node: numbers[node].array)
        check(instance.graph)


def test_passes_on_random_models():
    for seed in range(10):
        graph = random_model(seed).to_graph()
        for step in PASSES:
            graph = step.run(graph)
            check(graph)


def with_derived(graph: Graph, node) -> Graph:
    return replace(graph, derived={**graph.derived, "more": node})


def unlike(node: Apply, **changes) -> Apply:
    """Give a node that differs from what its op would build."""
    fields = {"shape": node.shape, "integer": node.integer, "equalities": node.equalities, **changes}
    return Apply(node.op, node.args, node.attributes, fields["shape"], fields["integer"], fields["equalities"])


def _swapped(graph: Graph) -> Graph:
    return replace(graph, terms=(graph.terms[1], graph.terms[0], *graph.terms[2:]))


def _renamed(graph: Graph) -> Graph:
    return replace(graph, terms=(replace(graph.terms[0], name="other"), *graph.terms[1:]))


def _reshaped(graph: Graph) -> Graph:
    term = graph.terms[0]
    return replace(graph, terms=(replace(term, law=replace(term.law, shape=(Size.new(2),))), *graph.terms[1:]))


def _new(op: str, *args, **changes) -> Apply:
    return unlike(REGISTRY[op].build(args), **changes)


LOST = Variable("lost", (), None, None)
BROKEN = {
    "a variable without distribution": (lambda g: with_derived(g, LOST), "has no distribution"),
    "a variable of another model": (lambda g: with_derived(g, small().terms[0].value), "has no distribution"),
    "two owners": (lambda g: replace(g, terms=(*g.terms, replace(small().terms[0], name="a"))), "more than one model"),
    "two distributions": (lambda g: replace(g, terms=(*g.terms, g.terms[0])), "has 2 distributions"),
    "a later variable": (_swapped, "comes after it"),
    "another name": (_renamed, "stands under the name"),
    "another shape": (_reshaped, "have shapes"),
    "a name twice": (lambda g: replace(g, derived={**g.derived, "a": literal(1)}), "is given twice"),
    "a node by itself": (lambda g: with_derived(g, _new("exp", g.terms[0].value)), "not the interned node"),
}


@pytest.mark.parametrize(("broken", "words"), BROKEN.values(), ids=BROKEN)
def test_a_breach_is_found(broken, words):
    with pytest.raises(InternalError, match=words) as caught:
        check(broken(small()))
    assert "observed y = " in caught.value.attachment


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shape": (Size.new(2),)}, "its op's rule"),
        ({"integer": True}, "disagree on whole numbers"),
        ({"equalities": ((Size(2), Size(3)),)}, "equates the lengths 2 and 3"),
    ],
    ids=["shape", "integer", "equalities"],
)
def test_a_node_that_its_op_would_not_build_is_found(changes, words, monkeypatch):
    graph = small()
    wrong = _new("exp", graph.terms[0].value, **changes)
    # As if the op itself had built it: the table of interned nodes then holds it.
    interned = {wrong.args: wrong, **{n.args: n for n in graph.nodes if isinstance(n, Apply)}}
    monkeypatch.setattr("scistan.graph.verify.find_applied", lambda op, args, _: interned[args])
    with pytest.raises(InternalError, match=words):
        check(with_derived(graph, wrong))
