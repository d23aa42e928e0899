"""Lists: expressions written one by one in a Python loop, and stacked, become one expression over vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Graph, Law
from scistan.graph.node import Apply, Data, Literal, Node
from scistan.graph.places import copy_places
from scistan.graph.walk import rebuild, topological
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.declaration import Op
from scistan.ops.items import FULL
from scistan.passes.batching import Batched, CannotBatch
from scistan.passes.slots import Template, batched, columns_of, form_of, runs_along, size_of
from scistan.shapes import ONE, SizeTable, broadcast, values_of

__all__ = ["gather_lists"]


def gather_lists(graph: Graph) -> Graph:
    """Rewrite what stacks expressions of one form that go through data or along an axis, element by element."""
    sizes = graph.sizes()

    def rule(node: Node, args: tuple[Node, ...]) -> Node:
        if not isinstance(node, Apply) or not isinstance(node.op, Op):
            return node
        made = node if args == node.args else node.op.build(args, dict(node.attributes))
        gathered = _gathered(made, sizes)
        copy_places(node, made if gathered is None else gathered)
        return made if gathered is None else gathered

    memo = rebuild(graph.roots, rule)
    if all(node is made for node, made in memo.items()):
        return graph
    changed = replace(graph, derived={name: memo[node] for name, node in graph.derived.items()})
    return changed.with_draws(lambda term: _met(term.law, term.law.mapped(memo.__getitem__)))


def _met(before: Law, law: Law) -> Law:
    """Say anew which lengths are equal: that of a list was a number, and is now that of what it goes through."""
    if law.args == before.args and (law.lower, law.upper) == (before.lower, before.upper):
        return law
    d: Distribution = law.distribution
    batches = [n.shape[: len(n.shape) - p.domain.event_rank] for p, n in zip(d.parameters, law.args, strict=True)]
    batches += [bound.shape for bound in (law.lower, law.upper) if bound is not None]
    _, equal = broadcast(law.shape[: len(law.shape) - d.event_rank], *batches)
    symbolic = tuple(pair for pair in law.equalities if all(size.terms for size in pair))
    return replace(law, equalities=symbolic + equal)


def _gathered(node: Apply, sizes: SizeTable) -> Node | None:
    """Give one expression for all parts of a list; None if it is no list, or its parts have no such expression."""
    if len(node.args) < 2 or not _leads(node):
        return None
    templates = [_template_of(part) for part in node.args]
    if any(template.key != templates[0].key for template in templates):
        return None
    columns = [[value for _, value in column] for column in zip(*(t.slots for t in templates), strict=True)]
    slots = dict(zip((leaf for leaf, _ in templates[0].slots), columns, strict=True))
    if not any(_goes_through(leaf, values) for leaf, values in slots.items()):
        return None
    size = size_of(slots, len(node.args))
    memo: dict[Node, Batched] = {}
    try:
        for inner in topological(node.args[:1]):
            memo[inner] = batched(inner, slots, memo, size, sizes)
    except CannotBatch:
        return None
    made = memo[node.args[0]]
    if not made.varies:
        return None
    if node.op.name == "stack":
        return made.node
    return OPS["index"].build((made.node,), {"items": (FULL, ("int", 0))})


def _leads(node: Apply) -> bool:
    """Tell whether parts lie along a first axis: stacked there, or pieces of length 1 in a row."""
    axis: Any = dict(node.attributes).get("axis")
    if node.op.name == "stack":
        return axis == -len(node.shape) and len({values_of(part.shape) for part in node.args}) == 1
    return node.op.name == "concatenate" and all(part.shape == (ONE,) for part in node.args)


def _template_of(part: Node) -> Template:
    template = Template()
    numbers: dict[Node, int] = {}
    for node in topological([part]):
        template.key.append(form_of(node, numbers, template))
        numbers[node] = len(numbers)
    return template


def _goes_through(leaf: Node, values: list[Any]) -> bool:
    """Tell whether a list runs through numbers, of the data or of Python, or along an axis from end to end."""
    if isinstance(leaf, Data | Literal):
        return any(value is not values[0] for value in values)
    return any(runs_along(column, axis) for axis, column in columns_of(leaf, values))
