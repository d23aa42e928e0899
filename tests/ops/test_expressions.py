"""Expressions among NumPy's: operators, functions, arrays on the left, and the errors of bad input."""

from __future__ import annotations

import inspect
import operator

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import scistan as ss
from scistan.errors import ArgumentError, DataError, ModelError
from scistan.ops import FUNCTIONS, Expression
from scistan.shapes import values_of
from tests.ops.op_cases import INDICES
from tests.ops.ops_support import free, node_of, value_of

X = np.random.default_rng(0).uniform(0.1, 0.9, (3, 3))
Y = np.random.default_rng(1).uniform(0.1, 0.9, (3, 3))
laws = settings(derandomize=True, deadline=None, max_examples=60, database=None)


def agrees(function, *values):
    """Tell whether a function of arrays gives on expressions what it gives on their values."""
    inputs = [free(np.shape(v), f"x{k}") for k, v in enumerate(values)]
    expression = function(*inputs)
    assert isinstance(expression, Expression)
    got, expected = np.asarray(value_of(expression, inputs, values)), np.asarray(function(*values))
    assert got.shape == expected.shape == values_of(expression.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


ISSUE = """
    add subtract multiply divide negative less less_equal greater greater_equal equal not_equal where clip minimum
    maximum min max exp log log1p expm1 sqrt square pow power abs floor ceil round sin cos tan arcsin arccos arctan
    arctan2 sinh cosh tanh arcsinh arccosh arctanh logit inv_logit log_inv_logit softplus log1m log1m_exp erf erfc Phi
    log_Phi lgamma lbeta digamma sum mean prod var std logsumexp cumsum softmax log_softmax normalize matmul outer dot
    transpose reshape stack concatenate broadcast_to diagonal diagonal_matrix trace solve solve_lower inverse cholesky
    log_determinant quadratic_form exponential_growth log_exponential_growth logistic_growth log_logistic_growth
    logistic_growth_from log_logistic_growth_from convolve_sequence gamma_p gamma_q inc_beta log_gamma_p log_gamma_q
    log_inc_beta log_i0 owens_t log_choose pick positions length arange logaddexp log_diff_exp multiply_log
"""


def test_the_language_is_complete():
    assert [name for name in ISSUE.split() if name not in FUNCTIONS] == []
    assert all(function.__doc__ for function in FUNCTIONS.values())


OPERATORS = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.matmul, operator.floordiv,
    operator.mod, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
]


@pytest.mark.parametrize("apply", OPERATORS, ids=lambda f: f.__name__)
def test_operators_on_both_sides(apply):
    agrees(apply, X, Y)
    agrees(lambda x: apply(x, Y), X)
    agrees(lambda x: apply(X, x), Y)
    if apply is not operator.matmul:
        agrees(lambda x: apply(2.5, x), X)
        agrees(lambda x: apply(x, 2), X)
        agrees(lambda x: apply(np.float64(0.3), x), X)
        agrees(lambda x: apply(x, np.int64(2)), X)


@pytest.mark.parametrize("apply", [operator.neg, operator.pos, abs], ids=["neg", "pos", "abs"])
def test_signs(apply):
    agrees(apply, X - 0.5)


def test_conditions_combine():
    agrees(lambda x: (x > 0.3) & (x < 0.6), X)
    agrees(lambda x: (x < 0.3) | (x > 0.6), X)
    agrees(lambda x: (np.asarray(~(x < 0.3)) if isinstance(x, np.ndarray) else ~(x < 0.3)), X)


