"""The law of a series: what its next element follows, given those before it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NoReturn

from scistan.distributions.declaration import Distribution, Parameter, StanForm
from scistan.domains import Domain
from scistan.errors import InternalError
from scistan.graph.body import Body, free_bound, put_in
from scistan.graph.graph import Law, Term
from scistan.graph.node import Node
from scistan.ops.along_steps import along_steps
from scistan.ops.expression import Expression
from scistan.shapes import Shape

__all__ = [
    "SERIES", "Piece", "Rule", "StepLaw", "Taken", "pieces_of", "read_series", "rule_of", "series_distribution",
    "series_pieces", "step_law", "taken_apart",
]

SERIES = "Series"


@dataclass(frozen=True, slots=True)
class Rule:
    """The law of the next element, and those of the first.

    `body` takes the states, the elements before at distances `lags`, one element of each array that the series runs
    over, and what it uses from outside; it gives the next states, then the arguments of `element`. The first elements
    follow `starts`, or `given` of them are conditioned on.
    """

    element: Distribution
    starts: tuple[Distribution, ...]
    given: int
    lags: tuple[int, ...]
    states: int
    over: int
    body: Body
    shape: Shape  # of one element

    @property
    def written(self) -> dict[str, Hashable]:
        """What the text of a graph says of it; `read_series` reads it back."""
        return {
            "element": self.element.name, "starts": tuple(d.name for d in self.starts), "given": self.given,
            "lags": self.lags, "states": self.states, "over": self.over, "body": self.body, "each": self.shape,
        }

    @property
    def lead(self) -> int:
        """How many elements the law has nothing to say of."""
        return len(self.starts) or self.given


@dataclass(frozen=True, slots=True)
class Taken:
    """The arguments of a series by what they are to its rule."""

    starts: tuple[tuple[Node, ...], ...]
    states: tuple[Node, ...]
    over: tuple[Node, ...]
    free: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """Elements of a series that follow one law with arguments of their own: where they begin, and that term.

    The value of the term is a part of the series.
    """

    first: int
    term: Term


def rule_of(law: Law) -> Rule | None:
    """Give the rule of a series; None for any other law."""
    rule: Rule | None = law.distribution.rule
    return rule


def taken_apart(law: Law) -> Taken:
    """Sort the arguments of a series."""
    rule = _rule(law)
    counts = [len(d.parameters) for d in rule.starts] + [rule.states, rule.over]
    parts: list[tuple[Node, ...]] = []
    at = 0
    for count in counts:
        parts.append(law.args[at : at + count])
        at += count
    return Taken(tuple(parts[: len(rule.starts)]), parts[-2], parts[-1], law.args[at:])


@dataclass(frozen=True, slots=True)
class StepLaw:
    """The law of one element with values to be written: the elements before by their lags, the states, all else."""

    law: Law
    before: dict[Node, int]
    states: tuple[Node, ...]
    over: dict[Node, Node]


def step_law(law: Law) -> StepLaw:
    """Give the law of one element for people to read."""
    rule, taken = _rule(law), taken_apart(law)
    before = {k: free_bound(rule.shape, rule.element.discrete) for k in rule.lags}
    states = tuple(free_bound(node.shape) for node in taken.states)
    over: dict[Node, Node] = {free_bound(node.shape[1:], node.integer): node for node in taken.over}
    results = put_in(rule.body, [*states, *before.values(), *over, *taken.free])
    element = Law(rule.element, tuple(results[rule.states :]), rule.shape)
    return StepLaw(element, {node: k for k, node in before.items()}, states, over)


def pieces_of(term: Term) -> tuple[Term, ...]:
    """Give the terms of plain distributions that a term is: itself, or the pieces of a series."""
    return (term,) if term.law.distribution.rule is None else tuple(piece.term for piece in series_pieces(term))


def series_pieces(term: Term) -> list[Piece]:
    """Cut a series into its first elements and the rest, each with the law that it follows given those before it."""
    rule, taken = _rule(term.law), taken_apart(term.law)
    pieces = [_start(term, k, rule.starts[k], args) for k, args in enumerate(taken.starts)]
    if len(pieces) > 1 and len({(p.term.law.distribution, p.term.law.args) for p in pieces}) == 1:
        pieces = [_same_starts(term, rule, pieces[0].term.law)]
    return [*pieces, Piece(rule.lead, _rest(term, rule, taken))]


def _start(term: Term, k: int, d: Distribution, args: tuple[Node, ...]) -> Piece:
    value = Expression(term.value)[k]._scistan_node_
    return Piece(k, _piece(term, value, Law(d, args, value.shape)))


def _same_starts(term: Term, rule: Rule, law: Law) -> Piece:
    value = Expression(term.value)[: rule.lead]._scistan_node_
    return Piece(0, _piece(term, value, replace(law, shape=value.shape)))


def _rest(term: Term, rule: Rule, taken: Taken) -> Term:
    whole, lead = Expression(term.value), rule.lead
    value = (whole[lead:] if lead else whole)._scistan_node_
    before = [whole[lead - k : -k]._scistan_node_ for k in rule.lags]
    over = [(Expression(node)[lead:] if lead else Expression(node))._scistan_node_ for node in taken.over]
    args, has_axis = along_steps(rule.body, taken.states, [*before, *over], taken.free, value.shape[0])
    rank = len(rule.shape) - rule.element.event_rank
    wide = [
        _with_axes(node, p.domain.event_rank, rank) if moving else node
        for node, moving, p in zip(args, has_axis, rule.element.parameters, strict=True)
    ]
    return _piece(term, value, Law(rule.element, tuple(wide), value.shape))


def _with_axes(node: Node, event_rank: int, rank: int) -> Node:
    """Give an argument that moves with the steps as many axes behind that one as the elements have."""
    missing = rank - (len(node.shape) - 1 - event_rank)
    return Expression(node)[(slice(None), *(None,) * missing, Ellipsis)]._scistan_node_ if missing else node


def _piece(term: Term, value: Node, law: Law) -> Term:
    return Term(term.name, value, law, term.users)  # type: ignore[arg-type]


def _rule(law: Law) -> Rule:
    rule = rule_of(law)
    if rule is None:
        raise InternalError(f"`{law.distribution.name}` is no series")
    return rule


# -- as a distribution ----------------------------------------------------------------------------
def _by_pieces(*_: object) -> NoReturn:
    raise InternalError("a series is its pieces: `pointwise` joins their densities, `draw_series` draws them")


@lru_cache(maxsize=4096)
def series_distribution(rule: Rule, shapes: tuple[Shape, ...]) -> Distribution:
    """Give the distribution of a series by its rule; its arguments, of these shapes, are whole whatever they are."""
    return Distribution(
        name=SERIES,
        doc="A series by the law of its next element.",
        parameters=tuple(Parameter(f"argument_{k}", Domain("anything", len(s))) for k, s in enumerate(shapes)),
        support=_support(rule),
        log_density=_by_pieces,
        draw=_by_pieces,
        stan=StanForm(vectorizes=False, truncates=False),
        event_shape=(lambda _: rule.shape[-rule.element.event_rank :]) if rule.element.event_rank else None,
        one_length=False,
        rule=rule,
        discrete=rule.element.discrete,
        public=False,
    )


def _support(rule: Rule) -> Domain:
    """Give where every element lies; ends that depend on arguments are for the pieces to look at."""
    support = rule.element.support
    if isinstance(support, Domain):
        return support
    return Domain("whatever the law says", integer=rule.element.discrete)



def read_series(
    args: tuple[Node, ...], options: Mapping[str, Any], known: Callable[[str], Any]
) -> tuple[Distribution, dict[str, Any]]:
    """Make the distribution of a series from what the text of a graph says; give also what it does not need of it."""
    left = dict(options)
    element, starts = known(left.pop("element")), tuple(map(known, left.pop("starts")))
    rest = [left.pop(key) for key in ("given", "lags", "states", "over", "body", "each")]
    return series_distribution(Rule(element, starts, *rest), tuple(node.shape for node in args)), left
