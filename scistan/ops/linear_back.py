"""How slopes go back through products of matrices, solutions, factors and determinants."""

from __future__ import annotations

from typing import Any

from scistan.ops.declaration import REGISTRY
from scistan.ops.expression import Expression, build
from scistan.ops.tables import FUNCTIONS

__all__ = [
    "of_cholesky", "of_diagonal", "of_diagonal_matrix", "of_exp_quad", "of_inverse", "of_log_determinant",
    "of_lower_triangle", "of_matmul", "of_outer", "of_quadratic_form", "of_solve", "of_solve_lower", "of_solve_upper",
]


def _call(name: str, *args: object, **options: Any) -> Expression:
    return FUNCTIONS[name](*args, **options)


def _turned(x: Expression) -> Expression:
    """Transpose the last two axes."""
    rank = len(x.shape)
    return _call("transpose", x, (*range(rank - 2), rank - 1, rank - 2))


def _product(x: Expression, y: Expression) -> Expression:
    """Multiply a matrix by a matrix or a vector, and a vector by a vector to a matrix: what `solve` solves for."""
    return _call("outer", x, y) if len(x.shape) == 1 else _call("matmul", x, _turned(y))


def of_matmul(upstream: Expression, _: Expression, a: Expression, b: Expression, **__: Any) -> tuple[Expression, ...]:
    """Multiply by the other factor, turned; where stacks meet, the walk adds up what was repeated."""
    ranks = len(a.shape), len(b.shape)
    if ranks == (1, 1):
        return upstream * b, upstream * a
    if ranks == (2, 1):
        return _call("outer", upstream, b), _call("matmul", _turned(a), upstream)
    if ranks == (1, 2):
        return _call("matmul", b, upstream), _call("outer", a, upstream)
    left, right = (a[None, :] if ranks[0] == 1 else a), (b[:, None] if ranks[1] == 1 else b)
    wide = upstream[..., None, :] if ranks[0] == 1 else upstream
    wide = wide[..., :, None] if ranks[1] == 1 else wide
    of_a, of_b = _call("matmul", wide, _turned(right)), _call("matmul", _turned(left), wide)
    return of_a[..., 0, :] if ranks[0] == 1 else of_a, of_b[..., :, 0] if ranks[1] == 1 else of_b


def of_outer(upstream: Expression, _: Expression, x: Expression, y: Expression) -> tuple[Expression, ...]:
    """Multiply by the other vector."""
    return _call("matmul", upstream, y), _call("matmul", _turned(upstream), x)


def of_solve(upstream: Expression, out: Expression, a: Expression, b: Expression, **__: Any) -> tuple[Expression, ...]:
    """Solve with the matrix turned."""
    back = _call("solve", _turned(a), upstream)
    return -_product(back, out), back


def of_solve_lower(upstream: Expression, out: Expression, a: Expression, b: Expression,
                   rank: int) -> tuple[Expression, ...]:
    """Solve with the factor turned; what lies above the diagonal took no part."""
    back = build(REGISTRY["solve_lower_turned"], a, upstream, rank=rank)
    return -_lower(_product(back, out)), back


def of_solve_upper(upstream: Expression, out: Expression, a: Expression, b: Expression,
                   rank: int) -> tuple[Expression, ...]:
    """Solve with the factor as it stands."""
    back = _call("solve_lower", a, upstream)
    return -_lower(_product(out, back)), back


def _lower(x: Expression) -> Expression:
    return build(REGISTRY["lower_triangle"], x)


def of_lower_triangle(upstream: Expression, _: Expression, x: Expression) -> tuple[Expression, ...]:
    """Keep what lies on and below the diagonal."""
    return (_lower(upstream),)


def of_inverse(upstream: Expression, out: Expression, x: Expression) -> tuple[Expression, ...]:
    """Multiply from both sides by the inverse, turned."""
    turned = _turned(out)
    return (-_call("matmul", _call("matmul", turned, upstream), turned),)


def of_log_determinant(upstream: Expression, _: Expression, x: Expression) -> tuple[Expression, ...]:
    """Multiply by the inverse, turned."""
    return (upstream[..., None, None] * _turned(_call("inverse", x)),)


def of_cholesky(upstream: Expression, out: Expression, x: Expression) -> tuple[Expression, ...]:
    """Give the symmetric slope (Murray 2016, "Differentiation of the Cholesky decomposition")."""
    inner = _lower(_call("matmul", _turned(out), upstream))
    places = _call("arange", x.shape[-1])
    inner = inner * (1.0 - 0.5 * _call("equal", places[:, None], places))
    if len(x.shape) == 2:
        half = build(REGISTRY["solve_lower_turned"], out, inner, rank=2)
        whole = _turned(build(REGISTRY["solve_lower_turned"], out, _turned(half), rank=2))
    else:  # a stack: solutions are of single matrices
        inverse = _call("inverse", out)
        whole = _call("matmul", _call("matmul", _turned(inverse), inner), inverse)
    return (0.5 * (whole + _turned(whole)),)


def of_diagonal(upstream: Expression, _: Expression, x: Expression) -> tuple[Expression, ...]:
    """Put what comes on a diagonal."""
    if len(x.shape) == 2:
        return (_call("diagonal_matrix", upstream),)
    places = _call("arange", x.shape[-1])
    return (upstream[..., None] * _call("equal", places[:, None], places),)


def of_diagonal_matrix(upstream: Expression, _: Expression, x: Expression) -> tuple[Expression, ...]:
    """Take the diagonal of what comes."""
    return (_call("diagonal", upstream),)


def of_quadratic_form(upstream: Expression, _: Expression, a: Expression, x: Expression) -> tuple[Expression, ...]:
    """Multiply by the vector on either side."""
    return upstream * _call("outer", x, x), upstream * (_call("matmul", a, x) + _call("matmul", _turned(a), x))


def of_exp_quad(upstream: Expression, out: Expression, x: Expression, alpha: Expression,
                rho: Expression) -> tuple[Expression, ...]:
    """Differentiate `alpha² exp(-(x_i - x_j)² / (2 rho²))`."""
    apart = (x[:, None] - x[None, :]) / rho
    weighted = upstream * out
    pull = -(weighted + _turned(weighted)) * apart / rho
    of_alpha = 2.0 * alpha * _call("sum", upstream * _call("gp_exp_quad_cov", x, 1.0, rho))
    return _call("sum", pull, axis=-1), of_alpha, _call("sum", weighted * _call("square", apart)) / rho
