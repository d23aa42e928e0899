"""Gradients where it is hard: zeros, ties, ones, single elements, none, branches, and many digits."""

from __future__ import annotations

from itertools import product

import mpmath
import numpy as np
import pytest

import scistan as ss
from scistan.ops import REGISTRY, Expression
from scistan.ops.declaration import Never, NotYet
from scistan.ops.expression import function_of
from scistan.transforms.reverse import gradients
from tests.ops.op_cases import PUBLIC
from tests.ops.ops_support import Torch, free, node_of, value_of

torch = pytest.importorskip("torch")
from tests.transforms.test_gradients_of_ops import compare  # noqa: E402

SPECIAL = [0.0, 1.0, -1.0, 0.5, 2.0, -0.5, 3.0]
ELEMENTWISE = [name for name, op in REGISTRY.items() if op.elementwise and name in PUBLIC
               and not isinstance(op.gradient, Never) and not any(isinstance(s, NotYet) for s in np.atleast_1d(op.gradient))]


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_structured_numbers_as_in_torch(name):
    op = REGISTRY[name]
    rows = np.array(list(product(SPECIAL, repeat=op.arity))).T
    inputs = [free(row.shape, f"x{k}") for k, row in enumerate(rows)]
    expression = function_of(op)(*inputs)
    ours = [value_of(Expression(g), inputs, rows) for g in gradients(node_of(expression), [node_of(x) for x in inputs])]
    leaves = [torch.tensor(row, requires_grad=True) for row in rows]
    result = value_of(expression, inputs, leaves, backend=Torch())
    theirs = torch.autograd.grad(result.sum(), leaves, allow_unused=True)
    finite = np.isfinite(result.detach().numpy())
    if name in TAILS:  # at the ends of their range torch has a slope of 0, ours is the limit from inside
        finite = finite & (rows[-1] > 0) & ((rows[-1] < 1) if "beta" in name else True)
    rtol = 1e-8 if name == "digamma" else 1e-10  # torch has trigamma(1) to nine digits
    for found, slope in zip(ours, theirs, strict=True):
        expected = np.zeros(found.shape) if slope is None else slope.numpy()
        known = finite & np.isfinite(expected)
        np.testing.assert_allclose(found[known], expected[known], rtol=rtol, atol=1e-12)


ALONG = {
    "sum": ss.sum, "mean": ss.mean, "prod": ss.prod, "min": ss.min, "max": ss.max, "logsumexp": ss.logsumexp,
    "cumsum": lambda x: ss.cumsum(x, axis=-1), "softmax": ss.softmax, "log_softmax": ss.log_softmax,
    "prod along": lambda x: ss.prod(x, axis=-1), "max along": lambda x: ss.max(x, axis=0, keepdims=True),
}
TABLES = {
    "zeros": np.zeros((3, 2)), "a zero": np.array([[0.0, 2.0], [3.0, -1.0]]), "two zeros": np.array([[0.0, 0.0, 3.0]]),
    "ties": np.array([[1.0, 1.0, 2.0], [2.0, 2.0, 2.0]]), "one": np.array([[4.0]]), "ones": np.ones((2, 2)),
}


@pytest.mark.parametrize(("name", "table"), list(product(ALONG, TABLES)))
def test_reductions_of_structured_numbers(name, table):
    x = free(TABLES[table].shape)
    compare(ALONG[name](x), [x], [TABLES[table]], second=True)


@pytest.mark.parametrize("name", ["sum", "prod", "cumsum", "logsumexp"])
def test_reductions_of_nothing(name):
    x = free((2, 0))
    e = ss.logsumexp(x, axis=0) if name == "logsumexp" else ALONG[name](x)
    (slope,) = gradients(node_of(ss.sum(e)), [node_of(x)])
    assert value_of(Expression(slope), [x], [np.zeros((2, 0))]).shape == (2, 0)


# -- branches ------------------------------------------------------------------------------------------
SAFE = {
    "log": (lambda x: ss.where(x > 0, ss.log(x), 0.0), [1 / 2.0, 0.0, 0.0]),
    "x log x": (lambda x: ss.where(x > 0, x * ss.log(x), 0.0), [1 + np.log(2.0), 0.0, 0.0]),
    "sqrt": (lambda x: ss.where(x > 0, ss.sqrt(x), x), [0.5 / np.sqrt(2.0), 1.0, 1.0]),
    "nested": (lambda x: ss.where(x > 0, ss.where(x > 1, 1 / x, ss.log(x)), ss.exp(x)), [-0.25, 1.0, np.exp(-1.0)]),
    "minimum": (lambda x: ss.minimum(ss.exp(1e3 * x), 5.0), [0.0, 1e3, 0.0]),
    "indexed": (lambda x: ss.where(x > 0, ss.log(x)[np.array([0, 1, 2])], 0.0), [0.5, 0.0, 0.0]),
    "turned": (lambda x: ss.where(x[::-1] > 0, ss.log(x)[::-1], 0.0), [0.5, 0.0, 0.0]),
    "summed": (lambda x: ss.where(ss.sum(x) > 5, ss.sum(ss.log(x)), 0.0), [0.0, 0.0, 0.0]),
}


@pytest.mark.parametrize("name", SAFE)
def test_nothing_leaks_from_the_branch_not_taken(name):
    function, expected = SAFE[name]
    with np.errstate(all="ignore"):
        found = ss.grad(lambda x: ss.sum(function(x)))(np.array([2.0, 0.0, -1.0]))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-300)


