"""A model over a flat vector of free coordinates: values, Jacobian and density as nodes, once for every backend."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce

from scistan.constrained import TYPES
from scistan.constrained.interval import into_interval, out_of_interval
from scistan.distributions.density import total
from scistan.distributions.innovations import innovations_of, standard_law
from scistan.distributions.resolve import value_domain
from scistan.distributions.standard import Frame, frame_of
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable, literal
from scistan.ops import FUNCTIONS
from scistan.ops.declaration import REGISTRY
from scistan.ops.derivative import minus, plus
from scistan.ops.expression import Expression, build
from scistan.shapes import Size
from scistan.transforms.computation import Computation
from scistan.transforms.substitute import substituted

__all__ = ["Unconstrained"]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A latent at its coordinates: its value, and the log Jacobians of its constraint and of its non-centring."""

    value: Expression
    jacobian: Node
    scaling: Node


class Unconstrained:
    """The graph of an instance over coordinates `q`; latents marked as non-centred have standard ones."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.places: dict[str, slice] = {}
        start = 0
        for term in instance.graph.latents:
            count = math.prod(self._free_shape(term))
            self.places[term.name] = slice(start, start + count)
            start += count
        self.dimension = start
        self.q = Variable("q", (Size(start),), self, None)

    def _event(self, term: Term) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Give the lengths in front of a latent's events, and those of an event."""
        shape = self.instance.shape(term.law.shape)
        at = len(shape) - value_domain(term.law).event_rank if value_domain(term.law).structure else len(shape)
        return shape[:at], shape[at:]

    def _free_shape(self, term: Term) -> tuple[int, ...]:
        structure = value_domain(term.law).structure
        lead, event = self._event(term)
        return (*lead, TYPES[structure].free(event)) if structure else lead

    # -- there --------------------------------------------------------------------------------------
    @cached_property
    def _placed(self) -> dict[str, tuple[Term, Expression, _Placed]]:
        """Place every latent, in the order in which they depend on each other."""
        found: dict[str, tuple[Term, Expression, _Placed]] = {}
        known: dict[Node, Node] = {}

        def at(node: Node) -> Expression:
            return Expression(substituted([node], known)[0])

        for term in self.instance.graph.latents:
            u = self._coordinates(term)
            placed = self._place(term, u, at)
            known[term.value] = placed.value._scistan_node_
            found[term.name] = term, u, placed
        return found

    def _coordinates(self, term: Term) -> Expression:
        place, shape = self.places[term.name], self._free_shape(term)
        if not shape:
            return Expression(self.q)[place.start]
        return FUNCTIONS["reshape"](Expression(self.q)[place], shape) if len(shape) > 1 else Expression(self.q)[place]

    def _place(self, term: Term, u: Expression, at: Callable[[Node], Expression]) -> _Placed:
        law, nothing = term.law, literal(0.0)
        if law.noncentred and law.distribution.rule is not None:
            way = innovations_of(law)
            series = _shaped(at(way.at(u)), term)
            scales = at(way.log_scale_of(series._scistan_node_))
            return _Placed(series, nothing, _total(scales))
        frame = frame_of(law) if law.noncentred else None
        if frame is not None:
            location, scale = (at(node) for node in frame.nodes)
            slope = FUNCTIONS["diagonal"](scale) if frame.is_matrix else scale
            moved = _multiplied(scale, u) if frame.is_matrix else scale * u
            log_slope = FUNCTIONS["log"](slope) + 0.0 * u  # as often as it is used
            return _Placed(_shaped(location + moved, term), nothing, _total(log_slope))
        domain = value_domain(law)
        if domain.structure:
            value, jacobian = self._structured(term, u)
            return _Placed(_shaped(value, term), jacobian, nothing)
        lower, upper = (_bound(side, at) for side in (domain.lower, domain.upper))
        value, jacobian_of_each = into_interval(u, lower, upper)
        free = lower is None and upper is None
        return _Placed(_shaped(value, term), nothing if free else _total(jacobian_of_each + 0.0 * u), nothing)

    def _structured(self, term: Term, u: Expression) -> tuple[Expression, Node]:
        kind = TYPES[value_domain(term.law).structure]
        lead, event = self._event(term)
        if not lead:
            value, jacobian = kind.constrain(u, event)
            return value, jacobian._scistan_node_
        flat = FUNCTIONS["reshape"](u, (math.prod(lead), kind.free(event)))
        pairs = [kind.constrain(flat[k], event) for k in range(math.prod(lead))]
        return FUNCTIONS["stack"]([value for value, _ in pairs]), _total(FUNCTIONS["stack"]([j for _, j in pairs]))

    @cached_property
    def values(self) -> Computation:
        """The latents' values as a function of the coordinates."""
        outputs = tuple(placed.value._scistan_node_ for _, _, placed in self._placed.values())
        return Computation((self.q,), outputs, self.instance)

    def density(self, jacobian: bool) -> Computation:
        """Give the log density, all constants kept, with or without the Jacobian of the way to the values."""
        parts: list[Node] = []
        known: dict[Node, Node] = {}
        for term, _, placed in self._placed.values():
            known[term.value] = placed.value._scistan_node_
            parts += [placed.jacobian] if jacobian else []
        away: Node = literal(0.0)
        for term in self.instance.graph.terms:
            if not term.law.noncentred:
                parts.append(total(term))
                continue
            _, u, placed = self._placed[term.name]
            # The density of a standard z itself: through the value its digits are lost where the scale is tiny.
            z = Variable(term.name, u.shape, self, None)
            known[z] = u._scistan_node_
            parts.append(total(Term(term.name, z, standard_law(term.law))))
            away = away if jacobian else plus(away, placed.scaling)
        nothing: Node = literal(0.0)
        summed = reduce(plus, substituted(parts, known), nothing)
        return Computation((self.q,), (minus(summed, away),), self.instance)

    # -- back ---------------------------------------------------------------------------------------
    @cached_property
    def coordinates(self) -> Computation:
        """The coordinates of each latent, one after the other, as a function of their values."""
        terms = self.instance.graph.latents
        inputs: tuple[Node, ...] = tuple(term.value for term in terms)
        outputs = tuple(self._back(term)._scistan_node_ for term in terms)
        return Computation(inputs, outputs, self.instance)

    def _back(self, term: Term) -> Expression:
        x, law = Expression(term.value), term.law
        if law.noncentred and law.distribution.rule is not None:
            way = innovations_of(law)
            return Expression(way.standard_of(term.value))
        frame = frame_of(law) if law.noncentred else None
        if frame is not None:
            return _standard(x, frame)
        domain = value_domain(law)
        if not domain.structure:
            lower, upper = (_bound(side, Expression) for side in (domain.lower, domain.upper))
            return out_of_interval(x, lower, upper)
        kind = TYPES[domain.structure]
        lead, event = self._event(term)
        if not lead:
            return kind.unconstrain(x, event)
        flat = build(REGISTRY["reshape"], x, shape=tuple(map(Size, (math.prod(lead), *event))), rank=len(x.shape))
        return FUNCTIONS["stack"]([kind.unconstrain(flat[k], event) for k in range(math.prod(lead))])


