"""Indexing and slicing with NumPy's rules; indices count from 0 here and everywhere but in Stan's text."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.errors import Place
from scistan.graph.labels import LabelsDiffer, order_of
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.messages import data as data_messages
from scistan.messages import expressions as messages
from scistan.messages.values import as_given
from scistan.ops.axes import picked, taken, unknown
from scistan.ops.coerce import as_node, read_array
from scistan.ops.declaration import Attributes, declare
from scistan.ops.elementwise import add, equal, greater, greater_equal, less, less_equal, multiply, not_equal
from scistan.ops.expression import Expression, build
from scistan.ops.items import FULL, Item, are_scattered, place_of_arrays
from scistan.ops.levels import is_factor
from scistan.ops.libraries import as_positions
from scistan.ops.scatter import POSITIONS_ARE_WHOLE, SCATTER, scattered
from scistan.shapes import ONE, Equality, LengthRule, Shape, Size, broadcast, values_of

__all__ = [
    "INDEX",
    "check_no_negative",
    "index",
    "length",
    "pick",
    "positions",
    "slice_size",
]

def index(x: object, key: Any) -> Expression:
    """Take elements of `x`: ints, slices, integer arrays, masks, `None` and `...`, as in NumPy."""
    node = as_node(x)
    asked = key if isinstance(key, tuple) else (key,)
    keys = [_plain(one, node, _axis_of(asked[:k])) for k, one in enumerate(asked)]
    items: list[Item] = []
    arrays: list[Node] = []
    axis = 0
    for one in _expanded(keys, values_of(node.shape)):
        if one is None:
            items.append(("new",))
            continue
        items.append(_item(one, node, axis, arrays))
        axis += 1
    return build(INDEX, Expression(node), *map(Expression, arrays), items=tuple(items))


def _axis_of(before: tuple[Any, ...]) -> int | None:
    """Count the axes that earlier keys take; None where `...` leaves it open."""
    return None if any(one is Ellipsis for one in before) else sum(one is not None for one in before)


def _plain(one: Any, node: Node, axis: int | None) -> Any:
    """Read a list, and a mask of any library, as a NumPy array."""
    if isinstance(one, str):
        raise messages.label_as_index(values_of(node.shape), one)
    if isinstance(one, list):  # an empty one picks nothing; NumPy alone would read it as real numbers
        return np.asarray(one, dtype=None if one else np.int64)
    if str(getattr(one, "dtype", "")) in _BOOLEAN and not isinstance(one, Expression):
        return _mask(one, node, axis)
    return one


def _mask(one: Any, node: Node, axis: int | None) -> np.ndarray:
    """Read a mask; one with labels is matched with those of the data that it picks from."""
    read = read_array(one)
    values: np.ndarray = read.values.astype(bool)
    own = read.labels[0] if values.ndim == 1 and read.labels else None
    if own is None or own.implied:
        return values
    known = node.labels[axis] if isinstance(node, Data) and axis is not None and axis < len(node.shape) else None
    if known is None and isinstance(node, Data):
        return values
    try:
        order = None if known is None else order_of(known, own)
    except LabelsDiffer:
        known = None
    if known is None:
        raise messages.labelled_mask(values_of(node.shape))
    return values if order is None else values[order]


_BOOLEAN = ("bool", "boolean", "torch.bool")  # NumPy and xarray, pandas with missing values, torch


def _is_mask(one: Any) -> bool:
    return isinstance(one, bool | np.bool_) or (isinstance(one, np.ndarray) and one.dtype.kind == "b")


def _consumed(one: Any) -> int:
    if one is None or one is Ellipsis:
        return 0
    return np.ndim(one) if _is_mask(one) else 1


def _expanded(keys: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """Write `...` and missing trailing axes as full slices, and masks as integer arrays."""
    rank, used = len(shape), sum(_consumed(one) for one in keys)
    if used > rank:
        raise messages.bad_index(shape, f"{used} indices for {rank} axes")
    dots = sum(one is Ellipsis for one in keys)
    if dots > 1:
        raise messages.bad_index(shape, "more than one `...`")
    result: list[Any] = []
    axis = 0
    for one in keys if dots else [*keys, Ellipsis]:
        if one is Ellipsis:
            result += [slice(None)] * (rank - used)
            axis += rank - used
        elif _is_mask(one):
            result += _positions_of_mask(np.asarray(one), shape, axis)
            axis += np.ndim(one)
        else:
            result.append(one)
            axis += one is not None
    return result


def _positions_of_mask(mask: np.ndarray, shape: tuple[int, ...], axis: int) -> list[np.ndarray]:
    covered = shape[axis : axis + mask.ndim]
    if not mask.ndim or mask.shape != covered:
        raise messages.bad_index(shape, f"a mask of shape {mask.shape} does not cover axes of lengths {covered}")
    return list(np.nonzero(mask))


def _item(one: Any, node: Node, axis: int, arrays: list[Node]) -> Item:
    shape = values_of(node.shape)
    if type(one) is int:
        return ("int", one)
    if isinstance(one, slice):
        bounds = tuple(None if b is None else _whole(b, shape) for b in (one.start, one.stop, one.step))
        if bounds[2] == 0:
            raise messages.bad_index(shape, "a step of 0")
        start, stop, step = _ends_on(node.shape[axis], *bounds)
        if not isinstance(start, Size) and not isinstance(stop, Size):
            return ("slice", start, stop, step)
        one = _walk(node.shape[axis], start, stop, step, shape)
    position = as_node(one)
    if _is_truth(position):
        raise messages.truth_as_index(shape, position.called if isinstance(position, Data) else "")
    if not _is_whole(position):  # a discrete latent is summed over, and any other is no whole number
        raise messages.no_whole_index(shape)
    _check_bounds(position, node.shape[axis], shape)
    arrays.append(position)
    return ("array", len(position.shape))


def _is_truth(position: Node) -> bool:
    """Tell whether an index is true and false, by how it was written: never positions by accident."""
    if isinstance(position, Apply):
        return position.op.name in _TRUTHS
    return isinstance(position, Data) and position.boolean


_TRUTHS = {op.name for op in (less, less_equal, greater, greater_equal, equal, not_equal)}


def _is_whole(position: Node) -> bool:
    """Tell whether numbers can be an index: by what they are, not by how they are stored."""
    if isinstance(position, Data) and position.default is not None:
        return bool((position.default == np.floor(position.default)).all())
    return position.integer


Bound = int | Size | None


def _whole(bound: Any, shape: tuple[int, ...]) -> Bound:
    if isinstance(bound, Size):
        return bound if bound.terms else bound.constant
    if isinstance(bound, int | np.integer):
        return int(bound)
    raise messages.bad_index(shape, f"the bound {bound!r} of a slice is not a whole number")


def _ends_on(size: Size, start: Bound, stop: Bound, step: Bound) -> tuple[Bound, Bound, int | None]:
    """Write a bound that is some steps before the axis's own end as a negative number."""

    def from_end(bound: Bound) -> Bound:
        short = bound - size if isinstance(bound, Size) else None
        return short.constant if short is not None and not short.terms and short.constant < 0 else bound

    step = None if step is None else int(step)
    if stop == size and (step is None or step > 0):
        stop = None
    return from_end(start), from_end(stop), step


