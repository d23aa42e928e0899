"""Whether a latent can leave the domain of the argument it is used as: told by its own domain, where it is used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scistan.constrained import TYPES
from scistan.distributions.declaration import Distribution, Parameter, constant_value
from scistan.domains import Domain, between
from scistan.graph.node import Apply, Node, Variable
from scistan.messages import domains as messages
from scistan.ops.items import FULL

__all__ = ["check_bare_bounds", "check_bare_latent", "check_bare_relation"]

Range = tuple[float, float]  # NaN on a side that is not known
_UNKNOWN = (math.nan, math.nan)  # of matrices, whose elements differ on and off the diagonal
def check_bare_latent(d: Distribution, parameter: Parameter, node: Node) -> None:
    """Refuse a latent, or an index of one, that can leave the domain of a parameter; expressions are not judged."""
    latent, path = _bare(node)
    wanted = parameter.domain
    if latent is None or latent.domain is None or wanted.structure == "size":
        return
    told = _leaves_structure(wanted, latent, path) if wanted.structure else _leaves_range(wanted, latent, path)
    if told:
        raise messages.latent_leaves(d, parameter.name, wanted, latent.name, told)


def check_bare_bounds(d: Distribution, support: Domain, lower: Node | None, upper: Node | None) -> None:
    """Refuse a latent bound that can leave nothing between itself and the other end."""
    ends = {"lower": _highest(support.upper, upper), "upper": _lowest(support.lower, lower)}
    for side, node in (("lower", lower), ("upper", upper)):
        latent, path = (None, []) if node is None else _bare(node)
        if latent is None or latent.domain is None:
            continue
        low, high = range_of(latent.domain, indexed=bool(path))
        if high > ends[side] if side == "lower" else low < ends[side]:
            raise messages.bound_leaves(d.title, side, latent.name, ends[side])


def check_bare_relation(d: Distribution, nodes: tuple[Node, ...]) -> None:
    """Refuse a latent that can break what must hold between parameters, where all the others are known numbers."""
    latents = [(p, *_bare(node)) for p, node in zip(d.parameters, nodes, strict=True) if constant_value(node) is None]
    if d.relation is None or len(latents) != 1:
        return
    parameter, latent, path = latents[0]
    if latent is None or latent.domain is None or parameter.domain.event_rank:
        return
    low, high = range_of(latent.domain, indexed=bool(path))
    inner = np.nextafter((max(low, -1e300), min(high, 1e300)), (math.inf, -math.inf))  # ends have no probability
    for end in inner[np.isfinite(inner)]:
        numbers: dict[str, Any] = {p.name: constant_value(n) for p, n in zip(d.parameters, nodes, strict=True)}
        if not np.all(d.relation.holds(*(numbers | {parameter.name: end}).values())):
            raise messages.latent_breaks(d.title, d.relation.parameter, d.relation.words, latent.name)


def _bare(node: Node) -> tuple[Variable | None, list[Apply]]:
    """Give the latent that a node is an index of, and the indices on the way."""
    path: list[Apply] = []
    while isinstance(node, Apply) and node.op.name in ("index", "pick"):
        path.append(node)
        node = node.args[0]
    return (node, path) if isinstance(node, Variable) else (None, path)


def range_of(domain: Domain, *, indexed: bool = False) -> Range:
    """Give the lowest and the highest value of one element."""
    if domain.structure:
        kind = TYPES.get(domain.structure)
        return _UNKNOWN if kind is None or kind.diagonal is not None else kind.element
    low, high = (_end(bound, side, indexed) for side, bound in enumerate((domain.lower, domain.upper)))
    return low, high


def _end(bound: object, side: int, indexed: bool) -> float:
    """Give an end of a range; where it differs between elements, that of the one farthest out."""
    if bound is None:
        return (-math.inf, math.inf)[side]
    if not isinstance(bound, Node):
        return float(bound)  # type: ignore[arg-type]
    numbers = constant_value(bound)
    if numbers is None:
        latent, path = _bare(bound)
        known = latent is not None and latent.domain is not None
        return range_of(latent.domain, indexed=bool(path))[side] if known else math.nan  # type: ignore[union-attr, arg-type]
    least, most = _least(numbers), _most(numbers)
    return math.nan if indexed and least != most else (least, most)[side]


def _least(numbers: Any) -> float:
    """Give the least of some numbers: of none, what leaves every other as it is."""
    return float(np.min(np.asarray(numbers, dtype=float), initial=math.inf))


def _most(numbers: Any) -> float:
    return float(np.max(np.asarray(numbers, dtype=float), initial=-math.inf))


def _highest(end: object, given: Node | None) -> float:
    """Give the upper end of what can be between bounds, as far as it is known."""
    numbers = None if given is None else constant_value(given)
    own = float(end) if isinstance(end, int | float) else math.inf
    return own if numbers is None else min(own, _most(numbers))


def _lowest(end: object, given: Node | None) -> float:
    numbers = None if given is None else constant_value(given)
    own = float(end) if isinstance(end, int | float) else -math.inf
    return own if numbers is None else max(own, _least(numbers))


def _leaves_range(wanted: Domain, latent: Variable, path: list[Apply]) -> str:
    """Say where a latent's elements can be that a domain without structure does not have; "" where nowhere."""
    if latent.domain is None:
        return ""
    low, high = range_of(latent.domain, indexed=bool(path))
    if isinstance(wanted.lower, int | float) and low < wanted.lower:
        return f"can be below {wanted.lower:g}"
    if isinstance(wanted.upper, int | float) and high > wanted.upper:
        return f"can be above {wanted.upper:g}"
    return "is no whole number" if wanted.integer and not latent.domain.integer else ""


def _leaves_structure(wanted: Domain, latent: Variable, path: list[Apply]) -> str:
    """Say what a latent can be where a structure is wanted; indices into the structure itself are not judged."""
    rank, own = wanted.event_rank, latent.domain
    if own is None or any(not _keeps_last(index, rank) for index in path):
        return ""
    kind = TYPES[wanted.structure]
    if own.structure in TYPES and wanted.structure in (own.structure, TYPES[own.structure].is_also):
        return ""
    if kind.orders and latent.shape[-1].today == 1:  # one number is in order
        return _leaves_range(between(*kind.element), latent, path)
    return f"is {own.words}" if own.structure else "can be any numbers"


def _keeps_last(index: Apply, rank: int) -> bool:
    items: Any = dict(index.attributes).get("items", ())
    return len(items) >= rank and all(item == FULL for item in items[-rank:])