def _bound(side: object, at: Callable[[Node], Expression]) -> Expression | None:
    if side is None:
        return None
    return at(side) if isinstance(side, Node) else Expression(literal(float(side)))  # type: ignore[arg-type]


def _shaped(value: Expression, term: Term) -> Expression:
    """Give a value the latent's own lengths."""
    if not term.law.shape:
        return value
    return build(REGISTRY["reshape"], value, shape=term.law.shape, rank=len(value.shape))


def _total(value: Expression) -> Node:
    return FUNCTIONS["sum"](value)._scistan_node_ if value.shape else value._scistan_node_


def _multiplied(scale: Expression, z: Expression) -> Expression:
    """Multiply vectors by a factor, or each by its own."""
    if len(scale.shape) == 2:
        return FUNCTIONS["matmul"](z, FUNCTIONS["transpose"](scale))
    return FUNCTIONS["matmul"](scale, z[..., None])[..., 0]


def _standard(x: Expression, frame: Frame) -> Expression:
    location, scale = map(Expression, frame.nodes)
    apart = x - location
    if not frame.is_matrix:
        return apart / scale
    if len(scale.shape) == 2:
        flat = FUNCTIONS["reshape"](apart, (-1, apart.shape[-1])) if len(apart.shape) > 2 else apart
        turned = flat if len(flat.shape) == 1 else FUNCTIONS["transpose"](flat)
        solved = FUNCTIONS["solve_lower"](scale, turned)
        return solved if len(flat.shape) == 1 else FUNCTIONS["transpose"](solved)
    return FUNCTIONS["matmul"](FUNCTIONS["inverse"](scale), apart[..., None])[..., 0]
