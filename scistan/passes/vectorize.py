"""Vectorize: observations written one by one in a Python loop become one statement over vectors."""

from __future__ import annotations

from collections.abc import Container, Hashable
from dataclasses import replace
from itertools import chain, count

from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.node import Data, Gathered, Node
from scistan.graph.places import copy_places
from scistan.graph.walk import topological
from scistan.passes.batching import Batched, CannotBatch
from scistan.passes.slots import Template, batched, form_of, size_of
from scistan.shapes import SizeTable, values_of

__all__ = ["stem_of", "template_of", "vectorize"]

FEWEST = 2  # terms that make a group


def vectorize(graph: Graph) -> Graph:
    """Gather observations of one form; what differs between them gets an axis over them."""
    groups: dict[tuple[Hashable, ...], list[tuple[Term, Template]]] = {}
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
def stem_of(name: str) -> str:
    """Name a group after what its names share: y_0, y_1, … are y."""
    return name.rstrip("0123456789").rstrip("_")


def _group_name(stem: str, taken: Container[str]) -> str:
    """Give way to the user's names, and to other groups of the same stem."""
    names = chain((stem, f"{stem}_group"), (f"{stem}_group_{k}" for k in count(2)))
    return next(name for name in names if name not in taken)


def _template_of(term: Term) -> Template | None:
    """Walk a term that is one of many by its name; None if it cannot be."""
    return template_of(term, stem_of(term.name)) if term.name[-1].isdigit() and stem_of(term.name) else None


def template_of(term: Term, stem: str) -> Template | None:
    """Walk an observed term of one event; None if it cannot be one of many."""
    law = term.law
    d: Distribution = law.distribution
    if not isinstance(term.value, Data) or len(law.shape) != d.event_rank:
        return None
    if law.constraint is not None or any(p.domain.structure == "size" for p in d.parameters):
        return None
    template = Template([stem, d.name, law.lower is None, law.upper is None, values_of(law.shape)])
    numbers: dict[Node, int] = {}
    for node in topological(law.inputs):
        template.key.append(form_of(node, numbers, template))
        numbers[node] = len(numbers)
    template.key.append(tuple(numbers[node] for node in law.inputs))
    return template


# -- one term for many --------------------------------------------------------------------------------
def _merge(members: list[tuple[Term, Template]], taken: Container[str], sizes: SizeTable) -> Term | None:
    """Merge terms of one form; None where what differs has no expression over all of them."""
    (first, template), *_ = members
    columns = [[value for _, value in column] for column in zip(*(t.slots for _, t in members), strict=True)]
    slots = dict(zip((node for node, _ in template.slots), columns, strict=True))
    size = size_of(slots, len(members))
    memo: dict[Node, Batched] = {}
    try:
        for node in topological(first.law.inputs):
            memo[node] = batched(node, slots, memo, size, sizes)
    except CannotBatch:
        return None
    value = Gathered(tuple(term.value for term, _ in members), size)
    law: Law = replace(first.law.mapped(lambda node: memo[node].node), shape=(size, *first.law.shape))
    copy_places(first.value, value)
    users = tuple(name for term, _ in members for name in term.users)
    return Term(_group_name(stem_of(first.name), taken), value, law, users)