def test_second_derivatives_through_a_branch_that_is_zero_by_chance():
    # f = u² with u = where(x > -9, sin(x), 0): at 0 the slope is 0, and the second derivative 2 cos² - 2 sin² = 2.
    f = lambda x: ss.square(ss.where(x > -9, ss.sin(x), 0.0))
    assert ss.hessian(f)(0.0) == pytest.approx(2.0, rel=1e-12)


def test_second_derivatives_of_products_with_zeros():
    x = np.array([0.0, 2.0, 0.0, 3.0])
    found = ss.hessian(ss.prod)(x)
    expected = np.zeros((4, 4))
    expected[0, 2] = expected[2, 0] = 6.0
    np.testing.assert_allclose(found, expected)


# -- fifty digits --------------------------------------------------------------------------------------
def _log_ndtr(x):
    return mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2)


EXACT = {
    "log_Phi": (ss.log_Phi, _log_ndtr, [-300.0, -35.0, -20.0, -19.9, -3.0, 0.0, 2.0, 8.0]),
    "Phi": (ss.Phi, mpmath.ncdf, [-30.0, -2.0, 0.0, 3.0]),
    "inv_logit": (ss.inv_logit, lambda x: 1 / (1 + mpmath.exp(-x)), [-50.0, -1.0, 0.0, 30.0, 50.0]),
    "tanh": (ss.tanh, mpmath.tanh, [-20.0, -1.0, 1e-8, 5.0, 20.0]),
    "log1m_exp": (ss.log1m_exp, lambda x: mpmath.log(1 - mpmath.exp(x)), [-1e-10, -0.5, -0.7, -40.0]),
    "softplus": (ss.softplus, lambda x: mpmath.log(1 + mpmath.exp(x)), [-40.0, 0.0, 40.0]),
    "lgamma": (ss.lgamma, mpmath.loggamma, [1e-5, 0.5, 3.0, 1e6]),
    "digamma": (ss.digamma, mpmath.digamma, [1e-3, 0.5, 3.0, 1e4]),
    "log_i0": (ss.log_i0, lambda x: mpmath.log(mpmath.besseli(0, x)), [1e-6, 0.5, 3.0, 50.0]),
    "logit": (ss.logit, lambda p: mpmath.log(p / (1 - p)), [1e-12, 0.3, 0.999]),
    "arcsin": (ss.arcsin, mpmath.asin, [-0.999, 0.1, 1 - 2.0**-30]),
    "gamma_p": (lambda x: ss.gamma_p(2.5, x), lambda x: mpmath.gammainc(2.5, 0, x, regularized=True), [0.01, 2.0, 40.0]),
    "gamma_p in a": (lambda a: ss.gamma_p(a, 2.5), lambda a: mpmath.gammainc(a, 0, 2.5, regularized=True), [0.01, 1.0, 2.5, 30.0]),
    "log_gamma_q in a": (lambda a: ss.log_gamma_q(a, 40.0),
                         lambda a: mpmath.log(mpmath.gammainc(a, 40, regularized=True)), [0.01, 1.0, 39.0, 200.0]),
    "log_inc_beta in a": (lambda a: ss.log_inc_beta(a, 1.5, 0.25),
                          lambda a: mpmath.log(mpmath.betainc(a, 1.5, 0, 0.25, regularized=True)), [0.05, 1.0, 3.0, 80.0]),
    "inc_beta in b": (lambda b: ss.inc_beta(2.5, b, 0.25),
                      lambda b: mpmath.betainc(2.5, b, 0, 0.25, regularized=True), [0.05, 1.0, 3.0, 80.0]),
    "inc_beta": (lambda x: ss.inc_beta(2.5, 1.5, x), lambda x: mpmath.betainc(2.5, 1.5, 0, x, regularized=True), [0.01, 0.6]),
    "log_diff_exp": (lambda x: ss.log_diff_exp(x, -1.0), lambda x: mpmath.log(mpmath.exp(x) - mpmath.exp(-1)), [-0.999, 0.0, 30.0]),
}


@pytest.mark.parametrize("name", EXACT)
def test_slopes_to_the_last_digits(name):
    function, exact, points = EXACT[name]
    slope, curve = ss.grad(function), ss.grad(ss.grad(function))
    with mpmath.workdps(50):
        for x in points:
            first = float(mpmath.diff(exact, mpmath.mpf(x), h=mpmath.mpf(10) ** -18 * max(1e-6, min(1, abs(x)))))
            # What rounding of the argument alone does to a slope that changes fast is no fault of the formula.
            np.testing.assert_allclose(slope(x), first, rtol=3e-12, atol=1e-300, err_msg=f"{name}({x})")
            second = float(mpmath.diff(exact, mpmath.mpf(x), 2, h=mpmath.mpf(10) ** -14 * max(1e-6, min(1, abs(x)))))
            np.testing.assert_allclose(curve(x), second, rtol=1e-6, atol=1e-14 * abs(first), err_msg=f"{name}''({x})")


TAILS = {
    **{name: (lambda x, f=name: getattr(ss, f)(2.5, x), [0.01, 0.7, 3.0, 30.0])
       for name in ("gamma_p", "gamma_q", "log_gamma_p", "log_gamma_q")},
    **{name: (lambda x, f=name: getattr(ss, f)(2.5, 1.5, x), [0.01, 0.4, 0.99]) for name in ("inc_beta", "log_inc_beta")},
}


@pytest.mark.parametrize("name", TAILS)
def test_tails_have_slopes_where_they_are_taken(name):
    function, points = TAILS[name]
    total = lambda x: ss.sum(function(x))
    theirs = ss.grad(total, backend="torch")(points := np.array(points)).numpy()
    np.testing.assert_allclose(ss.grad(total)(points), theirs, rtol=1e-10)
