"""Which axes of a distribution's arguments run along which axes of its value."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scistan.distributions.rule import pieces_of, rule_of, taken_apart
from scistan.graph.graph import Law, Term
from scistan.graph.node import Apply, Data, Node, Variable
from scistan.graph.walk import topological
from scistan.model.facts import Dims
from scistan.shapes import Equality, Size, SizeTable

__all__ = ["axes_of_arguments", "dims_of_arguments", "equalities_of_pieces", "inherited_dims"]


def axes_of_arguments(law: Law) -> Iterator[tuple[int, Node, int]]:
    """Give each axis of the value with an argument's axis that runs along it, events included."""
    if rule_of(law) is not None:  # what a series runs over has its time; all else meets inside the law
        yield from ((0, node, 0) for node in taken_apart(law).over if law.shape[0].today != 1)
        return
    rank, full = law.distribution.event_rank, len(law.shape)
    for node, event in _arguments(law):
        batch = len(node.shape) - event
        pairs = [(full - rank - batch + at, at) for at in range(batch)]
        if rank:  # a vector or a matrix among the arguments has the event's own axis
            along = [at for at in range(batch, len(node.shape)) if _is_tied(law, node.shape[at])]
            pairs += [(full - 1, at) for at in along]
        for axis, at in pairs:
            if axis >= 0 and node.shape[at].today == law.shape[axis].today != 1:
                yield axis, node, at


def dims_of_arguments(law: Law, dims_of: Callable[[Node], Dims]) -> Iterator[tuple[int, Node, str]]:
    """Give each dim that an argument has along an axis of the value, events aside; axes count from the end."""
    if rule_of(law) is not None:
        for node in taken_apart(law).over:
            dim = dims_of(node)[0]
            if dim is not None:
                yield len(law.shape), node, dim
        return
    rank = law.distribution.event_rank
    for node, event in _arguments(law):
        own = dims_of(node)
        for axis in range(event + 1, len(own) + 1):
            at, dim = axis + rank - event, own[-axis]
            if dim is not None and at <= len(law.shape) and node.shape[-axis].today == law.shape[-at].today:
                yield at, node, dim


def _arguments(law: Law) -> list[tuple[Node, int]]:
    """List the arguments and bounds, each with the axes of one event."""
    pairs = zip(law.args, (p.domain.event_rank for p in law.distribution.parameters), strict=True)
    return [*pairs, *((b, 0) for b in (law.lower, law.upper) if b is not None)]


def _is_tied(law: Law, size: Size) -> bool:
    """Tell whether a length among the arguments must be the event's; of declared distributions the density says."""
    if law.distribution.one_length:
        return True
    sizes = SizeTable(law.equalities)
    return sizes.reduce(size) == sizes.reduce(law.shape[-1])


def equalities_of_pieces(law: Law, value: Variable | Data) -> tuple[Equality, ...]:
    """Give the lengths that must be equal for the law of a series to be what it is; none for any other law."""
    if rule_of(law) is None:
        return ()
    found = [(value.shape[0], node.shape[0]) for node in taken_apart(law).over if node.shape[0] != value.shape[0]]
    for piece in pieces_of(Term("", value, law)):
        for node in topological(piece.law.inputs):
            found += node.equalities if isinstance(node, Apply) else ()
    return tuple(dict.fromkeys(found))


def inherited_dims(law: Law, dims_of: Callable[[Node], Dims]) -> Dims:
    """Name each axis of a draw by the first argument that has a dim along it."""
    dims: list[str | None] = [None] * len(law.shape)
    for at, _, dim in dims_of_arguments(law, dims_of):
        dims[-at] = dims[-at] or dim
    return _with_events(law, dims, dims_of)


def _with_events(law: Law, dims: list[str | None], dims_of: Callable[[Node], Dims]) -> Dims:
    """Name the axes of an event by an argument that has events of the same rank."""
    rank = law.distribution.event_rank
    for p, node in zip(law.distribution.parameters, law.args, strict=True):
        own = dims_of(node)
        for axis in range(1, rank + 1):
            if p.domain.event_rank == rank and _is_tied(law, node.shape[-axis]) and (
                node.shape[-axis].today == law.shape[-axis].today
            ):
                dims[-axis] = dims[-axis] or own[-axis]
    return tuple(dims)
