"""Nested values: taken apart and put together again they are what they were, and a recurrence has its state so."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scistan as ss
from scistan.ops.structure import LEAF, Structure, leaves_in, structure_of


class State(NamedTuple):
    level: object
    slope: object


LEAVES = st.integers() | st.text(max_size=3)
NESTED = st.recursive(
    LEAVES | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.builds(State, inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)  # fmt: skip


@given(NESTED)
def test_there_and_back(value):
    form = structure_of(value)
    leaves = leaves_in(value, form)
    again = form.filled(iter(leaves))
    assert again == value
    assert type(again) is type(value)
    assert form.count == len(leaves)
    assert structure_of(again) == form
    assert hash(form) == hash(structure_of(again))


@pytest.mark.parametrize(("value", "text"), [
    (1, "a value"), (None, "None"), ((1,), "(a value,)"), ([1, (2, 3)], "[a value, (a value, a value)]"),
    ({"a": State(1, None)}, "{'a': State(a value, None)}"),
])  # fmt: skip
def test_a_form_in_words(value, text):
    form = structure_of(value)
    assert str(form) == text
    assert repr(form) == text.replace("a value", "*")


def test_a_list_of_numbers_may_be_one_value():
    def is_array(value: object) -> bool:
        return isinstance(value, list)

    assert structure_of({"x": [1, 2], "y": (1, 2)}, is_array) == Structure(
        dict, ("x", "y"), (LEAF, Structure(tuple, (), (LEAF, LEAF)))
    )


def test_a_recurrence_has_its_state_as_it_was_given():
    y = np.array([0.3, -0.2, 0.5])
    m = ss.Model("trend")
    m.a = ss.Normal(0, 1)
    m.y = ss.data(y)

    def step(state, y):
        return State(state.level + state.slope * y, state.slope)

    m.end = ss.scan(step, State(m.a, 0.5), over=m.y).level[-1]
    m.z = ss.Normal(m.end, 1).observe(0.1)
    expected = -0.5 * (0.7**2 + (0.1 - (0.7 + 0.5 * y.sum())) ** 2) - np.log(2 * np.pi)
    assert m.log_density({"a": 0.7}) == pytest.approx(expected)
