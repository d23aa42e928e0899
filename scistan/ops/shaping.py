"""The ops that move elements without changing them: transpose, reshape, stack, concatenate, broadcast."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from scistan.graph.node import Node
from scistan.messages import expressions as messages
from scistan.messages.values import as_given
from scistan.ops import axes as flow
from scistan.ops.coerce import as_node
from scistan.ops.declaration import Attributes, Never, declare
from scistan.ops.expression import Expression, build
from scistan.ops.tables import READERS
from scistan.shapes import ONE, Equality, LengthRule, Shape, Size, SizeConflict, broadcast, values_of

Rule = tuple[Shape, tuple[Equality, ...]]


def _transpose_shape(shapes: tuple[Shape, ...], attributes: Attributes) -> Rule:
    order: Any = attributes["order"]
    return tuple(shapes[0][axis] for axis in order), ()


def _transpose(xp: Any, x: Any, *, order: tuple[int, ...]) -> Any:
    lead = x.ndim - len(order)
    full = (*range(lead), *(axis + x.ndim for axis in order))
    return xp.permute(x, full) if xp.__name__ == "torch" else xp.transpose(x, full)


def _transpose_back(upstream: Expression, _: Expression, x: Expression, order: tuple[int, ...]) -> tuple[Expression]:
    rank = len(order)
    back = sorted(range(rank), key=lambda at: order[at] + rank)
    return (transpose(upstream, back),)


TRANSPOSE = declare("transpose", "The axes in another order.", numpy=_transpose, torch=_transpose,
                    shape=_transpose_shape, axes=flow.transposed, integer=True, latex="{0}^T",
                    gradient=_transpose_back, carries=True)


def transpose(x: object, axes: Sequence[int] | None = None) -> Expression:
    """Reorder the axes; reversed when `axes` is not given."""
    node = as_node(x)
    rank = len(node.shape)
    try:
        order = tuple(range(rank))[::-1] if axes is None else tuple(operator.index(axis) for axis in axes)
    except TypeError:
        raise messages.bad_axis("transpose", axes, rank) from None
    if not all(-rank <= axis < rank for axis in order) or sorted(axis % rank for axis in order) != list(range(rank)):
        raise messages.bad_axis("transpose", order, rank)
    if [axis % rank for axis in order] == list(range(rank)):  # so that a matrix transposed is always turned
        return Expression(node)
    return build(TRANSPOSE, Expression(node), order=tuple(axis % rank - rank for axis in order))


def _reshape_shape(_: tuple[Shape, ...], attributes: Attributes) -> Rule:
    shape: Any = attributes["shape"]
    return shape, ()


def _reshape(xp: Any, x: Any, *, shape: tuple[int, ...], rank: int) -> Any:
    lead = x.shape[: x.ndim - rank]
    return xp.reshape(x, (*lead, *shape))


RESHAPE = declare("reshape", "The same elements, row by row, in another shape.", numpy=_reshape, torch=_reshape,
                  shape=_reshape_shape, axes=flow.unknown, integer=True, carries=True,
                  gradient=lambda upstream, _, x, **__: (reshape_like(upstream, x),))


def reshape_like(x: Expression, like: Expression) -> Expression:
    """Put the elements into the shape of another value, whose lengths they keep."""
    return build(RESHAPE, x, shape=tuple(like.shape), rank=len(x.shape))


def reshape(x: object, shape: Any) -> Expression:
    """Put the elements, row by row, in another shape; one length may be -1."""
    node = as_node(x)
    asked = _lengths("reshape", shape)
    known = [_matching(s, node.shape, axis) if s != -1 else None for axis, s in enumerate(asked)]
    if known.count(None) > 1:
        shapes = [values_of(node.shape), tuple(int(s) for s in asked)]
        raise messages.bad_shapes("reshape", shapes, "only one length may be -1")
    total = node.shape[0] if len(node.shape) == 1 else Size.computed(LengthRule("product"), *node.shape)
    rest = _left_over(node.shape, total, [s for s in known if s is not None]) if None in known else total
    sizes = tuple(rest if s is None else s for s in known)
    if math.prod(values_of(sizes)) != total.today:
        raise messages.bad_shapes("reshape", [values_of(node.shape), values_of(sizes)], "the counts differ")
    return build(RESHAPE, Expression(node), shape=sizes, rank=len(node.shape))


def _lengths(name: str, shape: Any) -> tuple[int | Size, ...]:
    try:
        asked = tuple(shape) if isinstance(shape, Iterable) else (shape,)
        return tuple(s if isinstance(s, Size) else operator.index(s) for s in asked)
    except TypeError:
        raise messages.bad_shapes(name, [shape], "lengths must be whole numbers") from None


def _left_over(shape: Shape, total: Size, known: list[Size]) -> Size:
    """Give the length that -1 stands for: what the known lengths leave of the argument's own."""
    left = [s for s in shape if s != ONE]
    for size in known:
        if size in left:
            left.remove(size)
        elif size != ONE:
            return Size.computed(LengthRule("rest"), total, *known)
    return left[0] if len(left) == 1 else Size.computed(LengthRule("product"), *left) if left else ONE


