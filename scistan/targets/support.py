"""Where a density is zero: observations beyond bounds that are latent, and arguments outside their domain.

Formulas know nothing of it: `Uniform(0, a)` at 2 is -log(a) for every `a`, and the gamma function has values at
negative numbers. Each guard is a node that is 0 inside and -∞ outside; where the graph shows that nothing can be
outside there is none, so that most models pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from scistan.distributions.declaration import Distribution
from scistan.distributions.resolve import value_domain
from scistan.distributions.rule import pieces_of
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, literal
from scistan.graph.walk import has_latents
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.passes.signs import Signs

__all__ = ["guards", "signs_of"]


def signs_of(instance: Instance, inputs: Iterable[Node] = ()) -> Signs:
    """Tell what is positive on these data; `inputs` are data whose numbers come later."""
    later = frozenset(inputs)
    return Signs(instance.graph, {leaf: array for leaf, array in instance.values.items() if leaf not in later})


def guards(term: Term, signs: Signs, *, bijected: bool = True) -> list[Node]:
    """Give what must be added to a term's log density; latents that are `bijected` lie within their own bounds."""
    return [guard for piece in pieces_of(term) for guard in _of_piece(piece, signs, term.is_observed or not bijected)]


def _of_piece(term: Term, signs: Signs, of_value: bool) -> list[Node]:
    d: Distribution = term.law.distribution
    found: list[Node] = []
    if of_value:
        domain = value_domain(term.law)
        found += _between(term.value, domain.lower if isinstance(domain.lower, Node) else None,
                          domain.upper if isinstance(domain.upper, Node) else None)
    for parameter, node in zip(d.parameters, term.law.args, strict=True):
        domain = parameter.domain
        if domain.event_rank or not has_latents(node):
            continue
        lower = domain.lower if isinstance(domain.lower, int | float) else None
        upper = domain.upper if isinstance(domain.upper, int | float) else None
        found += _between(
            node,
            None if lower is None or (lower <= 0 and signs.is_positive(node)) else literal(float(lower)),
            None if upper is None or (upper >= 1 and signs.is_unit(node)) else literal(float(upper)),
        )
    return found


def _between(value: Node, lower: Node | None, upper: Node | None) -> list[Node]:
    """Give 0 where a value lies between its bounds and -∞ elsewhere; the ends are for the formulas to judge."""
    found = []
    for node, test in ((lower, "greater_equal"), (upper, "less_equal")):
        if node is not None and (has_latents(node) or has_latents(value)):
            inside = FUNCTIONS[test](Expression(value), Expression(node))
            found.append(FUNCTIONS["log"](inside)._scistan_node_)
    return found
