"""Deep and wide graphs cost what they weigh: time grows with the number of nodes, not with the number of paths."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

import scistan as ss
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Variable
from scistan.graph.text import graph_text, short_text
from scistan.graph.verify import check
from scistan.graph.walk import topological, use_counts
from scistan.ops import Expression
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY


def nested(levels: int, start: Expression) -> Expression:
    x = start
    for _ in range(levels):
        x = x * x + x
    return x


def free() -> Expression:
    return Expression(Variable("x", (), None, None))


def test_a_thousand_levels_build_walk_and_evaluate():
    start = free()
    root = nested(1000, start)._scistan_node_
    order = topological([root])
    assert len(order) == 2001
    assert max(use_counts([root]).values()) == 3
    evaluator = Evaluator(Instance(Graph(derived={"out": root}), {}), NUMPY)
    evaluator.set(start._scistan_node_, np.array(-1e-4), batched=False)
    expected = -1e-4
    for _ in range(1000):
        expected = expected * expected + expected
    assert evaluator[root].array == expected
    assert len(short_text(root)) <= 60
    assert graph_text(Graph(derived={"out": root})).count("\n") == 2002


def fastest(action: Callable[[int], object], size: int) -> float:
    times = []
    for _ in range(3):
        begin = time.process_time()
        action(size)
        times.append(time.process_time() - begin)
    return min(times)


def wide_model(size: int) -> Graph:
    """Build a model of about `size` nodes: a sum of many small terms, each with a datum of its own."""
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    total = m.a
    for k in range(size // 4):
        total = total + ss.exp(m.b * float(k))
    m.y = ss.Normal(total, 1).observe(0.5)
    return m.to_graph()


def deep(size: int) -> None:
    root = nested(size // 2, free())._scistan_node_
    use_counts([root])


ACTIONS = {
    "deep": deep,
    "wide": wide_model,
    "checked": lambda n: check(wide_model(n)),
    "printed": lambda n: graph_text(wide_model(n)),
}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_ten_times_the_nodes_take_about_ten_times_as_long(action):
    action(100)
    small, large = fastest(action, 1000), fastest(action, 10_000)
    # A quadratic walk would take a hundred times as long; the rest is noise of the machine.
    assert large < 40 * small


def test_a_model_of_ten_thousand_nodes():
    graph = wide_model(10_000)
    assert len(graph.nodes) > 9_000