def _matching(length: int | Size, shape: Shape, axis: int) -> Size:
    # A length that is one of the argument's own keeps its symbol, so that it grows with the data.
    if isinstance(length, Size):
        return length
    nearest = [*shape[axis : axis + 1], *shape]
    same = [size for size in nearest if size.today == length]
    return same[0] if same else Size.new(length, axis=axis)


def _stack_shape(shapes: tuple[Shape, ...], attributes: Attributes) -> Rule:
    shape, equal = broadcast(*shapes)
    axis: Any = attributes["axis"]
    at = axis + len(shape) + 1
    return (*shape[:at], Size(len(shapes)), *shape[at:]), equal


def _stack(xp: Any, *xs: Any, axis: int) -> Any:
    return xp.stack(_alike(xp, xs), axis)


def _alike(xp: Any, xs: Any) -> Any:
    if xp.__name__ == "torch":
        return xp.broadcast_tensors(*[xp.as_tensor(x) for x in xs])
    return xp.broadcast_arrays(*xs)


def _stack_back(upstream: Expression, _: Expression, *xs: Expression, axis: int) -> tuple[Expression, ...]:
    at = (slice(None),) * (axis + len(upstream.shape))
    return tuple(upstream[(*at, k)] for k in range(len(xs)))


STACK = declare("stack", "Values side by side along a new axis.", arity=None, numpy=_stack, torch=_stack,
                shape=_stack_shape, axes=flow.stacked, integer=True, gradient=_stack_back, carries=True)


def stack(values: Sequence[object], axis: int = 0) -> Expression:
    """Put values of one shape side by side along a new axis."""
    nodes = _nodes("stack", values)
    if not nodes:
        raise messages.bad_shapes("stack", [], "nothing to stack")
    shapes = [values_of(n.shape) for n in nodes]
    if len(set(shapes)) > 1:
        raise messages.stacked_unequal(list(dict.fromkeys(shapes)))
    rank = len(shapes[0]) + 1
    return build(STACK, *map(Expression, nodes), axis=_axis("stack", axis, rank))


def _nodes(name: str, values: object) -> list[Node]:
    """Read a list of values."""
    try:
        given = list(values)  # type: ignore[call-overload]
    except TypeError:
        raise messages.bad_shapes(name, [], "it takes a list of values") from None
    return [as_node(value) for value in given]


def _axis(name: str, axis: object, rank: int) -> int:
    """Read an axis, and count it from the last."""
    try:
        at = operator.index(axis)  # type: ignore[arg-type]
    except TypeError:
        raise messages.bad_axis(name, axis, rank) from None
    if not -rank <= at < rank:
        raise messages.bad_axis(name, at, rank)
    return at % rank - rank


def _concatenate_shape(shapes: tuple[Shape, ...], attributes: Attributes) -> Rule:
    axis: Any = attributes["axis"]
    ranks = {len(s) for s in shapes}
    if len(ranks) > 1 or 0 in ranks:
        raise messages.bad_shapes("concatenate", [values_of(s) for s in shapes], "equal numbers of axes are needed")
    total = Size()
    for shape in shapes:
        total = total + shape[axis]
    rank = len(shapes[0])
    result: list[Size] = []
    equal: list[Equality] = []
    for at in range(rank):
        if at - rank == axis:
            result.append(total)
            continue
        first = shapes[0][at]
        for other in shapes[1:]:
            if other[at].today != first.today:
                raise SizeConflict(first, other[at])
            if other[at] != first:
                equal.append((first, other[at]))
        result.append(first)
    return tuple(result), tuple(equal)


