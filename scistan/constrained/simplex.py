"""Probabilities that sum to 1, and their logarithms."""

from __future__ import annotations

import math

import numpy as np

from scistan.constrained.declaration import Lengths, StanMade, StanType, constant, declare
from scistan.domains import TOLERANCE, Domain, Mask
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["LOG_SIMPLEX", "SIMPLEX"]

exp, log, log_inv_logit, total, cumsum, concatenate, log_softmax = (
    FUNCTIONS[n] for n in ("exp", "log", "log_inv_logit", "sum", "cumsum", "concatenate", "log_softmax")
)
ZERO = [0.0]


def _one_less(event: Lengths) -> int:
    return event[0] - 1


def _offsets(event: Lengths) -> Expression:
    """Make equal shares of equal coordinates."""
    return constant(np.log(np.arange(event[0] - 1, 0, -1.0)))


def _sums_to_one(x: np.ndarray) -> Mask:
    return np.abs(x.sum(-1) - 1) <= TOLERANCE


def _constrain(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    # Break a stick: each piece is a share of what is left.
    v = u - _offsets(event)
    taken, kept = log_inv_logit(v), log_inv_logit(-v)
    left = concatenate([constant(ZERO), cumsum(kept, -1)])
    return exp(left + concatenate([taken, constant(ZERO)])), total(left[:-1] + taken + kept)


def _unconstrain(x: Expression, event: Lengths) -> Expression:
    rest = cumsum(x[::-1], -1)[::-1][1:]
    return log(x[:-1]) - log(rest) + _offsets(event)


def _log_sums_to_one(x: np.ndarray) -> Mask:
    return np.abs(np.exp(x).sum(-1) - 1) <= TOLERANCE


def _constrain_logs(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    # Log ratios to the last; the density is that of the first K - 1 logarithms, so |J| = exp(x_K).
    x = log_softmax(concatenate([u, constant(ZERO)]))
    return x, x[-1]


SIMPLEX = declare(
    Domain("probabilities that sum to 1", 1, lower=0.0, upper=1.0, structure="simplex", holds=_sums_to_one),
    free=_one_less,
    constrain=_constrain,
    unconstrain=_unconstrain,
    middle=lambda event: np.full(event, 1.0 / max(1, event[0])),
    stan=StanType("simplex"),
    element=(0.0, 1.0),
    edges=(True, True),
    public_name="simplex",
)
LOG_SIMPLEX = declare(
    Domain("logarithms of probabilities that sum to 1", 1, upper=0.0, structure="log_simplex", holds=_log_sums_to_one),
    free=_one_less,
    constrain=_constrain_logs,
    unconstrain=lambda x, event: x[:-1] - x[-1],
    middle=lambda event: np.full(event, -math.log(max(1, event[0]))),
    stan=StanMade("log_softmax(append_row({free}, 0))", jacobian=True),
    element=(-math.inf, 0.0),
    edges=(True, True),
)
