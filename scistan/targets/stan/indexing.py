"""Indexing in Stan: multi-indices where its types have them, else one element at a time."""

from __future__ import annotations

from typing import Any

from scistan.graph.node import Apply, Node
from scistan.ops.items import FULL
from scistan.shapes import ONE, Shape, Size, broadcast
from scistan.targets.stan.fill import zeros
from scistan.targets.stan.lower import NeedsStatements, Scope, canonical_type
from scistan.targets.stan.lowered import Lowered
from scistan.targets.stan.syntax import (
    ATOM,
    MATRIX,
    POSTFIX,
    REAL,
    VECTOR,
    Expr,
    PlusAssign,
    Type,
    array_of,
    call,
    name,
)

__all__ = ["lower_index", "lower_pick", "lower_scatter", "picked_vector"]

Item = tuple[Any, ...]


def position(scope: Scope, node: Node, axis: Size) -> Expr:
    """Read positions along an axis; they come from the data, counted from 1."""
    return scope.writer.entries.index(node, axis)


def lower_index(scope: Scope, node: Apply) -> Lowered:
    """Lower an index expression."""
    base = node.args[0]
    items, axes, positions = _read(scope, node, base.shape)

    def element(indices: tuple[str, ...]) -> Expr:
        return scope.element(base, _base_indices(scope, node, items, axes, positions, indices))

    whole = _whole_index(scope, node, items, axes, positions)
    return Lowered(whole, element, 0 if whole is not None else 1)


def picked_vector(scope: Scope, node: Node, at: str) -> Expr | None:
    """Give one of the vectors that positions pick from a stack of vectors, `P[index[n]]`; None for anything else."""
    if not isinstance(node, Apply) or node.op.name != "index" or scope._lower(node.args[0]).whole is None:
        return None
    items: tuple[Item, ...] = dict(node.attributes)["items"]  # type: ignore[assignment]
    stack = scope.whole(node.args[0])
    if items != (("array", 1), FULL) or stack.type != array_of(VECTOR):
        return None
    picked = position(scope, node.args[1], node.args[0].shape[0]).at(at)
    return (stack if stack.is_name else scope.named(node.args[0])).at(picked.text)


def _read(
    scope: Scope, node: Apply, shape: Shape
) -> tuple[tuple[Item, ...], list[Size | None], list[Expr | None]]:
    """Give the items of an index, the axis of `shape` that each takes, and the positions of those that have some."""
    items: tuple[Item, ...] = dict(node.attributes)["items"]  # type: ignore[assignment]
    base_axes = iter(shape)
    axes = [None if item[0] == "new" else next(base_axes) for item in items]
    waiting = iter(node.args[1:])
    positions = [
        position(scope, next(waiting), axis) if item[0] == "array" and axis is not None else None
        for item, axis in zip(items, axes, strict=True)
    ]
    return items, axes, positions


def lower_scatter(scope: Scope, node: Apply) -> Lowered:
    """Add values one by one to zeros, each where the index of these items would take it from."""
    if scope.expressions_only:
        raise NeedsStatements
    values = node.args[0]
    items, axes, positions = _read(scope, node, node.shape)
    source = scope.named(values) if values.shape else scope.whole(values)
    variable = name(scope.claim(node), canonical_type(node.shape))
    indices = tuple(scope.writer.names.claim_index(k) for k in range(len(values.shape)))
    place = variable.at(*_base_indices(scope, node, items, axes, positions, indices))
    added = source.at(*indices) if indices else source
    scope.statements += zeros(scope.writer.sizes, variable, node)
    scope.statements += scope.loops(values.shape, indices, (PlusAssign(place.text, added.text, node),))
    return Lowered(variable, lambda keys: variable.at(*keys))


def _key(scope: Scope, item: Item, axis: Size, where: Expr | None) -> str | None:
    """Write one item as a Stan index; None where Stan has no such index."""
    sizes = scope.writer.sizes
    if item[0] == "int":
        return str(item[1] + 1) if item[1] >= 0 else sizes.text(axis + (item[1] + 1))
    if item[0] == "array":
        return where.text if where is not None and where.type.rank <= 1 else None
    start, stop, step = item[1:]
    if step not in (None, 1) or (start or 0) > axis.today or (stop or 0) > axis.today:
        return None
    first = "" if not start else str(start + 1) if start > 0 else sizes.text(axis + (start + 1))
    last = "" if stop is None else str(stop) if stop >= 0 else sizes.text(axis + stop)
    return ":" if not first and not last else f"{first}:{last}"


def _whole_index(
    scope: Scope, node: Apply, items: tuple[Item, ...], axes: list[Size | None], positions: list[Expr | None]
) -> Expr | None:
    base = node.args[0]
    if any(item[0] == "new" for item in items):
        return _new_axis(scope, node, items)
    keys = [_key(scope, i, a, p) for i, a, p in zip(items, axes, positions, strict=True) if a is not None]
    several = sum(p is not None and p.type.rank > 0 for p in positions)
    lowered = scope._lower(base).whole
    if lowered is None or any(k is None for k in keys) or several > 1 or len(node.shape) > 2:
        return None
    if several and lowered.type == array_of(VECTOR):  # which stanli does not read
        return None
    if len(keys) > 2 or (lowered.type.arrays and lowered.type != array_of(VECTOR)):
        return scope.named(base).at(*(k or "" for k in keys)) if not node.shape else None
    while len(keys) > 1 and keys[-1] == ":":
        keys.pop()
    source = lowered if lowered.is_name else scope.named(base)
    text = f"{source.text}[{', '.join(k or '' for k in keys)}]"
    return _typed(text, source.type, items, positions, node)


