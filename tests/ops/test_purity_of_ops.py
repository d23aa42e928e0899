"""Every op while it runs: one precision and one device for all values on the way, and single precision as good as it is."""

from __future__ import annotations

import numpy as np
import pytest

from scistan.errors import Place
from scistan.targets.evaluate import Evaluator
from scistan.targets.torch.backend import TorchBackend
from scistan.transforms.watch import watch_jax, watch_torch
from tests.ops.op_cases import CASES
from tests.ops.ops_support import Jax, free, instance_of, node_of, value_of

torch = pytest.importorskip("torch")
every_case = pytest.mark.parametrize("case", CASES, ids=str)
HERE = Place("<ops>", 1)
EPS = float(np.finfo(np.float32).eps)


def parts(case, precision):
    shapes = case.some_shapes()
    inputs = [free(shape, f"x{k}") for k, shape in enumerate(shapes)]
    return inputs, [v.astype(precision) for v in case.values(7, shapes)], case.build(*inputs)


def on_torch(expression, inputs, tensors, precision):
    evaluator = Evaluator(instance_of(expression), TorchBackend("cpu", precision))
    for leaf, tensor in zip(inputs, tensors, strict=True):
        evaluator.set(node_of(leaf), tensor, batched=False)
    return evaluator[node_of(expression)].array


@every_case
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_on_torch_every_value_is_of_one_precision(case, precision):
    inputs, values, expression = parts(case, precision)
    leaves = [torch.tensor(v, requires_grad=True) for v in values]

    def run():
        result = on_torch(expression, inputs, leaves, precision)
        if result.requires_grad:
            torch.autograd.grad(result.sum(), leaves, allow_unused=True)

    assert set(watch_torch(run, getattr(torch, precision), "cpu", lambda: HERE)) == set()


@every_case
def test_in_single_precision_numbers_are_those_of_double(case):
    inputs, values, expression = parts(case, "float32")
    found = np.asarray(on_torch(expression, inputs, [torch.tensor(v) for v in values], "float32"))
    exact = np.asarray(case.reference(*(v.astype(float) for v in values)), dtype=float)
    # As good as rounding its arguments once more, and its result a few times.
    rng = np.random.default_rng(0)
    moved = [
        np.abs(np.asarray(case.reference(*(v.astype(float) * (1 + EPS * rng.choice([-1, 1], v.shape)) for v in values)))
               - exact) for _ in range(4)
    ]
    allowed = 100 * (np.max(moved, axis=0) + EPS * (1 + np.abs(exact).max(initial=0.0)))
    if case.smooth:
        assert (np.abs(found - exact) <= allowed).all()


# Each is traced, which takes a twentieth of a second: all of them run in `pytest --long`.
ON_JAX = [case if k % 4 == 0 else pytest.param(case, marks=pytest.mark.long) for k, case in enumerate(CASES)]


@pytest.mark.parametrize("case", ON_JAX, ids=str)
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_on_jax_every_value_is_of_one_precision(case, precision):
    pytest.importorskip("jax")
    inputs, values, expression = parts(case, precision)
    found = watch_jax(lambda *v: value_of(expression, inputs, v, backend=Jax()), values, HERE, precision)
    assert set(found) == set()
