"""What every graph must be, after the model is written and after each pass; a fault here is SciStan's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scistan.errors import InternalError
from scistan.graph.body import Bound, with_insides
from scistan.graph.graph import Graph
from scistan.graph.node import Apply, Data, Node, Variable, find_applied
from scistan.graph.places import first_place
from scistan.graph.text import graph_text, short_text
from scistan.graph.walk import leaves
from scistan.shapes import COMPUTED, Shape, SizeTable, values_of

__all__ = ["check"]


def check(graph: Graph) -> None:
    """Raise `InternalError` with the graph's text if a law of graphs is broken."""
    for law in (_order, _applications, _variables, _terms, _names):
        for fault, node in law(graph):
            place = None if node is None else first_place(node)
            raise InternalError(f"the graph is broken: {fault}", attachment=_text(graph), place=place)


Faults = Iterator[tuple[str, Node | None]]


def _order(graph: Graph) -> Faults:
    seen: set[Node] = set()
    for node in graph.nodes:
        if not all(arg in seen for arg in node.args):
            yield f"`{short_text(node)}` stands before its arguments", node
        seen.add(node)


def _applications(graph: Graph) -> Faults:
    table = graph.sizes()
    for node, _ in with_insides(graph.nodes):
        if isinstance(node, Bound) and node.place is None:
            yield "a value of a step stands outside of its step", node
        if not isinstance(node, Apply):
            continue
        if find_applied(node.op, node.args, node.attributes) is not node:
            yield f"`{short_text(node)}` is not the interned node", node
        op: Any = node.op
        ruled, _ = op.result_shape(tuple(arg.shape for arg in node.args), dict(node.attributes))
        if not _same_shape(node.shape, ruled, table):
            yield f"`{short_text(node)}` has shape {values_of(node.shape)}, its op's rule {values_of(ruled)}", node
        if node.integer != (op.integer and all(arg.integer for arg in node.args)):
            yield f"`{short_text(node)}` and its op disagree on whole numbers", node
        for left, right in node.equalities:
            if left.today != right.today:
                yield f"`{short_text(node)}` equates the lengths {left.today} and {right.today}", node


def _same_shape(one: Shape, other: Shape, table: SizeTable) -> bool:
    """Compare shapes up to equalities; a length that Python computes is new each time and compared by number."""
    if values_of(one) != values_of(other):
        return False
    for a, b in zip(one, other, strict=True):
        left, right = table.reduce(a), table.reduce(b)
        computed = any(symbol.rank == COMPUTED for symbol, _ in (*left.terms, *right.terms))
        if left != right and not computed:
            return False
    return True


def _variables(graph: Graph) -> Faults:
    owners = {id(term.value.owner) for term in graph.terms if isinstance(term.value, Variable)}
    counts: dict[Variable, int] = {}
    for term in graph.terms:
        if isinstance(term.value, Variable):
            counts[term.value] = counts.get(term.value, 0) + 1
    for leaf in leaves(graph.roots):
        if not isinstance(leaf, Variable):
            continue
        if leaf not in counts:
            yield f"the variable `{leaf.name}` has no distribution here", leaf
        elif counts[leaf] > 1:
            yield f"the variable `{leaf.name}` has {counts[leaf]} distributions", leaf
    if len(owners) > 1:
        yield "variables of more than one model", None


def _terms(graph: Graph) -> Faults:
    known: set[Node] = set()
    for term in graph.terms:
        for leaf in leaves(term.law.inputs):
            if isinstance(leaf, Variable) and leaf not in known:
                yield f"`{term.name}` depends on `{leaf.name}`, which comes after it", term.value
        if values_of(term.value.shape) != values_of(term.law.shape):
            shapes = f"{values_of(term.value.shape)} and {values_of(term.law.shape)}"
            yield f"`{term.name}` and its distribution have shapes {shapes}", term.value
        if isinstance(term.value, Variable) and term.value.name != term.name:
            yield f"the variable `{term.value.name}` stands under the name `{term.name}`", term.value
        if term.law.noncentred and (term.is_observed or term.law.truncated or term.law.constraint is not None):
            yield f"`{term.name}` is written by a standard variable, and bounded, constrained or observed", term.value
        known.add(term.value)


def _names(graph: Graph) -> Faults:
    terms = [term.name for term in graph.terms]
    for name in {*terms, *graph.derived}:
        if terms.count(name) + (name in graph.derived) > 1:
            yield f"the name `{name}` is given twice", None
    for leaf, name in graph.data_names.items():
        if not isinstance(leaf, Data):
            yield f"`{name}` names data and is none", leaf


def _text(graph: Graph) -> str:
    try:
        return graph_text(graph)
    except Exception as error:  # a broken graph may not print; the fault itself must still be told
        return f"(it does not print: {error})"
