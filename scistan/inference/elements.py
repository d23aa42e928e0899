"""Parts of values that belong to one event, and how they are shown."""

from __future__ import annotations

import numpy as np

from scistan.messages import causes as messages
from scistan.targets.values import Value, aligned

__all__ = ["matrix_fault", "part_of", "shown"]

_ROUNDING = 1e-8


def part_of(value: Value, rank: int, event_rank: int, at: tuple[int, ...]) -> np.ndarray:
    """Give the part of a value that belongs to the event at a position; shorter axes are broadcast."""
    array = np.asarray(aligned(value, rank, rank))
    batch = array.shape[: array.ndim - event_rank]
    own = at[len(at) - len(batch) :]
    return np.asarray(array[tuple(0 if n == 1 else i for i, n in zip(own, batch, strict=True))])


def shown(part: np.ndarray) -> str:
    """Show a number, or a few of an array's."""
    if part.ndim == 0:
        return f"{float(part) + 0.0:.4g}"  # -0 is 0
    if part.size > 12 and part.ndim > 1:
        return f"a {' × '.join(map(str, part.shape))} array"
    text = np.array2string(part, precision=3, threshold=6, edgeitems=2)
    return " ".join(text.split())


def matrix_fault(matrix: np.ndarray) -> str:
    """Say what keeps a matrix from being a covariance."""
    if not np.isfinite(matrix).all():
        return ""
    gap = float(np.abs(matrix - matrix.T).max())
    if gap > _ROUNDING * max(1.0, float(np.abs(matrix).max())):
        return messages.not_symmetric(gap)
    values = np.linalg.eigvalsh(matrix)
    is_zero = abs(values[0]) <= len(matrix) * np.finfo(float).eps * abs(values[-1])  # what rounding leaves of 0
    return messages.smallest_eigenvalue(0.0 if is_zero else float(values[0]), _equal_rows(matrix))


def _equal_rows(matrix: np.ndarray) -> list[int]:
    """Give the first two rows that are equal."""
    seen: dict[bytes, int] = {}
    for k, row in enumerate(matrix):
        first = seen.setdefault(row.tobytes(), k)
        if first != k:
            return [first, k]
    return []
