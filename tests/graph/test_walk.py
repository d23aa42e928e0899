"""Walks: arguments first, each node once, in a fixed order, however deep."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.graph.node import Apply, Variable, literal
from scistan.graph.walk import leaves, rebuild, topological, use_counts
from scistan.ops import REGISTRY, Expression

laws = settings(derandomize=True, deadline=None, max_examples=40, database=None)


def tangle(seed: int, size: int = 30):
    """Make a random graph in which much is shared."""
    rng = random.Random(seed)
    pool = [Expression(Variable(f"x{k}", (), None, None)) for k in range(3)] + [Expression(literal(2))]
    for _ in range(size):
        a, b = rng.choice(pool), rng.choice(pool)
        pool.append(rng.choice([lambda a, b: a + b, lambda a, b: a * b, lambda a, b: ss.exp(a), lambda a, b: -b])(a, b))
    return [e._scistan_node_ for e in rng.sample(pool, 5)]


@laws
@given(st.integers(0, 10_000))
def test_arguments_come_first_and_each_node_once(seed):
    roots = tangle(seed)
    order = topological(roots)
    place = {node: k for k, node in enumerate(order)}
    assert len(place) == len(order)
    assert all(place[arg] < place[node] for node in order for arg in node.args)
    assert set(roots) <= set(order)
    assert order == topological(roots)


@laws
@given(st.integers(0, 10_000))
def test_leaves_are_what_has_no_arguments(seed):
    roots = tangle(seed)
    assert list(leaves(roots)) == [node for node in topological(roots) if not node.args]


@laws
@given(st.integers(0, 10_000))
def test_uses_are_counted(seed):
    roots = tangle(seed)
    counts = use_counts(roots)
    edges = [arg for node in topological(roots) for arg in node.args]
    assert counts == {node: edges.count(node) + roots.count(node) for node in topological(roots)}


@laws
@given(st.integers(0, 10_000))
def test_rebuilding_with_nothing_changed_gives_the_same_nodes(seed):
    roots = tangle(seed)
    again = rebuild(roots, lambda n, args: n.op.build(args, dict(n.attributes)) if isinstance(n, Apply) else n)
    assert all(new is old for old, new in again.items())


def test_rebuilding_replaces_leaves_everywhere():
    x, y = (Expression(Variable(name, (), None, None)) for name in "xy")
    root = (ss.exp(x) + x * x)._scistan_node_
    memo = rebuild([root], lambda n, args: n.op.build(args, dict(n.attributes)) if isinstance(n, Apply) else
                   y._scistan_node_ if n is x._scistan_node_ else n)
    assert memo[root] is (ss.exp(y) + y * y)._scistan_node_


def test_a_memo_is_kept():
    x = Variable("x", (), None, None)
    root = REGISTRY["exp"].build((x,))
    assert rebuild([root], lambda n, args: n, {root: x}) == {root: x, x: x}