def _typed(text: str, source: Type, items: tuple[Item, ...], positions: list[Expr | None], node: Apply) -> Expr:
    rank = len(node.shape)
    if rank == 0:
        return Expr(text, REAL)
    if source == array_of(VECTOR):
        if rank == 1 and not _is_single(items[0], positions[0]):
            return call("to_vector", [text], VECTOR)  # an element of each vector: an array of numbers
        return Expr(text, VECTOR if rank == 1 else array_of(VECTOR))
    if source == MATRIX and rank == 1 and _is_single(items[0], positions[0]):
        return Expr(f"{text}'", VECTOR, POSTFIX)  # a row of a matrix lies down
    return Expr(text, canonical_type(node.shape), ATOM)


def _is_single(item: Item, where: Expr | None) -> bool:
    return item[0] == "int" or (item[0] == "array" and where is not None and where.type.rank == 0)


def _new_axis(scope: Scope, node: Apply, items: tuple[Item, ...]) -> Expr | None:
    base = node.args[0]
    sizes = scope.writer.sizes
    if len(base.shape) == 0 and len(node.shape) == 1:
        return Expr(f"[{scope.whole(base).text}]'", VECTOR, POSTFIX)
    if items in ((FULL, ("new",)), (("new",), FULL)):
        rows, columns = (sizes.text(s) for s in node.shape)
        return call("to_matrix", [scope.whole(base), rows, columns], MATRIX)
    return None


def _base_indices(
    scope: Scope,
    node: Apply,
    items: tuple[Item, ...],
    axes: list[Size | None],
    positions: list[Expr | None],
    indices: tuple[str, ...],
) -> tuple[str, ...]:
    """Translate indices into the result to indices into what is indexed."""
    arrays = node.args[1:]
    united = broadcast(*(a.shape for a in arrays))[0] if arrays else ()
    advanced = [k for k, item in enumerate(items) if item[0] in ("array", "int")]
    scattered = bool(arrays) and advanced[-1] - advanced[0] != len(advanced) - 1
    remaining = list(indices)
    if scattered:
        shared, remaining = remaining[: len(united)], remaining[len(united) :]
    else:
        shared = []
    result: list[str] = []
    waiting = iter(arrays)
    taken = scattered or not arrays
    for item, axis, where in zip(items, axes, positions, strict=True):
        if item[0] == "new":
            remaining.pop(0)
        elif axis is None:
            continue
        elif item[0] == "int":
            result.append(_key(scope, item, axis, None) or "")
        elif item[0] == "array":
            if not taken:
                shared, remaining = remaining[: len(united)], remaining[len(united) :]
                taken = True
            shape = next(waiting).shape
            own = shared[len(shared) - len(shape) :]
            keys = tuple("1" if s == ONE else i for s, i in zip(shape, own, strict=True))
            result.append(where.at(*keys).text if where is not None else "")
        else:
            result.append(_slice_position(scope, item, axis, remaining.pop(0)))
    return tuple(result)


def _slice_position(scope: Scope, item: Item, axis: Size, index: str) -> str:
    """Give where the `index`-th element of a slice lies."""
    start, _, step = item[1:]
    step = step or 1
    sizes = scope.writer.sizes
    if start is None:
        first = "1" if step > 0 else sizes.text(axis)
    else:
        first = str(min(start, axis.today) + 1) if start >= 0 else sizes.text(axis + (start + 1))
    if first == "1" and step == 1:
        return index
    if step == 1:
        return f"{index} + {int(first) - 1}" if first.isdigit() else f"{index} + {first} - 1"
    sign = "+" if step > 0 else "-"
    move = f"({index} - 1)" if abs(step) == 1 else f"{abs(step)} * ({index} - 1)"
    return f"{first} {sign} {move}"


def lower_pick(scope: Scope, node: Apply) -> Lowered:
    """Lower one position per row: `x[n, position[n]]`."""
    base, where = node.args
    at = position(scope, where, base.shape[-1])
    base_batch, where_shape = base.shape[:-1], where.shape

    def element(indices: tuple[str, ...]) -> Expr:
        own = indices[len(indices) - len(where_shape) :]
        chosen = at.at(*("1" if s == ONE else i for s, i in zip(where_shape, own, strict=True)))
        rows = indices[len(indices) - len(base_batch) :]
        keys = tuple("1" if s == ONE else i for s, i in zip(base_batch, rows, strict=True))
        return scope.element(base, (*keys, chosen.text))

    whole = scope._lower(base).whole
    if whole is not None and len(base.shape) == 1 and len(where_shape) <= 1:
        source = whole if whole.is_name else scope.named(base)
        return Lowered(Expr(f"{source.text}[{at.text}]", VECTOR if where_shape else REAL), element)
    return Lowered(None, element, 1)
