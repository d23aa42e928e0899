"""The flattest directions of a symmetric matrix that is known by its products alone (Lanczos, reorthogonalized)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["flattest"]

Tensor = Any
_NUMBERS = 8e6  # held as a basis
_MOST, _FEWEST = 80, 20  # vectors of it


def flattest(
    torch: Any, multiply: Callable[[Tensor], Tensor], start: Tensor, count: int
) -> tuple[Tensor, Tensor]:
    """Give the smallest eigenvalues as far as they show from `start`, and their vectors as rows.

    Never below the true ones: what is negative here is negative. A start that has a large share in what is flat, such
    as a solution of a system with this matrix, finds it in few steps.
    """
    size = len(start)
    steps = min(size, _MOST, max(_FEWEST, int(_NUMBERS / size)))
    basis = start.new_zeros((steps, size))
    diagonal, beside = start.new_zeros(steps), start.new_zeros(steps)
    basis[0] = start / start.norm()
    made = steps
    for k in range(steps):
        row = multiply(basis[k])
        diagonal[k] = (row * basis[k]).sum()
        for _ in range(2):  # once leaves rounding errors that grow
            row = row - (basis[: k + 1] @ row) @ basis[: k + 1]
        beside[k] = row.norm()
        if k + 1 == steps or not bool(beside[k] > 1e-10 * diagonal[: k + 1].abs().max()):
            made = k + 1
            break
        basis[k + 1] = row / beside[k]
    inner = torch.diag(diagonal[:made]) + torch.diag(beside[: made - 1], 1) + torch.diag(beside[: made - 1], -1)
    values, vectors = torch.linalg.eigh(inner)
    return values[:count], vectors[:, :count].mT @ basis[:made]
