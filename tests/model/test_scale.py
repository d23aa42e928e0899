"""Large models cost what they weigh: to write, to print, to draw from and to evaluate."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

import scistan as ss


def reuse(levels: int) -> ss.Model:
    m = ss.Model()
    m.x = ss.Normal(0, 0.1)
    deep = m.x
    for _ in range(levels):
        deep = deep * deep + deep
    m.out = deep
    m.y = ss.Normal(ss.tanh(deep), 1).observe(0.5)
    return m


def named(levels: int) -> ss.Model:
    """Name every level: each name is looked at once, not with all that it rests on."""
    m = ss.Model()
    m.x_0 = ss.Normal(0, 1)
    for k in range(levels):
        m[f"x_{k + 1}"] = ss.tanh(m[f"x_{k}"] * 0.5 + m[f"x_{k}"])
    m.y = ss.Normal(m[f"x_{levels}"], 1).observe(0.5)
    return m


def wide(latents: int) -> ss.Model:
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    total = m.mu
    for k in range(latents):
        m[f"z_{k}"] = ss.Normal(m.mu, np.float64(k + 1))
        total = total + m[f"z_{k}"]
    m.y = ss.Normal(total, 1).observe([0.5])
    return m


def swapped(levels: int) -> ss.Model:
    return wide(levels).with_data(y=[1.5])


def density(levels: int) -> float:
    m = reuse(levels)
    return m.log_density({"x": 1e-3})


ACTIONS: dict[str, Callable[[int], object]] = {
    "reuse": reuse,
    "named": named,
    "wide": wide,
    "swapped": swapped,
    "density": density,
    "prior": lambda n: wide(n).simulate(seed=0),
    "repr": lambda n: repr(reuse(n)),
    "latex": lambda n: str(reuse(n).latex()),
    "picture": lambda n: named(n).graph().svg,
    "text": lambda n: reuse(n).text(),
}


def fastest(action: Callable[[int], object], size: int) -> float:
    times = []
    for _ in range(2):
        begin = time.process_time()
        action(size)
        times.append(time.process_time() - begin)
    return min(times)


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
def test_eight_times_the_model_takes_about_eight_times_as_long(action):
    action(10)
    small, large = fastest(action, 100), fastest(action, 800)
    # Linear is 8, quadratic would be 64; the rest is noise of the machine.
    assert large < 30 * max(small, 2e-3)


def test_ten_thousand_nodes_build_in_a_second_or_two():
    begin = time.process_time()
    m = wide(3000)
    nodes = len(m.to_graph().nodes)
    assert nodes >= 9_000
    assert time.process_time() - begin < 3


def test_the_stan_program_of_deep_reuse_grows_with_the_graph() -> None:
    """Names that are made of names doubled with every level; the text is linear in the graph."""

    def program(levels: int) -> str:
        m = ss.Model()
        m.x = ss.Normal(0, 1)
        value = m.x
        for _ in range(levels):
            value = value * value + value
        m.y = ss.Normal(value, 1).observe(0.0)
        return m.stan_code()

    short, long = program(250), program(500)
    assert len(long) < 2.2 * len(short)
    assert max(len(word) for word in long.replace("(", " ").split()) < 80
