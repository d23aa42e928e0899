"""Find what a joint mode misleads about: parameters that govern many effects, those effects, and what hangs on them.

The mode is taken over a group's scale and all its members at once, and there the scale can be several times what the
data say, or nothing: its posterior integrates the members out.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from math import prod

from scistan.distributions.standard import frame_of
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply, Node, Variable
from scistan.graph.walk import has_latents, topological

__all__ = ["Joint", "find_joint", "scaled_by_hand"]

_PRODUCTS = frozenset({"multiply", "matmul", "divide"})


@dataclass(frozen=True, slots=True)
class Joint:
    """Latents that govern others, the effects they govern, and every quantity whose number depends on either."""

    governing: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    hanging: frozenset[str] = frozenset()


def find_joint(instance: Instance, integrated: Container[str] = ()) -> Joint:
    """Read it off the graph: effects are latents with several numbers whose spread is latent and which stay."""
    graph = instance.graph
    terms: dict[Node, Term] = {term.value: term for term in graph.latents}
    free = {value: term for value, term in terms.items() if term.name not in integrated}
    many = {value for value, term in free.items() if prod(instance.shape(term.law.shape)) > 1}
    if not many:
        return Joint()
    above = {value: _latents(term.law.inputs) for value, term in terms.items()}
    effects = {value for value in many if _spread_is_latent(terms[value].law)}
    governing: set[Node] = set().union(*(above[value] for value in effects))
    for scale, scaled in _scaled(instance, terms, many - effects):
        governing.add(scale)
        effects.add(scaled)
    if not effects:
        return Joint()
    for term in reversed(graph.latents):  # what governs those that govern
        if term.value in governing:
            governing |= above[term.value]
    bad = governing | effects
    for term in graph.latents:
        if above[term.value] & bad:
            bad.add(term.value)
    hanging = {terms[value].name for value in bad}
    hanging |= {name for name, node in graph.derived.items() if _latents([node]) & bad}
    above_all, below = (tuple(t.name for t in graph.latents if t.value in some) for some in (governing, effects))
    return Joint(above_all, below, frozenset(hanging))


def _spread_is_latent(law: Law) -> bool:
    """Tell whether latents decide more of a distribution than where it lies: a location alone misleads nobody."""
    frame = frame_of(law)
    if frame is None:
        return any(map(has_latents, law.args))
    return any(has_latents(arg) for arg in law.args if arg is frame.scale or arg is not frame.location)


def scaled_by_hand(instance: Instance, members: set[Node]) -> set[Node]:
    """Give those of some latents, each of several numbers, that a latent of fewer multiplies: `m.scale * m.z`."""
    terms: dict[Node, Term] = {term.value: term for term in instance.graph.latents}
    many = {value for value in members if prod(instance.shape(terms[value].law.shape)) > 1}
    return {scaled for _, scaled in _scaled(instance, terms, many)}


def _latents(roots: Iterable[Node]) -> set[Node]:
    return {node for node in topological(roots) if isinstance(node, Variable)}


def _scaled(instance: Instance, terms: dict[Node, Term], members: set[Node]) -> Iterator[tuple[Node, Node]]:
    """Find scales written by hand: `m.scale * m.z`, where the one has fewer numbers than the other."""
    if not members:
        return
    graph = instance.graph
    size = {value: prod(instance.shape(term.law.shape)) for value, term in terms.items()}
    roots = [node for term in graph.terms for node in term.law.inputs] + list(graph.derived.values())
    below: dict[Node, frozenset[Node]] = {}
    for node in topological(roots):
        if isinstance(node, Variable):
            below[node] = frozenset({node})
            continue
        parts = [below[arg] for arg in node.args if below[arg]]
        below[node] = parts[0] if len(parts) == 1 else frozenset().union(*parts)
        if not isinstance(node, Apply) or node.op.name not in _PRODUCTS or len(parts) < 2:
            continue
        for one, other in (parts, parts[::-1]):
            for z in (one - other) & members:
                yield from ((h, z) for h in other - one if size[h] < size[z])
