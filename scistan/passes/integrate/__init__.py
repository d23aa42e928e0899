"""Integrate normal latents out of a model's density, exactly: those that normal values are linear in.

What is left is a model of fewer latents, for these data alone; those that are gone are drawn again given the others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from scistan.distributions.declaration import Distribution, Parameter
from scistan.distributions.rule import pieces_of
from scistan.domains import REAL, Domain
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.walk import leaves
from scistan.ops.expression import Expression
from scistan.passes.integrate.layers import Layer, is_improper, is_normal, layers_of
from scistan.passes.integrate.linear import LinearReader, NotLinear, Numbers
from scistan.passes.integrate.marginal import log_marginal
from scistan.passes.integrate.quadratic import Tables, quadratic_of
from scistan.passes.integrate.rank import has_full_rank
from scistan.passes.integrate.statistics import Statistics, gather
from scistan.passes.integrate.structure import Structure, find_structure

__all__ = ["Integrated", "integrable", "integrate"]


@dataclass(frozen=True, slots=True, eq=False)
class Integrated:
    """Latents that were integrated out together, and what draws them again.

    `locations` are what those latents were read from, `layers` the normal terms that they are in, whose names are
    `children`; `carrier` is the term that has the integral for its density.
    """

    latents: tuple[Term, ...]
    locations: dict[Node, Node]
    layers: tuple[Layer, ...]
    structure: Structure
    statistics: Statistics
    children: tuple[str, ...]
    carrier: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(term.name for term in self.latents)


def integrable(graph: Graph) -> list[Term]:
    """List the latents that a normal model may be linear in, by their own laws and those of what depends on them."""
    found = [term for term in graph.latents if _may_be(term)]
    while True:
        hidden = {term.value for term in found}
        spoiled: set[Node] = set()
        for term in graph.terms:
            met = hidden & set(leaves([*term.law.inputs]))
            if met and not (_is_plain(term) and term.value not in met):
                spoiled |= met
        if not spoiled:
            return found
        found = [term for term in found if term.value not in spoiled]


def _may_be(term: Term) -> bool:
    if term.law.distribution.discrete:
        return False
    return is_improper(term.law) or _is_plain(term)


def _is_plain(term: Term) -> bool:
    """Tell whether a term is normal, or a series of normal steps."""
    if term.law.truncated or term.law.constraint is not None or term.is_potential:
        return False
    if term.law.distribution.rule is not None:
        return all(is_normal(piece.law) for piece in pieces_of(term))
    return is_normal(term.law)


def integrate(instance: Instance, numbers: Numbers, names: Collection[str] | None = None) -> Instance:
    """Give the model without the normal latents that can be integrated out, or of those `names`; itself if none can."""
    latents = [term for term in integrable(instance.graph) if names is None or term.name in names]
    while latents:
        try:
            made = _integrated(instance, latents, numbers)
        except NotLinear as found:
            spoiled = _worth_least(instance, latents, found.latents)
            latents = [term for term in latents if term is not spoiled]
            continue
        if made is not None:
            return made
        latents = latents[:-1]
    return instance


def _worth_least(instance: Instance, latents: Sequence[Term], among: Collection[Node]) -> Term:
    """Give the latent of the fewest elements of those that cannot be integrated together."""
    candidates = [term for term in latents if term.value in among] or list(latents)
    return min(candidates, key=lambda term: sum(instance.shape(term.law.shape)))


def _integrated(instance: Instance, latents: Sequence[Term], numbers: Numbers) -> Instance | None:
    graph = instance.graph
    hidden = {term.value: term for term in latents}
    locations: dict[Node, Node] = {
        term.value: term.law.args[0] for term in latents
        if term.law.distribution.rule is None and term.law.args and not is_improper(term.law)
    }
    reader = LinearReader(instance, numbers, hidden, locations)  # type: ignore[arg-type]
    terms = [t for t in graph.terms if t.value in hidden or any(leaf in hidden for leaf in leaves(t.law.inputs))]
    layers: list[Layer] = []
    for term in terms:
        layers += layers_of(term, reader, instance)
    structure = find_structure(instance, latents, layers)
    statistics = None if structure is None else gather(layers, structure)
    children = [term for term in terms if term.value not in hidden]
    if structure is None or statistics is None or not children:
        return None
    if any(is_improper(term.law) for term in latents) and not has_full_rank(statistics, structure):
        raise NotLinear([term.value for term in latents if is_improper(term.law)])
    tables = Tables()
    density = log_marginal(quadratic_of(statistics, structure, instance, tables), structure)
    density = _normalized(density, layers, structure, tables)
    carrier = _carrier(children, density._scistan_node_, [term.name for term in latents])
    kept = [carrier if term is terms[-1] else term for term in graph.terms if term is terms[-1] or term not in terms]
    derived = {n: node for n, node in graph.derived.items() if not any(leaf in hidden for leaf in leaves([node]))}
    made = Integrated(
        tuple(latents), locations, tuple(layers), structure, statistics, tuple(t.name for t in children), carrier.name,
    )
    return replace(
        instance, graph=replace(graph, terms=tuple(kept), derived=derived), values={**instance.values, **tables.values},
        whole=instance, integrated=(made,),
    )


def _normalized(density: Expression, layers: Sequence[Layer], structure: Structure, tables: Tables) -> Expression:
    """Add what the layers have beside their quadratic form; numbers of rows are data, no part of the text."""
    counts: dict[Node, float] = {}
    for layer in layers:
        if layer.log_scale is not None and layer.count:
            counts[layer.log_scale] = counts.get(layer.log_scale, 0.0) + layer.count
    for log_scale, count in counts.items():
        density = density - tables.number(count) * Expression(log_scale)
    elements = structure.groups * structure.slots + structure.count
    constant = sum(layer.constant for layer in layers) + 0.5 * elements * math.log(2 * math.pi)
    return density + tables.number(constant)


def _carrier(children: Sequence[Term], density: Node, latents: Sequence[str]) -> Term:
    """Give the term whose density is the integral."""
    child = next((term for term in children if term.is_observed), children[0])
    law = child.law
    d: Distribution = law.distribution
    form = d.form(
        f"{d.name}Integrated",
        parameters=(Parameter("log_density", REAL),),
        support=Domain("as observed", event_rank=len(law.shape)),
        log_density=lambda _, value: value,
        log_cdf=None,
        log_ccdf=None,
        event_shape=None,
        relation=None,
        scipy=None,
        rule=None,
        remark=f"{d.title}, integrated over {', '.join(latents)}",
    )
    members = tuple(dict.fromkeys(name for term in children for name in term.users))
    return Term(child.name, child.value, Law(form, (density,), law.shape, equalities=law.equalities), members)
