"""Linear algebra on the last two axes."""

from __future__ import annotations

from typing import Any

from scistan.domains import POSITIVE_DEFINITE
from scistan.messages import expressions as messages
from scistan.ops import axes as flow
from scistan.ops import linear_back as back
from scistan.ops.coerce import as_node
from scistan.ops.declaration import Attributes, Call, declare
from scistan.ops.elementwise import multiply
from scistan.ops.expression import Expression, build, function_of
from scistan.ops.libraries import solve_triangular
from scistan.ops.reductions import sum as sum_along
from scistan.ops.special_stan import LOWER_TRIANGLE as STAN_LOWER_TRIANGLE
from scistan.shapes import Equality, Shape, Size, broadcast, values_of

Rule = tuple[Shape, tuple[Equality, ...]]


def _fail(name: str, shapes: tuple[Shape, ...], why: str) -> Exception:
    return messages.bad_shapes(name, [values_of(s) for s in shapes], why)


def _inner(name: str, shapes: tuple[Shape, ...], left: Size, right: Size) -> tuple[Equality, ...]:
    if left.today != right.today:
        raise _fail(name, shapes, f"the inner lengths {left.today} and {right.today} differ")
    return () if left == right else ((left, right),)


def _matmul_shape(shapes: tuple[Shape, ...], _: Attributes) -> Rule:
    a, b = shapes
    if not a or not b:
        raise _fail("matmul", shapes, "a single number has no inner axis; use `*`")
    inner = b[0] if len(b) == 1 else b[-2]
    equal = _inner("matmul", shapes, a[-1], inner)
    batch, more = broadcast(a[:-2], b[:-2])
    rows = a[-2:-1] if len(a) > 1 else ()
    columns = b[-1:] if len(b) > 1 else ()
    return batch + rows + columns, equal + more


def _matmul(xp: Any, a: Any, b: Any, *, ranks: tuple[int, int]) -> Any:
    if ranks == (2, 1) and a.ndim == 2:
        return xp.matmul(b, a.T)  # one matrix for every draw: a single product serves them all
    left, right = (a[..., None, :] if ranks[0] == 1 else a), (b[..., :, None] if ranks[1] == 1 else b)
    most = max(2, *ranks)
    product = xp.matmul(_deepened(xp, left, max(2, ranks[0]), most), _deepened(xp, right, max(2, ranks[1]), most))
    if ranks[0] == 1:
        product = product[..., 0, :]
    return product[..., 0] if ranks[1] == 1 else product


def _deepened(xp: Any, x: Any, rank: int, most: int) -> Any:
    """Insert axes behind the draws' axis, so that stacks of matrices meet draws of matrices."""
    lead = x.ndim - rank
    return xp.reshape(x, (*x.shape[:lead], *(1,) * (most - rank), *x.shape[lead:])) if lead else x


MATMUL = declare("matmul", "The matrix product.", arity=2, numpy=_matmul, torch=_matmul, shape=_matmul_shape,
                 axes=flow.product,
                 latex="{0} \\, {1}", gradient=back.of_matmul)


def matmul(a: object, b: object) -> Expression:
    """Multiply as matrices; a vector on either side loses its axis, as in NumPy."""
    x, y = as_node(a), as_node(b)
    return build(MATMUL, Expression(x), Expression(y), ranks=(len(x.shape), len(y.shape)))


def _outer_shape(shapes: tuple[Shape, ...], _: Attributes) -> Rule:
    if any(len(s) != 1 for s in shapes):
        raise _fail("outer", shapes, "two vectors are needed")
    return (shapes[0][0], shapes[1][0]), ()


OUTER = declare("outer", "All products of the elements of two vectors.", arity=2, shape=_outer_shape, axes=flow.outer,
                numpy=lambda xp, x, y: x[..., :, None] * y[..., None, :],
                torch=lambda xp, x, y: x[..., :, None] * y[..., None, :], gradient=back.of_outer)


