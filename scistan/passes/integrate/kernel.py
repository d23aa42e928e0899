"""A Gaussian process integrated out: by the covariance of what is seen of it, its own and that of the noise."""

from __future__ import annotations

from scistan.graph.node import Node
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.integrate.factor import Taken
from scistan.passes.integrate.quadratic import Quadratic, Value

__all__ = ["along_kernel"]

cholesky, diagonal, diagonal_matrix, dot, log, matmul, solve_lower, total, transpose = (
    FUNCTIONS[n] for n in (
        "cholesky", "diagonal", "diagonal_matrix", "dot", "log", "matmul", "solve_lower", "sum", "transpose",
    )
)


def along_kernel(form: Quadratic, kernel: Node) -> Taken:
    """Take off (K⁻¹ + Λ)⁻¹ = Λ⁻¹ - Λ⁻¹ (K + Λ⁻¹)⁻¹ Λ⁻¹, where Λ is what rows say of each element."""
    within = form.within[0, 0]
    if within is None:
        raise ValueError("nothing is seen of the process")
    noise = 1.0 / within
    lower = cholesky(Expression(kernel) + diagonal_matrix(noise))
    known, others = form.slot_known[0], form.slot_others[0]
    seen = None if known is None else known * noise
    columns = None if others is None else others * noise[:, None]
    solved = None if seen is None else solve_lower(lower, seen)
    solved_columns = None if columns is None else solve_lower(lower, columns)
    return Taken(
        total(log(diagonal(lower))) + 0.5 * total(log(within)),
        _products(others, columns, solved_columns, solved_columns),
        _products(others, seen, solved_columns, solved),
        None if known is None or seen is None or solved is None else dot(known, seen) - dot(solved, solved),
    )


def _products(left: Value, right: Value, solved: Value, other: Value) -> Value:
    if left is None or right is None or solved is None or other is None:
        return None
    return matmul(transpose(left), right) - matmul(transpose(solved), other)
