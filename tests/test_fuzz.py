"""Odd values in the place of good ones, everywhere: no error comes through that is not SciStan's."""

from __future__ import annotations

import pytest

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


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_no_foreign_error_in_ten_thousand_calls(seed):
    assert foreign(1000, seed) == []
