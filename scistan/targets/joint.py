"""The joint log density at one point: zero density outside a domain, and on a border that is no part of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf, isnan

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.distributions.resolve import value_domain
from scistan.domains import Domain
from scistan.graph.graph import Term
from scistan.graph.node import Node

__all__ = ["joint"]

Numbers = Callable[[Node], np.ndarray]


def joint(terms: Iterable[Term], numbers: Numbers, density_of: Callable[[Term], float]) -> float:
    """Add the terms' log densities; where one is zero the product is, whatever the others are."""
    terms = tuple(terms)
    if any(_is_outside(term, numbers) for term in terms):
        return -inf
    found = [_without_nan(density_of(term), term, numbers) for term in terms]
    return -inf if -inf in found else sum(found)


def _without_nan(density: float, term: Term, numbers: Numbers) -> float:
    """Take a density that infinite arguments have made NaN, ∞ - ∞ in a formula, for zero."""
    overflown = isnan(density) and not all(np.isfinite(numbers(node)).all() for node in term.law.inputs)
    return -inf if overflown else density


def _is_outside(term: Term, numbers: Numbers) -> bool:
    """Tell whether a term's density is zero whatever its formula says: formulas have values even there."""
    d: Distribution = term.law.distribution
    value, arguments = numbers(term.value), [numbers(node) for node in term.law.args]
    for p, array in zip(d.parameters, arguments, strict=True):
        if p.domain.structure != "size" and p.domain.excludes(array).any():
            return True
    if d.relation is not None and not np.all(d.relation.holds(*arguments)):
        return True
    domain = value_domain(term.law)
    if domain.violations(value).any() or d.domain(term.law.args).excludes(value).any():
        return True
    return _beyond(domain, value, numbers, cut=term.law.truncated)


def _beyond(domain: Domain, value: np.ndarray, numbers: Numbers, *, cut: bool) -> bool:
    """Look at bounds that are quantities of the model; between equal ones that cut there is nothing."""
    lower, upper = (numbers(b) if isinstance(b, Node) else b for b in (domain.lower, domain.upper))
    if not (isinstance(domain.lower, Node) or isinstance(domain.upper, Node)):
        return False
    inside = (lower is None or np.all(value >= lower)) and (upper is None or np.all(value <= upper))
    crossed = cut and lower is not None and upper is not None and not np.all(lower < upper)  # type: ignore[operator]
    return bool(not inside or crossed)
