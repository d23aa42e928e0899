"""The joint log density at points: zero density outside a domain, and on a border that is no part of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from math import inf, isnan

import numpy as np

from scistan.distributions.declaration import Distribution
from scistan.distributions.resolve import value_domain
from scistan.distributions.rule import pieces_of
from scistan.domains import Domain
from scistan.graph.graph import Term
from scistan.graph.node import Node
from scistan.targets.values import Value

__all__ = ["Support", "joint"]

Numbers = Callable[[Node], np.ndarray]
Values = Callable[[Node], Value]


def joint(terms: Iterable[Term], numbers: Numbers, density_of: Callable[[Term], float]) -> float:
    """Add the terms' log densities at one point; where one is zero the product is, whatever the others are."""
    terms = tuple(terms)
    pieces = [piece for term in terms for piece in pieces_of(term)]
    if any(bool(Support.of(piece).outside(lambda node: Value(numbers(node)))) for piece in pieces):
        return -inf
    found = [_without_nan(density_of(term), term, numbers) for term in terms]
    return -inf if -inf in found else sum(found)


def _without_nan(density: float, term: Term, numbers: Numbers) -> float:
    """Take a density that infinite arguments have made NaN, ∞ - ∞ in a formula, for zero."""
    inputs = [node for piece in pieces_of(term) for node in piece.law.inputs]
    overflown = isnan(density) and not all(np.isfinite(numbers(node)).all() for node in inputs)
    return -inf if overflown else density


@dataclass(frozen=True, slots=True)
class Support:
    """Where a term has a density: its own domain, that of its distribution, and those of the arguments."""

    term: Term
    domain: Domain
    own: Domain

    @classmethod
    def of(cls, term: Term) -> Support:
        """Look the domains up once."""
        return cls(term, value_domain(term.law), term.law.distribution.domain(term.law.args))

    @property
    def _bounds(self) -> list[Node]:
        return [side for side in (self.domain.lower, self.domain.upper) if isinstance(side, Node)]

    def outside(self, value_of: Values, *, known: Collection[Node] = ()) -> np.ndarray:
        """Tell, for a point or each row of points, whether the density is zero whatever its formula says.

        Formulas have values even there. What rests on `known` nodes alone is not looked at again.
        """
        law = self.term.law
        d: Distribution = law.distribution
        found = np.zeros((), dtype=bool)
        for p, node in zip(d.parameters, law.args, strict=True):
            if p.domain.structure != "size" and node not in known:
                at = value_of(node)
                found = found | _each(p.domain.excludes(at.array), at.batched)
        if d.relation is not None and not all(node in known for node in law.args):
            found = found | _row_by_row(_unrelated, self, [value_of(node) for node in law.args])
        if self.term.value not in known:
            at = value_of(self.term.value)
            found = found | _each(self.domain.violations(at.array), at.batched)
            found = found | _each(self.own.excludes(at.array), at.batched)
        if self._bounds:
            found = found | _row_by_row(_beyond, self, [value_of(n) for n in (self.term.value, *self._bounds)])
        return np.asarray(found)


def _each(mask: np.ndarray, batched: bool) -> np.ndarray:
    """Tell for each row whether anything of it is marked."""
    return np.asarray(mask.reshape(len(mask), -1).any(1) if batched else mask.any())


def _row_by_row(test: Callable[..., bool], support: Support, values: list[Value]) -> np.ndarray:
    """Ask a test of whole points; where some values run over rows, once for each."""
    rows = next((len(v.array) for v in values if v.batched), None)
    if rows is None:
        return np.array(test(support, *(v.array for v in values)))
    return np.array([test(support, *(v.array[k] if v.batched else v.array for v in values)) for k in range(rows)])


def _unrelated(support: Support, *arguments: np.ndarray) -> bool:
    relation = support.term.law.distribution.relation
    return not np.all(relation.holds(*arguments))


def _beyond(support: Support, value: np.ndarray, *bounds: np.ndarray) -> bool:
    """Look at bounds that are quantities of the model; between equal ones that cut there is nothing."""
    given, domain = iter(bounds), support.domain
    lower, upper = (next(given) if isinstance(side, Node) else side for side in (domain.lower, domain.upper))
    inside = (lower is None or np.all(value >= lower)) and (upper is None or np.all(value <= upper))
    crossed = lower is not None and upper is not None and not np.all(lower < upper)  # type: ignore[operator]
    return bool(not inside or (crossed and support.term.law.truncated))
