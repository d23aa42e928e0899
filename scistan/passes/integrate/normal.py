"""Integrate normal latents out of a model's density, exactly: those that normal values are linear in.

What is left is a model of fewer latents, for these data alone; those that are gone are drawn again given the others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from scistan.distributions.rule import pieces_of
from scistan.graph.graph import Graph, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.graph.walk import leaves
from scistan.ops.expression import Expression
from scistan.passes.integrate.integral import Integrated, carrier_of, without
from scistan.passes.integrate.layers import Layer, is_improper, is_normal, kernel_of, layers_of
from scistan.passes.integrate.linear import LinearReader, NotLinear, Numbers
from scistan.passes.integrate.marginal import log_marginal
from scistan.passes.integrate.quadratic import quadratic_of
from scistan.passes.integrate.rank import has_full_rank
from scistan.passes.integrate.statistics import Statistics, gather
from scistan.passes.integrate.structure import Structure, find_structure
from scistan.passes.integrate.sums import RunningSums
from scistan.passes.integrate.tables import Tables

__all__ = ["NormalIntegral", "integrate_normals", "normal_latents"]


@dataclass(frozen=True, slots=True, eq=False)
class NormalIntegral(Integrated):
    """Normal latents that are gone: `locations` are what they were read from, `layers` the normal terms of theirs.

    Those of `sums` were read by their running sums.
    """

    locations: dict[Node, Node]
    layers: tuple[Layer, ...]
    structure: Structure
    statistics: Statistics
    sums: Mapping[Node, RunningSums]

    @property
    def how(self) -> str:
        structure = self.structure
        if not structure.slots:
            return "by the sums of their products"
        if structure.kernel is not None:
            return f"by the covariance of {structure.groups:,} values"
        return f"along a chain of {structure.groups:,}" if structure.chained else f"in {structure.groups:,} groups"

    @property
    def family(self) -> str:
        return "normal"

    @property
    def cells(self) -> int:
        groups, slots, count = self.structure.groups, self.structure.slots, self.structure.count
        return groups * max(slots, 1) * (slots + count + 1) + count**2 + (groups**2 if self.structure.kernel else 0)


def normal_latents(graph: Graph) -> list[Term]:
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


def integrate_normals(instance: Instance, numbers: Numbers, names: Collection[str] | None = None) -> Instance:
    """Give the model without the normal latents that can be integrated out, or of those `names`; itself if none can."""
    latents = [term for term in normal_latents(instance.graph) if names is None or term.name in names]
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
    return min(candidates, key=lambda term: math.prod(instance.shape(term.law.shape)))


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """The terms that meet latents as layers, and how these hang together."""

    terms: Sequence[Term]
    locations: dict[Node, Node]
    layers: Sequence[Layer]
    structure: Structure
    sums: Mapping[Node, RunningSums]


def _integrated(instance: Instance, latents: Sequence[Term], numbers: Numbers) -> Instance | None:
    found = _read(instance, latents, numbers)
    statistics = None if found is None else gather(found.layers, found.structure)
    hidden = {term.value for term in latents}
    if found is None or statistics is None or all(term.value in hidden for term in found.terms):
        return None
    children = [term for term in found.terms if term.value not in hidden]
    structure = found.structure
    if any(is_improper(term.law) for term in latents) and not has_full_rank(statistics, structure):
        raise NotLinear([term.value for term in latents if is_improper(term.law)])
    tables = Tables()
    density = log_marginal(quadratic_of(statistics, structure, instance, tables), structure)
    determinant = sum(one.log_determinant for one in found.sums.values())
    density = _normalized(density, found.layers, structure, tables, determinant)
    carrier = carrier_of(children, density, latents)
    made = NormalIntegral(
        tuple(latents), tuple(t.name for t in children), carrier.name, found.locations, tuple(found.layers), structure,
        statistics, found.sums,
    )
    return without(instance, found.terms, carrier, tables, made)


def _read(instance: Instance, latents: Sequence[Term], numbers: Numbers) -> _Reading | None:
    """Read the model by the elements of latents, and by the running sums of those that are summed up: the cheaper."""
    hidden = {term.value: term for term in latents}
    terms = [t for t in instance.graph.terms
             if t.value in hidden or any(leaf in hidden for leaf in leaves(t.law.inputs))]
    locations: dict[Node, Node] = {
        term.value: term.law.args[0] for term in latents
        if term.law.distribution.rule is None and term.law.args and not is_improper(term.law)
    }
    tied = {term.value for term in latents if kernel_of(term.law, instance) is not None}
    found: list[_Reading] = []
    failed: NotLinear | None = None
    sums: dict[Node, RunningSums] = {}
    while True:
        reader = LinearReader(instance, numbers, hidden, locations, sums)  # type: ignore[arg-type]
        try:
            layers = [layer for term in terms for layer in layers_of(term, reader, instance)]
        except NotLinear as reason:
            failed = reason
        else:
            structure = find_structure(instance, latents, layers, sums)
            found += [] if structure is None else [_Reading(terms, locations, layers, structure, sums)]
            failed = None
        more = {latent: one for latent, one in reader.summed.items() if latent not in tied}
        if not more:
            break
        sums = sums | more
    if failed is not None and not found:
        raise failed
    return min(found, key=lambda one: one.structure.work, default=None)


def _normalized(
    density: Expression, layers: Sequence[Layer], structure: Structure, tables: Tables, determinant: float
) -> Expression:
    """Add what the layers have beside their quadratic form; numbers of rows are data, no part of the text."""
    counts: dict[Node, float] = {}
    for layer in layers:
        if layer.log_scale is not None and layer.count:
            counts[layer.log_scale] = counts.get(layer.log_scale, 0.0) + layer.count
    for log_scale, count in counts.items():
        density = density - tables.number(count) * Expression(log_scale)
    elements = structure.groups * structure.slots + structure.count
    constant = sum(layer.constant for layer in layers) + 0.5 * elements * math.log(2 * math.pi) - determinant
    return density + tables.number(constant)