def _square_matrix(name: str, shapes: tuple[Shape, ...]) -> tuple[Equality, ...]:
    shape = shapes[0]
    if len(shape) < 2 or shape[-1].today != shape[-2].today:
        raise _fail(name, shapes, "a square matrix is needed")
    return () if shape[-1] == shape[-2] else ((shape[-2], shape[-1]),)


def _square_to_square(name: str) -> Any:
    def rule(shapes: tuple[Shape, ...], _: Attributes) -> Rule:
        return shapes[0], _square_matrix(name, shapes)

    return rule


def _square_to_number(name: str) -> Any:
    def rule(shapes: tuple[Shape, ...], _: Attributes) -> Rule:
        return shapes[0][:-2], _square_matrix(name, shapes)

    return rule


def _solve_shape(shapes: tuple[Shape, ...], _: Attributes) -> Rule:
    equal = _square_matrix("solve", shapes)
    a, b = shapes
    if len(a) != 2 or not b or len(b) > 2:
        raise _fail("solve", shapes, "a matrix and a vector or a matrix are needed")
    return b, equal + _inner("solve", shapes, a[-1], b[0])


def _solver(triangular: bool) -> Any:
    def implementation(xp: Any, a: Any, b: Any, *, rank: int) -> Any:
        right = b[..., None] if rank == 1 else b
        if right.ndim < a.ndim:  # or torch may take one matrix for a stack of vectors
            right = xp.broadcast_to(right, (*a.shape[:-2], *right.shape))
        solved = solve_triangular(xp, a, right) if triangular else xp.linalg.solve(a, right)
        return solved[..., 0] if rank == 1 else solved

    return implementation


SOLVE = declare("solve", "The solution `x` of `a @ x = b`.", arity=2, shape=_solve_shape, axes=flow.solution,
                numpy=_solver(False), torch=_solver(False), stan=Call("mdivide_left"), gradient=back.of_solve)
SOLVE_LOWER = declare("solve_lower", "The solution of `a @ x = b` for a lower-triangular `a`.", arity=2,
                      shape=_solve_shape, axes=flow.solution, numpy=_solver(True), torch=_solver(True),
                      stan=Call("mdivide_left_tri_low"), gradient=back.of_solve_lower)


def _solve_turned(xp: Any, a: Any, b: Any, *, rank: int) -> Any:
    right = b[..., None] if rank == 1 else b
    if right.ndim < a.ndim:
        right = xp.broadcast_to(right, (*a.shape[:-2], *right.shape))
    if xp.__name__ == "torch":
        solved = xp.linalg.solve_triangular(a.mT, right, upper=True)
    else:
        solved = xp.linalg.solve(xp.swapaxes(xp.tril(a), -1, -2), right)
    return solved[..., 0] if rank == 1 else solved


SOLVE_LOWER_TURNED = declare("solve_lower_turned", "The solution of `a.T @ x = b` for a lower-triangular `a`.", arity=2,
                             shape=_solve_shape, axes=flow.unknown, numpy=_solve_turned, torch=_solve_turned,
                             public=False, gradient=back.of_solve_upper)
LOWER_TRIANGLE = declare("lower_triangle", "The elements on and below the diagonal, and 0 above it.",
                         shape=lambda shapes, _: (shapes[0], _square_matrix("lower_triangle", shapes)),
                         axes=flow.unknown, numpy="tril", torch="tril", public=False, carries=True,
                         stan=Call("lower_triangle", functions=STAN_LOWER_TRIANGLE), gradient=back.of_lower_triangle)


def solve(a: object, b: object) -> Expression:
    """Solve `a @ x = b` for a square matrix `a` and a vector or matrix `b`."""
    right = as_node(b)
    return build(SOLVE, a, Expression(right), rank=len(right.shape))


def solve_lower(a: object, b: object) -> Expression:
    """Solve `a @ x = b` for a lower-triangular matrix `a`."""
    right = as_node(b)
    return build(SOLVE_LOWER, a, Expression(right), rank=len(right.shape))


