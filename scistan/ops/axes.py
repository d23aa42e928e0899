"""How the axes of an op's arguments run through it: the rules that declarations of ops choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scistan.graph.node import Apply
from scistan.ops.items import FULL, place_of_arrays

__all__ = ["AxesRule", "Flow", "Source"]

Source = tuple[int, int]  # an argument's number, and one of its axes counted from the front
Attributes = Mapping[str, Any]
AxesRule = Callable[[Apply, Attributes], "Flow"]


@dataclass(frozen=True, slots=True)
class Flow:
    """`along[k]` lists the arguments' axes that run along axis k of the result: all of them meet there.

    `inside` lists axes that meet and are gone, as in a product of matrices; `by_position` those whose order counts;
    `over` those whose positions are combined, or of which one is singled out: what comes out at one position depends
    on others. An axis that is nowhere is new, or gone by itself.
    """

    along: tuple[tuple[Source, ...], ...]
    inside: tuple[tuple[Source, ...], ...] = ()
    by_position: tuple[Source, ...] = ()
    over: tuple[Source, ...] = ()


def unknown(node: Apply, attributes: Attributes | None = None) -> Flow:
    """Know nothing: order counts, and every position may depend on every other."""
    every = tuple((k, axis) for k, arg in enumerate(node.args) for axis in range(len(arg.shape)))
    return Flow(((),) * len(node.shape), by_position=every, over=every)


def elementwise(node: Apply, attributes: Attributes | None = None) -> Flow:
    """Let every axis be its own."""
    return Flow(broadcast(node, range(len(node.args)), len(node.shape)))


def broadcast(node: Apply, which: Iterable[int], rank: int) -> tuple[tuple[Source, ...], ...]:
    """Put arguments one above the other, the last axes aligned, as NumPy does."""
    chosen = tuple(which)
    return tuple(
        tuple((k, axis - rank + len(node.args[k].shape)) for k in chosen if axis - rank + len(node.args[k].shape) >= 0)
        for axis in range(rank)
    )


def unchanged(node: Apply, attributes: Attributes) -> Flow:
    """Keep every axis of the first argument."""
    return Flow(tuple(((0, axis),) for axis in range(len(node.shape))))


def normalized(node: Apply, attributes: Attributes) -> Flow:
    """Keep the axes, one of which is looked at as a whole, in any order."""
    return Flow(unchanged(node, attributes).along, over=((0, attributes["axis"] + len(node.shape)),))


def running(node: Apply, attributes: Attributes) -> Flow:
    """Keep the axes, one of which is gone through in order."""
    axis = (0, attributes["axis"] + len(node.shape))
    return Flow(unchanged(node, attributes).along, by_position=(axis,), over=(axis,))


def reduced(node: Apply, attributes: Attributes) -> Flow:
    """Combine the positions of some axes, and keep the others."""
    rank = len(node.args[0].shape)
    gone = {axis + rank for axis in attributes["axes"]}
    over = tuple((0, axis) for axis in sorted(gone))
    if attributes["keepdims"]:
        return Flow(tuple(() if axis in gone else ((0, axis),) for axis in range(rank)), over=over)
    return Flow(tuple(((0, axis),) for axis in range(rank) if axis not in gone), over=over)


def transposed(node: Apply, attributes: Attributes) -> Flow:
    """Keep the axes in another order."""
    rank = len(node.shape)
    return Flow(tuple(((0, axis + rank),) for axis in attributes["order"]))


def product(node: Apply, attributes: Attributes) -> Flow:
    """Multiply matrices: the inner axes meet and are gone."""
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


def outer(node: Apply, attributes: Attributes) -> Flow:
    """Put the axis of one vector in front of the other's."""
    return Flow((((0, 0),), ((1, 0),)))


def repeated(node: Apply, attributes: Attributes) -> Flow:
    """Keep the axes behind those along which the value is repeated."""
    return Flow(broadcast(node, range(1), len(node.shape)))