def _walk(size: Size, start: Bound, stop: Bound, step: int | None, shape: tuple[int, ...]) -> Expression:
    """List the positions of a slice whose bounds follow other lengths than the axis's own."""
    from scistan.ops.shaping import arange

    def from_start(bound: Bound, otherwise: Size) -> Size:
        if bound is None:
            return otherwise
        bound = bound if isinstance(bound, Size) else Size(bound)
        return bound if bound.today >= 0 else size + bound

    first, last = from_start(start, Size()), from_start(stop, size)
    if (step or 1) != 1 or not 0 <= first.today <= last.today <= size.today:
        raise messages.bad_index(shape, "a slice between lengths of other axes must lie inside and have step 1")
    return build(add, first, arange(last - first))


def slice_size(size: Size, start: int | None, stop: int | None, step: int | None) -> Size:
    """Give the length of a slice: a linear form where its ends lie inside, else computed in Python."""
    if start is None and stop is None and step in (None, 1, -1):
        return size
    n = size.today
    begin = 0 if start is None else start
    if step in (None, 1) and -n <= begin <= n and (stop is None or -n <= stop <= n):
        first = size + begin if begin < 0 else Size(begin)
        last = size if stop is None else size + stop if stop < 0 else Size(stop)
        if (last - first).today >= 0:
            return last - first
    return Size.computed(LengthRule("slice", (start, stop, step)), size)


