"""Index by positions that differ between draws: each draw picks from its own values, or all from the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scistan.graph.node import Apply
from scistan.ops.indexing import INDEX
from scistan.ops.items import FULL
from scistan.ops.libraries import as_positions
from scistan.targets.values import Array, Value

__all__ = ["pick_by_draw", "picks_by_draw"]


def picks_by_draw(node: Apply, batched: Sequence[bool]) -> bool:
    """Tell whether a node is an index whose positions run over draws."""
    return node.op is INDEX and any(batched[1:])


def pick_by_draw(xp: Any, node: Apply, values: Sequence[Value]) -> Array:
    """Pick for each draw; the draws are the first axis of the result."""
    items: tuple[Any, ...] = dict(node.attributes)["items"]  # type: ignore[assignment]
    source, *positions = values
    draws = next(len(value.array) for value in positions if value.batched)
    kept = [item for item in items if item[0] != "int"]
    places = [k for k, item in enumerate(kept) if item[0] == "array"]
    if places != list(range(places[0], places[0] + len(places))) or any(item[0] == "new" for item in items):
        return _one_by_one(xp, items, values, draws)
    own = tuple(FULL if item[0] == "array" else item for item in items)
    lead = int(source.batched)
    array = source.array[(slice(None),) * lead + tuple(_key(item) for item in own)]
    for k, place in enumerate(places):
        array = xp.moveaxis(array, lead + place, lead + k)
    ranks = [len(arg.shape) for arg in node.args[1:]]
    rank = max(ranks)
    keys = [_wide(xp, value, own_rank, rank) for value, own_rank in zip(positions, ranks, strict=True)]
    if source.batched:
        rows = xp.arange(draws).reshape((draws, *(1,) * rank))
        found = array[(rows, *keys)]
    else:
        found = array[tuple(keys)]
    # The positions' own axes stand where they picked, the last first so that none is passed by another.
    for axis in range(rank, 0, -1) if places[0] else ():
        found = xp.moveaxis(found, axis, axis + places[0])
    return found


def _one_by_one(xp: Any, items: tuple[Any, ...], values: Sequence[Value], draws: int) -> Array:
    """Pick draw after draw, where positions stand apart or beside new axes."""
    take: Any = INDEX.form("numpy")
    each = ([v.array[d] if v.batched else v.array for v in values] for d in range(draws))
    return xp.stack([take(xp, *arrays, items=items) for arrays in each])


def _key(item: tuple[Any, ...]) -> Any:
    return item[1] if item[0] == "int" else slice(*item[1:])


def _wide(xp: Any, value: Value, rank: int, target: int) -> Array:
    """Give positions one axis over draws and as many behind it as the others have."""
    array = as_positions(xp, value.array)
    shape = tuple(array.shape)
    lead = shape[:1] if value.batched else (1,)
    return array.reshape((*lead, *(1,) * (target - rank), *(shape[1:] if value.batched else shape)))
