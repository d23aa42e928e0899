"""Tell where targets disagree: at which point, in which term of the model, by which variable, and what each says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scistan.errors import ScistanError
from scistan.graph.graph import Term
from scistan.graph.places import first_place
from scistan.inference.compare import directions_of, errors_at
from scistan.inference.witnesses import Seen, Witnesses
from scistan.messages import agreement as messages

__all__ = ["Fault", "tell_fault"]

_GRADIENT = 2
_TARGETS = ("torch", "Stan")


@dataclass(frozen=True, slots=True)
class Fault:
    """Which comparison fails (torch's density, Stan's density, the gradient), and the point where it does most."""

    kind: int
    number: int
    seen: Seen
    base: Seen | None
    allowed: float


def tell_fault(witnesses: Witnesses, fault: Fault, switches: Mapping[str, Any]) -> str:
    """Say in the user's terms what a comparison that fails found at its worst point."""
    kind, seen, base, point = fault.kind, fault.seen, fault.base, fault.number + 1
    term = _first_bad_term(witnesses, fault, switches)
    where = messages.in_term(term.name, term.law.distribution.title, first_place(term.value)) if term else ""
    values = {name: _shown(array) for name, array in seen.latents.items()}
    if kind == _GRADIENT:
        variable, by_torch, by_stan = _worst_coordinate(witnesses, seen)
        return messages.gradients_apart(variable, by_torch, by_stan, where, point, values)
    both = np.isfinite(seen.densities).all() and base is not None
    scipy, other = seen.scipy, seen.densities[kind + 1]
    if kind == 1 and both and base is not None:
        scipy, other = scipy - base.scipy, other - base.stan
    return messages.densities_apart(_TARGETS[kind], scipy, other, where, point, values)


def _worst_coordinate(witnesses: Witnesses, seen: Seen) -> tuple[str, float, float]:
    """Give the variable whose coordinate is off the most, and torch's derivative and Stan's."""
    expected = np.array([witnesses.derivative(seen, row)[0] for row in np.eye(seen.q.size)])
    off = np.abs(expected - seen.gradient)
    at = int(np.argmax(np.where(np.isfinite(off), off, np.inf)))
    own = {p.free_name: p.term.name for p in witnesses.program.parameters if p.free_name}
    names = witnesses.stan.coordinate_names()
    name = own.get(names[at], names[at])
    many = names.count(names[at]) > 1
    return (f"{name}, coordinate {at - names.index(names[at])}" if many else name), expected[at], seen.gradient[at]


def _first_bad_term(witnesses: Witnesses, fault: Fault, switches: Mapping[str, Any]) -> Term | None:
    """Give the first term with which the model disagrees; None where no model that ends before the last one does."""
    terms = witnesses.instance.graph.terms

    def is_bad(count: int) -> bool:
        graph = replace(witnesses.instance.graph, terms=terms[:count], derived={})
        try:
            part = Witnesses(replace(witnesses.instance, graph=graph), **switches)
            here = part.at(part.coordinates(fault.seen.latents))
            there = None if fault.base is None else part.at(part.coordinates(fault.base.latents))
        except (ScistanError, RuntimeError):
            return False
        directions = directions_of(part.stan.dimension, np.random.default_rng(0))
        return not errors_at(part, here, there, directions)[fault.kind] < fault.allowed

    low, high = 0, len(terms)
    if not is_bad(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_bad(middle) else (middle, high)
    return terms[high - 1]


def _shown(array: np.ndarray) -> str:
    return f"{float(array):.4g}" if array.ndim == 0 else np.array2string(array, precision=3, threshold=4, edgeitems=1)