def _check_bounds(position: Node, size: Size, shape: tuple[int, ...]) -> None:
    if isinstance(position, Variable) and position.domain is not None:
        ends = [end for end in (position.domain.lower, position.domain.upper) if isinstance(end, int | float)]
        outside = [end for end in ends if not 0 <= end < size.today]
        if outside:
            raise messages.bad_index(
                shape, f"`{position.name}` can be {outside[0]:g}, which is outside an axis of length {size.today}"
            )
    if is_factor(position):  # coded by the levels that a model has for it, which sees to it where it is used
        return
    if isinstance(position, Data) and position.default is not None and position.default.size:
        check_no_negative(position.default, position.called)
        high = int(position.default.max())
        if high >= size.today:
            raise messages.bad_index(shape, f"{high} is outside an axis of length {size.today}")


def check_no_negative(positions: np.ndarray, name: str, place: Place | None = None) -> None:
    """Refuse negative positions in data: a missing group would silently be the last one."""
    bad = positions < 0
    if np.any(bad):
        first = [tuple(int(i) for i in at) for at in np.argwhere(bad)[:3]]
        shown = ", ".join(f"{positions[at]:g} at {list(at)}" if at else f"{positions:g}" for at in first)
        more = int(bad.sum()) - len(first)
        shown += f" and {more} more" if more > 0 else ""
        raise data_messages.negative_index(name, int(bad.sum()), int(bad.size), shown, place)


