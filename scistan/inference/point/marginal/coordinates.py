"""The coordinates in which latents are integrated, in any of which the integral is the same.

Standard ones, for which a scale of 0 is no special case; but a long series is its own coordinates. What is seen of a step
says something of every innovation before it, so that these are tied to each other without exception, while the elements
are tied to their neighbours only: a band, for which a scale may be small, but not vanish beside what data say.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from scistan.distributions.innovations import has_innovations
from scistan.distributions.rule import Rule
from scistan.distributions.standard import frame_of
from scistan.graph.graph import Graph, Law, Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, is_applied
from scistan.passes.factor import by_factor

__all__ = ["standardize"]

_SHORT = 100  # steps of a series up to which a dense matrix of its innovations costs little
_SUMS = ("add", "subtract", "negative")
_PRODUCTS = ("multiply", "matmul")
_OF_FIRST = ("divide", "index", "transpose", "broadcast_to")


def standardize(graph: Graph, names: Container[str], instance: Instance) -> Graph:
    """Measure the latents named by their own location and scale, a series by its innovations or itself."""
    return graph.with_draws(lambda term: _standard(term, instance) if term.name in names else term.law)


def _standard(term: Term, instance: Instance) -> Law:
    law = term.law
    rule = law.distribution.rule
    if rule is not None:
        long = instance.shape(law.shape)[0] > _SHORT
        return replace(law, noncentred=has_innovations(law) and not (long and _is_linear(rule)))
    law = by_factor(law)
    return law if frame_of(law) is None else replace(law, noncentred=True)


def _is_linear(rule: Rule) -> bool:
    """Tell whether each element is a sum of multiples of those before it and of something free of them.

    Only then are a series and its innovations linear in each other, and Laplace's approximation is the same in both.
    """
    moving: set[Node] = {*rule.body.parameters[: len(rule.lags)]}
    for node in rule.body.nodes:
        moved = [arg in moving for arg in node.args]
        if not any(moved):
            continue
        names = (*_SUMS, *(_PRODUCTS if sum(moved) == 1 else ()), *(_OF_FIRST if not any(moved[1:]) else ()))
        if not any(is_applied(node, name) for name in names):
            return False
        moving.add(node)
    location = (rule.element.location_scale or ("",))[0]
    names_of = [p.name for p in rule.element.parameters]
    given = dict(zip(names_of, rule.body.results[rule.states :], strict=True))
    return not rule.states and not any(node in moving for name, node in given.items() if name != location)
