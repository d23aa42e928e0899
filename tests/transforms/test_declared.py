"""Gradients of a user's own ops: formulas and functions, held to differences when they are declared."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.errors import ModelError
from scistan.ops import REGISTRY

torch = pytest.importorskip("torch")


def limit(xp, x, c):
    return x / xp.sqrt(1 + (x / c) ** 2)


def declare(gradient, name="limited_softly"):
    return ss.declare_op(name, "Limit `x` softly to `c`.", arity=2, numpy=limit, torch=limit,
                         stan="{0} / sqrt(1 + square({0} / {1}))", gradient=gradient)


RIGHT = {
    "formulas": ("(out / x) ** 3", "(out / y) ** 3"),
    "a function": lambda upstream, out, x, y: (upstream * (out / x) ** 3, upstream * (out / y) ** 3),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_gradient_of_ones_own(name):
    op = declare(RIGHT[name])
    x, c = np.array([0.5, -1.2, 3.0]), 2.0
    for backend in ("numpy", "torch"):
        slope = ss.grad(lambda x, c: ss.sum(op(x, c) * np.arange(3.0)), (0, 1), backend=backend)(x, c)
        r = limit(np, x, c)
        np.testing.assert_allclose(slope[0], (r / x) ** 3 * np.arange(3.0), rtol=1e-12)
        np.testing.assert_allclose(slope[1], np.sum((r / c) ** 3 * np.arange(3.0)), rtol=1e-12)


def test_a_gradient_of_ones_own_in_a_model():
    op = declare(RIGHT["formulas"])
    m = ss.Model()
    m.x = ss.Normal(0, 1, shape=3)
    m.slope = ss.grad(ss.sum(op(m.x, 2.0)), wrt=m.x)
    m.y = ss.Normal(m.slope, 1).observe(np.zeros(3))
    assert m.verify(points=2).ok


WRONG = {
    "one formula": (("(out / x) ** 2", "(out / y) ** 3"), "wrong in `x`: at x = "),
    "the other": (("(out / x) ** 3", "-(out / y) ** 3"), "wrong in `y`: at x = "),
    "one of two": (lambda upstream, out, x, y: (upstream * (out / x) ** 3,), "wrong in `y`"),
    "fails": (lambda upstream, out, x: (upstream,), "fails"),
    "too few": (("x",), "a formula for each argument"),
    "no formula": (("x +", "y"), "a formula for each argument"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gradient_is_refused(name):
    REGISTRY.pop("limited_wrongly", None)
    gradient, words = WRONG[name]
    with pytest.raises(ModelError, match=words) as caught:
        declare(gradient, "limited_wrongly")
    assert "limited_wrongly" not in REGISTRY or name in ("too few", "no formula")
    assert caught.value.place is not None


def test_a_gradient_along_axes():
    def squares(xp, x):
        return (x * x).sum(-1)

    op = ss.declare_op("sum_of_squares", "Σ x².", numpy=squares, torch=squares, stan="dot_self({0})",
                       shape=lambda shapes, _: shapes[0][:-1] if shapes[0] else 1 / 0,
                       gradient=lambda upstream, out, x: 2.0 * x * upstream[..., None])
    x = np.array([[1.0, 2.0], [3.0, -1.0]])
    np.testing.assert_allclose(ss.grad(lambda x: ss.sum(op(x)))(x), 2 * x)


def test_an_op_without_a_gradient_says_so():
    op = declare(None, "limited_plainly")
    with pytest.raises(ss.UnsupportedError, match="`limited_plainly` has no derivative in `x`"):
        ss.grad(lambda x: op(x, 2.0))(1.0)
    assert float(ss.grad(lambda x: op(x, 2.0), backend="torch")(1.0)) == pytest.approx((limit(np, 1.0, 2.0)) ** 3)
