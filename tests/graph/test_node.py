"""Interning: equal expressions are one object, and nothing else is."""

from __future__ import annotations

import gc
import weakref

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.graph.node import Variable, extent, find_applied, literal
from scistan.ops import REGISTRY, Expression
from scistan.ops.coerce import as_node
from scistan.shapes import Size


def free(name: str = "x", *shape: int) -> Expression:
    return Expression(Variable(name, tuple(Size.new(n) for n in shape), None, None))


def node(expression: Expression):
    return expression._scistan_node_


numbers = st.one_of(st.integers(-3, 3), st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, float("inf")]), st.booleans())


@settings(derandomize=True, database=None)
@given(numbers, numbers)
def test_numbers_are_one_node_only_if_they_are_written_alike(a, b):
    alike = type(a) is type(b) and repr(a) == repr(b)
    assert (literal(a) is literal(b)) == alike


def test_one_one_point_zero_and_true_stay_apart():
    assert len({literal(1), literal(1.0), literal(True)}) == 3
    assert literal(0.0) is not literal(-0.0)
    assert literal(1).integer
    assert not literal(1.0).integer


def test_what_users_write_becomes_a_literal_or_data():
    assert as_node(1) is literal(1)
    assert as_node(True) is literal(1)
    assert as_node(1.0) is literal(1.0)
    for scalar in (np.float64(1.0), np.int64(1), np.array(1.0), np.float32(1)):
        assert as_node(scalar) is not literal(1.0)
        assert as_node(scalar).default == 1


def test_equal_expressions_are_one_node():
    x = free()
    assert node(ss.exp(x + 1)) is node(ss.exp(x + 1))
    assert node(x + 1) is not node(1 + x)
    assert node(x + 1) is not node(x + 1.0)
    assert node(ss.sum(free("v", 3))) is not node(ss.sum(free("v", 3)))


def test_attributes_tell_nodes_apart():
    x = free("x", 2, 3)
    assert node(ss.sum(x, axis=0)) is node(ss.sum(x, axis=-2))
    assert node(ss.sum(x, axis=0)) is not node(ss.sum(x, axis=1))
    assert node(x[0]) is node(x[0])
    assert node(x[0]) is not node(x[1])
    assert node(x[1:]) is node(x[1:])


def test_equal_data_are_two_leaves_and_the_same_array_is_one():
    a, b = np.arange(3.0), np.arange(3.0)
    assert as_node(a) is as_node(a)
    assert as_node(a) is not as_node(b)
    leaf = as_node(a)
    a[0] = 7.0
    assert as_node(a) is not leaf
    assert leaf.default[0] == 0.0
    assert not leaf.default.flags.writeable


def test_two_variables_of_one_name_are_two():
    assert node(free("x") + 1) is not node(free("x") + 1)


def test_a_length_is_one_node():
    size = Size.new(4)
    assert extent(size) is extent(size)
    assert extent(size) is not extent(Size.new(4))
    assert extent(size + 1) is extent(size + 1)
    assert extent(size).integer


def test_nodes_nobody_holds_are_forgotten():
    x = free()
    made = ss.exp(x * 3.25)
    gone = weakref.ref(node(made))
    key = (REGISTRY["exp"], node(made).args, ())
    assert find_applied(*key) is node(made)
    del made
    gc.collect()
    assert gone() is None
    assert find_applied(*key) is None

