"""What plans cost and how good they are: a decision, a row of the history, and predicted over actual seconds.

    python bench/plan.py            # about a minute on a quiet machine; a history of its own, thrown away afterwards

Decisions and rows are in processor time, so that other processes do not add to them. Predictions are of wall time: on a
loaded machine the ratio shows the load as well. `scatter` is by how much the seconds of later calls differ from their own
median, at worst: no prediction can be nearer than that.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable

import numpy as np

os.environ["SCISTAN_CACHE"] = tempfile.mkdtemp()
warnings.simplefilter("ignore")

import scistan as ss  # noqa: E402
from scistan.history import Run, record, remembered_winner  # noqa: E402
from scistan.inference.planning.function import _best  # noqa: E402
from scistan.inference.planning.machine import machine_now  # noqa: E402
from scistan.inference.planning.seconds import Effort, expected  # noqa: E402
from scistan.settings import setting  # noqa: E402


def each(work: Callable[[], object], times: int) -> float:
    """Give the median seconds of processor time of one call, over five batches."""
    work()
    found = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(times):
            work()
        found.append((time.process_time() - began) / times)
    return float(np.median(found))


def eight_schools() -> ss.Model:
    m = ss.Model("eight_schools")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, np.array([15, 10, 16, 11, 9, 11, 10, 18.0])).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def regression(rows: int, columns: int) -> ss.Model:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, columns))
    m = ss.Model("regression")
    m.x = ss.data(x)
    m.b = ss.Normal(0, 1, shape=columns)
    m.s = ss.HalfNormal(1)
    m.y = ss.StudentT(4, m.x @ m.b, m.s).observe(x @ np.ones(columns) + rng.normal(size=rows))
    return m


def costs() -> None:
    workload = eight_schools().plan().workload
    for name, seconds in (("numpy", 0.2), ("torch", 0.1)):
        for _ in range(4):
            record(Run("function", name, structure="ab", seconds=seconds))
    known = {"numpy": 0.2, "torch": 0.1}
    rows = {
        "which backend, from facts at hand": (lambda: _best(["numpy", "torch"], known, workload, True), 20_000, 1e6, "µs"),
        "a setting in force": (lambda: setting("engine"), 20_000, 1e6, "µs"),
        "the machine, from facts at hand": (machine_now, 20_000, 1e6, "µs"),
        "which engine won, from what was read": (lambda: remembered_winner("ab", (1, 1)), 5_000, 1e6, "µs"),
        "seconds of a run, from what was read": (lambda: expected(Effort("mcmc", "stanli", 8000), workload), 2_000, 1e6, "µs"),
        "a row of the history": (lambda: record(Run("mcmc", "stan", "stanli", structure="cd")), 50, 1e3, "ms"),
        "`m.plan()` of eight schools": (eight_schools().plan, 20, 1e3, "ms"),
    }
    for name, (work, times, unit, word) in rows.items():
        print(f"{name:<40} {unit * each(work, times):8.2f} {word}")
    ss.history.reset()


def predictions(runs: int = 11) -> None:
    models = {"eight schools": eight_schools(), "100 x 3": regression(100, 3), "1000 x 8": regression(1000, 8)}
    print(f"\npredicted / actual seconds of `m.mcmc`, run 1 to {runs}")
    worst: list[list[float]] = [[] for _ in range(runs)]
    for name, m in models.items():
        ratios, taken = [], []
        for k in range(runs):
            planned = m.plan().seconds
            began = time.perf_counter()
            m.mcmc(seed=k, progress=False)
            taken.append(time.perf_counter() - began)
            ratios.append(planned / taken[-1])
            worst[k].append(max(ratios[-1], 1 / ratios[-1]))
        later = np.array(taken[1:]) / np.median(taken[1:])
        print(f"{name:<16}" + " ".join(f"{ratio:5.2f}" for ratio in ratios) + f"  scatter {np.maximum(later, 1 / later).max():.2f}")
    print(f"{'median error':<16}" + " ".join(f"{np.median(errors):5.2f}" for errors in worst))
    print(f"{'worst error':<16}" + " ".join(f"{max(errors):5.2f}" for errors in worst))


if __name__ == "__main__":
    costs()
    predictions()