NUMPY = {
    "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs, "arctan2": lambda x: np.arctan2(x, Y),
    "sum": np.sum, "sum_axis": lambda x: np.sum(x, axis=0), "sum_keepdims": lambda x: np.sum(x, 1, keepdims=True),
    "mean": lambda x: np.mean(x, axis=(0, 1)), "prod": lambda x: np.prod(x, axis=-1), "max": np.max, "amin": np.amin,
    "var": lambda x: np.var(x, axis=0, ddof=1), "std": lambda x: np.std(x, axis=1, keepdims=True),
    "cumsum": np.cumsum, "cumsum_axis": lambda x: np.cumsum(x, axis=0),
    "where": lambda x: np.where(X > Y, x, 0.0), "where_own": lambda x: np.where(x > 0.5, x, -x),
    "clip": lambda x: np.clip(x, 0.2, 0.6), "clip_named": lambda x: np.clip(x, a_min=0.3, a_max=None),
    "maximum": lambda x: np.maximum(x, 0.5), "fmin": lambda x: np.fmin(Y, x), "round": lambda x: np.round(x * 10),
    "power": lambda x: np.power(x, 2), "float_power": lambda x: np.float_power(Y, x), "square": np.square,
    "matmul": lambda x: np.matmul(Y, x), "dot": lambda x: np.dot(x, Y), "outer": lambda x: np.outer(x[0], Y[1]),
    "inv": np.linalg.inv, "solve": lambda x: np.linalg.solve(x, Y), "diag": np.diag,
    "diag_matrix": lambda x: np.diag(x[0]),
    "diagonal": np.diagonal, "trace": np.trace, "cholesky": lambda x: np.linalg.cholesky(x @ x.T + np.eye(3)),
    "transpose": np.transpose, "swapaxes": lambda x: np.swapaxes(x, 0, 1), "reshape": lambda x: np.reshape(x, (9,)),
    "ravel": np.ravel, "expand_dims": lambda x: np.expand_dims(x, 1), "expand_last": lambda x: np.expand_dims(x, -1),
    "squeeze": lambda x: np.squeeze(x[:, None]), "stack": lambda x: np.stack([x, Y], axis=1),
    "concatenate": lambda x: np.concatenate([Y, x], axis=1), "column_stack": lambda x: np.column_stack([x[0], Y[0]]),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 3)), "reciprocal": np.reciprocal, "positive": np.positive,
    "add_reduce": lambda x: np.add.reduce(x), "maximum_reduce": lambda x: np.maximum.reduce(x, axis=1, keepdims=True),
    "logaddexp_reduce": lambda x: np.logaddexp.reduce(x, axis=1), "accumulate": lambda x: np.add.accumulate(x),
    "logaddexp": lambda x: np.logaddexp(x, Y), "isolated": lambda x: np.logical_and(x > 0.2, x < 0.8),
    "method_sum": lambda x: x.sum(axis=0), "method_T": lambda x: x.T, "method_reshape": lambda x: x.reshape(1, -1),
    "method_transpose": lambda x: x.transpose(1, 0), "method_tuple": lambda x: x.transpose((1, 0)),
    "method_std": lambda x: x.std(), "method_clip": lambda x: x.clip(0.2, 0.5), "method_dot": lambda x: x.dot(Y),
    "builtin_sum": lambda x: sum(x[k] for k in range(3)), "iteration": lambda x: np.stack([row * 2 for row in x]),
}


@pytest.mark.parametrize("function", NUMPY.values(), ids=NUMPY)
def test_numpy_functions_work_on_expressions(function):
    agrees(function, X)


def test_shapes_by_numpys_functions():
    x = free((2, 3))
    assert np.ndim(x) == x.ndim == 2
    assert values_of(np.shape(x)) == (2, 3)
    assert len(x) == 2


@pytest.mark.parametrize(("key", "shape"), INDICES.values(), ids=INDICES)
def test_an_index_of_whole_numbers_gives_whole_numbers(key, shape):
    values = np.arange(np.prod(shape)).reshape(shape)
    expression = ss.data(values)[key]
    assert node_of(expression).integer
    got = value_of(expression)
    assert got.dtype.kind == "i"
    np.testing.assert_array_equal(got, values[key])


@laws
@given(st.data())
def test_any_basic_or_advanced_index_is_numpys(data):
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=4))
    values = np.arange(float(np.prod(shape))).reshape(shape)
    basic = hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True)
    key = data.draw(st.one_of(basic, _mixed(shape)))
    expected = np.asarray(values[key])
    x = free(shape)
    got = np.asarray(value_of(x[key], [x], [values]))
    assert got.shape == expected.shape == values_of(x[key].shape)
    np.testing.assert_array_equal(got, expected)
    many = np.stack([values, values + 100])
    np.testing.assert_array_equal(value_of(x[key], [x], [many], [True]), np.stack([expected, expected + 100]))


@st.composite
def _mixed(draw, shape):
    """Draw an index that mixes numbers, slices, new axes and arrays of one shape."""
    common = draw(hnp.array_shapes(max_dims=2, max_side=3))
    items = []
    for n in shape:
        kind = draw(st.sampled_from(["int", "slice", "array", "array", "scalar"]))
        if kind == "int":
            items.append(draw(st.integers(-n, n - 1)))
        elif kind == "slice":
            items.append(draw(st.slices(n)))
        elif kind == "scalar":
            items.append(np.int64(draw(st.integers(0, n - 1))))
        else:
            items.append(draw(hnp.arrays(np.int64, common, elements=st.integers(0, n - 1))))
        if draw(st.integers(0, 5)) == 0:
            items.append(None)
    return tuple(items)


