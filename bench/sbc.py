"""A hundred small fits by `m.sbc` beside a hundred plain calls of `m.mcmc`, and simulations, on the same settings.

Run: python bench/sbc.py. Processor time and wall time; the ratio is that of processor times.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np

import scistan as ss

REPLICATIONS = 100
RUN = {"draws": 250, "warmup": 500, "chains": 2, "engine": "stanli", "progress": False}
X = np.linspace(-1.5, 1.5, 20)


def regression() -> ss.Model:
    m = ss.Model("regression")
    m.a, m.b, m.s = ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * X, m.s, shape=20).observe()
    return m


def schools() -> ss.Model:
    m = ss.Model("schools")
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfNormal(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, np.array([15, 10, 16, 11, 9, 11, 10, 18.0])).observe()
    return m


def counts() -> ss.Model:
    m = ss.Model("counts")
    m.mu, m.t = ss.Normal(1, 0.5), ss.HalfNormal(0.5)
    m.effect = ss.Normal(m.mu, m.t, shape=5)
    m.y = ss.PoissonLog(m.effect[np.repeat(np.arange(5), 4)]).observe()
    return m


def by_hand(m: ss.Model) -> None:
    """Do the same with plain calls, ranks not taken."""
    for seed in range(REPLICATIONS):
        m.with_data(y=m.simulate(seed=seed)["y"]).mcmc(seed=seed, **RUN)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Give processor and wall seconds."""
    started, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - started, time.perf_counter() - clock


def main() -> None:
    """Print a table of times and their ratio."""
    warnings.simplefilter("ignore")
    print("| model | m.sbc, s (wall) | plain m.mcmc, s (wall) | times as fast |\n|---|---|---|---|")
    for build in (regression, schools, counts):
        m = build()
        m.sbc(replications=2, seed=1, **RUN)  # imports
        own, own_wall = timed(lambda m=m: m.sbc(replications=REPLICATIONS, seed=1, **RUN))
        plain, plain_wall = timed(lambda m=m: by_hand(m))
        row = f"{own:.1f} ({own_wall:.1f}) | {plain:.1f} ({plain_wall:.1f}) | {plain / own:.1f}"
        print(f"| {m.name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
