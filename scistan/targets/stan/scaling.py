"""Matrices and diagonals: `diag_pre_multiply`, `diag_post_multiply`, `quad_form_diag`, `add_diag`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scistan.graph.node import Apply, Node, is_applied
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.items import FULL
from scistan.shapes import ONE
from scistan.targets.stan.syntax import MATRIX, Expr, call

if TYPE_CHECKING:
    from scistan.targets.stan.lower import Scope

__all__ = ["unexpanded", "write_diagonal_sum", "write_scaling"]


@dataclass(frozen=True, slots=True)
class _Scaling:
    """A matrix, and the vectors that its rows and its columns are multiplied with."""

    matrix: Node
    rows: Node | None = None
    columns: Node | None = None


def write_scaling(scope: Scope, node: Apply) -> Expr | None:
    """Write a scaled matrix by Stan's own function; None for any other value."""
    found = _scaling(node)
    if found is None:
        return None
    rows, columns, matrix = found.rows, found.columns, found.matrix
    inner = _scaling(matrix)
    side = rows or columns
    if inner is not None and {(rows, columns), (inner.rows, inner.columns)} == {(side, None), (None, side)}:
        rows, columns, matrix = side, side, inner.matrix  # the same on both sides
    if rows is not None and columns is not None:
        return call("quad_form_diag", [scope.canonical(matrix), scope.canonical(rows)], MATRIX)
    if rows is not None:
        return call("diag_pre_multiply", [scope.canonical(rows), scope.canonical(matrix)], MATRIX)
    return None if columns is None else call(
        "diag_post_multiply", [scope.canonical(matrix), scope.canonical(columns)], MATRIX
    )


def write_diagonal_sum(scope: Scope, node: Apply) -> Expr | None:
    """Write a matrix plus a diagonal one by Stan's own function; None for any other value."""
    if node.op.name != "add" or len(node.shape) != 2:
        return None
    for diagonal, matrix in (node.args, node.args[::-1]):
        if ONE in (*matrix.shape, *diagonal.shape) or len(matrix.shape) != 2:
            continue  # a length of 1 is repeated
        if (scale := _scaled_diagonal(diagonal)) is not None:
            return call("add_diag", [scope.canonical(matrix), scope.canonical(scale)], MATRIX)
    return None


def _scaled_diagonal(node: Node) -> Node | None:
    """Give the diagonal of `diagonal_matrix(x)`, or of a number times it."""
    found = _diagonal(node)
    if found is not None or not isinstance(node, Apply) or node.op.name != "multiply":
        return found
    for number, inner in (node.args, node.args[::-1]):
        if not number.shape and (found := _diagonal(inner)) is not None:
            return OPS["multiply"].build((number, found))
    return None


def _scaling(node: Node) -> _Scaling | None:
    """Take a scaled matrix apart: `x[:, None] * a`, `a * x`, `outer(x, x) * a`, or a product with a diagonal."""
    if not isinstance(node, Apply) or len(node.shape) != 2:
        return None
    left, right = node.args if len(node.args) == 2 else (node, node)
    if node.op.name == "matmul" and len(left.shape) == len(right.shape) == 2:
        if (scale := _diagonal(left)) is not None:
            return _Scaling(right, rows=scale)
        return None if (scale := _diagonal(right)) is None else _Scaling(left, columns=scale)
    if node.op.name != "multiply":
        return None
    for factor, matrix in ((left, right), (right, left)):
        if len(matrix.shape) != 2 or ONE in matrix.shape or all(size == ONE for size in factor.shape):
            continue  # a length of 1 is repeated
        if is_applied(factor, "outer") and factor.args[0] is factor.args[1]:
            return _Scaling(matrix, factor.args[0], factor.args[0])
        if (column := unexpanded(factor, column=True)) is not None:
            return _Scaling(matrix, rows=column)
        if (row := factor if len(factor.shape) == 1 else unexpanded(factor, column=False)) is not None:
            return _Scaling(matrix, columns=row)
    return None


def _diagonal(node: Node) -> Node | None:
    return node.args[0] if is_applied(node, "diagonal_matrix") else None


def unexpanded(node: Node, *, column: bool) -> Node | None:
    """Give `x` for `x[:, None]`, a column, or `x[None, :]`, a row, of a vector `x`."""
    if not isinstance(node, Apply) or node.op.name != "index" or len(node.args[0].shape) != 1:
        return None
    items = dict(node.attributes)["items"]
    wanted = (FULL, ("new",)) if column else (("new",), FULL)
    return node.args[0] if items == wanted else None  # type: ignore[comparison-overlap]
