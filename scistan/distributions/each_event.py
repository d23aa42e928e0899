"""A formula of one value, applied to each of several: a recurrence that carries nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scistan.ops.expression import Expression
from scistan.ops.recurrence import scan
from scistan.ops.shaping import broadcast_to, reshape
from scistan.shapes import Shape, broadcast

__all__ = ["each_event"]


def each_event(formula: Callable[..., Expression], args: Sequence[Expression], ranks: Sequence[int]) -> Expression:
    """Give a number for each value; what is the same for all of them is not repeated."""
    shapes = [arg._scistan_node_.shape for arg in args]
    batches = [shape[: len(shape) - rank] for shape, rank in zip(shapes, ranks, strict=True)]
    batch, _ = broadcast(*batches)
    varies = [bool(own) for own in batches]
    over = tuple(
        _in_one_row(arg, batch, shape[len(shape) - rank :])
        for arg, shape, rank, own in zip(args, shapes, ranks, varies, strict=True)
        if own
    )

    def one(nothing: Expression, *elements: Expression) -> tuple[Expression, Expression]:
        given = iter(elements)
        return nothing, formula(*(next(given) if own else arg for arg, own in zip(args, varies, strict=True)))

    found = scan(one, 0.0, over=over)
    return found if len(batch) == 1 else reshape(found, batch)


def _in_one_row(arg: Expression, batch: Shape, event: Shape) -> Expression:
    """Lay the axes over which values are repeated in a row."""
    wide = arg if arg._scistan_node_.shape == batch + event else broadcast_to(arg, batch + event)
    if len(batch) == 1:
        return wide
    return reshape(wide, (-1, *event))
