"""The gradient of every op, by existing: it equals torch's, on random and structured numbers."""

from __future__ import annotations

import numpy as np
import pytest

from scistan.graph.node import Apply
from scistan.graph.walk import topological
from scistan.ops import REGISTRY, Expression, user
from scistan.ops.declaration import Never, NotYet
from scistan.shapes import values_of
from scistan.transforms.reverse import gradients
from tests.ops.op_cases import CASES, Case
from tests.ops.ops_support import Torch, free, node_of, value_of

torch = pytest.importorskip("torch")
every_case = pytest.mark.parametrize("case", CASES, ids=str)


def undeclared(expression: Expression) -> bool:
    """Tell whether an expression uses an op whose gradient is not there yet."""
    ops = {node.op for node in topological([node_of(expression)]) if isinstance(node, Apply)}
    return any(isinstance(slope, NotYet) for op in ops for slope in _slopes(op))


def _slopes(op):
    return op.gradient if isinstance(op.gradient, tuple) else (op.gradient,)


def compare(expression, inputs, values, rtol=1e-9, atol=1e-11, second=False):
    """Compare the graph's gradient of a weighted sum with torch's; with `second`, the graph's Hessian times a vector."""
    shape = values_of(expression.shape)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, shape)
    seed = free(shape, "seed")
    made = gradients(node_of(expression), [node_of(x) for x in inputs], node_of(seed))
    ours = [np.asarray(value_of(Expression(g), [*inputs, seed], [*values, weights])) for g in made]
    leaves = [torch.tensor(v, requires_grad=True) for v in values]
    result = value_of(expression, inputs, leaves, backend=Torch())
    if not result.requires_grad:
        assert all((found == 0).all() for found in ours)
        return
    theirs = torch.autograd.grad((result * torch.tensor(weights)).sum(), leaves, allow_unused=True, create_graph=second)
    for found, slope, value in zip(ours, theirs, values, strict=True):
        expected = np.zeros(value.shape) if slope is None else slope.detach().numpy()
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol * max(1.0, np.abs(expected).max(initial=0)))
    if second:
        _compare_second(made, theirs, expression, inputs, values, seed, weights, leaves, rtol, atol)


def _compare_second(made, theirs, expression, inputs, values, seed, weights, leaves, rtol, atol):
    rng = np.random.default_rng(2)
    along = [rng.normal(size=v.shape) for v in values]
    slopes = [(g, t, v) for g, t, v in zip(made, theirs, along, strict=True) if t is not None and t.requires_grad]
    if not slopes:
        return
    dot = sum((t * torch.tensor(v)).sum() for _, t, v in slopes)
    expected = torch.autograd.grad(dot, leaves, allow_unused=True)
    ours = [np.zeros(v.shape) for v in values]
    for graph, _, v in slopes:
        way = free(v.shape, "way")
        for k, g in enumerate(gradients(graph, [node_of(x) for x in inputs], node_of(way))):
            ours[k] = ours[k] + value_of(Expression(g), [*inputs, seed, way], [*values, weights, v])
    for found, slope in zip(ours, expected, strict=True):
        wanted = np.zeros(found.shape) if slope is None else slope.numpy(force=True)
        np.testing.assert_allclose(found, wanted, rtol=100 * rtol, atol=1e3 * atol * max(1.0, np.abs(wanted).max(initial=0)))


def test_every_op_says_what_its_gradient_is():
    for op in (op for name, op in REGISTRY.items() if name not in user._declared_here):
        assert op.gradient is not None, op.name
        for slope in _slopes(op):
            assert not isinstance(slope, Never | NotYet) or slope.reason, op.name
        if op.elementwise and isinstance(op.gradient, tuple):
            assert len(op.gradient) == op.arity, op.name


@every_case
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 5))])
def test_gradient_is_torchs(case: Case, seed: int):
    shapes = case.shapes(np.random.default_rng(seed))
    inputs = [free(shape, f"x{k}") for k, shape in enumerate(shapes)]
    expression = case.build(*inputs)
    if undeclared(expression):
        pytest.skip("declared as not yet there")
    compare(expression, inputs, case.values(seed, shapes), second=case.op != "trigamma")  # there is no fourth of `lgamma`
