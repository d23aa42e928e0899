"""Every declared op, by existing: NumPy's numbers, the declared shape, draws as if alone, torch and its gradients."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.graph.node import Apply
from scistan.graph.walk import topological
from scistan.ops import FUNCTIONS, REGISTRY
from scistan.shapes import values_of
from tests.ops.op_cases import CASES, PUBLIC, Case
from tests.ops.ops_support import Jax, Torch, free, node_of, value_of

torch = pytest.importorskip("torch")

every_case = pytest.mark.parametrize("case", CASES, ids=str)
laws = settings(derandomize=True, deadline=None, max_examples=5, database=None)


def _inputs(shapes):
    return [free(shape, f"x{k}") for k, shape in enumerate(shapes)]


def test_every_op_has_a_case():
    used = {node.op.name for case in CASES for node in _nodes_of(case)}
    assert PUBLIC - used == set()


def test_every_function_tells_its_arguments():
    for name, function in FUNCTIONS.items():
        arguments = inspect.signature(function).parameters.values()
        assert arguments, name
        assert all(a.kind is not a.VAR_POSITIONAL for a in arguments), name
    for op in REGISTRY.values():
        assert not op.arguments or len(op.arguments) == op.arity, op.name


def _nodes_of(case: Case):
    root = node_of(case.build(*_inputs(case.some_shapes())))
    return [node for node in topological([root]) if isinstance(node, Apply)]


@every_case
@laws
@given(seed=st.integers(0, 2**16))
def test_numbers_and_shape_are_numpys(case, seed):
    shapes = case.shapes(np.random.default_rng(seed))
    inputs, values = _inputs(shapes), case.values(seed, shapes)
    expression = case.build(*inputs)
    got, expected = np.asarray(value_of(expression, inputs, values)), np.asarray(case.reference(*values))
    assert values_of(expression.shape) == got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@every_case
@laws
@given(seed=st.integers(0, 2**16))
def test_a_batch_is_its_draws_one_by_one(case, seed):
    rng = np.random.default_rng(seed)
    shapes = case.shapes(rng)
    batched = [bool(rng.integers(2)) for _ in shapes]
    inputs, draws = _inputs(shapes), 3
    many = case.values(seed, shapes, draws)
    values = [v if b else v[0] for v, b in zip(many, batched, strict=True)]
    expression = case.build(*inputs)
    together = np.asarray(value_of(expression, inputs, values, batched))
    on_torch = value_of(expression, inputs, [torch.tensor(v) for v in values], batched, Torch()).numpy()
    alone = [
        value_of(expression, inputs, [v[i] if b else v for v, b in zip(values, batched, strict=True)])
        for i in range(draws)
    ]
    expected = np.stack(alone) if any(batched) else np.asarray(alone[0])
    assert together.shape == expected.shape
    np.testing.assert_allclose(together, expected, rtol=1e-10, atol=1e-13)
    assert on_torch.shape == expected.shape
    np.testing.assert_allclose(on_torch, expected, rtol=1e-9, atol=1e-12)


@every_case
def test_torch_gradient_is_the_slope(case):
    shapes = case.some_shapes()
    inputs, values = _inputs(shapes), case.values(7, shapes)
    expression = case.build(*inputs)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, values_of(expression.shape))
    leaves = [torch.tensor(v, requires_grad=True) for v in values]
    result = value_of(expression, inputs, leaves, backend=Torch())
    assert result.dtype == torch.float64
    if not result.requires_grad:
        assert not case.smooth or case.op == "positions"
        return
    gradients = torch.autograd.grad((result * torch.tensor(weights)).sum(), leaves, allow_unused=True)
    for k, gradient in enumerate(gradients):
        slope = _central_difference(lambda v, k=k: _weighted(expression, inputs, values, k, v, weights), values[k])
        found = np.zeros_like(slope) if gradient is None else gradient.numpy()
        assert np.isfinite(found).all()
        if case.smooth:
            np.testing.assert_allclose(found, slope, rtol=2e-6, atol=2e-7)


# An op takes XLA half a second at each new shape: all of them run in `pytest --long`.
ON_JAX = [case if k % 12 == 0 else pytest.param(case, marks=pytest.mark.long) for k, case in enumerate(CASES)]


@pytest.mark.parametrize("case", ON_JAX, ids=str)
def test_jax_has_numpys_numbers_and_torchs_gradients(case):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    shapes = case.some_shapes()
    inputs, values = _inputs(shapes), case.values(7, shapes)
    expression = case.build(*inputs)
    weights = np.random.default_rng(1).uniform(0.5, 1.5, values_of(expression.shape))
    leaves = [torch.tensor(v, requires_grad=True) for v in values]
    by_torch = value_of(expression, inputs, leaves, backend=Torch())
    with jax.enable_x64(True):
        found, back = jax.vjp(lambda *v: value_of(expression, inputs, v, backend=Jax()), *map(jax.numpy.asarray, values))
        np.testing.assert_allclose(np.asarray(found), case.reference(*values), rtol=1e-9, atol=1e-12)
        if not by_torch.requires_grad or not np.issubdtype(found.dtype, np.floating):
            return
        gradients = [np.asarray(g) for g in back(jax.numpy.asarray(weights))]
    expected = torch.autograd.grad((by_torch * torch.tensor(weights)).sum(), leaves, allow_unused=True)
    for ours, theirs in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(ours, 0 * ours if theirs is None else theirs.numpy(), rtol=1e-9, atol=1e-11)


def _weighted(expression, inputs, values, k, value, weights):
    return float(np.sum(weights * value_of(expression, inputs, [*values[:k], value, *values[k + 1 :]])))


def _central_difference(function, x, h=1e-5):
    slope = np.zeros_like(x)
    for at in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[at] += h
        down[at] -= h
        slope[at] = (function(up) - function(down)) / (2 * h)
    return slope


@every_case
def test_torch_needs_no_numbers(case):
    """On the `meta` device there are shapes and no numbers: what runs there can be traced and compiled."""
    shapes = case.some_shapes()
    inputs = _inputs(shapes)
    values = [torch.empty((2, *s), dtype=torch.float64, device="meta") for s in shapes]
    expression = case.build(*inputs)
    result = value_of(expression, inputs, values, [True] * len(inputs), Torch("meta"))
    assert tuple(result.shape) == (2, *values_of(expression.shape))


WHOLE = ("add", "subtract", "multiply", "negative", "abs", "minimum", "maximum", "less", "where", "sum", "prod", "min",
         "max", "cumsum", "index", "pick", "transpose", "reshape", "stack", "concatenate", "broadcast_to", "diagonal")


def test_ops_that_keep_whole_numbers_are_declared_so():
    assert {name for name in WHOLE if not REGISTRY[name].integer} == set()


@pytest.mark.parametrize("case", [c for c in CASES if REGISTRY.get(c.op) and REGISTRY[c.op].integer], ids=str)
def test_whole_numbers_stay_whole(case):
    shapes = case.some_shapes()
    rng = np.random.default_rng(3)
    arrays = [rng.integers(1, 5, shape) for shape in shapes]
    expression = case.build(*(ss.data(a) for a in arrays))
    if node_of(expression).integer:
        value = np.asarray(value_of(expression))
        assert (value == np.round(value)).all()
        np.testing.assert_array_equal(value, np.asarray(case.reference(*arrays)))
    reals = case.build(*(free(s) for s in shapes))
    assert not node_of(reals).integer or case.op == "arange"