INVERSE = declare("inverse", "The inverse matrix.", shape=_square_to_square("inverse"), axes=flow.square,
                  numpy="linalg.inv", torch="linalg.inv", stan=Call("inverse"), latex="{0}^{{-1}}",
                  gradient=back.of_inverse)
CHOLESKY = declare("cholesky", "The lower Cholesky factor.", shape=_square_to_square("cholesky"), axes=flow.square,
                   numpy="linalg.cholesky", torch="linalg.cholesky", stan=Call("cholesky_decompose"),
                   takes=POSITIVE_DEFINITE, gradient=back.of_cholesky)
LOG_DETERMINANT = declare("log_determinant", "The logarithm of the absolute determinant.",
                          shape=_square_to_number("log_determinant"), axes=flow.determinant,
                          numpy=lambda xp, x: xp.linalg.slogdet(x)[1], torch=lambda xp, x: xp.linalg.slogdet(x)[1],
                          stan=Call("log_determinant"), gradient=back.of_log_determinant)
DIAGONAL = declare("diagonal", "The diagonal of a square matrix.",
                   shape=lambda shapes, _: (shapes[0][:-1], _square_matrix("diagonal", shapes)), axes=flow.diagonal,
                   numpy=lambda xp, x: xp.diagonal(x, axis1=-2, axis2=-1),
                   torch=lambda xp, x: xp.diagonal(x, dim1=-2, dim2=-1), integer=True, stan=Call("diagonal"),
                   gradient=back.of_diagonal, carries=True)


def _diagonal_matrix_shape(shapes: tuple[Shape, ...], _: Attributes) -> Rule:
    if len(shapes[0]) != 1:
        raise _fail("diagonal_matrix", shapes, "a vector is needed")
    return (shapes[0][0], shapes[0][0]), ()


DIAGONAL_MATRIX = declare("diagonal_matrix", "The square matrix with this diagonal.",
                          shape=_diagonal_matrix_shape, axes=flow.diagonal_matrix,
                          numpy=lambda xp, x: xp.where(xp.eye(x.shape[-1], dtype=bool), x[..., None], 0.0),
                          torch=lambda xp, x: xp.diag_embed(x), stan=Call("diag_matrix"),
                          gradient=back.of_diagonal_matrix, carries=True)


def _quadratic_shape(shapes: tuple[Shape, ...], _: Attributes) -> Rule:
    equal = _square_matrix("quadratic_form", shapes)
    if len(shapes[0]) != 2 or len(shapes[1]) != 1:
        raise _fail("quadratic_form", shapes, "a square matrix and a vector are needed")
    return (), equal + _inner("quadratic_form", shapes, shapes[0][-1], shapes[1][0])


def _quadratic(xp: Any, a: Any, x: Any) -> Any:
    return (x * xp.matmul(a, x[..., None])[..., 0]).sum(-1)


QUADRATIC_FORM = declare("quadratic_form", "`x' A x` for a matrix `A` and a vector `x`.", arity=2, arguments=("A", "x"),
                         shape=_quadratic_shape, axes=flow.quadratic, numpy=_quadratic, torch=_quadratic,
                         stan=Call("quad_form"), gradient=back.of_quadratic_form)

outer = function_of(OUTER)
inverse = function_of(INVERSE)
cholesky = function_of(CHOLESKY)
log_determinant = function_of(LOG_DETERMINANT)
diagonal = function_of(DIAGONAL)
diagonal_matrix = function_of(DIAGONAL_MATRIX)
quadratic_form = function_of(QUADRATIC_FORM)


def dot(a: object, b: object) -> Expression:
    """Multiply as `numpy.dot` does for vectors and matrices."""
    x, y = as_node(a), as_node(b)
    if not x.shape or not y.shape:
        return build(multiply, Expression(x), Expression(y))
    if len(x.shape) > 2 or len(y.shape) > 2:
        raise _fail("dot", (x.shape, y.shape), "more than two axes; use `@`")
    return matmul(Expression(x), Expression(y))


def trace(x: object) -> Expression:
    """Sum the diagonal of a square matrix."""
    return sum_along(diagonal(x), axis=-1)
