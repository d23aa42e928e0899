"""Vectorize: observations written one by one in a Python loop become one statement over vectors."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Draw, Graph, Term
from scistan.graph.node import Apply, Data, Gathered, Literal, Node
from scistan.graph.walk import topological
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.shapes import DATA, Size

__all__ = ["vectorize"]

FEWEST = 2  # terms that make a group


@dataclass(slots=True)
class _Template:
    """The form of a scalar term: its key, and what differs between the terms of that form."""

    key: list[Hashable] = field(default_factory=list)
    slots: list[tuple[Node, object]] = field(default_factory=list)  # (node, scalar data or position)


def vectorize(graph: Graph) -> Graph:
    """Gather scalar observations of one form; what differs between them becomes vectors."""
    groups: dict[tuple[Hashable, ...], list[tuple[Term, _Template]]] = {}
    for term in graph.terms:
        template = _template_of(term)
        if template is not None:
            groups.setdefault(tuple(template.key), []).append((term, template))
    merged: dict[Term, Term | None] = {}
    names = dict(graph.data_names)
    for members in groups.values():
        if len(members) >= FEWEST:
            first, *others = [term for term, _ in members]
            merged[first] = _merge(members, names)
            merged.update(dict.fromkeys(others))
    if not merged:
        return graph
    terms = [merged.get(term, term) for term in graph.terms]
    return replace(graph, terms=tuple(t for t in terms if t is not None), data_names=names)


def _template_of(term: Term) -> _Template | None:
    """Walk a scalar term; None if it cannot be one of many."""
    draw = term.draw
    d: Distribution = draw.distribution
    if not isinstance(term.value, Data) or draw.shape or d.event_rank or draw.constraint is not None:
        return None
    if any(p.domain.event_rank or p.domain.structure == "size" for p in d.parameters):
        return None
    template = _Template([d.name, draw.lower is None, draw.upper is None])
    numbers: dict[Node, int] = {}
    for node in topological(draw.inputs):
        form = _form_of(node, numbers, template)
        if form is None:
            return None
        numbers[node] = len(numbers)
        template.key.append(form)
    template.key.append(tuple(numbers[node] for node in draw.inputs))
    return template


def _form_of(node: Node, numbers: dict[Node, int], template: _Template) -> Hashable | None:
    if isinstance(node, Data):
        if node.shape:
            return ("data", node)
        template.slots.append((node, node))
        return "slot"
    if not isinstance(node, Apply):
        return ("leaf", node)
    if _position(node) is not None:
        template.slots.append((node, _position(node)))
        return ("element", numbers[node.args[0]])
    if node.shape and any(_varies(arg) for arg in topological([node])):
        return None  # a vector made of what differs: no elementwise form over terms
    return (node.op, tuple(numbers[arg] for arg in node.args), node.attributes)


def _varies(node: Node) -> bool:
    return (isinstance(node, Data) and not node.shape) or (isinstance(node, Apply) and _position(node) is not None)


def _position(node: Apply) -> object | None:
    """Give where in a vector `node` picks one element: a whole number or a scalar of the data."""
    if node.op.name != "index" or node.shape or len(node.args[0].shape) != 1:
        return None
    items: Any = dict(node.attributes)["items"]
    kind = items[0][0]
    return items[0][1] if kind == "int" else node.args[1] if kind == "array" else None


def _merge(members: list[tuple[Term, _Template]], names: dict[Data, str]) -> Term:
    (first, template), *_ = members
    size = Size.new(len(members), rank=DATA)
    slots = list(zip(*(t.slots for _, t in members), strict=True))
    memo: dict[Node, Node] = {}
    for (node, _), column in zip(template.slots, slots, strict=True):
        values = [value for _, value in column]
        if all(value == values[0] for value in values):
            continue  # the same for every term
        memo[node] = _gathered(values, size) if isinstance(node, Data) else _elements(node, values, size)
    for node in topological(first.draw.inputs):
        if node not in memo:
            memo[node] = _rebuilt(node, memo)
    value = _gathered([term.value for term, _ in members], size)
    names[value] = _stem([term.name for term, _ in members])
    draw: Draw = replace(first.draw.mapped(memo.__getitem__), shape=(size,))
    return Term(names[value], value, draw)


def _gathered(values: list[object], size: Size) -> Gathered:
    return Gathered(tuple(value for value in values if isinstance(value, Node)), size)


def _elements(node: Node, positions: list[object], size: Size) -> Node:
    """Pick many elements of a vector at once."""
    base = node.args[0]
    if all(isinstance(p, int) for p in positions):
        array = np.array(positions)
        array.setflags(write=False)
        where: Data = Data(array, (size,), integer=True)
    else:
        where = _gathered([p if isinstance(p, Node) else Literal(int(str(p))) for p in positions], size)
    return OPS["index"].build((base, where), {"items": (("array", 1),)})


def _rebuilt(node: Node, memo: dict[Node, Node]) -> Node:
    if not isinstance(node, Apply) or not isinstance(node.op, Op):
        return node
    args = tuple(memo[arg] for arg in node.args)
    return node if args == node.args else node.op.build(args, dict(node.attributes))


def _stem(names: list[str]) -> str:
    """Name a group after what its names share: y_0, y_1, … are y."""
    shared = names[0]
    for name in names[1:]:
        while not name.startswith(shared):
            shared = shared[:-1]
    return shared.rstrip("_0123456789") or "observed"
