"""No tensor is made on the wrong device: all of it runs on `meta`, with gradients, and forwards as if on `cuda`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from scistan.constrained import TYPES
from scistan.distributions import REGISTRY
from scistan.graph.node import Data
from scistan.inference.point.objective import Objective
from scistan.inference.point.steihaug import advance, begin
from scistan.ops.expression import Expression
from scistan.passes import run_passes
from scistan.targets.evaluate import Evaluator
from scistan.targets.interval import Interval
from scistan.targets.torch import TorchDensity
from scistan.targets.torch.backend import TorchBackend
from scistan.targets.torch.structured import structured
from scistan.targets.values import Value
from tests.distributions.evaluation import Bare, leaves
from tests.distributions.strategies import cases
from tests.ops.op_cases import CASES
from tests.ops.ops_support import free, instance_of, node_of
from tests.zoo import ZOO

torch = pytest.importorskip("torch")
fake = pytest.importorskip("torch._subclasses")
SIZE_FROM_DATA = {"BetaBinomial"}
"""Their tails are sums whose number of terms is read from the data, and data on `meta` have none."""

few = settings(derandomize=True, deadline=None, max_examples=1, database=None, phases=[Phase.generate],
               suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large])


def taken(x: Any, keys: Any) -> Any:
    """Index with ops alone: Python's own `x[…]` asks for the device, which a build without CUDA does not have."""
    keys = keys if isinstance(keys, tuple) else (keys,)
    used = sum(k is not None and k is not Ellipsis for k in keys)
    axis = 0
    arrays: list[Any] = []
    for key in keys if Ellipsis in [k for k in keys if not isinstance(k, torch.Tensor)] else (*keys, Ellipsis):
        if key is Ellipsis:
            axis += x.ndim - axis - (used - _passed(keys, key))
        elif key is None:
            x, axis = x.unsqueeze(axis), axis + 1
        elif isinstance(key, slice):
            bounds = key.indices(x.shape[axis])
            x, axis = torch.ops.aten.slice(x, axis, *bounds), axis + 1
        elif isinstance(key, int):
            x = x.select(axis, key)
        else:
            arrays += [None] * (axis - len(arrays)) + [key]
            axis += 1
    return torch.ops.aten.index(x, arrays) if arrays else x


def inverted(x: Any) -> Any:
    """Write `~x` as an op, for the same reason."""
    return torch.eq(x, 0)


def _passed(keys: tuple[Any, ...], mark: Any) -> int:
    before = []
    for key in keys:
        if key is mark:
            break
        before.append(key)
    return sum(k is not None for k in before)


@contextmanager
def as_if_on_cuda() -> Iterator[str]:
    """Fake tensors on a device that is not here, forwards only."""
    index, invert = torch.Tensor.__getitem__, torch.Tensor.__invert__
    torch.Tensor.__getitem__, torch.Tensor.__invert__ = taken, inverted
    try:
        with fake.FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
            yield "cuda:0"
    finally:
        torch.Tensor.__getitem__, torch.Tensor.__invert__ = index, invert


def formulas(name: str) -> list[Any]:
    d = REGISTRY[name]
    tails = [] if name in SIZE_FROM_DATA else [d.log_cdf, d.log_ccdf]
    return [d.log_density, *(f for f in tails if f is not None)]


def run_formula(name: str, case: Any, formula: Any, device: str, gradients: bool) -> Any:
    d = REGISTRY[name]
    backend = TorchBackend(device)
    value, args = case
    # A single category as an index would be asked for its number; data are arrays.
    nodes = leaves(d, np.atleast_1d(value) if d.discrete and not np.ndim(value) else value, args)
    known = {}
    inputs = []
    for node in nodes:
        if isinstance(node, Data):
            tensor = backend.constant(np.asarray(node.default))
            if gradients and not node.integer:
                tensor = tensor.detach().clone().requires_grad_(True)
                inputs.append(tensor)
            known[node] = Value(tensor)
    root = formula(*map(Expression, nodes))._scistan_node_
    result = torch.as_tensor(Evaluator(Bare(), backend, known)[root].array)
    if gradients and result.requires_grad:
        torch.autograd.grad(result.sum(), inputs, allow_unused=True)
    return result


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_distribution_on_meta(name):
    @few
    @given(case=cases(REGISTRY[name]))
    def check(case):
        for formula in formulas(name):
            result = run_formula(name, case, formula, "meta", gradients=True)
            assert result.device.type == "meta" or result.ndim == 0

    check()


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_every_distribution_forwards_as_if_on_cuda(name):
    @few
    @given(case=cases(REGISTRY[name]))
    def check(case):
        with as_if_on_cuda() as device:
            for formula in formulas(name):
                result = run_formula(name, case, formula, device, gradients=False)
                assert result.device.type == "cuda" or result.ndim == 0

    check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_op_on_meta(case):
    shapes = case.shapes(np.random.default_rng(1))
    inputs = [free(shape, f"x{k}") for k, shape in enumerate(shapes)]
    expression = case.build(*inputs)
    evaluator = Evaluator(instance_of(expression), TorchBackend("meta"))
    leaf_tensors = []
    for leaf, value in zip(inputs, case.values(1, shapes, 3), strict=True):
        tensor = torch.tensor(value, device="meta", requires_grad=True)
        leaf_tensors.append(tensor)
        evaluator.set(node_of(leaf), tensor, batched=True)
    result = evaluator[node_of(expression)].array
    assert result.device.type == "meta"
    if result.requires_grad:
        torch.autograd.grad(result.sum(), leaf_tensors, allow_unused=True)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_op_forwards_as_if_on_cuda(case):
    shapes = case.shapes(np.random.default_rng(1))
    inputs = [free(shape, f"x{k}") for k, shape in enumerate(shapes)]
    expression = case.build(*inputs)
    with as_if_on_cuda() as device:
        evaluator = Evaluator(instance_of(expression), TorchBackend(device))
        for leaf, value in zip(inputs, case.values(1, shapes, 3), strict=True):
            evaluator.set(node_of(leaf), torch.tensor(value, device=device), batched=True)
        assert evaluator[node_of(expression)].array.device.type == "cuda"


