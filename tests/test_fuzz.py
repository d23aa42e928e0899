"""Odd values in the place of good ones, everywhere: no error comes through that is not SciStan's."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.distributions import CONSTRUCTORS
from scistan.ops import FUNCTIONS
from tests.fuzz import CALLS, foreign


@pytest.fixture(autouse=True)
def declarations():
    """Forget what the fuzzer declared."""
    known = dict(CONSTRUCTORS), dict(FUNCTIONS)
    yield
    for table, kept in zip((CONSTRUCTORS, FUNCTIONS), known, strict=True):
        for name in set(table) - set(kept):
            del table[name]


def test_every_constructor_and_function_is_called():
    assert len(CALLS) > len(CONSTRUCTORS) + len(FUNCTIONS) + 25


def test_no_foreign_error_in_hundreds_of_calls():
    assert foreign(400, seed=20) == []


@pytest.mark.parametrize("side", ["lower", "upper"])
@pytest.mark.parametrize("none", [(), [], np.empty((0, 3)), [[1, 2], [3, 4]]], ids=["tuple", "list", "array", "whole"])
def test_bounds_without_elements(side, none):
    """Found by the fuzzer: where there are none there is no least, beside a latent that bounds the other side."""
    m = ss.Model("m")
    m.end = ss.Beta(2, 2)
    other = {"lower": "upper", "upper": "lower"}[side]
    for kwargs in ({side: none}, {side: none, other: m.end}, {side: none, "shape": 0}):
        try:
            m.v = ss.Normal(0.5, 0.5, **kwargs)
            m.w = ss.Gamma(m.v, 1, **kwargs)
        except ss.ScistanError:
            continue


@pytest.mark.parametrize("axis", [(), [], (0, 1), None], ids=str)
@pytest.mark.parametrize("function", [ss.softmax, ss.log_softmax])
def test_a_softmax_is_along_one_axis(function, axis):
    """Found by the fuzzer: no axis was Python's IndexError, and of several the first was taken without a word."""
    m = ss.Model("m")
    m.x = ss.Normal(0, 1, shape=(2, 3))
    with pytest.raises(ss.ModelError, match="does not exist"):
        function(m.x, axis=axis)


def test_an_index_that_python_cannot_print():
    """Found by the fuzzer: whole numbers of more than 4300 digits."""
    m = ss.Model("m")
    m.x = ss.Normal(0, 1, shape=3)
    with pytest.raises(ss.ModelError, match="outside an axis of length 3"):
        m.x[10**5000]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_no_foreign_error_in_ten_thousand_calls(seed):
    assert foreign(1000, seed) == []
