"""Branches that are not taken are felt by no backend: of functions, in recurrences, and in models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.graph.walk import topological
from scistan.ops import Expression
from scistan.passes.branches import held
from tests.ops.ops_support import free, node_of, value_of
from tests.transforms.backends_here import HERE

torch = pytest.importorskip("torch")
every = pytest.mark.parametrize("backend", HERE)
X = np.array([0.0, 1.0, -1.0, 4.0])

# A function, where it is asked, its gradient there, and its second derivatives along the diagonal.
CASES = {
    "log": (lambda x: ss.where(x > 0, ss.log(x), 0.0), X, [0, 1, 0, 0.25], [0, -1, 0, -1 / 16]),
    "sqrt": (lambda x: ss.where(x > 0, ss.sqrt(x), x), X, [1, 0.5, 1, 0.25], [0, -0.25, 0, -1 / 32]),
    "both": (lambda x: ss.where(x >= 0, ss.square(x), ss.sqrt(-x)), X, [0, 2, -0.5, 8], [2, 2, -0.25, 2]),
    "ratio": (lambda x: ss.where(x == 0, 1.0, 1 / x), X, [0, -1, -1, -1 / 16], [0, 2, -2, 1 / 32]),
    "power": (lambda x: ss.where(x > 0, x**1.5, 0.0), X, [0, 1.5, 0, 3], [0, 0.75, 0, 0.375]),
    "nested": (lambda x: ss.where(x > 0, ss.where(x > 2, ss.log(x - 2), ss.sqrt(2 - x)), x * x), X,
               [0, -0.5, -2, 0.5], [2, -0.25, 2, -0.25]),
    "through a sum": (lambda x: ss.where(x > 0, ss.log(ss.cumsum(x) * 0 + x), 0.0), X, [0, 1, 0, 0.25],
                      [0, -1, 0, -1 / 16]),
    "larger of two": (lambda x: ss.maximum(x, ss.log(-x)), np.array([-0.5, -2.0, -4.0]), [1, -0.5, -0.25],
                      [0, -0.25, -1 / 16]),
}


FEW = ("sqrt", "nested", "larger of two")  # where compiling is dear
PAIRS = [pytest.param(name, b, marks=pytest.mark.long if b == "jax" and name not in FEW else ())
         for b in HERE for name in CASES]


@pytest.mark.parametrize(("name", "backend"), PAIRS)
def test_gradients(name, backend):
    f, at, slope, bend = CASES[name]
    found = ss.grad(lambda x: ss.sum(f(x)), backend=backend)(at)
    np.testing.assert_allclose(np.asarray(found), slope, rtol=1e-12)
    if backend == "jax" and name != "sqrt":
        return
    hessian = ss.hessian(lambda x: ss.sum(f(x)), backend=backend)(at)
    np.testing.assert_allclose(np.asarray(hessian), np.diag(bend), rtol=1e-12, atol=1e-15)


@every
def test_a_number_that_is_repeated_is_held_for_each(backend):
    base = np.array([2.0, 0.0, 3.0])
    f = lambda a: ss.sum(ss.where(base > 0, ss.log(a * base), 0.0) + ss.where(base > 0, base ** (a - 1), 0.0))
    a = 0.5
    exact = np.sum([1 / a + b ** (a - 1) * np.log(b) for b in base if b > 0])
    assert float(ss.grad(f, backend=backend)(a)) == pytest.approx(exact, rel=1e-13)


@every
def test_one_value_at_several_places(backend):
    # An argument that stands at two places of one op is wanted wherever either is.
    f = lambda x: ss.sum(ss.where(np.array([0.0, 1.0]), ss.stack([ss.log(x), ss.log(x)]), 0.0))
    assert float(ss.grad(f, backend=backend)(2.0)) == pytest.approx(0.5)


@every
def test_matrices_without_a_factor(backend):
    f = lambda a: ss.where(a[0, 0] > 5, ss.sum(ss.solve(a, np.ones(2))), ss.trace(a))
    found = ss.grad(f, backend=backend)(np.diag([1.0, 1e-300]))
    np.testing.assert_allclose(np.asarray(found), np.eye(2))


@every
def test_in_a_recurrence(backend):
    f = lambda x: ss.sum(ss.scan(lambda s, e: ss.where(e > 0, ss.log(e) + s, s), x[0], over=x))
    np.testing.assert_allclose(np.asarray(ss.grad(f, backend=backend)(np.array([0.0, 1.0, 2.0]))), [3, 2, 0.5])


@settings(derandomize=True, deadline=None, max_examples=25, database=None)
@given(seed=st.integers(0, 2**16))
def test_random_branches_keep_their_value_and_have_one_gradient(seed):
    rng = np.random.default_rng(seed)
    x, y = free((3,), "x"), free((), "y")
    risky = [ss.log, ss.sqrt, lambda v: 1 / v, lambda v: v**1.5, ss.arcsin]
    expression = x * y
    for _ in range(int(rng.integers(1, 4))):
        inner = risky[rng.integers(len(risky))](expression if rng.random() < 0.5 else x + y)
        expression = ss.where([x > y, x > 0, expression < 0.5][rng.integers(3)], inner, expression)
    values = [rng.choice([-1.0, 0.0, 0.3, 1.0, 2.0], 3), rng.choice([-0.5, 0.0, 1.0])]
    (root,) = held([node_of(expression)])
    assert held([root]) == (root,)
    with np.errstate(all="ignore"):
        same = value_of(Expression(root), [x, y], values)
        np.testing.assert_array_equal(same, value_of(expression, [x, y], values))

    def f(x_, y_):
        from scistan.transforms.substitute import substituted

        known = {node_of(x): x_._scistan_node_, node_of(y): y_._scistan_node_}
        return ss.sum(Expression(substituted([node_of(expression)], known)[0]))

    ours, theirs = (ss.grad(f, (0, 1), backend=b)(*values) for b in ("numpy", "torch"))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b.numpy(), rtol=1e-9, atol=1e-12)


def test_nothing_is_held_where_there_is_no_branch():
    x = free((3,), "x")
    plain = ss.sum(ss.exp(x) * x)
    assert held([node_of(plain)]) == (node_of(plain),)
    of_data = ss.where(np.array([1.0, 0.0, 1.0]), x + 1.0, x)  # sums have slopes that are numbers
    assert not any("held" in str(node) for node in topological(held([node_of(of_data)])))


def below_zero() -> ss.Model:
    m = ss.Model()
    m.a = ss.Normal(-1, 1)
    m.b = ss.Normal(0, 1, shape=2)
    m.mean = ss.where(m.a > 0, ss.sqrt(m.a), m.a) + ss.where(m.b > 0, m.b**1.5, m.b)
    m.y = ss.Normal(m.mean, 1).observe([-2.0, -1.5])
    return m


def test_a_model_is_maximized_below_zero():
    estimate = below_zero().map(seed=1, starts=2, progress=False)
    fn = below_zero().log_density_fn()
    assert estimate.values["a"] < 0
    at = fn.unconstrain({name: estimate.values[name] for name in fn.names})
    np.testing.assert_allclose(fn.gradient(at), 0, atol=1e-5)


def test_jax_and_stan_have_the_gradient_of_a_model():
    m = below_zero()
    assert m.verify(points=3).ok
    if "jax" not in HERE:
        return
    q = np.array([-0.7, -0.2, 0.4])
    value, slope = m.to_jax().value_and_gradient(q)
    expected, exact = m.log_density_fn().value_and_gradient(q)
    assert float(value) == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(np.asarray(slope), exact, rtol=1e-12)
