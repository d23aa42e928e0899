"""Distributions of correlation and covariance matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.constrained import CHOLESKY_CORR, CORR, COV
from scistan.distributions.declaration import Parameter, Relation, StanForm, declare
from scistan.distributions.formulas import Quantity, functions
from scistan.distributions.scipy_forms import stats
from scistan.domains import POSITIVE, SIZE
from scistan.graph.node import Extent, Node
from scistan.shapes import Shape, Size

log, lgamma, lbeta, total = functions("log", "lgamma", "lbeta", "sum")
diagonal, positions, length = functions("diagonal", "positions", "length")
inverse, log_determinant = functions("inverse", "log_determinant")

ETA, NU, SCALE = Parameter("eta", POSITIVE), Parameter("nu", POSITIVE), Parameter("sigma", COV)


def _k_by_k(arguments: Mapping[str, Node]) -> Shape:
    node = arguments["K"]
    if not isinstance(node, Extent):
        raise TypeError("a size argument is an extent")
    side: Size = node.size
    return (side, side)


# -- correlations -------------------------------------------------------------------------------------
def _lkj_constant(matrix: Any, eta: Any) -> Quantity:
    # Lewandowski, Kurowicka & Joe (2009), equation 16, with j = K - k.
    j = positions(diagonal(matrix))[..., 1:]
    half = eta[..., None] + (j - 1.0) / 2.0
    return total(j * ((2.0 * eta[..., None] - 2.0 + j) * math.log(2) + lbeta(half, half)), -1)


def _lkj_cholesky_density(L: Any, K: Any, eta: Any) -> Quantity:
    scale = diagonal(L)
    power = length(scale) - 1.0 - positions(scale) + 2.0 * eta[..., None] - 2.0
    return total(power * log(scale), -1) - _lkj_constant(L, eta)


def _draw_lkj_cholesky(rng: Any, size: Any, K: Any, eta: Any) -> np.ndarray:
    # The onion: row k is a direction on the sphere times the root of a beta variable.
    k = int(np.max(K))
    eta = np.broadcast_to(eta, size)
    L = np.zeros((*size, k, k))
    L[..., 0, 0] = 1.0
    for row in range(1, k):
        radius2 = rng.beta(row / 2, eta + (k - 1 - row) / 2)
        direction = rng.normal(size=(*size, row))
        direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
        L[..., row, :row] = np.sqrt(radius2)[..., None] * direction
        L[..., row, row] = np.sqrt(1 - radius2)
    return L


def _squared(L: np.ndarray) -> np.ndarray:
    return np.asarray(np.matmul(L, np.swapaxes(L, -1, -2)))


def _draw_lkj(rng: Any, size: Any, K: Any, eta: Any) -> np.ndarray:
    draws = _squared(_draw_lkj_cholesky(rng, size, K, eta))
    np.einsum("...ii->...i", draws)[...] = 1.0  # exact, where rounding left it beside 1
    return draws


declare(
    "LKJCorr",
    "Correlation matrices of K variables; `eta` above 1 draws them towards the identity.",
    parameters=(Parameter("K", SIZE), ETA),
    support=CORR,
    event_shape=_k_by_k,
    log_density=lambda x, K, eta: (eta - 1.0) * log_determinant(x) - _lkj_constant(x, eta),
    draw=_draw_lkj,
    stan=StanForm("lkj_corr", ("{eta}",), rng="lkj_corr_rng({K}, {eta})", vectorizes=False, truncates=False),
)

declare(
    "LKJCholesky",
    "Cholesky factors of K × K correlation matrices; `eta` above 1 draws them towards the identity.",
    parameters=(Parameter("K", SIZE), ETA),
    support=CHOLESKY_CORR,
    event_shape=_k_by_k,
    log_density=_lkj_cholesky_density,
    draw=_draw_lkj_cholesky,
    stan=StanForm(
        "lkj_corr_cholesky", ("{eta}",), rng="lkj_corr_cholesky_rng({K}, {eta})", vectorizes=False, truncates=False
    ),
)


# -- covariances ----------------------------------------------------------------------------------------
def _wishart_constant(nu: Any, scale: Any) -> Quantity:
    """Give the log of `2^(nu K / 2) · Γ_K(nu / 2)`."""
    side = diagonal(scale)
    k = 1.0 * length(side)
    gammas = total(lgamma(0.5 * (nu[..., None] - positions(side))), -1)
    return 0.5 * math.log(2) * nu * k + 0.25 * math.log(math.pi) * k * (k - 1.0) + gammas


def _wishart_density(x: Any, nu: Any, sigma: Any) -> Quantity:
    k = length(diagonal(sigma))
    trace = total(inverse(sigma) * x, (-2, -1))  # both are symmetric
    volume = (nu - k - 1.0) * log_determinant(x) - nu * log_determinant(sigma)
    return 0.5 * (volume - trace) - _wishart_constant(nu, sigma)


def _inv_wishart_density(x: Any, nu: Any, sigma: Any) -> Quantity:
    k = length(diagonal(sigma))
    trace = total(inverse(x) * sigma, (-2, -1))
    volume = nu * log_determinant(sigma) - (nu + k + 1.0) * log_determinant(x)
    return 0.5 * (volume - trace) - _wishart_constant(nu, sigma)


def _bartlett(rng: Any, size: Any, nu: Any, k: int) -> np.ndarray:
    """Draw a lower-triangular `A` with `A A'` Wishart about the identity."""
    A: np.ndarray = np.tril(rng.standard_normal((*size, k, k)), -1)
    for row in range(k):
        # With nu just above K - 1 the square underflows, and a zero would make one draw in many singular.
        A[..., row, row] = np.sqrt(np.maximum(rng.chisquare(np.broadcast_to(nu, size) - row), 1e-300))
    return A


def _draw_wishart(rng: Any, size: Any, nu: Any, sigma: Any) -> np.ndarray:
    return _squared(np.matmul(np.linalg.cholesky(sigma), _bartlett(rng, size, nu, sigma.shape[-1])))


def _draw_inv_wishart(rng: Any, size: Any, nu: Any, sigma: Any) -> np.ndarray:
    # With sigma = T T': T (A A')^-1 T' = M M' for M' = A^-1 T'.
    A = _bartlett(rng, size, nu, sigma.shape[-1])
    T = np.linalg.cholesky(sigma)
    transposed = np.linalg.solve(A, np.broadcast_to(np.swapaxes(T, -1, -2), A.shape))
    return _squared(np.swapaxes(transposed, -1, -2))


_ENOUGH = Relation("nu", "above the number of rows of `sigma` less 1", lambda nu, sigma: nu > sigma.shape[-1] - 1)

declare(
    "Wishart",
    "Covariance matrices about `nu · sigma`, with `nu` degrees of freedom.",
    parameters=(NU, SCALE),
    support=COV,
    event_shape=lambda arguments: arguments["sigma"].shape[-2:],
    relation=_ENOUGH,
    log_density=_wishart_density,
    draw=_draw_wishart,
    scipy=lambda nu, sigma: stats().wishart(nu, sigma),
    stan=StanForm("wishart", vectorizes=False, truncates=False),
)

declare(
    "InvWishart",
    "Covariance matrices whose inverse is Wishart with `nu` degrees of freedom and the inverse of `sigma`.",
    parameters=(NU, SCALE),
    support=COV,
    event_shape=lambda arguments: arguments["sigma"].shape[-2:],
    relation=_ENOUGH,
    log_density=_inv_wishart_density,
    draw=_draw_inv_wishart,
    scipy=lambda nu, sigma: stats().invwishart(nu, sigma),
    stan=StanForm("inv_wishart", vectorizes=False, truncates=False),
)
