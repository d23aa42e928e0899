"""The constants of the priors: where they stand in the graph, what they may be, and how far a slider moves them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from scistan.domains import REAL, Domain
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Literal, Node

__all__ = ["Constant", "Slot", "Use", "constants_of", "find_slots"]

_FEW = 4  # elements that have a slider each; more share one that shifts and one that scales
_DECADES = 100.0  # a slider on the log scale goes to a hundredth and a hundredfold
_REACH = 5.0  # scales that a slider of a location goes to either side
_SCALABLE = ("", "cov", "cholesky_cov")  # structures that a positive factor keeps


@dataclass(frozen=True, slots=True)
class Use:
    """An argument of a latent: the variable's name, the parameter's, and its place among the arguments."""

    variable: str
    parameter: str
    position: int | None  # None for a bound


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A literal or data in the place of an argument of a prior, with its numbers as written.

    A literal stands in one place; data may stand in several, and are then known by their own name.
    """

    name: str
    node: Node
    numbers: np.ndarray
    domain: Domain
    uses: tuple[Use, ...]
    labels: tuple[str, ...] = ()  # of the elements, where they are few
    reach: float = 0.0

    @property
    def is_data(self) -> bool:
        return isinstance(self.node, Data)


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A number that a slider moves: a whole slot, an element of one, or a shift or scale of all its elements."""

    name: str
    value: float
    slot: Slot
    acts: str  # "number", "shift" or "scale"
    element: tuple[int, ...]
    low: float
    high: float
    log: bool
    lower: float  # beyond these there is no meaning
    upper: float
    integer: bool = False

    @property
    def variable(self) -> str:
        """The latent whose prior it belongs to."""
        return self.slot.uses[0].variable


# -- slots ------------------------------------------------------------------------------------------
def find_slots(instance: Instance) -> list[Slot]:
    """Find the literals and data that are arguments or bounds of latents, in the user's order."""
    found: dict[tuple[object, ...], Slot] = {}
    for term in instance.graph.latents:
        for use, node, domain in _places(term):
            numbers = _numbers(instance, node)
            if numbers is None or not numbers.size or domain.structure not in _SCALABLE:
                continue
            key: tuple[object, ...] = (node,) if isinstance(node, Data) else (term.name, use.parameter)
            if key in found:
                known = found[key]
                found[key] = replace(known, uses=(*known.uses, use), domain=_both(known.domain, domain))
                continue
            own = instance.graph.data_names.get(node, "") if isinstance(node, Data) else ""
            name = own or f"{use.variable}.{use.parameter}"
            labels = _labels(instance, own, term, numbers)
            found[key] = Slot(name, node, numbers, domain, (use,), labels, _reach(instance, term, use))
    return list(found.values())


def _places(term: Term) -> Iterator[tuple[Use, Node, Domain]]:
    d = term.law.distribution
    for position, (p, node) in enumerate(zip(d.parameters, term.law.args, strict=True)):
        if p.domain.structure != "size":
            yield Use(term.name, p.name, position), node, p.domain
    for side in ("lower", "upper"):
        node = getattr(term.law, side)
        if node is not None:
            yield Use(term.name, side, None), node, REAL


def _numbers(instance: Instance, node: Node) -> np.ndarray | None:
    if isinstance(node, Literal):
        return np.asarray(float(node.value)) if math.isfinite(node.value) else None
    if isinstance(node, Data) and node in instance.values:
        array = np.asarray(instance.values[node], dtype=float)
        return array if np.isfinite(array).all() else None
    return None


def _both(one: Domain, other: Domain) -> Domain:
    """Give where a number lies that must lie in two domains; both are intervals, or of one structure."""
    if one is other:
        return one
    lowers = [d for d in (one, other) if isinstance(d.lower, int | float)]
    uppers = [d for d in (one, other) if isinstance(d.upper, int | float)]
    low = max(lowers, key=lambda d: (d.lower, d.lower_open), default=one)
    high = min(uppers, key=lambda d: (d.upper, not d.upper_open), default=one)
    return replace(
        one, integer=one.integer or other.integer, lower=low.lower, lower_open=low.lower_open, upper=high.upper,
        upper_open=high.upper_open,
    )


def _labels(instance: Instance, own: str, term: Term, numbers: np.ndarray) -> tuple[str, ...]:
    """Name the elements of a short vector by their coords, else by position."""
    if numbers.ndim == 0 or numbers.size > _FEW:
        return ()
    dims = instance.dims.get(own) or instance.dims.get(term.name) or ()
    coords = instance.coords.get(dims[-1], []) if numbers.ndim == 1 and dims else []
    if len(coords) == numbers.size:
        return tuple(str(label) for label in coords)
    return tuple(", ".join(map(str, at)) for at in np.ndindex(numbers.shape))


def _reach(instance: Instance, term: Term, use: Use) -> float:
    """Give how far a location may want to move: some of the scales that it goes with."""
    d = term.law.distribution
    if d.location_scale is None or use.parameter != d.location_scale[0]:
        return 0.0
    scale = term.law.args[[p.name for p in d.parameters].index(d.location_scale[1])]
    numbers = _numbers(instance, scale)
    return 0.0 if numbers is None else _REACH * float(np.max(np.abs(numbers)))


# -- sliders ----------------------------------------------------------------------------------------
def constants_of(slot: Slot) -> list[Constant]:
    """Give the numbers by which a slot is moved."""
    if slot.numbers.ndim == 0:
        return [_slider(slot, slot.name, float(slot.numbers), ())]
    if slot.labels and not slot.domain.square:
        return [
            _slider(slot, f"{slot.name}[{label}]", float(slot.numbers[at]), at)
            for label, at in zip(slot.labels, np.ndindex(slot.numbers.shape), strict=True)
        ]
    if slot.domain.integer:
        return []
    scale = Constant(f"{slot.name}.scale", 1.0, slot, "scale", (), 1 / _DECADES, _DECADES, True, 0.0, math.inf)
    if slot.domain.lower is not None or slot.domain.upper is not None or slot.domain.square:
        return [scale] if slot.domain.upper is None else []
    reach = slot.reach or _REACH * max(float(np.std(slot.numbers)), float(np.max(np.abs(slot.numbers))), 1.0)
    shift = Constant(f"{slot.name}.shift", 0.0, slot, "shift", (), -reach, reach, False, -math.inf, math.inf)
    return [shift, scale]


def _slider(slot: Slot, name: str, value: float, at: tuple[int, ...]) -> Constant:
    lower = _end(slot.domain.lower, -math.inf)
    upper = _end(slot.domain.upper, math.inf)
    integer = slot.domain.integer
    log = lower == 0.0 and math.isinf(upper) and value > 0 and not integer
    if log:
        low, high = value / _DECADES, value * _DECADES
    else:
        reach = slot.reach or max(2.0 * abs(value), 10.0)
        low, high = max(lower, value - reach), min(upper, value + reach)
        edge = (high - low) / 1000
        low += edge * (slot.domain.lower_open and low == lower)
        high -= edge * (slot.domain.upper_open and high == upper)
    return Constant(name, value, slot, "number", at, low, high, log, lower, upper, integer)


def _end(bound: object, none: float) -> float:
    return float(bound) if isinstance(bound, int | float) else none