def stacked(node: Apply, attributes: Attributes) -> Flow:
    """Put arguments side by side along a new axis."""
    inner = list(broadcast(node, range(len(node.args)), len(node.shape) - 1))
    inner.insert(attributes["axis"] + len(node.shape), ())
    return Flow(tuple(inner))


def joined(node: Apply, attributes: Attributes) -> Flow:
    """Put arguments one after the other along an axis of theirs."""
    at = attributes["axis"] + len(node.shape)
    every = range(len(node.args))
    along = tuple(() if axis == at else tuple((k, axis) for k in every) for axis in range(len(node.shape)))
    return Flow(along, by_position=tuple((k, at) for k in every))


def taken(node: Apply, attributes: Attributes) -> Flow:
    """Keep whole axes; a slice or a shift makes a new one, and index arrays bring their own."""
    items = attributes["items"]
    along: list[tuple[Source, ...]] = []
    ordered: list[Source] = []
    single: list[Source] = []
    axis = 0
    for item in items:
        if item[0] == "new":
            along.append(())
            continue
        if item[0] == "slice":
            along.append(((0, axis),) if item == FULL else ())
        if item != FULL:
            ordered.append((0, axis))
        if item[0] == "int":
            single.append((0, axis))
        axis += 1
    arrays = range(1, len(node.args))
    if arrays:
        at = place_of_arrays(items)
        along[at:at] = broadcast(node, arrays, max(len(node.args[k].shape) for k in arrays))
    return Flow(tuple(along), by_position=tuple(ordered), over=tuple(single))


def _lead(node: Apply, rank: int) -> tuple[tuple[Source, ...], ...]:
    """Keep the axes of a stack of matrices in front of its last `rank`."""
    return tuple(((0, axis),) for axis in range(len(node.args[0].shape) - rank))


def square(node: Apply, attributes: Attributes) -> Flow:
    """Keep the axes of a matrix whose rows and columns are the same things."""
    last = len(node.args[0].shape) - 1
    both = ((0, last - 1), (0, last))
    return Flow((*_lead(node, 2), both, both), over=both)


def determinant(node: Apply, attributes: Attributes) -> Flow:
    """Make one number of a square matrix."""
    last = len(node.args[0].shape) - 1
    return Flow(_lead(node, 2), inside=(((0, last - 1), (0, last)),))


def diagonal(node: Apply, attributes: Attributes) -> Flow:
    """Let rows and columns meet."""
    last = len(node.args[0].shape) - 1
    return Flow((*_lead(node, 2), ((0, last - 1), (0, last))))


def diagonal_matrix(node: Apply, attributes: Attributes) -> Flow:
    """Let a vector's axis be rows and columns."""
    last = len(node.args[0].shape) - 1
    return Flow((*_lead(node, 1), ((0, last),), ((0, last),)))


def solution(node: Apply, attributes: Attributes) -> Flow:
    """Let the rows of `a @ x = b` be those of `b`, and the columns of `a` those of the solution."""
    a, b = (len(arg.shape) for arg in node.args)
    if a != 2 or b > 2:
        return unknown(node)
    columns: tuple[tuple[Source, ...], ...] = (((1, 1),),) if b == 2 else ()
    return Flow((((0, 1),), *columns), inside=(((0, 0), (1, 0)),), over=((0, 1),))


def quadratic(node: Apply, attributes: Attributes) -> Flow:
    """Multiply a matrix by a vector from both sides."""
    return Flow((), inside=(((0, 0), (0, 1), (1, 0)),))


def kernel(node: Apply, attributes: Attributes) -> Flow:
    """Compare every position with every other."""
    first = ((0, 0),)
    return Flow((first, first)) if len(node.shape) == 2 else unknown(node)


def picked(node: Apply, attributes: Attributes) -> Flow:
    """Give each row an element of its last axis: rows stay, and the last axis is read by position."""
    rank = len(node.shape)
    rows, at = len(node.args[0].shape) - 1, len(node.args[1].shape)
    along = tuple(
        tuple((k, axis - rank + own) for k, own in ((0, rows), (1, at)) if axis - rank + own >= 0)
        for axis in range(rank)
    )
    return Flow(along, by_position=((0, rows),))
