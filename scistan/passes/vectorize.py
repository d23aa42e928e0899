"""Vectorize: observations written one by one in a Python loop become one statement over vectors."""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Apply, Data, Gathered, Literal, Node, Variable, literal
from scistan.graph.walk import topological
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.indexing import FULL
from scistan.passes.batching import Batched, CannotBatch, batch_apply
from scistan.shapes import DATA, Size, SizeTable, values_of

__all__ = ["vectorize"]

FEWEST = 2  # terms that make a group


@dataclass(slots=True)
class _Template:
    """The form of a term: its key, and what may differ between the terms of that form."""

    key: list[Hashable] = field(default_factory=list)
    slots: list[tuple[Node, Any]] = field(default_factory=list)  # (node, the leaf itself or positions)


def vectorize(graph: Graph) -> Graph:
    """Gather observations of one form; what differs between them gets an axis over them."""
    groups: dict[tuple[Hashable, ...], list[tuple[Term, _Template]]] = {}
    for term in graph.terms:
        template = _template_of(term)
        if template is not None:
            groups.setdefault(tuple(template.key), []).append((term, template))
    merged: dict[Term, Term | None] = {}
    names = dict(graph.data_names)
    taken = {term.name for term in graph.terms} | set(graph.derived) | set(names.values())
    sizes = graph.sizes()
    for members in groups.values():
        made = _merge(members, taken, sizes) if len(members) >= FEWEST else None
        if made is not None:
            taken.add(made.name)
            *others, last = [term for term, _ in members]
            merged[last] = made  # where all that it depends on has been written
            merged.update(dict.fromkeys(others))
            if isinstance(made.value, Data):
                names[made.value] = made.name
    if not merged:
        return graph
    terms = [merged.get(term, term) for term in graph.terms]
    return replace(graph, terms=tuple(t for t in terms if t is not None), data_names=names)


# -- what terms have in common ----------------------------------------------------------------------
def _stem(name: str) -> str:
    """Name a group after what its names share: y_0, y_1, … are y."""
    return name.rstrip("0123456789").rstrip("_")


def _group_name(stem: str, taken: Container[str]) -> str:
    """Give way to the user's names, and to other groups of the same stem."""
    names = chain((stem, f"{stem}_group"), (f"{stem}_group_{k}" for k in count(2)))
    return next(name for name in names if name not in taken)


def _template_of(term: Term) -> _Template | None:
    """Walk a term of one event; None if it cannot be one of many."""
    draw = term.draw
    d: Distribution = draw.distribution
    numbered = term.name[-1].isdigit() and _stem(term.name)
    if not isinstance(term.value, Data) or not numbered or len(draw.shape) != d.event_rank:
        return None
    if draw.constraint is not None or any(p.domain.structure == "size" for p in d.parameters):
        return None
    template = _Template([_stem(term.name), d.name, draw.lower is None, draw.upper is None, values_of(draw.shape)])
    numbers: dict[Node, int] = {}
    for node in topological(draw.inputs):
        template.key.append(_form_of(node, numbers, template))
        numbers[node] = len(numbers)
    template.key.append(tuple(numbers[node] for node in draw.inputs))
    return template


def _form_of(node: Node, numbers: dict[Node, int], template: _Template) -> Hashable:
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


# -- one term for many --------------------------------------------------------------------------------
def _merge(members: list[tuple[Term, _Template]], taken: Container[str], sizes: SizeTable) -> Term | None:
    """Merge terms of one form; None where what differs has no expression over all of them."""
    (first, template), *_ = members
    columns = [[value for _, value in column] for column in zip(*(t.slots for _, t in members), strict=True)]
    slots = dict(zip((node for node, _ in template.slots), columns, strict=True))
    size = _size_of(slots, len(members))
    memo: dict[Node, Batched] = {}
    try:
        for node in topological(first.draw.inputs):
            memo[node] = _batched(node, slots, memo, size, sizes)
    except CannotBatch:
        return None
    value = Gathered(tuple(term.value for term, _ in members), size)
    draw: Draw = replace(first.draw.mapped(lambda node: memo[node].node), shape=(size, *first.draw.shape))
    return Term(_group_name(_stem(first.name), taken), value, draw)


def _batched(
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


def _size_of(slots: dict[Node, list[Any]], count: int) -> Size:
    """Give the length of the axis over terms: that of an axis which they run along from end to end, if any."""
    for node, rows in slots.items():
        for axis, column in _columns(node, rows):
            if _runs_along(column, axis):
                return axis
    return Size.new(count, rank=DATA)


def _columns(node: Node, rows: list[Any]) -> list[tuple[Size, list[Any]]]:
    if not isinstance(node, Apply):
        return []
    return list(zip(node.args[0].shape, (list(column) for column in zip(*rows, strict=True)), strict=True))


def _runs_along(column: list[Any], axis: Size) -> bool:
    """Tell whether positions are those of a whole axis in order."""
    whole_numbers = all(type(position) is int for position in column)
    return whole_numbers and len(column) == axis.today and column == list(range(len(column)))


def _elements(
    node: Node, rows: list[tuple[Any, ...]], args: list[Batched], size: Size, sizes: SizeTable
) -> Node:
    """Pick for all terms at once; positions that are the same for all stay as they are."""
    base, *computed = args
    columns = _columns(node, rows)
    varying = [k for k, (_, column) in enumerate(columns) if any(position != column[0] for position in column)]
    items = list(_items(node))
    if base.varies or FULL in items[: varying[0]]:
        raise CannotBatch  # the axis over terms would not come first
    axis, column = columns[varying[0]]
    along = sizes.reduce(axis) == sizes.reduce(size) and _runs_along(column, axis)
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
