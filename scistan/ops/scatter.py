"""Adding values at positions: what indexing does, the other way round."""

from __future__ import annotations

import math
from typing import Any

from scistan.ops.axes import unknown
from scistan.ops.declaration import REGISTRY, Attributes, Never, declare
from scistan.ops.expression import Expression, build
from scistan.ops.items import FULL, Item
from scistan.shapes import Equality, Shape

__all__ = ["POSITIONS_ARE_WHOLE", "SCATTER", "scattered"]

BACKWARDS: Item = ("slice", None, None, -1)
POSITIONS_ARE_WHOLE = Never("positions are whole numbers")


def _scatter_shape(_: tuple[Shape, ...], attributes: Attributes) -> tuple[Shape, tuple[Equality, ...]]:
    shape: Any = attributes["shape"]
    return shape, ()


def _scatter(xp: Any, values: Any, *positions: Any, items: tuple[Item, ...], shape: tuple[int, ...], rank: int) -> Any:
    """Add values to zeros of `shape`, each at the place from which the index of these items would take it."""
    length = math.prod(shape)
    numbers = xp.arange(length, **({"device": values.device} if xp.__name__ == "torch" else {}))
    take: Any = REGISTRY["index"].numpy
    places = take(xp, xp.reshape(numbers, shape), *positions, items=items)
    lead = tuple(values.shape[: values.ndim - rank])
    if xp.__name__ == "torch":
        flat = xp.broadcast_to(values, (*lead, *places.shape)).reshape(*lead, -1)
        zeros = xp.zeros((*lead, length), dtype=values.dtype, device=values.device)
        return zeros.index_add(-1, places.reshape(-1), flat).reshape((*lead, *shape))
    if xp.__name__ != "numpy":
        flat = xp.broadcast_to(values, (*lead, *places.shape)).reshape(*lead, -1)
        return xp.zeros((*lead, length), values.dtype).at[..., places.reshape(-1)].add(flat).reshape((*lead, *shape))
    rows = math.prod(lead)
    weights = xp.broadcast_to(values, (*lead, *places.shape)).reshape(-1)
    if not weights.size:
        return xp.zeros((*lead, *shape))
    at = (xp.arange(rows)[:, None] * length + places.reshape(-1)).reshape(-1)
    return xp.bincount(at, weights, minlength=rows * length).reshape((*lead, *shape))


def _scatter_back(upstream: Expression, _: Expression, values: Expression, *positions: Expression,
                  items: tuple[Item, ...], **__: Any) -> tuple[Expression, ...]:
    return (build(REGISTRY["index"], upstream, *positions, items=items),)


SCATTER = declare("scatter", "Values added at positions, to zeros.", arity=None, numpy=_scatter, torch=_scatter,
                  shape=_scatter_shape, axes=unknown, public=False, gradient=_scatter_back, carries=True)


def scattered(upstream: Expression, _: Expression, x: Expression, *positions: Expression,
              items: tuple[Item, ...]) -> tuple[Expression, ...]:
    """Give the slope of what was indexed: what comes for each element, added where the element was taken."""
    rank = len(upstream.shape)
    if all(item in (FULL, BACKWARDS, ("new",)) for item in items):  # nothing is left out: turn back, drop new axes
        back = tuple(("int", 0) if item == ("new",) else item for item in items)
        return (build(REGISTRY["index"], upstream, items=back),)
    return (build(SCATTER, upstream, *positions, items=items, shape=tuple(x.shape), rank=rank),)