def _concatenate(xp: Any, *xs: Any, axis: int) -> Any:
    lead = max(xs, key=lambda x: x.ndim).shape[:1]
    deepest = max(x.ndim for x in xs)
    full = [x if x.ndim == deepest else xp.broadcast_to(x, (*lead, *x.shape)) for x in xs]
    return xp.concatenate(full, axis)


def _concatenate_back(upstream: Expression, _: Expression, *xs: Expression, axis: int) -> tuple[Expression, ...]:
    at = (slice(None),) * (axis + len(upstream.shape))
    start, found = Size(), []
    for x in xs:
        stop = start + x.shape[axis]
        found.append(upstream[(*at, slice(start, stop))])
        start = stop
    return tuple(found)


CONCATENATE = declare("concatenate", "Values one after the other along an axis.", arity=None, numpy=_concatenate,
                      torch=_concatenate, shape=_concatenate_shape, axes=flow.joined, integer=True,
                      gradient=_concatenate_back, carries=True)


def concatenate(values: Sequence[object], axis: int = 0) -> Expression:
    """Put values one after the other along an axis they have."""
    nodes = _nodes("concatenate", values)
    if not nodes:
        raise messages.bad_shapes("concatenate", [], "nothing to concatenate")
    rank = len(nodes[0].shape)
    return build(CONCATENATE, *map(Expression, nodes), axis=_axis("concatenate", axis, rank))


def _broadcast_shape(shapes: tuple[Shape, ...], attributes: Attributes) -> Rule:
    target: Any = attributes["shape"]
    shape, equal = broadcast(shapes[0], target)
    if values_of(shape) != values_of(target):
        raise SizeConflict(Size(len(shape)), Size(len(target)))
    return shape, equal


def _broadcast_to(xp: Any, x: Any, *, shape: tuple[int, ...], rank: int) -> Any:
    lead = tuple(x.shape[: x.ndim - rank])
    widened = xp.reshape(x, lead + (1,) * (len(shape) - rank) + tuple(x.shape[len(lead):]))
    return xp.broadcast_to(widened, (*lead, *shape))


BROADCAST = declare("broadcast_to", "The value repeated to a larger shape.", numpy=_broadcast_to,
                    torch=_broadcast_to, shape=_broadcast_shape, axes=flow.repeated, integer=True, carries=True,
                    gradient=lambda upstream, _, x, **__: (upstream,))


def broadcast_to(x: object, shape: Any) -> Expression:
    """Repeat a value to a larger shape, as in NumPy."""
    node = as_node(x)
    asked = _lengths("broadcast_to", shape)
    lead = len(asked) - len(node.shape)
    sizes = tuple(
        s if isinstance(s, Size)
        else node.shape[axis - lead] if axis >= lead >= 0 and node.shape[axis - lead].today == s
        else Size.new(s, axis=axis)
        for axis, s in enumerate(asked)
    )
    return build(BROADCAST, Expression(node), shape=sizes, rank=len(node.shape))


def arange(length: object) -> Expression:
    """Count 0, 1, 2, … up to a length that may follow the data.

    >>> from scistan.ops.shaping import arange
    >>> arange(3).shape
    (3,)
    """
    sizes = _lengths("arange", length)
    if len(sizes) != 1:
        raise messages.bad_shapes("arange", [], f"it counts up to one length, and was given {as_given(length)}")
    size = sizes[0]
    size = size if isinstance(size, Size) else Size.new(size)
    return build(ARANGE, size, size=size)


def _arange(xp: Any, length: Any, *, size: int) -> Any:
    if xp.__name__ == "torch":
        return xp.arange(size, dtype=length.dtype, device=length.device)
    return xp.arange(size)


ARANGE = declare("arange", "0, 1, 2, … up to a length.", numpy=_arange, torch=_arange, integer=True,
                 shape=lambda _, attributes: ((attributes["size"],), ()), axes=flow.unknown,
                 gradient=Never("lengths are whole numbers"))


READERS["list"] = lambda values: as_node(stack(values))
