"""Covariance and correlation matrices, and their Cholesky factors."""

from __future__ import annotations

import math

import numpy as np

from scistan.constrained.declaration import Lengths, StanType, constant, declare, len_of
from scistan.domains import POSITIVE_DEFINITE, TOLERANCE, Domain, Mask, is_positive_definite
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["CHOLESKY_CORR", "CHOLESKY_COV", "CORR", "COV"]

exp, log, log1p, square, sqrt, tanh, arctanh, total, cumsum = (
    FUNCTIONS[n] for n in ("exp", "log", "log1p", "square", "sqrt", "tanh", "arctanh", "sum", "cumsum")
)
concatenate, reshape, matmul, transpose, cholesky, diagonal = (
    FUNCTIONS[n] for n in ("concatenate", "reshape", "matmul", "transpose", "cholesky", "diagonal")
)


def _unit_diagonal(x: np.ndarray) -> Mask:
    return (np.abs(np.diagonal(x, axis1=-2, axis2=-1) - 1) <= TOLERANCE).all(-1)


def _lower_triangular(x: np.ndarray) -> Mask:
    return (np.triu(x, 1) == 0).all((-1, -2)) & (np.diagonal(x, axis1=-2, axis2=-1) > 0).all(-1)


def _unit_rows(x: np.ndarray) -> Mask:
    return _lower_triangular(x) & (np.abs((x * x).sum(-1) - 1) <= TOLERANCE).all(-1)


def _correlation(x: np.ndarray) -> Mask:
    return _unit_diagonal(x) & is_positive_definite(x)


def _identity(event: Lengths) -> np.ndarray:
    return np.eye(event[0])


def _below_diagonal(event: Lengths) -> int:
    return event[0] * (event[0] - 1) // 2


def _with_diagonal(event: Lengths) -> int:
    return event[0] * (event[0] + 1) // 2


def _taken(x: Expression, event: Lengths, offset: int) -> Expression:
    """Read a matrix's lower triangle row by row, from the diagonal (`offset` 0) or below it (-1)."""
    rows, columns = np.tril_indices(event[0], offset)
    return reshape(x, (event[0] * event[0],))[constant(rows * event[0] + columns)]


def _filled(elements: Expression, places: np.ndarray) -> Expression:
    """Write a square matrix whose element at each place is one of `elements`, by its number; -1 stands for 0."""
    count = len_of(elements)
    padded = concatenate([elements, constant([0.0])])
    return reshape(padded[constant(np.where(places < 0, count, places).ravel())], places.shape)


def _constrain_cholesky_corr(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    # Row i: canonical partial correlations z = tanh(u), each scaled by what the ones before leave of the unit length.
    k = event[0]
    places = np.full((k, k), -1)
    places[np.tril_indices(k, -1)] = np.arange(_below_diagonal(event))
    z = _filled(tanh(u), places)
    log_left = 0.5 * log1p(-square(z))
    before = cumsum(log_left, -1) - log_left
    return exp(before) * (z + constant(np.eye(k))), total(_taken(before + 2.0 * log_left, event, -1))


def _unconstrain_cholesky_corr(x: Expression, event: Lengths) -> Expression:
    left = 1.0 - cumsum(square(x), -1) + square(x)
    return arctanh(_taken(x, event, -1) / sqrt(_taken(left, event, -1)))


def _constrain_corr(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    factor, jacobian = _constrain_cholesky_corr(u, event)
    down = constant(np.arange(event[0] - 1.0, -1.0, -1.0))
    return matmul(factor, transpose(factor)), jacobian + total(down * log(diagonal(factor)))


def _constrain_cholesky_cov(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    k = event[0]
    places = np.full((k, k), -1)
    places[np.tril_indices(k)] = np.arange(_with_diagonal(event))
    on_diagonal = u[constant(np.diagonal(places).copy())]
    places[np.diag_indices(k)] = _with_diagonal(event) + np.arange(k)
    return _filled(concatenate([u, exp(on_diagonal)]), places), total(on_diagonal)


def _unconstrain_cholesky_cov(x: Expression, event: Lengths) -> Expression:
    k = event[0]
    below, places = _below_diagonal(event), np.zeros((k, k), int)
    places[np.tril_indices(k, -1)] = np.arange(below)
    places[np.diag_indices(k)] = below + np.arange(k)
    elements = concatenate([_taken(x, event, -1), log(diagonal(x))])
    return elements[constant(places[np.tril_indices(k)])]


def _constrain_cov(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    factor, jacobian = _constrain_cholesky_cov(u, event)
    down = constant(np.arange(float(event[0]), 0.0, -1.0))
    return (
        matmul(factor, transpose(factor)),
        jacobian + total(down * log(diagonal(factor))) + event[0] * math.log(2),
    )


CHOLESKY_CORR = declare(
    Domain("a Cholesky factor of a correlation matrix", 2, structure="cholesky_corr", square=True, holds=_unit_rows),
    free=_below_diagonal,
    constrain=_constrain_cholesky_corr,
    unconstrain=_unconstrain_cholesky_corr,
    middle=_identity,
    stan=StanType("cholesky_factor_corr"),
    element=(-1.0, 1.0),
    diagonal=(0.0, 1.0),
    edges=(True, True),
    is_also="cholesky_cov",
    triangular=True,
    public_name="cholesky_correlation",
)
CHOLESKY_COV = declare(
    Domain("a Cholesky factor of a covariance matrix", 2, structure="cholesky_cov", square=True,
           holds=_lower_triangular),
    free=_with_diagonal,
    constrain=_constrain_cholesky_cov,
    unconstrain=_unconstrain_cholesky_cov,
    middle=_identity,
    stan=StanType("cholesky_factor_cov"),
    diagonal=(0.0, math.inf),
    triangular=True,
    public_name="cholesky_covariance",
)
CORR = declare(
    Domain("a correlation matrix", 2, structure="corr", square=True, holds=_correlation),
    free=_below_diagonal,
    constrain=_constrain_corr,
    unconstrain=lambda x, event: _unconstrain_cholesky_corr(cholesky(x), event),
    middle=_identity,
    stan=StanType("corr_matrix"),
    element=(-1.0, 1.0),
    diagonal=(-math.inf, math.inf),
    edges=(True, True),
    is_also="cov",
    public_name="correlation",
)
COV = declare(
    POSITIVE_DEFINITE,
    free=_with_diagonal,
    constrain=_constrain_cov,
    unconstrain=lambda x, event: _unconstrain_cholesky_cov(cholesky(x), event),
    middle=_identity,
    stan=StanType("cov_matrix"),
    diagonal=(0.0, math.inf),
    public_name="covariance",
)
