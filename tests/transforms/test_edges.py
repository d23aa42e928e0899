"""Slopes at the edges of ops, zeros, ones and infinities: where our own are finite numbers, every backend has them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import scistan as ss
from scistan.ops import REGISTRY
from scistan.ops.declaration import Never, NotYet
from scistan.ops.expression import function_of
from tests.ops.op_cases import PUBLIC
from tests.transforms.backends_here import HERE

OTHERS = [backend for backend in HERE if backend != "numpy"]
EDGES = (0.0, 1.0, -1.0, 2.5, np.inf, -np.inf)
NAMES = [name for name, op in REGISTRY.items() if op.elementwise and name in PUBLIC and op.arity < 3
         and not isinstance(op.gradient, Never) and not any(isinstance(s, NotYet) for s in np.atleast_1d(op.gradient))]
# Special functions are series and fractions: at infinity they have no slope, and at numbers all that they are asked for.
SERIES = {"trigamma", "owens_t", "gamma_p", "gamma_q", "log_gamma_p", "log_gamma_q", "log_choose"}
TIGHT = ("multiply_log", "power", "logaddexp")  # what CI compiles of JAX
PAIRS = [pytest.param(name, b, marks=pytest.mark.long if b == "jax" and name not in TIGHT else ())
         for b in OTHERS for name in NAMES]


@pytest.mark.parametrize(("name", "backend"), PAIRS)
def test_slopes_at_edges(name: str, backend: str) -> None:
    op = REGISTRY[name]
    rows = np.array(list(product(EDGES, repeat=op.arity))).T
    if name in SERIES:
        rows = rows[:, np.isfinite(rows).all(0)]
    if name == "log_choose":
        rows = rows[:, rows[0] >= rows[1]]
    call, places = function_of(op), tuple(range(op.arity))
    with np.errstate(all="ignore"):
        value = ss.jit(lambda *xs: call(*xs) * 1.0)(*rows)
        ours, theirs = (ss.grad(lambda *xs: ss.sum(call(*xs)), places, backend=b)(*rows) for b in ("numpy", backend))
    for k in places:
        expected, found = np.asarray(ours[k]), np.asarray(theirs[k])
        known = np.isfinite(value) & np.isfinite(expected)
        np.testing.assert_allclose(found[known], expected[known], rtol=1e-8, atol=1e-12, err_msg=f"{rows[:, known]}")


NOTHING = np.array([[-np.inf, -np.inf], [-np.inf, 0.5], [1.0, 0.5]])
SUMS = {
    "logsumexp": lambda x: ss.logsumexp(x, axis=1),
    "logaddexp": lambda x: ss.logaddexp(x[:, 0], x[:, 1]),
    "kept": lambda x: ss.logsumexp(x, axis=-1, keepdims=True),
    "of all": lambda x: ss.stack([ss.logsumexp(x[0]), ss.logsumexp(x[1]), ss.logsumexp(x[2])]),
}


@pytest.mark.parametrize("backend", HERE)
@pytest.mark.parametrize("name", SUMS)
def test_what_has_no_part_in_a_sum_is_not_felt(name: str, backend: str) -> None:
    """Sum states, of which some cannot be: a row that is -∞ altogether is one of those of the next sum."""
    f = lambda x: ss.logsumexp(SUMS[name](x))
    parts = np.exp(NOTHING)
    np.testing.assert_allclose(np.asarray(ss.grad(f, backend=backend)(NOTHING)), parts / parts.sum(), rtol=1e-12)
    if backend == "jax" and name not in ("logsumexp", "logaddexp"):
        return  # compiling is dear
    p = (parts / parts.sum()).ravel()
    bent = np.asarray(ss.hessian(f, backend=backend)(NOTHING)).reshape(6, 6)
    np.testing.assert_allclose(bent, np.diag(p) - np.outer(p, p), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("backend", HERE)
def test_a_sum_of_nothing_is_minus_infinity_with_slopes_of_zero(backend: str) -> None:
    value, slope = ss.value_and_grad(lambda x: ss.sum(ss.logsumexp(x, axis=0)), backend=backend)(np.full((2, 3), -np.inf))
    assert float(value) == -np.inf
    np.testing.assert_array_equal(np.asarray(slope), np.zeros((2, 3)))
