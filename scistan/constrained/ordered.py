"""Numbers in rising order: any, or positive ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from scistan.constrained.declaration import Conditioned, Lengths, StanType, constant, declare
from scistan.constrained.shared import always_matters, is_common, of_each
from scistan.domains import Domain, Mask
from scistan.graph.node import Node, extent, literal
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression
from scistan.shapes import Size

if TYPE_CHECKING:
    from scistan.distributions.declaration import Distribution

__all__ = ["ORDERED", "POSITIVE_ORDERED"]

exp, log, lgamma, total, cumsum, concatenate = (
    FUNCTIONS[n] for n in ("exp", "log", "lgamma", "sum", "cumsum", "concatenate")
)
_ROUNDS = 500


def _as_many(event: Lengths) -> int:
    return event[0]


def _counted(event: Lengths) -> np.ndarray:
    return np.arange(1.0, event[0] + 1.0)


def _rises(x: np.ndarray) -> Mask:
    return (np.diff(x, axis=-1) > 0).all(-1)


def _rises_from_zero(x: np.ndarray) -> Mask:
    return _rises(x) & (x > 0).all(-1)


def _constrain(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    return cumsum(concatenate([u[:1], exp(u[1:])]), -1), total(u[1:])


def _unconstrain(x: Expression, event: Lengths) -> Expression:
    return concatenate([x[:1], log(x[1:] - x[:-1])])


def _constrain_positive(u: Expression, event: Lengths) -> tuple[Expression, Expression]:
    return cumsum(exp(u), -1), total(u)


def _unconstrain_positive(x: Expression, event: Lengths) -> Expression:
    return log(x - concatenate([constant([0.0]), x[:-1]]))


def _log_orders(d: Distribution, args: tuple[Node, ...], size: Size) -> Expression | None:
    # Exchangeable elements have K! orders, each as probable as the others.
    return lgamma(Expression(extent(size)) + 1.0) if all(map(is_common, args)) else None


def _log_positive_orders(d: Distribution, args: tuple[Node, ...], size: Size) -> Expression | None:
    orders = _log_orders(d, args, size)
    if orders is None or d.domain(args).lower is not None:
        return orders
    if d.log_ccdf is None:
        return None
    count = Expression(extent(size))
    return orders - count * d.log_ccdf(Expression(literal(0.0)), *map(of_each, args))


def _unless_common_location(d: Distribution, parameter: str, node: Node) -> bool:
    """Leave out a location that all elements share: moved together they stay in order."""
    return not (d.location_scale and parameter == d.location_scale[0] and is_common(node))


def _draw_in_order(
    free: Callable[..., np.ndarray], d: Distribution, size: Lengths, args: list[np.ndarray]
) -> np.ndarray | None:
    # Exchangeable elements given their order are the sorted elements.
    if all(np.ndim(a) == 0 or np.shape(a)[-1] == 1 for a in args):
        return np.sort(free(size, args), axis=-1)
    return _draw_until_it_rises(free, size, args)


def _draw_until_it_rises(
    free: Callable[..., np.ndarray], size: Lengths, args: list[np.ndarray]
) -> np.ndarray | None:
    """Draw each vector again until it rises; exact, and fast where the order is likely."""
    rows = [np.broadcast_to(a, size).reshape(-1, size[-1]) for a in args]
    result = np.empty((math.prod(size[:-1]), size[-1]))
    waiting = np.arange(len(result))
    for _ in range(_ROUNDS):
        drawn = free((len(waiting), size[-1]), [row[waiting] for row in rows])
        rises = _rises(drawn)
        result[waiting[rises]] = drawn[rises]
        waiting = waiting[~rises]
        if not len(waiting):
            return result.reshape(size)
    return None


ORDERED = declare(
    Domain("strictly rising numbers", 1, structure="ordered", holds=_rises),
    free=_as_many,
    constrain=_constrain,
    unconstrain=_unconstrain,
    middle=_counted,
    stan=StanType("ordered"),
    orders=True,
    public_name="ordered",
    conditioned=Conditioned(_log_orders, _unless_common_location, _draw_in_order),
)
POSITIVE_ORDERED = declare(
    Domain("strictly rising positive numbers", 1, structure="positive_ordered", holds=_rises_from_zero),
    free=_as_many,
    constrain=_constrain_positive,
    unconstrain=_unconstrain_positive,
    middle=_counted,
    stan=StanType("positive_ordered"),
    element=(0.0, math.inf),
    edges=(True, False),
    is_also="ordered",
    orders=True,
    conditioned=Conditioned(_log_positive_orders, always_matters, _draw_in_order, underflows=True),
)
