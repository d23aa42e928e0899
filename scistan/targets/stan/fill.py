"""Containers that are filled one element at a time, in a form that every engine computes rightly."""

from __future__ import annotations

from scistan.graph.node import Node
from scistan.shapes import Shape
from scistan.targets.stan.data_block import sized_type
from scistan.targets.stan.names import SizeNames
from scistan.targets.stan.syntax import Assign, Declare, Expr, For, PlusAssign, Statement, Type

__all__ = ["filled", "loops", "zeros"]


def loops(
    sizes: SizeNames, shape: Shape, indices: tuple[str, ...], body: tuple[Statement, ...]
) -> tuple[Statement, ...]:
    """Wrap statements in one loop per axis."""
    for size, index in reversed(list(zip(shape, indices, strict=True))):
        text = sizes.text(size)
        body = (For(index, text if text.isidentifier() or text.isdigit() else f"({text})", body),)
    return body


def filled(
    sizes: SizeNames, variable: Expr, node: Node, indices: tuple[str, ...], value: Expr, *, is_data: bool
) -> list[Statement]:
    """Declare a variable and fill it with `value`, which is what stands at `indices`.

    What is computed from parameters is added to zeros: stanli 0.24 loses elements that a loop assigns where
    iterations come out alike.
    """
    shape, kind, text = node.shape, variable.type, variable.text
    place, declared = variable.at(*indices).text, sized_type(variable.type, node.shape, sizes)
    if not shape:
        return [Declare(declared, text, value.text, node)]
    if is_data or value.is_read:
        return [Declare(declared, text, node=node), *loops(sizes, shape, indices, (Assign(place, value.text, node),))]
    outer = kind.arrays
    nothing = _nothing(sizes, kind, shape)
    added = loops(sizes, shape[outer:], indices[outer:], (PlusAssign(place, value.text, node),))
    if not outer:
        return [Declare(declared, text, nothing, node), *added]
    # Not `= rep_array(…)`: the C++ that stanc 2.35 writes with --O1 has no room for it then, and crashes.
    body = (Assign(variable.at(*indices[:outer]).text, nothing, node), *added)
    return [Declare(declared, text, node=node), *loops(sizes, shape[:outer], indices[:outer], body)]


def zeros(sizes: SizeNames, variable: Expr, node: Node) -> list[Statement]:
    """Declare a variable whose elements are all 0."""
    kind, declared = variable.type, sized_type(variable.type, node.shape, sizes)
    nothing = _nothing(sizes, kind, node.shape)
    if not kind.arrays:
        return [Declare(declared, variable.text, nothing, node)]
    indices = tuple(f"{variable.text}_{k + 1}" for k in range(kind.arrays))
    body = (Assign(variable.at(*indices).text, nothing, node),)
    return [Declare(declared, variable.text, node=node), *loops(sizes, node.shape[: kind.arrays], indices, body)]


def _nothing(sizes: SizeNames, kind: Type, shape: Shape) -> str:
    return f"rep_{kind.base}({', '.join(['0', *map(sizes.text, shape[kind.arrays:])])})"