def index_shape(shapes: tuple[Shape, ...], attributes: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    items: Any = attributes["items"]
    (shape, *positions) = shapes
    united, equal = broadcast(*positions) if positions else ((), ())
    result: list[Size] = []
    axis = 0
    for item in items:
        kind = item[0]
        if kind == "new":
            result.append(ONE)
            continue
        size = shape[axis]
        axis += 1
        if kind == "slice":
            result.append(slice_size(size, *item[1:]))
        elif kind == "int" and not -size.today <= item[1] < size.today:
            raise messages.bad_index(values_of(shape), f"{as_given(item[1])} is outside an axis of length {size.today}")
    if positions:
        at = place_of_arrays(items)
        result[at:at] = united
    return tuple(result), equal


def _take(xp: Any, x: Any, *positions: Any, items: tuple[Item, ...]) -> Any:
    rank = sum(item[0] != "new" for item in items)
    lead = x.ndim - rank
    if xp is np and _whole_but_for_one(items):  # `take` is three times as fast as NumPy's general indexing
        at = next(k for k, item in enumerate(items) if item[0] == "array")
        return xp.take(x, as_positions(xp, positions[0]), axis=lead + at)
    waiting = iter(positions)
    width = max((p.ndim for p in positions), default=0)
    keys: list[Any] = []
    axis = lead
    for item in items:
        kind = item[0]
        if kind == "new":
            keys.append(None)
            continue
        if kind == "array" or (kind == "int" and positions):
            # Beside arrays NumPy counts a number as one of them, torch does not: so it becomes one.
            keys.append(_widened(xp, next(waiting) if kind == "array" else item[1], max(1, width), x))
        elif kind == "int":
            keys.append(item[1])
        elif (item[3] or 1) < 0:  # torch has no negative steps: turn the axis round and walk forwards
            n = x.shape[axis]
            walk = range(*slice(*item[1:]).indices(n))
            x = xp.flip(x, (axis,))
            start = n - 1 - walk.start
            keys.append(slice(start, start + (len(walk) - 1) * -walk.step + 1 if walk else start, -walk.step))
        else:
            keys.append(slice(*item[1:]))
        axis += 1
    taken = x[(slice(None),) * lead + tuple(keys)]
    if not positions:
        return taken
    if lead and are_scattered(items):
        taken = xp.moveaxis(taken, max(1, width), 0)
    return taken if width else xp.squeeze(taken, lead + place_of_arrays(items))


def _whole_but_for_one(items: tuple[Item, ...]) -> bool:
    """Tell whether one axis is picked from by an array and every other is kept as it is."""
    others = [item for item in items if item[0] != "array"]
    return len(others) == len(items) - 1 and all(item == FULL for item in others)


def _widened(xp: Any, position: Any, width: int, like: Any) -> Any:
    if isinstance(position, int):
        position = xp.full((1,) * width, position, **({"device": like.device} if xp.__name__ == "torch" else {}))
    position = as_positions(xp, position)
    return xp.reshape(position, (1,) * (width - position.ndim) + tuple(position.shape))


INDEX = declare("index", "Elements picked by position.", arity=None, numpy=_take, torch=_take, shape=index_shape,
                axes=taken, integer=True, gradient=scattered, carries=True)


def _pick_shape(shapes: tuple[Shape, ...], _: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    if not shapes[0]:
        raise messages.bad_index((), "a single number has no elements to pick from")
    return broadcast(shapes[0][:-1], shapes[1])


def _pick(xp: Any, x: Any, position: Any, *, ranks: tuple[int, int]) -> Any:
    position = as_positions(xp, position)
    if x.ndim == 1:
        return x[position]
    rank = max(ranks[0] - 1, ranks[1])
    lead = x.ndim - ranks[0]
    x = xp.reshape(x, (*x.shape[:lead], *(1,) * (rank - ranks[0] + 1), *x.shape[lead:]))
    lead = position.ndim - ranks[1]
    position = xp.reshape(position, (*position.shape[:lead], *(1,) * (rank - ranks[1]), *position.shape[lead:], 1))
    batch = np.broadcast_shapes(tuple(x.shape[:-1]), tuple(position.shape[:-1]))
    x = xp.broadcast_to(x, (*batch, x.shape[-1]))
    position = xp.broadcast_to(position, (*batch, 1))
    taken = xp.gather(x, -1, position) if xp.__name__ == "torch" else xp.take_along_axis(x, position, -1)
    return taken[..., 0]


def _pick_back(upstream: Expression, _: Expression, x: Expression, position: Expression,
               **__: Any) -> tuple[Expression, ...]:
    rank = len(position.shape)
    if len(x.shape) == 1:
        return (build(SCATTER, upstream, position, items=(("array", rank),), shape=tuple(x.shape), rank=rank),)
    here = build(equal, positions(x), index(position, (..., None)))
    return (build(multiply, index(upstream, (..., None)), here),)


PICK = declare("pick", "The element of the last axis at a position of its own for each row.", arity=2,
               numpy=_pick, torch=_pick, shape=_pick_shape, axes=picked, integer=True, gradient=_pick_back,
               carries=True)


def pick(x: object, position: object) -> Expression:
    """Take `x[..., position]`, one position for each row of `x` (or for many rows of one vector)."""
    table, where = as_node(x), as_node(position)
    return build(PICK, Expression(table), Expression(where), ranks=(len(table.shape), len(where.shape)))


def _positions(xp: Any, x: Any) -> Any:
    n = x.shape[-1]
    if xp.__name__ == "torch":
        return xp.arange(n, dtype=x.dtype, device=x.device).expand(x.shape)
    return xp.broadcast_to(xp.arange(n, dtype=x.dtype), x.shape)


def _positions_shape(shapes: tuple[Shape, ...], _: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    if not shapes[0]:
        raise messages.bad_index((), "a single number has no positions")
    return shapes[0], ()


POSITIONS = declare("positions", "0, 1, 2, … along the last axis.", numpy=_positions, torch=_positions,
                    shape=_positions_shape, axes=unknown, integer=True, gradient=POSITIONS_ARE_WHOLE)


def positions(x: object) -> Expression:
    """Count 0, 1, 2, … along the last axis of `x`."""
    return build(POSITIONS, x)


def length(x: object) -> Expression:
    """Give the number of elements along the last axis, as a quantity that follows the data."""
    shape = as_node(x).shape
    if not shape:
        raise messages.bad_index((), "a single number has no length")
    return Expression(as_node(shape[-1]))