@pytest.mark.parametrize("name", sorted(TYPES))
def test_every_bijection(name):
    event = (3, 3) if name.startswith(("cov", "corr", "cholesky")) else (4,)
    free = TYPES[name].free(event)
    made = structured(TYPES[name], event, TorchBackend("meta"))
    u = torch.zeros((2, free), device="meta", dtype=torch.float64, requires_grad=True)
    x, jacobian = made.constrain(u)
    torch.autograd.grad(x.sum() + jacobian.sum(), u)
    assert made.unconstrain(x).device.type == "meta"
    with as_if_on_cuda() as device:
        made = structured(TYPES[name], event, TorchBackend(device))
        x, jacobian = made.constrain(torch.zeros((2, free), device=device, dtype=torch.float64))
        assert x.device.type == jacobian.device.type == made.unconstrain(x).device.type == "cuda"


def test_bounds():
    low, high = (torch.tensor(b, device="meta", dtype=torch.float64) for b in (0.0, 1.0))
    for bounds in ((low, None), (None, high), (low, high), (None, None)):
        x, jacobian = Interval(*bounds, TorchBackend("meta")).constrain(torch.zeros(3, device="meta", dtype=torch.float64))
        assert x.device.type == jacobian.device.type == "meta"


@pytest.mark.parametrize("name", sorted(ZOO))
def test_whole_models(name):
    instance = ZOO[name]().instance()
    instance = replace(instance, graph=run_passes(instance.graph).plain)
    density = TorchDensity(instance, device="meta")
    q = torch.zeros((3, density.dimension), device="meta", dtype=torch.float64, requires_grad=True)
    for only in (False, True):
        value = density.log_density(q, likelihood_only=only, jacobian=True)
        (gradient,) = torch.autograd.grad(value.sum(), q)
        assert value.shape == (3,)
        assert gradient.device.type == "meta"
    with as_if_on_cuda() as device:
        density = TorchDensity(instance, device=device)
        value = density.log_density(torch.zeros((3, density.dimension), device=device, dtype=torch.float64))
        assert value.device.type == "cuda"


# -- Newton's steps ----------------------------------------------------------------------------------------
def _halved(row):
    return 0.5 * row


@pytest.mark.parametrize("name", ["eight_schools", "varying_intercepts"])
def test_products_with_the_hessian_and_a_step_on_meta(name):
    instance = ZOO[name]().instance()
    instance = replace(instance, graph=run_passes(instance.graph).plain)
    objective = Objective(TorchDensity(instance, device="meta"))
    q = torch.zeros(objective.dimension, device="meta", dtype=torch.float64)
    products = objective.products_at(q)
    assert products(torch.zeros((3, len(q)), device="meta", dtype=torch.float64)).device.type == "meta"
    at = begin(torch, torch.zeros_like(q), _halved)
    radius = torch.ones((), device="meta", dtype=torch.float64)
    at = advance(torch, at, products, _halved, radius, radius)
    assert {getattr(at, field.name).device.type for field in fields(at)} == {"meta"}


def test_a_step_as_if_on_cuda():
    with as_if_on_cuda() as device:
        gradient = torch.zeros(5, device=device, dtype=torch.float64)
        radius = torch.ones((), device=device, dtype=torch.float64)
        at = advance(torch, begin(torch, gradient, _halved), _halved, _halved, radius, radius)
        assert {getattr(at, field.name).device.type for field in fields(at)} == {"cuda"}
