"""States in which an argument is outside its domain whatever the latents are: a mistake, and no small probability."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.graph.graph import Graph, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable
from scistan.graph.walk import leaves
from scistan.messages import states as messages
from scistan.passes.signs import Signs
from scistan.passes.states.densities import argument_tests, depends_on
from scistan.passes.states.hidden import Numbers
from scistan.passes.states.raised import Raiser

__all__ = ["check_possible"]

_POINTS = 3  # at which an argument must be outside every time


def check_possible(
    instance: Instance, graph: Graph, term: Term, raiser: Raiser, hidden: Container[object], signs: Signs,
    numbers: Numbers,
) -> None:
    """Refuse a law that has no density in some state, as `NegBinomial2(mu * z, phi)` has none where `z` is 0."""
    for parameter, test in argument_tests(term, signs, hidden):
        node = test._scistan_node_
        if not depends_on(node, hidden):
            continue
        raised = raiser(node)
        if len(raised.states) != 1:
            continue
        (one,) = raised.states
        inside: np.ndarray | None = None
        for seed in range(_POINTS):
            at = _somewhere(instance, graph, raised.node, seed)
            if at is None:
                return
            found = np.asarray(numbers(raised.node, at)) != 0
            found = found.reshape(found.shape[0], -1).any(axis=1)
            inside = found if inside is None else inside | found
        if inside is not None and not inside.all():
            state = one.lowest + int(np.argmin(inside))
            d = term.law.distribution
            domain = next(p.domain for p in d.parameters if p.name == parameter)
            where = graph.place_of(term)
            raise messages.never_inside(one.name, state, term.name, parameter, d.title, domain.words, d.discrete, where)


def _somewhere(instance: Instance, graph: Graph, node: Node, seed: int) -> dict[Node, np.ndarray] | None:
    """Give some values inside the domains of the latents below a node; None where that takes more than bounds."""
    rng = np.random.default_rng(seed)
    laws = {term.value: term.law for term in graph.latents}
    found: dict[Node, np.ndarray] = {}
    for leaf in leaves([node]):
        if not isinstance(leaf, Variable):
            continue
        domain = value_domain(laws[leaf])
        low, high = domain.lower, domain.upper
        if domain.structure or domain.event_rank or isinstance(low, Node) or isinstance(high, Node):
            return None
        u = rng.random(instance.shape(leaf.shape))
        if low is not None and high is not None:
            found[leaf] = low + (high - low) * u  # type: ignore[operator]
        else:
            found[leaf] = low + 2 * u if low is not None else high - 2 * u if high is not None else 4 * u - 2  # type: ignore[operator]
    return found
