"""Numbers that sum to zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from scistan.constrained.declaration import Conditioned, Lengths, StanMade, constant, declare
from scistan.constrained.shared import always_matters, is_common, of_each
from scistan.domains import TOLERANCE, Domain, Mask
from scistan.graph.node import Literal, Node, extent, literal
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.shapes import Size

if TYPE_CHECKING:
    from scistan.distributions.declaration import Distribution

__all__ = ["SUM_TO_ZERO"]

log, square, total, matmul = (FUNCTIONS[n] for n in ("log", "square", "sum", "matmul"))
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
# Families whose elements are normal, by mean and standard deviation or with none to give.
_NORMALS = ("Normal", "StdNormal")

_ROTATE = """\
/** Rotate n free numbers to n + 1 numbers that sum to zero; lengths are kept. */
vector sum_to_zero(vector free) {
  int n = num_elements(free);
  vector[n + 1] x = rep_vector(0, n + 1);
  for (k in 1:n) {
    real w = free[k] / sqrt(k * (k + 1.0));
    x[1:k] += w;
    x[k + 1] -= k * w;
  }
  return x;
}"""


def _sums_to_zero(x: np.ndarray) -> Mask:
    return np.abs(x.sum(-1)) <= TOLERANCE * np.maximum(1, np.abs(x).max(-1, initial=0))


def _basis(event: Lengths) -> np.ndarray:
    """Give an orthonormal basis (rows) of the vectors that sum to zero: row k has k ones, then -k."""
    k = np.arange(1.0, event[0])
    signs = np.tril(np.ones((len(k), event[0]))) - np.diag(k, 1)[:-1]
    return np.asarray(signs / np.sqrt(k * (k + 1))[:, None])


def _constrain(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    return matmul(u, constant(_basis(event))), total(0.0 * u)  # a rotation keeps lengths


def _unconstrain(x: Expression, event: Lengths) -> Expression:
    return matmul(x, constant(_basis(event).T))


def _log_normalizer(d: Distribution, args: tuple[Node, ...], size: Size) -> Expression | None:
    """Divide by the integral of independent normals over the plane of sum 0, measured on an orthonormal basis of it.

    That is the density at 0 of their sum over √K, the coordinate at right angles to the plane.
    """
    if d.name not in _NORMALS:
        return None
    count = Expression(extent(size))
    mu, sigma = args or (literal(0.0), literal(1.0))
    if is_common(mu) and is_common(sigma):
        added = of_each(literal(LOG_SQRT_2PI)) if _is(sigma, 1) else log(of_each(sigma)) + LOG_SQRT_2PI
        return added if _is(mu, 0) else added + 0.5 * count * square(of_each(mu) / of_each(sigma))
    variance = _added(square(of_each(sigma)), sigma, count)
    added = 0.5 * log(variance / count) + LOG_SQRT_2PI
    return added if _is(mu, 0) else added + 0.5 * square(_added(of_each(mu), mu, count)) / variance


def _added(value: Expression, node: Node, count: Expression) -> Expression:
    """Add what `node` gives over a vector's elements: `count` times where they share it."""
    return count * value if is_common(node) else total(value, -1)


def _is(node: Node, number: float) -> bool:
    return isinstance(node, Literal) and node.value == number


def _draw(
    free: Callable[..., np.ndarray], d: Distribution, size: Lengths, args: list[np.ndarray]
) -> np.ndarray | None:
    if d.name not in _NORMALS:
        return None
    variance = np.broadcast_to(np.square(args[1] if args else 1.0), size)
    drawn = free(size, args)
    # Normals given their sum: x - Cov(x, Σx) / Var(Σx) · Σx.
    return np.asarray(drawn - variance * (drawn.sum(-1, keepdims=True) / variance.sum(-1, keepdims=True)))


SUM_TO_ZERO = declare(
    Domain("numbers that sum to 0", 1, structure="sum_to_zero", holds=_sums_to_zero),
    free=lambda event: event[0] - 1,
    constrain=_constrain,
    unconstrain=_unconstrain,
    middle=np.zeros,
    stan=StanMade("sum_to_zero({free})", {"sum_to_zero": _ROTATE}),
    conditioned=Conditioned(_log_normalizer, always_matters, _draw),
)
