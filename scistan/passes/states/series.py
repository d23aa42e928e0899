"""A discrete series is summed out along its chain: the forward algorithm over what each time says of its state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scistan.distributions.density import pointwise
from scistan.distributions.rule import Piece, rule_of, series_pieces
from scistan.errors import InternalError
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable
from scistan.messages import states as messages
from scistan.ops.declaration import REGISTRY as OPS
from scistan.ops.expression import Expression
from scistan.ops.items import FULL
from scistan.passes.states.chain import log_forward
from scistan.passes.states.eliminate import Factor, on_plates
from scistan.passes.states.hidden import Hidden
from scistan.passes.states.raised import Raised, Raiser, in_order, indexed, repeated

__all__ = ["ChainStep", "chain_start", "sum_chain"]


@dataclass(frozen=True, slots=True, eq=False)
class ChainStep:
    """A chain that was summed out: the log probabilities of its start (K), its steps and what each time says (T, K).

    `step` is (K, K), from row to column, or (T - 1, K, K) where it differs along the chain.
    """

    hidden: Hidden
    start: Node
    step: Node
    seen: Node

    @property
    def states(self) -> tuple[Hidden, ...]:
        return (self.hidden,)

    @property
    def others(self) -> tuple[Hidden, ...]:
        return ()

    @property
    def table(self) -> Node:
        """What is as large as anything that is computed for it."""
        return self.seen


def chain_start(graph: Graph, term: Term) -> Term:
    """Give a chain as if all its elements followed the law of the first: so its states are listed."""
    rule = rule_of(term.law)
    place = graph.place_of(term)
    if rule is None:
        raise InternalError(f"{term.name} is no series")
    if rule.states:
        raise messages.chain_with_state(term.name, place)
    if rule.shape:
        raise messages.chain_with_axes(term.name, place)
    if rule.lags not in ((), (1,)):
        raise messages.chain_looks_back(term.name, max(rule.lags), place)
    if len(rule.starts) != 1:
        raise messages.chain_without_start(term.name, place)
    first, rest = (piece.term.law for piece in series_pieces(term))
    if not first.distribution.discrete or _ends(first) != _ends(rest):
        raise messages.other_states(term.name, place)
    return replace(term, law=Law(first.distribution, first.args, term.law.shape))


def _ends(law: Law) -> tuple[object, object]:
    domain = law.distribution.domain(law.args)
    return domain.lower, domain.upper


def sum_chain(
    instance: Instance, term: Term, one: Hidden, factors: Sequence[Factor], known: Mapping[Variable, Hidden],
    raiser: Raiser,
) -> tuple[Node, ChainStep]:
    """Sum a chain out of factors that depend on nothing else that is hidden."""
    first, rest = series_pieces(term)
    start = _table(first, {first.term.value: _at(one, 0)}, instance)
    before, after = _at(one, 1), _at(one, 1)
    previous = Expression(term.value)[0:-1]._scistan_node_  # as `series_pieces` writes it
    step = _table(rest, {previous: before, rest.term.value: after}, instance)
    seen = _seen(one, [on_plates(factor, one, raiser, known) for factor in factors], raiser)
    made = ChainStep(one, start, _over_time(step), seen)
    return log_forward(made.start, made.step, made.seen), made


def _at(one: Hidden, rank: int) -> Hidden:
    """Give the states of a chain as those of some of its elements."""
    base = one.values if len(one.values.shape) == 1 else indexed(one.values, [FULL, ("int", 0)])
    values = indexed(base, [FULL, *[("new",)] * rank])
    return replace(one, values=values)


def _table(piece: Piece, hidden: Mapping[Node, Hidden], instance: Instance) -> Node:
    """Give the log probability of a state for each before it: axes of states, then of time, 1 if all are alike."""
    raiser = Raiser(hidden, instance)
    raised = raiser(pointwise(piece.term))
    states = tuple(hidden.values())
    node = raiser.aligned(raised, states, raised.rank) if raised.states else _alike(raised, states)
    for k, one in enumerate(states):
        if one not in raised.states:
            node = repeated(node, (*node.shape[:k], one.size, *node.shape[k + 1 :]))
    return node


def _alike(raised: Raised, states: tuple[Hidden, ...]) -> Node:
    inner = len(raised.node.shape)
    return indexed(raised.node, [*[("new",)] * (len(states) + raised.rank - inner), *[FULL] * inner])


def _over_time(step: Node) -> Node:
    """Give the steps as one matrix, or as many as they are."""
    if step.shape[-1].today == 1 and not step.shape[-1].terms:
        return indexed(step, [FULL, FULL, ("int", 0)])
    return in_order(step, [2, 0, 1])


def _seen(one: Hidden, factors: Sequence[Factor], raiser: Raiser) -> Node:
    """Give what is seen at each time in each state: (T, K)."""
    own = (one.variable.shape[0],)
    total: Node | None = None
    for factor in factors:
        node = raiser.aligned(factor.value, (one,), 1)
        total = node if total is None else OPS["add"].build((total, node))
    if total is None:
        zeros = Expression(one.values) * 0.0
        total = zeros._scistan_node_
    return in_order(repeated(total, (one.size, *own)), [1, 0])