x, v, w = free((3, 2), "x"), free((3,), "v"), free((4,), "w")
BAD = {
    "broadcast": (lambda: v + w, ModelError, "shapes (3,) and (4,) do not broadcast"),
    "where": (lambda: ss.where(v, w, 1), ModelError, "do not broadcast"),
    "arity": (lambda: ss.exp(v, w), ArgumentError, "takes 1 argument"),
    "inner": (lambda: x @ v, ModelError, "inner lengths 2 and 3 differ"),
    "matmul_number": (lambda: v @ 2.0, ModelError, "use `*`"),
    "square": (lambda: ss.inverse(x), ModelError, "square matrix"),
    "vectors": (lambda: ss.outer(x, v), ModelError, "two vectors"),
    "axis": (lambda: ss.sum(v, axis=1), ModelError, "axis 1 does not exist"),
    "axis_twice": (lambda: ss.sum(x, axis=(0, -2)), ModelError, "asked for twice"),
    "axis_kind": (lambda: ss.sum(x, axis="rows"), ModelError, "axis 'rows'"),
    "transpose": (lambda: ss.transpose(x, (0, 0)), ModelError, "axis (0, 0)"),
    "transpose_number": (lambda: ss.transpose(free(()), (0,)), ModelError, "axis (0,)"),
    "reshape": (lambda: ss.reshape(x, 5), ModelError, "the counts differ"),
    "reshape_twice": (lambda: ss.reshape(x, (-1, -1)), ModelError, "only one length may be -1"),
    "reshape_kind": (lambda: ss.reshape(x, 2.5), ModelError, "whole numbers"),
    "stack": (lambda: ss.stack([]), ModelError, "nothing to stack"),
    "stack_axis": (lambda: ss.stack([v, v], axis=3), ModelError, "axis 3"),
    "concatenate": (lambda: ss.concatenate([]), ModelError, "nothing to concatenate"),
    "concatenate_axes": (lambda: ss.concatenate([v, x]), ModelError, "equal numbers of axes"),
    "concatenate_lengths": (lambda: ss.concatenate([x, free((2, 3))]), ModelError, "do not broadcast"),
    "concatenate_numbers": (lambda: ss.concatenate([free(())]), ModelError, "axis 0"),
    "broadcast_to": (lambda: ss.broadcast_to(x, (2,)), ModelError, "do not broadcast"),
    "broadcast_smaller": (lambda: ss.broadcast_to(v, (1,)), ModelError, "do not broadcast"),
    "index": (lambda: v[3], ModelError, "3 is outside an axis of length 3"),
    "index_array": (lambda: v[np.array([0, -1])], DataError, "negative position"),
    "index_many": (lambda: v[0, 0], ModelError, "2 indices for 1 axes"),
    "index_real": (lambda: v[np.array([0.5])], ModelError, "whole numbers known as data"),
    "index_latent": (lambda: v[w], ModelError, "whole numbers known as data"),
    "index_step": (lambda: v[::0], ModelError, "a step of 0"),
    "index_bound": (lambda: v[: 1.5], ModelError, "not a whole number"),
    "index_dots": (lambda: x[..., ...], ModelError, "more than one"),
    "index_mask": (lambda: v[np.array([True, False])], ModelError, "does not cover"),
    "index_truth": (lambda: v[True], ModelError, "does not cover"),
    "index_string": (lambda: v["a"], ModelError, "is a label, and an index is a position"),
    "pick_number": (lambda: ss.pick(2.0, 1), ModelError, "no elements"),
    "length_number": (lambda: ss.length(2.0), ModelError, "no length"),
    "positions_number": (lambda: ss.positions(2.0), ModelError, "no positions"),
    "truth": (lambda: bool(v[0] > 0), ModelError, "no value yet"),
    "float": (lambda: float(v[0]), ModelError, "no value yet"),
    "chained": (lambda: 0 < v[0] < 1, ModelError, "no value yet"),
    "as_array": (lambda: np.asarray(v), ModelError, "no value yet"),
    "len": (lambda: len(v[0]), ModelError, "no length"),
    "numpy": (lambda: np.fft.fft(v), ModelError, "NumPy's `fft` does not work"),
    "numpy_options": (lambda: np.sum(v, dtype=float), ModelError, "sum with dtype="),
    "ufunc_out": (lambda: np.exp(v, out=np.zeros(3)), ModelError, "exp with out="),
    "ufunc_method": (lambda: np.subtract.reduce(v), ModelError, "subtract.reduce"),
    "string": (lambda: v + "a", ModelError, "str cannot be part of a model"),
    "ragged": (lambda: v * [[1, 2], [3]], ModelError, "list cannot be part of a model"),
    "nan": (lambda: v * np.array([1.0, np.nan, 2.0]), DataError, "NaN or infinite"),
    "nan_number": (lambda: v * float("nan"), DataError, "NaN"),
    "letters": (lambda: ss.convolve_sequence(x, [0, 5, 1]), ModelError, "5 is outside"),
    "letters_short": (lambda: ss.convolve_sequence(x, [0, 1]), ModelError, "shorter than the window"),
    "letters_real": (lambda: ss.convolve_sequence(x, [0.5, 1.0, 1.0]), ModelError, "whole numbers are needed"),
}


@pytest.mark.parametrize(("bad", "kind", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_told_at_the_users_line(bad, kind, words):
    with pytest.raises(kind) as caught:
        bad()
    error = caught.value
    assert words in error.what
    assert error.place is not None
    assert error.place.file == __file__
    assert error.place.line == inspect.getsourcelines(bad)[1]


@pytest.mark.parametrize("mask", [
    np.array([True, False, True]), pd.Series([True, False, True]), pd.Series([True, False, True], dtype="boolean"),
    [True, False, True],
], ids=["numpy", "pandas", "nullable", "list"])
def test_a_mask_of_any_library_keeps_what_is_true(mask):
    assert value_of(ss.data([10.0, 20.0, 30.0])[mask]).tolist() == [10.0, 30.0]
