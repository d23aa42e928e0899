"""Laws of rewriting: each keeps its value, each is met by a pair of the stable forms, and order does not matter."""

import numpy as np
import pytest

import scistan as ss
from scistan.ops import Expression
from scistan.passes import stable
from scistan.passes.rules import Form, Rewriter, Wild, _Match, read_rules
from tests.ops.ops_support import free, node_of, value_of
from tests.passes.test_stable_forms import RULES, _after

WRITER = Rewriter((), {})


def _names(pattern) -> set[str]:
    if isinstance(pattern, Wild):
        return {pattern.name}
    return set().union(*map(_names, pattern.args)) if isinstance(pattern, Form) else set()


@pytest.mark.parametrize("law", stable.RULES, ids=lambda law: law.text)
def test_both_sides_are_equal(law):
    matrices = {name for guard, names in law.where if guard == "matrix" for name in names}
    shapes = {name: (4, 3) if name in matrices else (3,) for name in sorted(_names(law.before))}
    if law.before.op == "matmul" and matrices:  # y @ x'
        law_shapes = {"x": (4, 3), "y": (3,)}
        shapes = {name: law_shapes[name] for name in shapes}
    leaves = {name: free(shape, name) for name, shape in shapes.items()}
    rng = np.random.default_rng(3)
    sign = -1 if "log1m_exp" in law.text else 1
    values = [sign * rng.uniform(0.1, 0.9, shape) for shape in shapes.values()]
    match = _Match({name: node_of(leaf) for name, leaf in leaves.items()})
    before, after = (
        value_of(Expression(WRITER._built(side, match)), list(leaves.values()), values)
        for side in (law.before, law.after)
    )
    np.testing.assert_allclose(after, before, rtol=1e-13)


def test_every_law_is_met_by_a_pair(monkeypatch):
    met = set()
    built = Rewriter._built

    def record(self, pattern, match):
        met.update(law.text for law in stable.RULES if law.after is pattern)
        return built(self, pattern, match)

    monkeypatch.setattr(Rewriter, "_built", record)
    for write, _ in RULES.values():
        _after(write)
    assert {law.text for law in stable.RULES} - met == set()


def test_a_law_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="must begin with an op"):
        read_rules("x -> log(x)")
    with pytest.raises(ValueError, match="no part of a law"):
        read_rules("log(nothing(x)) -> x")


def test_arguments_of_sums_and_products_may_change_places():
    x = free((), "x")
    (law,) = read_rules("log(1 + x * exp(y)) -> x + y")
    for one in (1 + x * ss.exp(x), x * ss.exp(x) + 1, ss.exp(x) * x + 1, 1 + ss.exp(x) * x):
        node = node_of(ss.log(one))
        assert Rewriter((law,), {}).improve(node) is node_of(x + x)
