"""Lengths stay symbols through every op: the same model on other data has the shapes NumPy would give."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Data
from scistan.shapes import ONE, Size, SizeConflict
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY
from tests.ops.ops_support import node_of


def on_other_data(build, today, later):
    """Build on today's arrays, then give shape and value on other arrays."""
    leaves = [ss.data(a) for a in today]
    node = node_of(build(*leaves))
    values = {node_of(leaf): np.asarray(a) for leaf, a in zip(leaves, later, strict=True)}
    graph = Graph(derived={"out": node})
    others = {d: d.default for d in graph.data if d not in values and d.default is not None}
    instance = Instance(graph, {**values, **others})
    return instance.shape(node.shape), Evaluator(instance, NUMPY)[node].array


def grows(build, *shapes, reference=None):
    """Check a formula on data longer than those it was written with."""
    rng = np.random.default_rng(0)
    today = [rng.uniform(size=shape) for shape, _ in shapes]
    later = [rng.uniform(size=shape) for _, shape in shapes]
    shape, value = on_other_data(build, today, later)
    expected = np.asarray((reference or build)(*later))
    assert shape == value.shape == expected.shape
    np.testing.assert_allclose(value, expected)


FORMULAS = {
    "slice": (lambda x: x[1:], ((4,), (7,))),
    "slice_end": (lambda x: x[:-2], ((4,), (7,))),
    "slice_last": (lambda x: x[-3:], ((4,), (7,))),
    "slice_both": (lambda x: x[1:-1], ((4,), (7,))),
    "slice_steps": (lambda x: x[::2], ((4,), (7,))),
    "slice_back": (lambda x: x[::-1], ((4,), (7,))),
    "differences": (lambda x: x[1:] - x[:-1], ((4,), (7,))),
    "reshape_flat": (lambda x: x.reshape(-1), ((4, 3), (7, 5))),
    "reshape_column": (lambda x: x.reshape(-1, 1), ((4,), (7,))),
    "reshape_rest": (lambda x: x.reshape(x.shape[0], -1), ((4, 3, 2), (7, 5, 2))),
    "reshape_known": (lambda x: x.reshape(-1, 2), ((4, 3), (6, 3))),
    "concatenate": (lambda x, y: np.concatenate([x, y, x]), ((2,), (5,)), ((3,), (4,))),
    "sum": (lambda x: np.sum(x, axis=0), ((4, 3), (7, 5))),
    "var": (lambda x: np.var(x, axis=0, ddof=1), ((4, 3), (7, 5))),
    "matmul": (lambda x, y: x @ y, ((4, 3), (7, 5)), ((3,), (5,))),
    "square": (lambda x: np.diag(x), ((3, 3), (5, 5))),
    "broadcast": (lambda x, y: x[:, None] + y, ((3,), (5,)), ((3,), (4,))),
    "size_in_formula": (lambda x: np.sum(x) / x.shape[0], ((4,), (7,))),
    "size_on_the_right": (lambda x: x * x.shape[0], ((4,), (7,))),
    "slice_by_other": (lambda x, y: x[: y.shape[0]], ((9,), (8,)), ((3,), (5,))),
    "slice_from_other": (lambda x, y: x[y.shape[0] :], ((9,), (8,)), ((3,), (5,))),
    "slice_by_own": (lambda x: x[: x.shape[0]], ((4,), (7,))),
    "broadcast_by_other": (lambda x, y: np.broadcast_to(x, (y.shape[0], x.shape[0])), ((2,), (5,)), ((3,), (4,))),
}


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_formulas_follow_the_data(formula):
    build, *shapes = formula
    grows(build, *shapes)


def test_the_last_by_its_length():
    grows(lambda x: x[x.shape[0] - 1], ((4,), (7,)), reference=lambda x: x[-1])
    grows(lambda x: x[: x.shape[0] - 1], ((4,), (7,)), reference=lambda x: x[:-1])


def test_counting_follows_the_data():
    grows(lambda x: ss.arange(x.shape[0]) + 0 * x, ((4,), (7,)), reference=lambda x: np.arange(len(x)) + 0 * x)
    grows(lambda x: ss.length(x) * x, ((4,), (7,)), reference=lambda x: len(x) * x)


def test_a_sequence_of_another_length_convolves():
    weights = np.random.default_rng(0).uniform(size=(2, 3))
    shape, value = on_other_data(lambda s: ss.convolve_sequence(weights, s), [[0, 1, 2]], [np.array([2, 2, 0, 1, 1])])
    assert shape == (4,)
    s = [2, 2, 0, 1, 1]
    np.testing.assert_allclose(value, [weights[0, s[i]] + weights[1, s[i + 1]] for i in range(4)])


def test_equal_lengths_of_a_square_table_stay_apart():
    x = ss.data(np.zeros((3, 3)))
    rows, columns = x.shape
    assert rows != columns
    assert ss.sum(x, axis=0).shape == (columns,)
    assert ss.transpose(x).shape == (columns, rows)
    assert x.reshape(3, 3).shape == (rows, columns)
    assert ss.broadcast_to(x[0], (3, 3)).shape[1] == columns
    assert ss.broadcast_to(x[0], (3, 3)).shape[0] not in (rows, columns)


def test_an_axis_turned_round_keeps_its_length():
    x = ss.data(np.zeros((4, 3)))
    assert x[::-1].shape == x.shape
    assert x[:, ::-1].shape == x[:].shape == x[::1].shape == x.shape


def test_a_length_of_one_is_no_symbol():
    assert ss.data(np.zeros((1, 3))).shape[0] is ONE
    assert ss.sum(ss.data(np.zeros((2, 3))), axis=0, keepdims=True).shape[0] == ONE


def test_lengths_that_must_agree_are_told_when_they_do_not():
    a, b = ss.data(np.zeros(3)), ss.data(np.zeros(3))
    graph = Graph(derived={"out": node_of(a + b)})
    leaves: list[Data] = graph.data
    with pytest.raises(SizeConflict):
        Instance(graph, {leaves[0]: np.zeros(4), leaves[1]: np.zeros(5)})
    assert Instance(graph, {leaves[0]: np.zeros(4), leaves[1]: np.zeros(4)}).shape(node_of(a + b).shape) == (4,)


def test_a_slice_between_other_lengths_must_lie_inside():
    x, y = ss.data(np.zeros(3)), ss.data(np.zeros(5))
    with pytest.raises(ss.ModelError, match="must lie inside"):
        x[: y.shape[0]]


def test_a_size_is_a_number_of_the_model():
    x = ss.data(np.zeros(4))
    assert node_of(ss.exp(x.shape[0])).args[0].size == x.shape[0]
    assert node_of(ss.exp(Size(2))).args[0].value == 2
