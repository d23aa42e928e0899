"""The log density of a law as nodes: the definition that every target is held to."""

from __future__ import annotations

from scistan.distributions.constraints import log_normalizer
from scistan.distributions.declaration import Distribution
from scistan.distributions.rule import series_pieces
from scistan.graph.graph import Law, Term
from scistan.graph.node import Node
from scistan.messages import bounds
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.shapes import values_of

__all__ = ["log_mass", "log_mass_between", "pointwise", "total"]

where, log_diff_exp = FUNCTIONS["where"], FUNCTIONS["log_diff_exp"]


def pointwise(term: Term) -> Node:
    """Give the log density of each event of a term, constants, truncation and constraint included.

    Elements that a constraint ties to each other are one event.
    """
    law = term.law
    d: Distribution = law.distribution
    if d.rule is not None:
        return _of_series(term)
    value = Expression(term.value)
    density = d.log_density(value, *map(Expression, law.args))
    mass = log_mass(law)
    if mass is not None:
        density = density - mass
    batch = law.shape[: len(law.shape) - law.event_rank]
    if law.constraint is not None:
        density = _tied(law, density)
    node = density._scistan_node_
    if values_of(node.shape) != values_of(batch):
        node = FUNCTIONS["broadcast_to"](density, batch)._scistan_node_
    return node


def _of_series(term: Term) -> Node:
    """Give the log density of each element, given those before it; those that are conditioned on have none."""
    parts = []
    for piece in series_pieces(term):
        density = Expression(pointwise(piece.term))
        parts.append(density if len(piece.term.law.shape) == len(term.law.shape) else density[None])
    joined: Expression = parts[0] if len(parts) == 1 else FUNCTIONS["concatenate"](parts, 0)
    return joined._scistan_node_


def _tied(law: Law, density: Expression) -> Expression:
    """Add the log densities of the elements that are tied, and what ties them."""
    if values_of(density._scistan_node_.shape) != values_of(law.shape):
        density = FUNCTIONS["broadcast_to"](density, law.shape)
    added = log_normalizer(law)
    summed = FUNCTIONS["sum"](density, -1)
    return summed if added is None else summed + added


def total(term: Term) -> Node:
    """Give the log density of a term, summed over its events."""
    node = pointwise(term)
    return FUNCTIONS["sum"](Expression(node))._scistan_node_ if node.shape else node


def log_mass(law: Law) -> Expression | None:
    """Give the logarithm of the probability that the bounds leave; None without bounds."""
    if not law.truncated or law.distribution.improper:
        return None
    bounds = (None if bound is None else Expression(bound) for bound in (law.lower, law.upper))
    return log_mass_between(law.distribution, tuple(map(Expression, law.args)), *bounds)


def log_mass_between(
    d: Distribution, args: tuple[Expression, ...], lower: Expression | None, upper: Expression | None
) -> Expression:
    """Give the logarithm of the probability between two bounds, of which one may be None."""
    if d.log_cdf is None or d.log_ccdf is None:
        raise bounds.no_truncation(d.title)
    if lower is None:
        return d.log_cdf(upper, *args)
    if upper is None:
        return d.log_ccdf(lower, *args)
    # Work in the tail that the interval lies in: differences of probabilities near 1 lose all digits.
    in_upper_tail = d.log_cdf(lower, *args) > d.log_ccdf(upper, *args)
    near = where(in_upper_tail, d.log_ccdf(lower, *args), d.log_cdf(upper, *args))
    far = where(in_upper_tail, d.log_ccdf(upper, *args), d.log_cdf(lower, *args))
    return log_diff_exp(near, far)
