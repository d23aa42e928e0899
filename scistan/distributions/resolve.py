"""From an unnamed distribution to a law: its shape, and the domain of its value."""

from __future__ import annotations

import math
from collections.abc import Callable

from scistan.constrained import TYPES
from scistan.distributions.declaration import Distribution
from scistan.distributions.options import MOST_ELEMENTS
from scistan.distributions.own import check_own
from scistan.distributions.unnamed import Unnamed
from scistan.domains import Domain
from scistan.graph.graph import Law
from scistan.graph.node import Literal, Node
from scistan.messages import arguments as arguments_messages
from scistan.messages import bounds, declared
from scistan.messages import constraints as constraints_messages
from scistan.messages import observations as observations_messages
from scistan.shapes import Equality, Shape, Size, SizeConflict, broadcast, values_of

__all__ = ["batch_rank", "cutting", "resolve", "value_domain"]


def resolve(name: str, made: Unnamed, given: Shape | None, values: Shape | None) -> Law:
    """Work out the shape of a variable: what was asked for, the arguments and the values, united."""
    d = made.distribution
    batches = [
        node.shape[: len(node.shape) - p.domain.event_rank] for p, node in zip(d.parameters, made.args, strict=True)
    ]
    batches += [b.shape for b in (made.lower, made.upper) if b is not None]
    event = _event(name, made, given, values)
    if made.size is not None:
        given = made.size if d.length_given else made.size + event
    wanted = [s for s in (given, values) if s is not None]
    for shape in wanted:
        if len(shape) < len(event):
            raise observations_messages.no_room_for_event(name, d.title, values_of(shape), values_of(event))
    try:
        batch, equal = broadcast(*batches)
    except SizeConflict:
        raise arguments_messages.shapes_do_not_broadcast(name, [values_of(s) for s in batches if s]) from None
    try:
        full, more = broadcast(batch + event, *wanted)
    except SizeConflict:
        shapes = [values_of(s) for s in (batch + event, *wanted) if s]
        raise arguments_messages.shapes_do_not_broadcast(name, shapes) from None
    shared = _one_length(name, made, event)
    for shape in wanted:
        if shape is values and values_of(shape) != values_of(full):
            raise observations_messages.values_do_not_fit(name, values_of(shape), values_of(batch + event))
        if values_of(shape) != values_of(full):
            raise bounds.shape_too_small(name, values_of(shape), values_of(batch + event))
    if made.constraint is not None and not full:
        raise constraints_messages.constraint_needs_axis(name, made.constraint)
    shape = _prefer(full, wanted)
    # The length of a list is a number until a pass finds what the list goes through: it must not stick to the variable.
    named = tuple(size if size.terms else Size.new(size.today, axis=axis) for axis, size in enumerate(shape))
    shared += tuple((own, size) for own, size in zip(named, shape, strict=True) if own != size)
    shape = named
    if math.prod(values_of(shape)) > MOST_ELEMENTS:
        raise bounds.shape_too_large(name, values_of(shape))
    shared += check_own(name, d, made.args, shape)
    return Law(
        d,
        made.args,
        shape,
        lower=cutting(made.lower, d, made.args, "lower"),
        upper=cutting(made.upper, d, made.args, "upper"),
        constraint=made.constraint,
        centred=made.centred,
        equalities=tuple(equal) + tuple(more) + shared,
    )


def _event(name: str, made: Unnamed, given: Shape | None, values: Shape | None) -> Shape:
    """Give the shape of one value: that of an argument, or what is said where the distribution is used."""
    d = made.distribution
    if not d.length_given:
        return d.event_shape(d.named(made.args)) if d.event_shape else ()
    whole = next((s for s in (made.size, given, values) if s is not None), ())
    if len(whole) < d.event_rank:
        raise declared.no_event_length(name, d.title, made.place)
    return whole[len(whole) - d.event_rank :]


def cutting(bound: Node | None, d: Distribution, args: tuple[Node, ...], side: str) -> Node | None:
    """Drop a bound that cuts nothing off, for the support ends there or before."""
    own = getattr(d.domain(args), side)
    if not isinstance(bound, Literal) or not isinstance(own, int | float):
        return bound
    idle = bound.value <= own if side == "lower" else bound.value >= own
    return None if idle else bound


def _one_length(name: str, made: Unnamed, event: Shape) -> tuple[Equality, ...]:
    """Say that the vectors and matrices among the arguments have the event's own length."""
    equal: list[Equality] = []
    for p, node in zip(made.distribution.parameters, made.args, strict=True):
        tied = event if made.distribution.one_length else ()
        for size in node.shape[len(node.shape) - p.domain.event_rank :] if tied else ():
            if size.today != event[-1].today:
                raise arguments_messages.shapes_do_not_broadcast(name, [values_of(a.shape) for a in made.args])
            if size != event[-1]:
                equal.append((event[-1], size))
    return tuple(equal)


def _prefer(full: Shape, wanted: list[Shape]) -> Shape:
    """Name axes by what was asked for; the equalities say that it is the same."""
    return wanted[0] if wanted else full


def batch_rank(law: Law) -> int:
    """Count the axes over which the events of a law are repeated."""
    return len(law.shape) - law.event_rank


def value_domain(law: Law) -> Domain:
    """Give the domain of a value that follows a law: support, the user's bounds, and a constraint if one was set."""
    d: Distribution = law.distribution
    support = d.domain(law.args)
    if law.constraint is not None:
        return TYPES[law.constraint].domain
    return support.within(_bound(law.lower, support.lower, max), _bound(law.upper, support.upper, min))


def _bound(given: Node | None, own: object, inner: Callable[..., float]) -> object:
    if given is None:
        return None
    if not isinstance(given, Literal):
        return given
    if isinstance(own, int | float):
        return float(inner(given.value, own))
    return float(given.value)
