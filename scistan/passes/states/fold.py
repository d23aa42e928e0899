"""Elementwise ops of numbers that are known: `0 * x -> 0`, `1 * x -> x`, and what is computed from numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scistan.graph.node import Data, Literal, Node, is_applied, literal
from scistan.graph.walk import has_latents
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op

__all__ = ["fold", "times_log"]


def fold(op: Op, args: Sequence[Node], attributes: dict[str, Any]) -> Node:
    """Apply an elementwise op; where a number decides the result, or all are numbers, give that."""
    numbers = [arg.value if isinstance(arg, Literal) else None for arg in args]
    if all(number is not None for number in numbers):
        found = _computed(op, numbers, attributes)
        if found is not None:
            return found
    product = times_log(op, args)
    if product is not None and has_latents(product[1]):  # and no state makes it 0, or it were a number
        return OPS["multiply_log"].build(product)
    simpler = _SIMPLER.get(op.name)
    made = None if simpler is None else simpler(args, numbers)
    return op.build(tuple(args), attributes) if made is None else made


def times_log(op: Op, args: Sequence[Node]) -> tuple[Node, Node] | None:
    """Recognize `times_log(k, p)` of `distributions/formulas.py`, of data: k > 0 ? k * log(k > 0 ? p : 1) : 0."""
    if op.name != "where" or not is_applied(args[0], "greater") or not is_applied(args[1], "multiply"):
        return None
    some, product, zero = args
    k, logarithm = product.args
    if not is_applied(logarithm, "log") or not isinstance(zero, Literal) or zero.value != 0 or some.args[0] is not k:
        return None
    (inner,) = logarithm.args
    kept = is_applied(inner, "where") and inner.args[0] is some
    return (k, inner.args[1]) if kept and isinstance(k, Data) else None


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
