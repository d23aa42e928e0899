"""Sum discrete latents out of a model's density: element by element where rows are free of each other, else jointly."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scistan.distributions.declaration import Distribution, Parameter
from scistan.distributions.potential import POTENTIAL
from scistan.domains import REAL, Domain
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Node, Variable
from scistan.graph.walk import leaves
from scistan.messages import states as messages
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.signs import Signs
from scistan.passes.states.densities import depends_on, log_density
from scistan.passes.states.eliminate import Factor, Step, TangledError, eliminate, eliminate_all_but
from scistan.passes.states.finite import Finite
from scistan.passes.states.hidden import MOST_CELLS, Hidden, Numbers, hide
from scistan.passes.states.impossible import check_possible
from scistan.passes.states.paths import Along, Paths, paths_to
from scistan.passes.states.raised import Raiser
from scistan.passes.states.series import ChainStep, chain_start, sum_chain

__all__ = ["Summed", "discrete_latents", "sum_states"]


@dataclass(frozen=True, slots=True, eq=False)
class Summed:
    """Hidden latents that were summed together: the steps, in order, and what depends on them.

    `carrier` is the term that has the sum for its density; `pointwise` says that each of its events has a sum of its
    own, so that its log densities are marginal ones, `ahead` that each time of a chain has one event of it.
    """

    steps: tuple[Step | ChainStep, ...]
    children: tuple[str, ...]
    carrier: str
    pointwise: bool
    ahead: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(step.hidden.name for step in self.steps)

    @property
    def tables(self) -> dict[Data, np.ndarray]:
        """The states that the program reads as data."""
        listed = [step.hidden for step in self.steps if step.hidden.table is not None]
        return {leaf: leaf.default for one in listed for leaf in leaves([one.values])  # type: ignore[misc]
                if isinstance(leaf, Data) and leaf.called == f"{one.name}_states"}


def discrete_latents(graph: Graph) -> list[Term]:
    """List the latents that are whole numbers."""
    return [term for term in graph.latents if term.law.distribution.discrete]


def sum_states(instance: Instance, numbers: Numbers, keep: Collection[str] = ()) -> Instance:
    """Give the model without its discrete latents, but for those to `keep`; `numbers` gives what data alone say."""
    graph = instance.graph
    latents = [term for term in discrete_latents(graph) if term.name not in keep]
    if not latents:
        return instance
    summed: list[Summed] = []
    for group in _groups(graph, latents):
        graph, made = _sum_group(instance, graph, group, numbers)
        summed.append(made)
    gone = {term.value for term in latents}
    graph = replace(graph, derived={n: node for n, node in graph.derived.items() if not depends_on(node, gone)})
    values = dict(instance.values)
    for made in summed:
        values |= made.tables
    return replace(instance, graph=graph, values=values, whole=instance, summed=tuple(summed))


def _groups(graph: Graph, latents: Sequence[Term]) -> list[list[Term]]:
    """Part discrete latents into groups that no density connects."""
    groups: list[set[Node]] = []
    hidden = {term.value for term in latents}
    for term in graph.terms:
        met = {leaf for leaf in leaves([*term.law.inputs, term.value]) if leaf in hidden}
        if met:
            joined = [group for group in groups if group & met]
            groups = [group for group in groups if not group & met] + [met.union(*joined)]
    order = {term.value: k for k, term in enumerate(latents)}
    parted = [sorted(group, key=order.__getitem__) for group in groups]  # type: ignore[arg-type]
    return [[latents[order[v]] for v in group] for group in sorted(parted, key=lambda g: order[g[0]])]  # type: ignore[index]


def _sum_group(
    instance: Instance, graph: Graph, latents: Sequence[Term], numbers: Numbers
) -> tuple[Graph, Summed]:
    chains = [term for term in latents if term.law.distribution.rule is not None]
    if len(chains) > 1:
        raise messages.chains_meet([term.name for term in chains], graph.place_of(chains[1]))
    chain = chains[0] if chains else None
    variables = {term.value for term in latents}
    terms = [t for t in graph.terms if any(leaf in variables for leaf in leaves([*t.law.inputs, t.value]))]
    children = [term for term in terms if term.value not in variables]
    signs, is_finite = Signs(graph, instance.values), Finite(graph, numbers)
    joint: dict[Node, tuple[int, ...]] = {term.value: () for term in latents}
    every: list[Step | ChainStep]
    while True:
        hidden: dict[Variable, Hidden] = {}
        for term in latents:
            listed = term if term is not chain else chain_start(graph, term)
            one = hide(listed, instance, numbers, joint[term.value], hidden)
            hidden[one.variable] = one
        raiser = Raiser(hidden, instance)
        factors = []
        for term in terms:
            if term is chain:
                continue
            density = log_density(term, hidden.get(term.value), hidden, signs)  # type: ignore[arg-type]
            factors.append(Factor(raiser(density), _paths(term, density, hidden)))
            if term in children:
                check_possible(instance, graph, term, raiser, hidden, signs, numbers)
        try:
            if chain is None:
                total, steps = eliminate(factors, list(hidden.values()), raiser, is_finite)
                every = list(steps)
                break
            along = hidden[chain.value]  # type: ignore[index]
            left, steps = eliminate_all_but(factors, list(hidden.values()), along, raiser, is_finite)
            if any(one is not along for factor in left for one in factor.value.states):
                raise messages.beside_chain(chain.name, graph.place_of(chain))
            total, last = sum_chain(instance, chain, along, left, hidden, raiser)
            every = [*steps, last]
            break
        except TangledError as tangled:
            if chain is not None and tangled.variable is chain.value:
                raise messages.chain_not_by_row(chain.name, graph.place_of(chain)) from None
            joint[tangled.variable] = tuple(sorted((*joint[tangled.variable], tangled.axis)))
    _check_size(instance, graph, every)
    parts = [term for term in terms if term is not chain]
    return _carried(graph, terms, children, dict(zip(parts, factors, strict=True)), total, every)


def _paths(term: Term, density: Node, hidden: dict[Variable, Hidden]) -> Paths:
    """Tell how latents run to a density; one that is the same in all states of its own is still one for each row."""
    found = paths_to(density, hidden)
    own = hidden.get(term.value)  # type: ignore[arg-type]
    if own is None or own.variable in found:
        return found
    return {**found, own.variable: tuple(Along(axis) for axis in range(len(own.variable.shape)))}


def _check_size(instance: Instance, graph: Graph, steps: Sequence[Step | ChainStep]) -> None:
    for step in steps:
        shape = instance.shape(step.table.shape)
        cells = int(np.prod(shape, dtype=float))
        if cells > MOST_CELLS:
            names = [one.name for one in step.states]
            raise messages.too_many_cells(names, cells, shape, MOST_CELLS, graph.place_of(step.hidden.term))


# -- what has the sum for its density --------------------------------------------------------------
def _carried(
    graph: Graph, terms: Sequence[Term], children: Sequence[Term], factors: Mapping[Term, Factor], total: Node,
    steps: Sequence[Step | ChainStep],
) -> tuple[Graph, Summed]:
    observed = [term for term in children if term.is_observed]
    names = tuple(term.name for term in children)
    latents = tuple(step.hidden.name for step in steps)
    own = len(children) == 1 == len(observed) and _is_row_by_row(observed[0], factors[observed[0]], steps)
    ahead = len(children) == 1 == len(observed) and _is_time_by_time(observed[0], factors[observed[0]], steps)
    if observed:
        child = observed[0]
        rank = child.law.event_rank if own else len(child.law.shape)
        law = _law(child.law, total if own else _added(total), rank, latents)
        carrier = Term(child.name, child.value, law, child.members)
    else:
        name = latents[-1]
        value = Data(np.zeros(()), (), integer=False)
        carrier = Term(name, value, Law(_named(POTENTIAL, latents), (_added(total),), ()), (*latents, *names))
    kept: list[Term] = []
    for term in graph.terms:
        if term not in terms:
            kept.append(term)
        elif term in children and isinstance(term.value, Variable):
            kept.append(_held(term, steps))
        elif term.is_potential and term is not terms[-1]:
            continue
        if term is terms[-1]:
            kept.append(carrier)
    return replace(graph, terms=tuple(kept)), Summed(tuple(steps), names, carrier.name, own, ahead)


def _is_row_by_row(term: Term, factor: Factor, steps: Sequence[Step | ChainStep]) -> bool:
    """Tell whether each event of an observed variable has a sum of its own."""
    last = steps[-1].hidden
    rank = len(term.law.shape) - term.law.event_rank
    expected = tuple(Along(k) for k in range(rank))
    paths = factor.paths.get(last.variable, ())
    return len(steps) == 1 and isinstance(steps[0], Step) and tuple(paths[axis] for axis in last.plates) == expected


def _is_time_by_time(term: Term, factor: Factor, steps: Sequence[Step | ChainStep]) -> bool:
    """Tell whether each time of a chain is that of one event of an observed variable."""
    last = steps[-1].hidden
    rank = len(term.law.shape) - term.law.event_rank
    return isinstance(steps[-1], ChainStep) and rank == 1 and factor.paths.get(last.variable) == (Along(0),)


def _added(total: Node) -> Node:
    if not total.shape:
        return total
    added: Node = FUNCTIONS["sum"](Expression(total))._scistan_node_
    return added


def _law(law: Law, total: Node, rank: int, latents: Sequence[str]) -> Law:
    """Give the law of a value whose log density is `total`."""
    d: Distribution = law.distribution
    form = d.form(
        f"{d.name}Summed",
        parameters=(Parameter("log_density", REAL),),
        support=Domain("as observed", event_rank=rank),
        discrete=False,
        log_density=lambda _, density: density,
        log_cdf=None,
        log_ccdf=None,
        event_shape=None,
        relation=None,
        scipy=None,
        remark=f"{d.title}, summed over {', '.join(latents)}",
    )
    return Law(form, (total,), law.shape, equalities=law.equalities)


def _named(d: Distribution, latents: Sequence[str]) -> Distribution:
    return replace(d, remark=f"summed over {', '.join(latents)}")


def _held(term: Term, steps: Sequence[Step | ChainStep]) -> Term:
    """Give a latent whose density has gone into the sum: where it lives, and no more."""
    law = term.law
    d: Distribution = law.distribution
    variables = {step.hidden.variable for step in steps}
    if any(bound is not None and depends_on(bound, variables) for bound in (law.lower, law.upper)):
        raise messages.bad_law(steps[0].hidden.name, term.name, "bounds", None)
    support = d.domain(law.args)
    ends = [end for end in (support.lower, support.upper) if isinstance(end, Node)]
    if any(depends_on(end, variables) for end in ends):
        raise messages.bad_law(steps[0].hidden.name, term.name, "a support", None)
    zeros = FUNCTIONS["broadcast_to"](0.0, law.shape[: len(law.shape) - law.event_rank]) if law.shape else None
    form = d.form(
        f"{d.name}Held", parameters=(), support=support, improper=True, relation=None, event_shape=None,
        log_density=lambda _: 0.0 * Expression(term.value) if zeros is None else zeros,
    )
    return replace(term, law=replace(law, distribution=form, args=(), noncentred=False, centred=True))


