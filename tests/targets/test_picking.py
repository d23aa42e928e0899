"""Positions that differ between draws: each draw picks for itself, as a loop over draws would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scistan.graph.node import Data
from scistan.ops.expression import Expression
from scistan.shapes import Size
from scistan.targets.picking import pick_by_draw
from scistan.targets.values import Value

DRAWS = 5
CASES: list[tuple[tuple[int, ...], list[tuple[int, ...]], Callable[..., Any]]] = [
    ((3,), [()], lambda x, p: x[p]),
    ((3,), [(7,)], lambda x, p: x[p]),
    ((3, 4), [(7,)], lambda x, p: x[p]),
    ((3, 4), [()], lambda x, p: x[:, p]),
    ((3, 4, 2), [(7, 6)], lambda x, p: x[:, p]),
    ((3, 4), [(7,), (7,)], lambda x, p, q: x[p, q]),
    ((3, 4), [(7,)], lambda x, p: x[1, p]),
    ((3, 4, 5), [(7,), (1,)], lambda x, p, q: x[:, p, q]),
    ((3, 4, 5), [(7,)], lambda x, p: x[:2, p, 1]),
    ((3, 4), [(7,)], lambda x, p: x[None, p]),
    ((3, 4, 5), [(7,), (7,)], lambda x, p, q: x[p, :, q]),
]


def leaf(shape: tuple[int, ...], *, integer: bool) -> Expression:
    return Expression(Data(None, tuple(map(Size, shape)), integer=integer))


@pytest.mark.parametrize("own_values", [True, False])
@pytest.mark.parametrize("last_is_data", [True, False])
@pytest.mark.parametrize("case", range(len(CASES)))
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_each_draw_picks_for_itself(library: str, case: int, own_values: bool, last_is_data: bool) -> None:
    xp = pytest.importorskip(library)
    shape, positions, pick = CASES[case]
    over_draws = [True] * (len(positions) - 1) + [not (last_is_data and len(positions) > 1)]
    rng = np.random.default_rng(case)
    node = pick(leaf(shape, integer=False), *(leaf(p, integer=True) for p in positions))._scistan_node_
    x = rng.normal(size=((DRAWS, *shape) if own_values else shape))
    at = [rng.integers(0, 2, size=(DRAWS, *p) if own else p) for p, own in zip(positions, over_draws, strict=True)]
    values = [Value(xp.asarray(x), own_values)]
    values += [Value(xp.asarray(p), own) for p, own in zip(at, over_draws, strict=True)]
    found = np.asarray(pick_by_draw(xp, node, values))
    expected = [
        pick(x[d] if own_values else x, *(p[d] if own else p for p, own in zip(at, over_draws, strict=True)))
        for d in range(DRAWS)
    ]
    assert np.array_equal(found, np.stack(expected))
