"""Ops of the user's own behave as SciStan's do."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import torch

from scistan.errors import ModelError
from scistan.ops import REGISTRY, declare_op
from scistan.ops.declaration import Call, Template
from tests.ops.ops_support import Torch, free, value_of


def _swish(xp, x, beta):
    return x / (1 + xp.exp(-beta * x))


def _declare(name="swish", **changes):
    fields = {"arity": 2, "numpy": _swish, "torch": _swish, "stan": "{0} * inv_logit({1} * {0})"}
    return declare_op(name, "x weighed by its logistic.", **{**fields, **changes})


def test_a_declared_op_evaluates_everywhere():
    swish = _declare()
    assert swish.__name__ == "swish"
    x = free((3,))
    values = np.array([-1.0, 0.0, 2.0])
    expected = values / (1 + np.exp(-1.5 * values))
    np.testing.assert_allclose(value_of(swish(x, 1.5), [x], [values]), expected)
    np.testing.assert_allclose(value_of(swish(x, 1.5), [x], [torch.tensor(values)], backend=Torch()), expected)
    np.testing.assert_allclose(value_of(swish(x, 1.5), [x], [np.stack([values, values])], [True]), [expected] * 2)


@pytest.mark.parametrize(("arity", "shown"), [(1, "(x, /)"), (2, "(x, y, /)"), (4, "(x0, x1, x2, x3, /)")])
def test_its_signature_has_as_many_arguments(arity, shown):
    assert str(inspect.signature(_declare(arity=arity))) == shown


def test_its_stan_form():
    _declare()
    assert REGISTRY["swish"].stan == Template("({0} * inv_logit({1} * {0}))")
    _declare(stan="swish", functions="real swish(real x, real b) { return x; }", vectorizes=True)
    assert REGISTRY["swish"].stan == Call("swish", True, "real swish(real x, real b) { return x; }")


def test_declaring_again_replaces_ones_own_and_only_that():
    assert _declare() is not _declare()
    for taken in ("exp", "sum", "clip", "index"):
        with pytest.raises(ModelError, match="a name that SciStan does not have") as caught:
            _declare(taken)
        assert caught.value.place.file == __file__
    with pytest.raises(ModelError, match="a name of Python"):
        _declare("two words")


def test_a_shape_rule_of_ones_own():
    spread = declare_op(
        "spread", "The largest minus the smallest along the last axis.",
        numpy=lambda xp, x: x.max(-1) - x.min(-1), torch=lambda xp, x: x.amax(-1) - x.amin(-1),
        stan="max({0}) - min({0})", shape=lambda shapes, _: (shapes[0][:-1], ()),
    )
    x = free((2, 3))
    values = np.random.default_rng(0).uniform(size=(2, 3))
    np.testing.assert_allclose(value_of(spread(x), [x], [values]), np.ptp(values, axis=-1))
    np.testing.assert_allclose(
        value_of(spread(x), [x], [np.stack([values, 2 * values])], [True])[1], 2 * np.ptp(values, axis=-1)
    )
