"""Ops of the user's own behave as SciStan's do."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import scistan as ss
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
    torch = pytest.importorskip("torch")
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


TWICE = "real twice_of(real x) {\n  return 2 * x;\n}"
FORMS = {"a name": "twice_of", "a template": "twice_of({0})", "a formula": "1 + twice_of({0}) - 1"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(), (3,)])
def test_functions_of_its_own_reach_the_program(form, shape, stanc):
    """Two ops that call one function: its text stands in the program once, whatever form calls it."""
    both = [
        declare_op(name, "Twice.", numpy=lambda _, x: 2 * x, torch=lambda _, x: 2 * x, stan=stan, functions=TWICE)
        for name, stan in (("twice", FORMS[form]), ("double", "twice_of({0})"))
    ]
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=shape)
    m.y = ss.Normal(both[0](m.a) + both[1](m.a), 1).observe(np.full(shape, 0.4))
    stanc(m.stan_code())
    assert m.stan_code().count("real twice_of(") == 1
    assert m.verify(points=2).ok


def test_declaring_again_replaces_ones_own_and_only_that():
    assert _declare() is not _declare()
    for taken in ("exp", "sum", "clip", "index"):
        with pytest.raises(ModelError, match="a name that SciStan does not have") as caught:
            _declare(taken)
        assert caught.value.place.file == __file__
    with pytest.raises(ModelError, match="a name of Python"):
        _declare("two words")


RULES = {"a shape": lambda shapes, _: shapes[0][:-1], "with equalities": lambda shapes, _: (shapes[0][:-1], ())}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_shape_rule_of_ones_own(rule):
    spread = declare_op(
        "spread", "The largest minus the smallest along the last axis.",
        numpy=lambda xp, x: x.max(-1) - x.min(-1), torch=lambda xp, x: x.amax(-1) - x.amin(-1),
        stan="max({0}) - min({0})", shape=rule,
    )
    m = ss.Model()
    m.v = ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(spread(m.v), 1).observe([0.3, 0.4])
    assert m.verify(points=2).ok
    x = free((2, 3))
    values = np.random.default_rng(0).uniform(size=(2, 3))
    np.testing.assert_allclose(value_of(spread(x), [x], [values]), np.ptp(values, axis=-1))
    np.testing.assert_allclose(
        value_of(spread(x), [x], [np.stack([values, 2 * values])], [True])[1], 2 * np.ptp(values, axis=-1)
    )


def test_an_op_without_its_attributes_is_noticed_when_it_is_built() -> None:
    from scistan.graph.node import literal
    from scistan.ops.declaration import REGISTRY

    node = ss.data([1.0, 2.0])._scistan_node_
    with pytest.raises(TypeError, match=r"attributes missing: \['axis'\]"):
        REGISTRY["cumsum"].build((node,), {})
    with pytest.raises(TypeError, match=r"unknown: \['axes'\]"):
        REGISTRY["stack"].build((node, literal(1.0)), {"axis": 0, "axes": 0})
