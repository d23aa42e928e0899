"""Random models of every kind of op, with lengths that are equal by chance, by rule, or not at all."""

from __future__ import annotations

import random

import numpy as np

import scistan as ss
from scistan.errors import ModelError
from scistan.ops import Expression

SLICES = [slice(1, None), slice(None, -1), slice(None, None, 2), slice(None, None, -1)]
STEPS = {
    "add": lambda rng, pick: pick() + pick(),
    "multiply": lambda rng, pick: pick() * rng.choice([2, 2.0, -0.5, 1e-3]),
    "divide": lambda rng, pick: pick() / (1 + ss.exp(pick())),
    "where": lambda rng, pick: ss.where(pick() > 0, pick(), -0.0),
    "sum": lambda rng, pick: ss.sum(pick(), axis=rng.choice([None, 0, -1]), keepdims=rng.choice([True, False])),
    "softmax": lambda rng, pick: ss.softmax(pick()),
    "slice": lambda rng, pick: pick()[rng.choice(SLICES)],
    "first": lambda rng, pick: pick()[0],
    "gather": lambda rng, pick: pick()[np.array([0, 1, 0])],
    "table": lambda rng, pick: pick()[:, np.array([[0, 1], [1, 0]])],
    "new_axis": lambda rng, pick: pick()[..., None],
    "transpose": lambda rng, pick: pick().T,
    "flat": lambda rng, pick: pick().reshape(-1),
    "column": lambda rng, pick: pick().reshape(-1, 1),
    "concatenate": lambda rng, pick: ss.concatenate([pick(), pick()]),
    "stack": lambda rng, pick: ss.stack([pick(), pick()], axis=-1),
    "matmul": lambda rng, pick: pick() @ pick(),
    "length": lambda rng, pick: pick() / ss.length(pick()),
    "broadcast": lambda rng, pick: ss.broadcast_to(pick(), (2, 3, 4)),
    "count": lambda rng, pick: pick() * ss.arange(ss.stack([pick(), pick()], axis=-1).shape[0]),
    "spread": lambda rng, pick: ss.std(pick(), axis=0, ddof=1),
}


def random_model(seed: int, steps: int = 12) -> ss.Model:
    """Write a model by chance; the same seed writes the same model."""
    rng = random.Random(seed)
    m = ss.Model("random")
    m.a = ss.data(np.linspace(0, 1, 12).reshape(3, 4))
    m.b = ss.data(np.linspace(-1, 1, rng.choice([3, 4])))
    m.k = ss.data([0, 2, 1, 1])
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfNormal(2.0, shape=rng.choice([3, 4]))
    m.z = ss.Normal(m.mu, m.tau, lower=-3, upper=ss.exp(m.mu) if rng.random() < 0.3 else 3.5)
    pool: list[Expression] = [m.a, m.b, m.k, m.mu, m.tau, m.z, ss.data(2.5)]

    def pick() -> Expression:
        return rng.choice(pool[-6:] if rng.random() < 0.6 else pool)

    while steps:
        try:
            pool.append(STEPS[rng.choice(list(STEPS))](rng, pick))
        except ModelError:  # shapes that do not go together: try another
            continue
        steps -= 1
    m.first, m.last = pool[-2] * 1.0, pool[-1] + 0.0
    m.y = ss.Normal(m.mu + ss.sum(pool[-1]), 1).observe([0.1, 0.2, 0.3])
    return m
