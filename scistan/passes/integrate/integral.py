"""What is kept of latents that were integrated out together, and the term that has the integral for its density."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from scistan.distributions.declaration import Distribution, Parameter
from scistan.domains import REAL, Domain
from scistan.graph.graph import Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Apply
from scistan.graph.walk import leaves
from scistan.ops.expression import Expression
from scistan.passes.integrate.tables import Tables

__all__ = ["Integrated", "carrier_of", "without"]


@dataclass(frozen=True, slots=True, eq=False)
class Integrated(ABC):
    """Latents that were integrated out together: `children` names what depended on them.

    `carrier` is the term that has the integral for its density. What draws the latents again is in `inference`.
    """

    latents: tuple[Term, ...]
    children: tuple[str, ...]
    carrier: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(term.name for term in self.latents)

    @property
    @abstractmethod
    def how(self) -> str:
        """Say in words what made the integral easy."""

    @property
    @abstractmethod
    def family(self) -> str:
        """Say in words what the latents are distributed as, given all else."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """Count the numbers that drawing them once needs at a time."""


def carrier_of(children: Sequence[Term], density: Expression, latents: Sequence[Term]) -> Term:
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
        discrete=False,
        remark=f"{d.title}, integrated over {', '.join(term.name for term in latents)}",
    )
    members = tuple(dict.fromkeys(name for term in children for name in term.users))
    node = density._scistan_node_
    return Term(child.name, child.value, Law(form, (node,), law.shape, equalities=law.equalities), members)


def without(
    instance: Instance, terms: Collection[Term], carrier: Term, tables: Tables, made: Integrated
) -> Instance:
    """Give the model with a carrier for these terms: latents that are gone, and all that depended on them."""
    graph = instance.graph
    hidden = {term.value for term in made.latents}
    last = [term for term in graph.terms if term in terms][-1]
    kept = [carrier if term is last else term for term in graph.terms if term is last or term not in terms]
    derived = {n: node for n, node in graph.derived.items() if not any(leaf in hidden for leaf in leaves([node]))}
    # Lengths may follow from what is no longer there.
    before = [e for node in graph.nodes if isinstance(node, Apply) for e in node.equalities]
    before += [e for term in graph.terms for e in term.law.equalities]
    return replace(
        instance,
        graph=replace(graph, terms=tuple(kept), derived=derived, equalities=(*graph.equalities, *before)),
        values={**instance.values, **tables.values},
        whole=instance.whole or instance,
        integrated=(*instance.integrated, made),
    )
