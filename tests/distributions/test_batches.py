"""A stack of events is a stack: leading axes of the value and of any argument broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scistan import domains
from scistan.distributions import REGISTRY
from scistan.graph.node import Data
from scistan.ops.expression import Expression
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.values import Value

from .evaluation import Bare, leaf, leaves, with_numpy
from .strategies import arguments, examples

EVERY = sorted(set(REGISTRY) - {"Flat"})
quick = examples(3)


@st.composite
def stacks(draw: Any, name: str) -> tuple[np.ndarray, list[Any], list[np.ndarray]]:
    """Draw arguments with a leading axis of 3 (a length stays one), and one event for each row."""
    d = REGISTRY[name]

    rows = [draw(arguments(d, size=3)) for _ in range(3)]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    events = [np.asarray(d.draw(rng, (), *map(np.asarray, row))) for row in rows]
    stacked = [
        rows[0][k] if p.domain is domains.SIZE else np.stack([row[k] for row in rows])
        for k, p in enumerate(d.parameters)
    ]
    return np.stack(events), stacked, rows


@pytest.mark.parametrize("name", EVERY)
@quick
@given(data=st.data())
def test_rows_are_independent(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, stacked, rows = data.draw(stacks(name))
    apart = np.array([with_numpy(d, d.log_density, event, tuple(row)) for event, row in zip(x, rows, strict=True)])
    together = with_numpy(d, d.log_density, x, tuple(stacked))
    np.testing.assert_allclose(np.broadcast_to(together, (3,)), apart, rtol=1e-9, atol=1e-9)
    # One set of arguments for all rows.
    shared = with_numpy(d, d.log_density, x, tuple(rows[0]))
    alone = [with_numpy(d, d.log_density, event, tuple(rows[0])) for event in x]
    np.testing.assert_allclose(np.broadcast_to(shared, (3,)), alone, rtol=1e-9, atol=1e-9)
    # And the same as draws: an axis that the graph does not know of.
    nodes = leaves(d, x[0], tuple(rows[0]))
    known = {n: Value(a, batched=True) for n, a in zip(nodes, [x, *stacked], strict=True) if isinstance(n, Data)}
    with np.errstate(all="ignore"):
        drawn = Evaluator(Bare(), NUMPY, known)[d.log_density(*map(Expression, nodes))._scistan_node_]
    np.testing.assert_allclose(np.broadcast_to(drawn.array, (3,)), apart, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", EVERY)
@quick
@given(data=st.data())
def test_draws_and_rows_together(name: str, data: st.DataObject) -> None:
    """Values of shape (draws, rows, event) under arguments of shape (draws, event): each draw meets its own."""
    d = REGISTRY[name]
    x, stacked, rows = data.draw(stacks(name))
    value = leaf(x)
    nodes = [value, *leaves(d, x[0], tuple(rows[0]))[1:]]
    arrays = [np.stack([x, x, x]), *stacked]
    known = {n: Value(a, batched=True) for n, a in zip(nodes, arrays, strict=True) if isinstance(n, Data)}
    with np.errstate(all="ignore"):
        root = d.log_density(*map(Expression, nodes))._scistan_node_
        found = Evaluator(Bare(), NUMPY, known)[root].array
    found = found if found.ndim == 2 else np.repeat(np.reshape(found, (-1, 1)), 3, 1)
    expected = [[with_numpy(d, d.log_density, event, tuple(row)) for event in x] for row in rows]
    np.testing.assert_allclose(np.broadcast_to(found, (3, 3)), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", EVERY)
@quick
@given(data=st.data())
def test_draws_have_the_shape_of_the_batch(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    x, stacked, _ = data.draw(stacks(name))
    event = x.shape[1:]
    arrays = [np.asarray(a) for a in stacked]
    assert np.shape(d.draw(np.random.default_rng(1), (3,), *arrays)) == (3, *event)
    with_rows = [
        a if p.domain is domains.SIZE else a[:, None] for p, a in zip(d.parameters, arrays, strict=True)
    ]
    assert np.shape(d.draw(np.random.default_rng(1), (3, 2), *with_rows)) == (3, 2, *event)
