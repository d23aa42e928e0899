"""What stands beside a latent: read from the sums that it is used in, and from nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.passes.beside import besides
from scistan.passes.centring import learnable

GROUP, OTHER, X = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 1]), np.linspace(-1, 1, 6)
Y = np.array([0, 1, 1, 0, 1, 1])


def found(predictor, more=lambda m: None) -> dict[str, list[str]]:
    m = ss.Model("sums")
    m.a, m.b, m.tau, m.c = ss.Normal(0, 2), ss.Normal(0, 1), ss.HalfNormal(1), ss.Normal(0, 1, shape=2)
    m.u, m.v = ss.Normal(0, m.tau, shape=3), ss.Normal(0, m.tau, shape=3)
    m.w = ss.Normal(0, m.tau, shape=2)
    m.late = ss.Normal(0, 1)
    m.y = ss.BernoulliLogit(predictor(m)).observe(Y)
    more(m)
    instance = m.instance()
    return {n: [v.name for v in numbers] for n, numbers in besides(instance, learnable(instance.graph)).items()}


@pytest.mark.parametrize(("predictor", "expected"), [
    (lambda m: m.a + m.u[GROUP], {"u": ["a"]}),
    (lambda m: m.u[GROUP] + m.b * X + m.a, {"u": ["a"]}),
    (lambda m: m.u[GROUP] + (m.b + m.a), {"u": ["a", "b"]}),
    (lambda m: -(m.a + m.u[GROUP]), {"u": ["a"]}),
    (lambda m: m.a + m.b * X + m.u[GROUP] + m.v[GROUP] * X, {"u": ["a"], "v": ["b"]}),
    (lambda m: m.a + (m.b + m.v[GROUP]) * X, {"v": ["b"]}),
    # Of two, the one with fewer elements is what a number is most easily exchanged for.
    (lambda m: m.a + m.u[GROUP] + m.w[OTHER], {"w": ["a"]}),
    (lambda m: m.a - m.u[GROUP], {}),
    (lambda m: m.late + m.u[GROUP], {}),  # declared after it
    (lambda m: m.c[0] + m.u[GROUP], {}),
    (lambda m: m.a * m.u[GROUP], {}),
    (lambda m: m.a + m.b * m.u[GROUP], {}),
    (lambda m: ss.exp(m.u[GROUP]) + m.a, {}),
    (lambda m: m.u[GROUP] + m.v[GROUP], {}),
])  # fmt: skip
def test_numbers_are_beside_what_they_are_added_to(predictor, expected):
    assert found(predictor) == expected


@pytest.mark.parametrize("more", [
    lambda m: setattr(m, "z", ss.Normal(m.u, 1).observe(np.zeros(3))),
    lambda m: setattr(m, "z", ss.Normal(m.b + m.u, 1).observe(np.zeros(3))),
    lambda m: setattr(m, "z", ss.Normal(ss.exp(m.u[0]), 1).observe(0.0)),
])  # fmt: skip
def test_and_that_wherever_it_is_used(more):
    assert found(lambda m: m.a + m.u[GROUP], more) == {}


def test_what_is_only_derived_does_not_count():
    assert found(lambda m: m.a + m.u[GROUP], lambda m: setattr(m, "rate", ss.exp(m.u))) == {"u": ["a"]}
