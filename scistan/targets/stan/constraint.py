"""Constraints in Stan: what one adds to the log density of its vectors, as a term of its own."""

from __future__ import annotations

from functools import reduce

from scistan.constrained import CONSTRAINTS
from scistan.distributions.constraints import log_normalizer
from scistan.graph.graph import Law, Term
from scistan.graph.node import Node, extent
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.shapes import values_of
from scistan.targets.stan.lower import Scope
from scistan.targets.stan.syntax import Statement, TargetPlus
from scistan.targets.stan.truncation import if_finite

__all__ = ["constraint_statements", "summed_normalizer"]


def constraint_statements(scope: Scope, term: Term) -> list[Statement]:
    """Add what a constraint does to the log density; nothing where it is constant."""
    added = summed_normalizer(term.law)
    if added is None or scope.writer.is_data(added):
        return []
    text = scope.whole(added).text
    kind = CONSTRAINTS[term.law.constraint or ""]
    return [TargetPlus(if_finite(scope, text, term) if kind.underflows else text, term)]


def summed_normalizer(law: Law) -> Node | None:
    """Give what a constraint adds to the log density of all vectors; None where there is none, or it is unknown."""
    added = log_normalizer(law)
    if added is None:
        return None
    batch = law.shape[:-1]
    if not added._scistan_node_.shape:  # the same for every vector
        return reduce(FUNCTIONS["multiply"], [Expression(extent(size)) for size in batch], added)._scistan_node_
    if values_of(added._scistan_node_.shape) != values_of(batch):
        added = FUNCTIONS["broadcast_to"](added, batch)
    return FUNCTIONS["sum"](added)._scistan_node_
