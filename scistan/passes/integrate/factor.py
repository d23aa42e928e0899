"""The Cholesky factor of small blocks, slot by slot: of all blocks at once, or of one after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.integrate.quadratic import Value

__all__ = ["Factor", "Taken", "both", "factored", "minus_all"]

sqrt, square = FUNCTIONS["sqrt"], FUNCTIONS["square"]


@dataclass(frozen=True, slots=True, eq=False)
class Taken:
    """What integrated latents leave: half the logarithm of a determinant, and what is taken off the form."""

    logarithm: Expression
    others: Value
    others_known: Value
    known: Value


@dataclass(slots=True)
class Factor:
    """The Cholesky factor of a block: its diagonal, what is below it, and what it makes of the columns beside."""

    pivots: list[Expression] = field(default_factory=list)
    lower: dict[tuple[int, int], Value] = field(default_factory=dict)
    others: list[Value] = field(default_factory=list)
    known: list[Value] = field(default_factory=list)


def factored(
    within: Mapping[tuple[int, int], Value], others: Sequence[Value], known: Sequence[Value],
    by: Callable[[Expression], Expression],
) -> Factor:
    """Factor one block, or all at once; `by` gives a number of each block the axes to meet a row of the others."""
    made = Factor()
    for i in range(len(others)):
        for k in range(i + 1):
            entry = minus_all(within[i, k], [both(made.lower[i, j], made.lower[k, j]) for j in range(k)])
            if i == k:
                pivot = sqrt(entry)
                made.pivots.append(pivot)
            else:
                made.lower[i, k] = None if entry is None else entry / made.pivots[k]
        rows = minus_all(others[i], [both(_on(made.lower[i, j], by), made.others[j]) for j in range(i)])
        left = minus_all(known[i], [both(made.lower[i, j], made.known[j]) for j in range(i)])
        made.others.append(None if rows is None else rows / by(pivot))
        made.known.append(None if left is None else left / pivot)
    return made


def _on(value: Value, by: Callable[[Expression], Expression]) -> Value:
    return None if value is None else by(value)


def both(left: Value, right: Value) -> Value:
    """Multiply two values, of which None is 0."""
    return None if left is None or right is None else square(left) if left is right else left * right


def minus_all(value: Value, less: Sequence[Value]) -> Value:
    """Subtract values, of which None is 0."""
    for one in less:
        if one is not None:
            value = -one if value is None else value - one
    return value
