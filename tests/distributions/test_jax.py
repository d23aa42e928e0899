"""The formulas with JAX: NumPy's numbers and torch's gradients, which mpmath confirms (test_torch.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scistan.distributions import REGISTRY
from scistan.distributions.declaration import Distribution
from scistan.graph.node import Data
from scistan.ops.expression import Expression
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import Value

from ..ops.ops_support import Jax
from .evaluation import Bare, leaves, with_numpy, with_torch
from .strategies import cases, examples

jax = pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("torch")

# A formula takes XLA a second or more, op by op: all of them run in `pytest --long`.
IN_CI = ("Gamma", "MultivariateNormal", "VonMises")
EVERY = [n if n in IN_CI else pytest.param(n, marks=pytest.mark.long) for n in sorted(REGISTRY)]
TAILS = [n for n in sorted(REGISTRY) if REGISTRY[n].log_cdf is not None and n != "BetaBinomial"]


def with_jax(d: Distribution, formula: Any, value: Any, args: tuple[Any, ...]) -> tuple[np.ndarray, list[Any]]:
    """Evaluate with JAX; also give the gradients in the value and every argument (None for whole numbers)."""
    nodes = leaves(d, value, args)
    root = formula(*map(Expression, nodes))._scistan_node_
    smooth = [n for n in nodes if isinstance(n, Data) and not n.integer]

    def total(arrays: list[Any]) -> Any:
        known = {n: Value(jax.numpy.asarray(n.default)) for n in nodes if isinstance(n, Data)}
        known |= {n: Value(array) for n, array in zip(smooth, arrays, strict=True)}
        return jax.numpy.sum(Evaluator(Bare(), Jax(), known)[root].array)

    with jax.enable_x64(True):
        result, slopes = jax.value_and_grad(total)([jax.numpy.asarray(n.default) for n in smooth])
        found = dict(zip(smooth, map(np.asarray, slopes), strict=True))
        return np.asarray(result), [found.get(n) for n in nodes]


def _check(d: Distribution, formula: Any, x: Any, args: tuple[Any, ...]) -> None:
    expected = np.sum(with_numpy(d, formula, x, args))
    value, gradients = with_jax(d, formula, x, args)
    np.testing.assert_allclose(value, expected, rtol=1e-8, atol=1e-10)
    if not np.isfinite(expected):
        return
    for ours, theirs in zip(gradients, with_torch(d, formula, x, args)[1], strict=True):
        if theirs is not None:
            size = float(np.abs(theirs).max(initial=1.0))
            np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-9 * size)


@pytest.mark.parametrize("name", EVERY)
@examples(1)
@given(data=st.data())
def test_density_and_gradient(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, args = data.draw(cases(d))
    if name != "Laplace" or x != args[0]:  # the one point without a gradient
        _check(d, d.log_density, x, args)


@pytest.mark.long
@pytest.mark.parametrize("name", TAILS)
@examples(1)
@given(data=st.data())
def test_cumulative_probabilities(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, args = data.draw(cases(d))
    for formula in (d.log_cdf, d.log_ccdf):
        _check(d, formula, x, args)
