"""Recurrences that are linear in their state: torch and JAX join steps in pairs, and have the numbers of a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scistan as ss
from scistan.graph.node import is_applied
from scistan.graph.walk import topological
from scistan.ops.at_once import at_once
from tests.ops.ops_support import Torch, free, node_of, value_of
from tests.transforms.backends_here import HERE

RNG = np.random.default_rng(5)
Step = Any

LINEAR: dict[str, Step] = {
    "decay": lambda a, s, x: a * s + x,
    "smoothing": lambda a, s, x: ss.inv_logit(a) * x + (1 - ss.inv_logit(a)) * s,
    "error": lambda a, s, x: x - 0.3 - a * x**2 - 0.5 * s,
    "product": lambda a, s, x: s * x,
    "product alone": lambda a, s, x: x * (s * ss.exp(a * x)),
    "twice": lambda a, s, x: a * (s + x) - s / 4,
    "turned": lambda a, s, x: -(s - x) / (2 + x**2),
    "no element": lambda a, s, x: a * s,
}
BENT: dict[str, Step] = {
    "square": lambda a, s, x: a * s * s + x,
    "ratio": lambda a, s, x: x / (2 + s**2),
    "inside": lambda a, s, x: ss.tanh(a * s) + x,
    "branch": lambda a, s, x: ss.where(s > 0, a * s, x),
    "largest of its square": lambda a, s, x: ss.maximum(s * s, x),
    "largest of a sum": lambda a, s, x: ss.maximum(s, x + s),
    "larger and smaller": lambda a, s, x: ss.minimum(a, ss.maximum(s, x)),
}
PRODUCTS = ("product", "product alone", "no element")


def recurrence(step: Step, length: int, reverse: bool = False) -> tuple[Any, list[Any], list[np.ndarray]]:
    a, x, start = free((), "a"), free((length,), "x"), free((), "start")
    found = ss.scan(lambda s, one: step(a, s, one), init=start, over=x, reverse=reverse)
    return found, [a, x, start], [np.array(0.7), RNG.normal(size=length) * 0.8, np.array(0.4)]


def scan_of(expression: Any) -> Any:
    return next(node for node in topological([node_of(expression)]) if is_applied(node, "scan"))


@pytest.mark.parametrize("name", [*LINEAR, *BENT])
def test_what_is_linear_is_seen(name: str) -> None:
    found, *_ = recurrence({**LINEAR, **BENT}[name], 9)
    how = at_once(scan_of(found))
    kind = None if how is None else how.kind
    assert kind == (None if name in BENT else "product" if name in PRODUCTS else "linear")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("length", [8, 9, 33])
@pytest.mark.parametrize("name", LINEAR)
def test_states_are_those_of_a_loop(name: str, length: int, reverse: bool) -> None:
    import torch

    found, inputs, values = recurrence(LINEAR[name], length, reverse)
    by_hand = value_of(found, inputs, values)
    at_once = value_of(found, inputs, [torch.tensor(v) for v in values], backend=Torch())
    np.testing.assert_allclose(at_once.numpy(), by_hand, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("backend", [b for b in HERE if b != "numpy"])
def test_gradients_and_hessians_are_those_of_a_loop(backend: str) -> None:
    def total(a: Any, x: Any, start: Any) -> Any:
        steps = [ss.scan(lambda s, one, step=step: step(a, s, one), init=start, over=x, reverse=k % 2 == 1)
                 for k, step in enumerate(LINEAR.values())]
        return sum(ss.sum(ss.sin(one)) for one in steps)

    at = (0.7, RNG.normal(size=11) * 0.8, 0.4)
    ours, theirs = (ss.grad(total, (0, 1, 2), backend=b)(*at) for b in ("numpy", backend))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(np.asarray(other), one, rtol=1e-11, atol=1e-12)
    if backend == "torch":
        bent, others = (ss.hessian(total, (0, 1), backend=b)(*at) for b in ("numpy", backend))
        for k in range(4):
            np.testing.assert_allclose(np.asarray(others[k // 2][k % 2]), bent[k // 2][k % 2], rtol=1e-10, atol=1e-11)


def test_draws_have_states_of_their_own() -> None:
    import torch

    a, x, start = free((), "a"), free((12,), "x"), free((), "start")
    found = ss.scan(lambda s, one: a * s + one, init=start, over=x)
    several = [RNG.uniform(-0.9, 0.9, 5), RNG.normal(size=(5, 12)), RNG.normal(size=5)]
    for over_draws in ([True, True, True], [True, False, False], [False, True, False], [False, False, True]):
        given = [v if own else v[0] for v, own in zip(several, over_draws, strict=True)]
        by_hand = value_of(found, [a, x, start], given, batched=over_draws)
        at_once = value_of(found, [a, x, start], [torch.tensor(v) for v in given], backend=Torch(), batched=over_draws)
        assert by_hand.shape == (5, 12)
        np.testing.assert_allclose(at_once.numpy(), by_hand, rtol=1e-12, atol=1e-13)


def test_an_explosive_recurrence_keeps_its_digits() -> None:
    import torch

    found, inputs, values = recurrence(lambda a, s, x: 2.5 * s + x + a, 400)
    by_hand = value_of(found, inputs, values)
    at_once = value_of(found, inputs, [torch.tensor(v) for v in values], backend=Torch()).numpy()
    np.testing.assert_allclose(at_once, by_hand, rtol=1e-12)
    assert np.abs(by_hand[-1]) > 1e150
