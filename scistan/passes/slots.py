"""What differs between expressions of one form: their leaves and positions, each with an axis over them all."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from scistan.graph.node import Apply, Data, Gathered, Literal, Node, Variable, literal
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.items import FULL
from scistan.passes.batching import Batched, CannotBatch, batch_apply
from scistan.shapes import DATA, Size, SizeTable, values_of

__all__ = ["Template", "batched", "columns_of", "form_of", "runs_along", "size_of"]


@dataclass(slots=True)
class Template:
    """The form of an expression: its key, and what may differ between those of that form."""

    key: list[Hashable] = field(default_factory=list)
    slots: list[tuple[Node, Any]] = field(default_factory=list)  # (node, the leaf itself or positions)


def form_of(node: Node, numbers: dict[Node, int], template: Template) -> Hashable:
    if isinstance(node, Data):
        template.slots.append((node, node))
        return ("data", values_of(node.shape), node.integer)
    if isinstance(node, Variable | Literal) and not node.shape:
        template.slots.append((node, node))
        return "latent" if isinstance(node, Variable) else "literal"
    if not isinstance(node, Apply):
        return ("leaf", node)
    arguments = tuple(numbers[arg] for arg in node.args)
    if _positions(node) is not None:
        template.slots.append((node, _positions(node)))
        return ("element", arguments, tuple(item[0] == "slice" for item in _items(node)))
    return (node.op, arguments, node.attributes)


def _items(node: Node) -> tuple[tuple[Any, ...], ...]:
    items: Any = dict(node.attributes)["items"] if isinstance(node, Apply) else ()
    return items  # type: ignore[no-any-return]


def _positions(node: Apply) -> tuple[object, ...] | None:
    """Give where `node` picks, item by item: a whole number, a scalar of the data, or None for a full slice."""
    if node.op.name != "index":
        return None
    waiting = iter(node.args[1:])
    found: list[object] = []
    for item in _items(node):
        if item[0] == "int":
            found.append(item[1])
        elif item[0] == "array" and item[1] == 0:
            found.append(next(waiting))
        elif item == FULL:
            found.append(None)
        else:
            return None
    return tuple(found) if any(position is not None for position in found) else None


def batched(
    node: Node, slots: dict[Node, list[Any]], memo: dict[Node, Batched], size: Size, sizes: SizeTable
) -> Batched:
    values = slots.get(node)
    if values is None or all(value == values[0] for value in values):
        if isinstance(node, Apply):
            return batch_apply(node, [memo[arg] for arg in node.args], size)
        return Batched(node, len(node.shape), varies=False)
    if isinstance(node, Variable):
        made: Node = OPS["stack"].build(tuple(values), {"axis": -1})
    elif isinstance(node, Data | Literal):
        made = Gathered(tuple(values), size)
    else:
        made = _elements(node, values, [memo[arg] for arg in node.args], size, sizes)
    return Batched(made, len(node.shape), varies=True)


def size_of(slots: dict[Node, list[Any]], count: int) -> Size:
    """Give the length of the axis over terms: that of an axis which they run along from end to end, if any."""
    for node, rows in slots.items():
        for axis, column in columns_of(node, rows):
            if runs_along(column, axis):
                return axis
    return Size.new(count, rank=DATA)


def columns_of(node: Node, rows: list[Any]) -> list[tuple[Size, list[Any]]]:
    if not isinstance(node, Apply):
        return []
    return list(zip(node.args[0].shape, (list(column) for column in zip(*rows, strict=True)), strict=True))


def runs_along(column: list[Any], axis: Size) -> bool:
    """Tell whether positions are those of a whole axis in order."""
    whole_numbers = all(type(position) is int for position in column)
    return whole_numbers and len(column) == axis.today and column == list(range(len(column)))


def _elements(
    node: Node, rows: list[tuple[Any, ...]], args: list[Batched], size: Size, sizes: SizeTable
) -> Node:
    """Pick for all terms at once; positions that are the same for all stay as they are."""
    base, *computed = args
    columns = columns_of(node, rows)
    varying = [k for k, (_, column) in enumerate(columns) if any(position != column[0] for position in column)]
    items = list(_items(node))
    if base.varies or FULL in items[: varying[0]]:
        raise CannotBatch  # the axis over terms would not come first
    axis, column = columns[varying[0]]
    along = sizes.reduce(axis) == sizes.reduce(size) and runs_along(column, axis)
    if len(varying) == 1 and along:
        items[varying[0]] = FULL
    if all(item == FULL for item in items):
        return base.node
    waiting = iter(computed)
    arrays: list[Node] = []
    for k, (item, (_, column)) in enumerate(zip(items, columns, strict=True)):
        if item[0] == "array":  # positions that are data, or computed from data
            arrays.append(next(waiting).node)
        elif item != FULL and k in varying:
            arrays.append(Gathered(tuple(map(literal, column)), size))
        if item != FULL and k in varying:
            items[k] = ("array", 1)
    return OPS["index"].build((base.node, *arrays), {"items": tuple(items)})
