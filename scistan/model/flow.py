"""How the axes of an op's arguments run through it: which meet, which come out, and which are read by position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scistan.graph.node import Apply
from scistan.ops.declaration import Op
from scistan.ops.indexing import FULL, place_of_arrays

__all__ = ["Flow", "axis_flow"]

Source = tuple[int, int]  # an argument's number, and one of its axes counted from the front


@dataclass(frozen=True, slots=True)
class Flow:
    """`along[k]` lists the arguments' axes that run along axis k of the result: all of them meet there.

    `inside` lists axes that meet and are gone, as in a product of matrices; `by_position` those whose order counts.
    An axis that is neither is new, or gone by itself.
    """

    along: tuple[tuple[Source, ...], ...]
    inside: tuple[tuple[Source, ...], ...] = ()
    by_position: tuple[Source, ...] = ()


def axis_flow(node: Apply) -> Flow:
    """Tell how axes run through one op; of an op without a rule nothing is known, and order counts."""
    op = node.op
    if isinstance(op, Op) and op.elementwise:
        return Flow(_broadcast(node, range(len(node.args)), len(node.shape)))
    rule = _RULES.get(op.name)
    if rule is not None:
        return rule(node, dict(node.attributes))
    return _unknown(node)


def _unknown(node: Apply) -> Flow:
    every = tuple((k, axis) for k, arg in enumerate(node.args) for axis in range(len(arg.shape)))
    return Flow(((),) * len(node.shape), by_position=every)


def _broadcast(node: Apply, which: Any, rank: int) -> tuple[tuple[Source, ...], ...]:
    """Put arguments one above the other, the last axes aligned, as NumPy does."""
    return tuple(
        tuple((k, axis - rank + len(node.args[k].shape)) for k in which if axis - rank + len(node.args[k].shape) >= 0)
        for axis in range(rank)
    )


def _kept(node: Apply, attributes: dict[str, Any]) -> Flow:
    return Flow(tuple(((0, axis),) for axis in range(len(node.shape))))


def _in_order(node: Apply, attributes: dict[str, Any]) -> Flow:
    axis = attributes["axis"] + len(node.shape)
    return Flow(_kept(node, attributes).along, by_position=((0, axis),))


def _reduced(node: Apply, attributes: dict[str, Any]) -> Flow:
    rank = len(node.args[0].shape)
    gone = {axis + rank for axis in attributes["axes"]}
    if attributes["keepdims"]:
        return Flow(tuple(() if axis in gone else ((0, axis),) for axis in range(rank)))
    return Flow(tuple(((0, axis),) for axis in range(rank) if axis not in gone))


def _transposed(node: Apply, attributes: dict[str, Any]) -> Flow:
    rank = len(node.shape)
    return Flow(tuple(((0, axis + rank),) for axis in attributes["order"]))


def _product(node: Apply, attributes: dict[str, Any]) -> Flow:
    left, right = (len(arg.shape) for arg in node.args)
    inside = ((0, left - 1), (1, right - 1 if right == 1 else right - 2))
    lead = max(left - 2, right - 2, 0)
    batch = tuple(
        tuple((k, axis) for k, rank in ((0, left), (1, right)) if (axis := at - lead + rank - 2) >= 0 and rank > 2)
        for at in range(lead)
    )
    rows: tuple[tuple[Source, ...], ...] = (((0, left - 2),),) if left > 1 else ()
    columns: tuple[tuple[Source, ...], ...] = (((1, right - 1),),) if right > 1 else ()
    return Flow(batch + rows + columns, inside=(inside,))


def _outer(node: Apply, attributes: dict[str, Any]) -> Flow:
    return Flow((((0, 0),), ((1, 0),)))


def _repeated(node: Apply, attributes: dict[str, Any]) -> Flow:
    return Flow(_broadcast(node, range(1), len(node.shape)))


def _stacked(node: Apply, attributes: dict[str, Any]) -> Flow:
    inner = list(_broadcast(node, range(len(node.args)), len(node.shape) - 1))
    inner.insert(attributes["axis"] + len(node.shape), ())
    return Flow(tuple(inner))


def _joined(node: Apply, attributes: dict[str, Any]) -> Flow:
    at = attributes["axis"] + len(node.shape)
    every = range(len(node.args))
    along = tuple(() if axis == at else tuple((k, axis) for k in every) for axis in range(len(node.shape)))
    return Flow(along, by_position=tuple((k, at) for k in every))


def _taken(node: Apply, attributes: dict[str, Any]) -> Flow:
    """Keep whole axes; a slice or a shift makes a new one, and index arrays bring their own."""
    items = attributes["items"]
    along: list[tuple[Source, ...]] = []
    ordered: list[Source] = []
    axis = 0
    for item in items:
        if item[0] == "new":
            along.append(())
            continue
        if item[0] == "slice":
            along.append(((0, axis),) if item == FULL else ())
        if item != FULL:
            ordered.append((0, axis))
        axis += 1
    arrays = range(1, len(node.args))
    if arrays:
        at = place_of_arrays(items)
        along[at:at] = _broadcast(node, arrays, max(len(node.args[k].shape) for k in arrays))
    return Flow(tuple(along), by_position=tuple(ordered))


def _lead(node: Apply, rank: int) -> tuple[tuple[Source, ...], ...]:
    """Keep the axes of a stack of matrices in front of its last `rank`."""
    return tuple(((0, axis),) for axis in range(len(node.args[0].shape) - rank))


def _square(node: Apply, attributes: dict[str, Any]) -> Flow:
    """Keep the axes of a matrix whose rows and columns are the same things."""
    last = len(node.args[0].shape) - 1
    both = ((0, last - 1), (0, last))
    return Flow((*_lead(node, 2), both, both))


def _determinant(node: Apply, attributes: dict[str, Any]) -> Flow:
    last = len(node.args[0].shape) - 1
    return Flow(_lead(node, 2), inside=(((0, last - 1), (0, last)),))


def _diagonal(node: Apply, attributes: dict[str, Any]) -> Flow:
    last = len(node.args[0].shape) - 1
    return Flow((*_lead(node, 2), ((0, last - 1), (0, last))))


def _diagonal_matrix(node: Apply, attributes: dict[str, Any]) -> Flow:
    last = len(node.args[0].shape) - 1
    return Flow((*_lead(node, 1), ((0, last),), ((0, last),)))


def _solution(node: Apply, attributes: dict[str, Any]) -> Flow:
    """Let the rows of `a @ x = b` be those of `b`, and the columns of `a` those of the solution."""
    a, b = (len(arg.shape) for arg in node.args)
    if a != 2 or b > 2:
        return _unknown(node)
    columns: tuple[tuple[Source, ...], ...] = (((1, 1),),) if b == 2 else ()
    return Flow((((0, 1),), *columns), inside=(((0, 0), (1, 0)),))


def _quadratic(node: Apply, attributes: dict[str, Any]) -> Flow:
    return Flow((), inside=(((0, 0), (0, 1), (1, 0)),))


def _kernel(node: Apply, attributes: dict[str, Any]) -> Flow:
    first = ((0, 0),)
    return Flow((first, first)) if len(node.shape) == 2 else _unknown(node)


def _picked(node: Apply, attributes: dict[str, Any]) -> Flow:
    """Give each row an element of its last axis: rows stay, and the last axis is read by position."""
    rank = len(node.shape)
    rows, at = len(node.args[0].shape) - 1, len(node.args[1].shape)
    along = tuple(
        tuple((k, axis - rank + own) for k, own in ((0, rows), (1, at)) if axis - rank + own >= 0)
        for axis in range(rank)
    )
    return Flow(along, by_position=((0, rows),))


_RULES: dict[str, Callable[[Apply, dict[str, Any]], Flow]] = {
    **dict.fromkeys(("sum", "mean", "prod", "min", "max", "logsumexp"), _reduced),
    **dict.fromkeys(("softmax", "log_softmax"), _kept),
    "cumsum": _in_order,
    "transpose": _transposed,
    "matmul": _product,
    "outer": _outer,
    "broadcast_to": _repeated,
    "stack": _stacked,
    "concatenate": _joined,
    "index": _taken,
    "pick": _picked,
    **dict.fromkeys(("cholesky", "inverse"), _square),
    **dict.fromkeys(("solve", "solve_lower"), _solution),
    "log_determinant": _determinant,
    "diagonal": _diagonal,
    "diagonal_matrix": _diagonal_matrix,
    "quadratic_form": _quadratic,
    "gp_exp_quad_cov": _kernel,
}
