"""An op along axes is one declaration: made here, it has its density on every target and its place in every pass."""

import numpy as np
import pytest

import scistan as ss
from scistan.ops import REGISTRY
from scistan.ops import axes as flow
from scistan.ops.declaration import AlongAxis, Call, Reduction, declare
from scistan.ops.expression import build
from scistan.ops.reductions import MAX, SOFTMAX


@pytest.fixture
def new_ops():
    """Take out of the registry again what a test declares."""
    before = set(REGISTRY)
    yield
    for name in REGISTRY.keys() - before:
        del REGISTRY[name]


def spread():
    """Declare the standard deviation (n - 1), which several axes in turn would get wrong."""
    return declare(
        "spread", "The standard deviation along axes.", shape=MAX.shape, axes=flow.reduced, stacks=True,
        numpy=lambda xp, x, *, axes, keepdims: xp.std(x, axis=axes, keepdims=keepdims, ddof=1),
        torch=lambda xp, x, *, axes, keepdims: xp.std(x, dim=axes, keepdim=keepdims, unbiased=True),
        stan=Reduction("sd", in_turn=False),
    )


def ascending():
    """Declare sorting along an axis."""
    return declare(
        "ascending", "In ascending order along an axis.", shape=SOFTMAX.shape, axes=flow.normalized, stacks=True,
        numpy=lambda xp, x, *, axis: xp.sort(x, axis=axis), torch=lambda xp, x, *, axis: xp.sort(x, dim=axis).values,
        stan=AlongAxis("sort_asc"),
    )


def agreement(expression_of, shape):
    m = ss.Model()
    m.x = ss.Normal(0, 1, shape=shape)
    m.value = expression_of(m.x)
    m.y = ss.Normal(m.value, 1).observe(np.linspace(-1, 1, int(np.prod(m.value.shape))).reshape(m.value.shape))
    found = m.verify(points=3)
    assert found.ok, found
    return m.stan_code()


@pytest.mark.parametrize(("shape", "axes"), [((4,), (-1,)), ((3, 4), (-1,)), ((3, 4), (-2,)), ((3, 4), (-2, -1)),
                                             ((2, 3, 4), (-2,))])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_reduction(shape, axes, keepdims, new_ops):
    op = spread()
    text = agreement(lambda x: build(op, x, axes=axes, keepdims=keepdims), shape)
    assert "sd(" in text


def test_a_reduction_whose_axes_cannot_be_taken_in_turn_is_a_gap_and_no_wrong_number(new_ops):
    op = spread()
    m = ss.Model()
    m.x = ss.Normal(0, 1, shape=(2, 3, 4))
    m.y = ss.Normal(build(op, m.x, axes=(-2, -1), keepdims=False), 1).observe([0.5, 1.0])
    with pytest.raises(ss.UnsupportedError, match="several axes"):
        m.stan_code()


@pytest.mark.parametrize(("shape", "axis"), [((4,), -1), ((3, 4), -1), ((3, 4), -2), ((2, 3, 4), -3)])
def test_along_an_axis(shape, axis, new_ops):
    op = ascending()
    text = agreement(lambda x: build(op, x, axis=axis), shape)
    assert "sort_asc(" in text


def test_a_function_of_whole_matrices(new_ops):
    op = declare("lower_inverse", "The inverse of a lower-triangular matrix.", shape=SOFTMAX.shape, axes=flow.square,
                 numpy=lambda xp, x: xp.linalg.inv(xp.tril(x)), torch=lambda xp, x: xp.linalg.inv(xp.tril(x)),
                 stan=Call("inverse"))
    text = agreement(lambda x: build(op, ss.cholesky(x @ x.T + np.eye(3))), (3, 3))
    assert "inverse(" in text
