"""Linear forms of lengths, and the solution of the equalities between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from scistan.shapes import ONE, Size, SizeConflict, SizeTable, broadcast, values_of

laws = settings(derandomize=True, deadline=None, max_examples=100, database=None)
SYMBOLS = [Size.new(n, f"s{n}") for n in (2, 3, 5, 7)]


@st.composite
def sizes(draw):
    total = Size(draw(st.integers(-3, 3)))
    for symbol in draw(st.lists(st.sampled_from(SYMBOLS), max_size=4)):
        total = total + symbol.scaled(draw(st.integers(-2, 2)))
    return total


@laws
@given(sizes(), sizes(), sizes(), st.integers(-3, 3))
def test_sizes_are_a_module_over_the_whole_numbers(a, b, c, k):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a - a == Size()
    assert (a + b).scaled(k) == a.scaled(k) + b.scaled(k)
    assert (a + b).today == a.today + b.today
    assert (a - b).today == a.today - b.today
    assert a.scaled(k).today == k * a.today
    assert hash(a + b) == hash(b + a)
    assert int(a) == a.today == a.__index__()


def test_a_size_is_its_symbol_only_when_it_is_nothing_else():
    s = SYMBOLS[0]
    assert s.symbol is not None
    assert (s + 1).symbol is None
    assert s.scaled(2).symbol is None
    assert (s + 1 - 1).symbol is s.symbol
    assert Size.new(1) is ONE


@st.composite
def systems(draw):
    """Draw free lengths, others that follow from them, and the equalities that say so."""
    free = [Size.new(draw(st.integers(2, 9)), f"f{k}") for k in range(draw(st.integers(1, 3)))]
    known, equal, rules = list(free), [], []
    for k in range(draw(st.integers(0, 4))):
        parts = draw(st.lists(st.integers(0, len(known) - 1), min_size=1, max_size=2))
        shift = draw(st.integers(0, 3))
        form = Size(shift)
        for part in parts:
            form = form + known[part]
        new = Size.new(form.today, f"d{k}")
        equal.append((new, form) if draw(st.booleans()) else (form, new))
        rules.append((parts, shift))
        known.append(new)
    order = draw(st.permutations(range(len(equal))))
    return free, known, [equal[i] for i in order], rules


def follow(values, rules):
    """Give the lengths of all symbols from those of the free ones."""
    values = list(values)
    for parts, shift in rules:
        values.append(shift + sum(values[p] for p in parts))
    return values


@laws
@given(systems())
def test_equal_lengths_reduce_to_one_form(system):
    _, known, equal, _ = system
    table = SizeTable(equal)
    for left, right in equal:
        assert table.reduce(left) == table.reduce(right)
    for size in known:
        reduced = table.reduce(size)
        assert table.reduce(reduced) == reduced
        assert reduced.today == size.today
        assert table.evaluate(size, {}) == size.today


@laws
@given(systems(), st.lists(st.integers(2, 9), min_size=3, max_size=3))
def test_new_lengths_are_solved(system, lengths):
    free, known, equal, rules = system
    values = follow(lengths[: len(free)], rules)
    table = SizeTable(equal)
    solved = table.solve([(size, Size(n)) for size, n in zip(known, values, strict=True)])
    assert [table.evaluate(size, solved) for size in known] == values


@laws
@given(systems(), st.lists(st.integers(2, 9), min_size=3, max_size=3), st.data())
def test_lengths_that_contradict_are_refused(system, lengths, data):
    free, known, equal, rules = system
    if not rules:
        return
    values = follow(lengths[: len(free)], rules)
    values[data.draw(st.integers(len(free), len(known) - 1))] += 1
    consistent = follow(values[: len(free)], rules) == values
    if not consistent:
        with pytest.raises(SizeConflict):
            SizeTable(equal).solve([(size, Size(n)) for size, n in zip(known, values, strict=True)])


def test_a_length_may_be_known_before_its_parts():
    a, b, whole = Size.new(2), Size.new(3), Size.new(5)
    table = SizeTable([(a + b, whole)])
    solved = table.solve([(whole, Size(9)), (a, Size(4))])
    assert table.evaluate(b, solved) == 5


def test_a_computed_length_follows_by_its_rule():
    n = Size.new(6)
    half = Size.computed(lambda m: m // 2, n)
    table = SizeTable()
    solved = table.solve([(n, Size(11))])
    assert half.today == 3
    assert table.evaluate(half + 1, solved) == 6


def test_a_computed_length_still_counts_where_it_was_equated():
    n, m = Size.new(6), Size.new(3)
    table = SizeTable([(Size.computed(lambda k: k // 2, n), m)])
    table.solve([(n, Size(10)), (m, Size(5))])
    with pytest.raises(SizeConflict):
        table.solve([(n, Size(10)), (m, Size(4))])


@laws
@given(st.data())
def test_broadcasting_is_numpys(data):
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=4)).input_shapes
    symbolic = [tuple(Size.new(n) for n in shape) for shape in shapes]
    united, equal = broadcast(*symbolic)
    assert values_of(united) == np.broadcast_shapes(*shapes)
    assert all(left.today == right.today for left, right in equal)


def test_lengths_that_do_not_broadcast_conflict():
    with pytest.raises(SizeConflict):
        broadcast((Size.new(2),), (Size.new(3),))
