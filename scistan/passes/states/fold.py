"""Elementwise ops of numbers that are known: `0 * x -> 0`, `1 * x -> x`, and what is computed from numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scistan.graph.node import Literal, Node, literal
from scistan.ops.declaration import Op

__all__ = ["fold"]


def fold(op: Op, args: Sequence[Node], attributes: dict[str, Any]) -> Node:
    """Apply an elementwise op; where a number decides the result, or all are numbers, give that."""
    numbers = [arg.value if isinstance(arg, Literal) else None for arg in args]
    if all(number is not None for number in numbers):
        found = _computed(op, numbers, attributes)
        if found is not None:
            return found
    simpler = _SIMPLER.get(op.name)
    made = None if simpler is None else simpler(args, numbers)
    return op.build(tuple(args), attributes) if made is None else made


def _computed(op: Op, numbers: Sequence[Any], attributes: dict[str, Any]) -> Node | None:
    if (not isinstance(op.numpy, str) and op.name not in _EXACT) or attributes:
        return None
    function = getattr(np, op.numpy, None) if isinstance(op.numpy, str) else None
    with np.errstate(all="ignore"):
        value = _EXACT[op.name](*numbers) if op.name in _EXACT else None if function is None else function(*numbers)
    if value is None or not np.isfinite(value):
        return None
    whole = op.integer and all(isinstance(number, int) for number in numbers)
    return literal(int(value) if whole else float(value))


_EXACT: dict[str, Any] = {
    "less": lambda x, y: int(x < y),
    "less_equal": lambda x, y: int(x <= y),
    "greater": lambda x, y: int(x > y),
    "greater_equal": lambda x, y: int(x >= y),
    "equal": lambda x, y: int(x == y),
    "not_equal": lambda x, y: int(x != y),
}


def _product(args: Sequence[Node], numbers: Sequence[Any]) -> Node | None:
    for k, other in ((0, 1), (1, 0)):
        if numbers[k] == 0:
            return args[k]  # whatever the other is: a state in which it does not count
        if numbers[k] == 1:
            return args[other]
    return None


def _sum(args: Sequence[Node], numbers: Sequence[Any]) -> Node | None:
    return args[1] if numbers[0] == 0 else args[0] if numbers[1] == 0 else None


def _difference(args: Sequence[Node], numbers: Sequence[Any]) -> Node | None:
    return args[0] if numbers[1] == 0 else None


def _choice(args: Sequence[Node], numbers: Sequence[Any]) -> Node | None:
    if numbers[0] is None:
        return None
    return args[1] if numbers[0] else args[2]


_SIMPLER: dict[str, Any] = {"multiply": _product, "add": _sum, "subtract": _difference, "where": _choice}
