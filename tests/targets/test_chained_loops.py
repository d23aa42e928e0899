"""Loops whose steps come one from the other assign what they record, all others add it: both are right on stanli.

Stanli 0.24 loses elements that a loop assigns where iterations come out alike (docs/known-faults.md), which it does from
five in a row on. So every form is held to a loop by hand on runs, constants and zeros of many lengths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import scistan as ss
from scistan.engines.density import StanDensity

Step = Callable[[Any, Any, Any, Any, Any], Any]  # of a library, a state, an element and two parameters
QUIET = {"log_lik": False, "predictive": False, "log_prior": False}
CHAINS: dict[str, Step] = {
    "around_a_mean": lambda np, s, x, a, b: a + b * (s - a) + x,
    "no_data": lambda np, s, x, a, b: a + b * s,
    "times_data": lambda np, s, x, a, b: np.exp(a) + b + x * s,
    "variance": lambda np, s, x, a, b: np.sqrt(np.exp(a) + (x - b) ** 2 + np.exp(b) * s**2 / 4),
    "ratio": lambda np, s, x, a, b: np.exp(a) / (np.exp(b) + s**2) - x,
}
CHOICES: dict[str, Step] = {
    "chosen": lambda np, s, x, a, b: np.where(x > 0.5, np.exp(a) + a, b * s),
    "forgotten": lambda np, s, x, a, b: np.exp(a) + b * x,
}
LENGTHS = (1, 2, 5, 6, 11, 16, 40)


def patterns(length: int) -> dict[str, np.ndarray]:
    t = np.arange(length)
    return {
        "random": np.random.default_rng(length).normal(size=length), "constant": np.full(length, 0.7), "zero": np.zeros(length),
        "ones": np.ones(length), "sorted": t / length, "alternating": t % 2.0, "runs": (t >= 5) * 1.0,
        "back": (t < 5) * 1.0,
    }  # fmt: skip


def model(step: Step, x: np.ndarray) -> ss.Model:
    m = ss.Model("loop")
    m.x = ss.data(x)
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.s = ss.scan(lambda s, x: step(ss, s, x, m.a, m.b), init=0.5, over=m.x)
    m.y = ss.Normal(m.s, 1).observe(np.cos(np.arange(len(x))))
    return m


def by_hand(step: Step, x: np.ndarray, q: np.ndarray) -> Any:
    s, found = 0.5, -0.5 * (q**2).sum()
    for t, element in enumerate(x):
        s = step(np, s, element, q[0], q[1])
        found -= 0.5 * (np.cos(t) - s) ** 2
    return found


def slope_by_hand(step: Step, x: np.ndarray, q: np.ndarray) -> np.ndarray:
    h = 1e-5
    return np.array([(by_hand(step, x, q + h * e) - by_hand(step, x, q - h * e)) / (2 * h) for e in np.eye(2)])


@pytest.mark.parametrize("name", [*CHAINS, *CHOICES])
def test_loops_are_right_on_structured_data(name: str) -> None:
    step = {**CHAINS, **CHOICES}[name]
    text = model(step, np.zeros(5)).stan_code(**QUIET)
    assert ("s[t] = s_now" in text) is (name in CHAINS)
    assert ("s[t] += s_now" in text) is (name in CHOICES)
    points = np.array([[0.3, -0.4], [0.0, 0.0], [-0.2, 0.6]])
    for length in LENGTHS:
        for kind, x in patterns(length).items():
            m = model(step, x)
            program = StanDensity(m.stan_code(**QUIET), m.stan_data())
            found = [program.log_density_gradient(q) for q in points]
            values = np.array([value for value, _ in found])
            expected = np.array([by_hand(step, x, q) for q in points])
            np.testing.assert_allclose(values - values[0], expected - expected[0], rtol=1e-9, atol=1e-9, err_msg=kind)
            for q, (_, slope) in zip(points, found, strict=True):  # differences of second order: h² and 1e-16 / h
                np.testing.assert_allclose(slope, slope_by_hand(step, x, q), rtol=1e-5, atol=1e-5, err_msg=kind)
