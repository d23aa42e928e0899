"""nutpie's traces (Arrow tables, one a chain) as arrays under ArviZ's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scistan.engines.protocol import Chains
from scistan.engines.statistics import typed
from scistan.surface import lacking

__all__ = ["combine_traces", "numbers"]

# nutpie's statistics -> ArviZ's names
_STATISTICS = {
    "logp": "lp",
    "mean_tree_accept": "acceptance_rate",
    "step_size": "step_size",
    "depth": "tree_depth",
    "n_steps": "n_steps",
    "diverging": "diverging",
    "energy": "energy",
}


def combine_traces(tables: Sequence[Any], draws: int, warmup: int) -> tuple[Chains, Chains, list[int]]:
    """Give kept draws, warm-up draws and how many kept draws each chain has; a chain may be missing or short."""
    example = next((t for t in tables if t is not None), None)
    if example is None:
        return Chains({}, {}), Chains({}, {}), [0] * len(tables)
    (drawn,), (stats,) = example
    values = {name: _shape(drawn.column(name)) for name in drawn.column_names}
    kept, early = _empty(len(tables), draws, values), _empty(len(tables), warmup, values)
    lengths = []
    for k, pair in enumerate(tables):
        if pair is None:
            lengths.append(0)
            continue
        (drawn,), (stats,) = pair
        tuning = int(np.sum(numbers(stats, "tuning")))
        lengths.append(drawn.num_rows - tuning)
        for source, table, names in ((0, drawn, {n: n for n in values}), (1, stats, _STATISTICS)):
            for theirs, ours in names.items():
                shape = values[theirs] if source == 0 else ()
                rows = numbers(table, theirs).reshape(drawn.num_rows, *shape)
                early[source][ours][k, :tuning] = rows[:tuning]
                kept[source][ours][k, : lengths[-1]] = rows[tuning:]
    return Chains(kept[0], typed(kept[1])), Chains(early[0], typed(early[1])), lengths


def _empty(chains: int, length: int, values: dict[str, tuple[int, ...]]) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        {name: np.full((chains, length, *shape), np.nan) for name, shape in values.items()},
        {name: np.full((chains, length), np.nan) for name in _STATISTICS.values()},
    )


def _shape(column: Any) -> tuple[int, ...]:
    text = (column.field.metadata or {}).get(b"shape", b"").decode()
    return tuple(int(n) for n in text.split(",")) if text else ()


def numbers(table: Any, name: str) -> np.ndarray:
    """Give a column's numbers, lists laid end to end; one that nutpie no longer writes is told."""
    import pyarrow  # type: ignore[import-untyped]

    if name not in table.column_names:
        raise lacking("nutpie", [f"the statistic {name}"])
    array = pyarrow.array(table.column(name))
    flat = array.flatten() if hasattr(array, "flatten") and pyarrow.types.is_large_list(array.type) else array
    return np.asarray(flat.to_numpy(zero_copy_only=False), dtype=float)
