"""Odd values in the place of good ones, everywhere: no error comes through that is not SciStan's."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.distributions import CONSTRUCTORS
from scistan.ops import FUNCTIONS
from tests.fuzz import CALLS, ODD, fit, foreign
from tests.fuzz_functions import FUNCTION_CALLS, mixture, walk, walk_model


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


def test_none_in_series_transforms_settings_and_fits(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of the odd values are names of files
    assert foreign(120, seed=20, among=FUNCTION_CALLS) == []


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


@pytest.mark.parametrize("name", ["text", "dict", "array", "frame", "NA", "hostile", "10**5000", "structured", "NaT"])
def test_what_the_fuzzer_found_in_functions(name):
    """Each was a foreign error, from the length of an array to the truth of a table."""
    value = ODD[name]
    structure = ss.tree_flatten([1, 2])[1]
    for call in (
        lambda: ss.zeros(value()), lambda: ss.full(2, value()), lambda: ss.ones(2, backend=value()),
        lambda: ss.tree_unflatten(structure, value()), lambda: ss.tree_unflatten(value(), [1]),
        lambda: ss.tree_map(value(), [1]), lambda: ss.defaults()[value()], lambda: walk().forecast(2, draws=ODD["bytes"]()),
        lambda: walk().refit(value()), lambda: walk().group(ODD["list"]()), lambda: mixture().posterior_of(value()),
        lambda: mixture().most_likely_path(value()), lambda: ss.vmap(walk_model())(value()),
        lambda: ss.vmap(walk_model().s * 2)(value()), lambda: ss.plan(lambda x: x, None, [value()]),
        lambda: ss.scan(lambda s: s, 0.0, length=2, reverse=value()), lambda: walk_model().log_density_fn(value()),
    ):  # fmt: skip
        with pytest.raises(ss.ScistanError):
            call()


@pytest.mark.parametrize("limit", [0, -1, 0.5, "3", np.array([1.0, np.nan]), [1, 2], True])
def test_the_rows_of_a_table_are_a_whole_number(limit):
    """Found by the fuzzer: NumPy's error for an array, and a table without rows for the others."""
    with pytest.raises(ss.ScistanError, match="`limit` must be a whole number of at least 1"):
        fit().table(limit=limit)


def test_values_nested_without_an_end():
    """Found by the fuzzer: Python's RecursionError."""
    endless = []
    endless.append(endless)
    for values in (endless, ODD["deep"]()):
        with pytest.raises(ss.ModelError, match="nested in more than 100"):
            ss.tree_flatten(values)


def test_a_transform_is_called_as_its_function():
    """Found by the fuzzer: no arguments at all."""
    with pytest.raises(ss.ScistanError, match="cannot be called so: missing a required argument: 'x'"):
        ss.hvp(lambda x: ss.sum(x * x))((), 1.0)
    with pytest.raises(TypeError, match="too many positional arguments"):
        ss.grad(lambda x: ss.sum(x * x))(1.0, 2.0)


def test_lengths_that_python_cannot_print():
    """Found by the fuzzer: whole numbers of more than 4300 digits."""
    m = ss.Model("m")
    m.x = ss.Normal(0, 1, shape=3)
    with pytest.raises(ss.ModelError, match="differs in length"):
        ss.scan(lambda s, x: s + x, 0.0, over=m.x, length=10**5000)


@pytest.mark.parametrize("q", ["deep", "ragged", "mixed", "dict", "hostile"])
def test_coordinates_that_are_no_array(q):
    with pytest.raises(ss.ScistanError):
        walk_model().log_density_fn("numpy")(ODD[q]())


def test_settings_are_read_by_name_and_in_a_loop():
    found = ss.defaults()
    assert dict(found) == found.to_dict() == {name: found[name] for name in found}
    with pytest.raises(ss.ScistanError, match="knows no setting"):
        found["nonsense"]


@pytest.mark.parametrize("shape", [2**60, (2**40, 2**40), 10**400])
def test_an_array_that_no_memory_holds(shape):
    with pytest.raises(ss.ScistanError, match="are free"):
        ss.zeros(shape)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_no_foreign_error_in_ten_thousand_calls(seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert foreign(700, seed) + foreign(300, seed, FUNCTION_CALLS) == []
