"""Running maxima and minima: all steps at once in every array library, with the numbers and slopes of a loop."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
import pytest

import scistan as ss
from scistan.ops.at_once import at_once
from tests.ops.ops_support import Torch, free, value_of
from tests.ops.test_linear_steps import recurrence, scan_of
from tests.transforms.backends_here import HERE

RNG = np.random.default_rng(3)
Step = Any
STEPS: dict[str, tuple[str, Step, Step]] = {  # the kind, the step, and the same by NumPy
    "largest": ("maximum", lambda a, s, x: ss.maximum(s, x), lambda a, s, x: max(s, x)),
    "smallest": ("minimum", lambda a, s, x: ss.minimum(x, s), lambda a, s, x: min(s, x)),
    "of something": ("maximum", lambda a, s, x: ss.maximum(a * x**2 - 1, s), lambda a, s, x: max(a * x**2 - 1, s)),
    "of several": ("minimum", lambda a, s, x: ss.minimum(a, ss.minimum(s, 2 * x)), lambda a, s, x: min(a, s, 2 * x)),
    "of what stands still": ("maximum", lambda a, s, x: ss.maximum(a, s), lambda a, s, x: max(a, s)),
}
# With ties, one after the other and apart; long enough for steps to be joined.
STRUCTURED = {
    "ties": [0.0, 1.0, 1.0, 0.5, 1.0, 2.0, 2.0, 2.0, -1.0, 2.0], "constant": [0.4] * 9, "rising": list(np.arange(9.0)),
    "falling": list(-np.arange(9.0)), "start": [0.4, 0.4, 0.1, 0.4, 0.5, 0.5, 0.1, 0.0, 0.5],
}


def by_hand(step: Step, a: float, x: np.ndarray, start: float, reverse: bool) -> np.ndarray:
    found, state = np.empty(len(x)), start
    for t in (reversed if reverse else iter)(range(len(x))):  # type: ignore[operator]
        state = step(a, state, x[t])
        found[t] = state
    return found


@pytest.mark.parametrize("name", STEPS)
def test_they_are_seen(name: str) -> None:
    kind, step, _ = STEPS[name]
    how = at_once(scan_of(recurrence(step, 9)[0]))
    assert how is not None
    assert how.kind == kind


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [3, 8, 33])
@pytest.mark.parametrize("name", STEPS)
def test_states_are_those_of_a_loop(name: str, length: int, reverse: bool) -> None:
    torch = pytest.importorskip("torch")
    _, step, plain = STEPS[name]
    found, inputs, values = recurrence(step, length, reverse)
    expected = by_hand(plain, *values, reverse)  # type: ignore[arg-type]
    np.testing.assert_array_equal(value_of(found, inputs, values), expected)
    np.testing.assert_array_equal(value_of(found, inputs, [torch.tensor(v) for v in values], backend=Torch()), expected)


@pytest.mark.parametrize("start", [-np.inf, np.inf])
def test_a_start_without_end_leaves_slopes_finite(start: float) -> None:
    x = RNG.normal(size=10)
    kind = ss.maximum if start < 0 else ss.minimum
    for backend in HERE:
        weighed = ss.grad(lambda x: ss.sum(np.arange(10.0) * ss.scan(kind, init=start, over=x)), backend=backend)
        found = np.asarray(weighed(x))
        best = (np.maximum if start < 0 else np.minimum).accumulate(x)
        expected = [np.arange(10.0)[best == one].sum() if one in best else 0.0 for one in x]
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def sum_of_all(a: Any, x: Any, start: Any, reverse: bool) -> Any:
    weights = np.linspace(1, 2, x.shape[0])
    each = (ss.scan(lambda s, one, step=step: step(a, s, one), init=start, over=x, reverse=reverse)
            for _, step, _ in STEPS.values())
    return reduce(lambda p, q: p + q, (ss.sum(weights * ss.sin(one)) for one in each))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("pattern", [*STRUCTURED, "random"])
@pytest.mark.parametrize("backend", [b for b in HERE if b != "numpy"])
def test_slopes_are_those_of_a_loop(backend: str, pattern: str, reverse: bool) -> None:
    x = np.array(STRUCTURED[pattern]) if pattern in STRUCTURED else RNG.normal(size=11)
    # NumPy's go back through the steps one by one.
    ours, theirs = (ss.grad(lambda a, x, s: sum_of_all(a, x, s, reverse), (0, 1, 2), backend=b)(0.4, x, 0.4)
                    for b in ("numpy", backend))
    for one, other in zip(ours, theirs, strict=True):
        assert np.isfinite(one).all()
        np.testing.assert_allclose(np.asarray(other), one, rtol=1e-12, atol=1e-13)


def test_bends_are_those_of_a_loop() -> None:
    pytest.importorskip("torch")
    x = RNG.normal(size=9)
    ours, theirs = (ss.hessian(lambda a, x: sum_of_all(a, x, 0.4, False), (0, 1), backend=b)(0.4, x)
                    for b in ("numpy", "torch"))
    for k in range(4):
        np.testing.assert_allclose(np.asarray(theirs[k // 2][k % 2]), ours[k // 2][k % 2], rtol=1e-11, atol=1e-12)


def test_draws_have_states_of_their_own() -> None:
    a, x, start = free((), "a"), free((12,), "x"), free((), "start")
    found = ss.scan(lambda s, one: ss.maximum(s, a * one), init=start, over=x)
    several = [RNG.uniform(0.1, 0.9, 5), RNG.normal(size=(5, 12)), RNG.normal(size=5)]
    for over_draws in ([True, True, True], [True, False, False], [False, True, False], [False, False, True]):
        given = [v if own else v[0] for v, own in zip(several, over_draws, strict=True)]
        together = value_of(found, [a, x, start], given, batched=over_draws)
        for k in range(5):
            one = [v[k] if own else v for v, own in zip(given, over_draws, strict=True)]
            np.testing.assert_array_equal(together[k], by_hand(lambda a, s, x: max(s, a * x), *one, False))


@pytest.mark.parametrize("reverse", [False, True])
def test_targets_agree_on_a_model_of_them(reverse: bool) -> None:
    m = ss.Model()
    m.x = ss.data(RNG.normal(size=20))
    m.b, m.floor = ss.Normal(1, 1), ss.Normal(0, 1)
    m.top = ss.scan(lambda s, x: ss.maximum(s, m.b * x), init=m.floor, over=m.x, reverse=reverse)
    m.low = ss.scan(lambda s, x: ss.minimum(s, x - m.b), init=m.floor, over=m.x, reverse=reverse)
    m.y = ss.Normal(m.top - m.low, 1).observe(RNG.normal(size=20) + 2)
    assert m.verify(points=4).ok
    assert m.stan_code().count("fmax(") == 1  # in a loop: Stan has no function for it
