"""What a metric costs by itself: processor time per gradient and per draw of warm-up, as it grows with the coordinates.

Run: python bench/metric_cost.py [--coordinates 10 30 100 300] [--repeats 3]

The density is cheap (a chain of normal variables), so what is left is the sampler's own work. For each metric a run with
long and one with short sampling tell the cost of a step, gradient included, and what the warm-up takes beyond its steps
is the adaptation's. The constants in engines/registry.py are read off this table and off the mean cost of a step in the
open models of bench/race.py, in whose posteriors the low-rank metric keeps more directions than in a chain's: they are
good to a factor of two, which is what a choice between metrics needs.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from scistan.engines.nutpie_call import make_sampler, make_settings, ready_model
from scistan.engines.protocol import Request
from scistan.engines.trace import numbers

TEXT = """
data { int D; real rho; }
parameters { vector[D] x; }
model { x[1] ~ std_normal(); x[2:] ~ normal(rho * x[:D - 1], sqrt(1 - rho^2)); }
"""
TUNE = 400


def cpu_of(metric: str, request: Request, draws: int) -> tuple[float, np.ndarray]:
    """Give the processor time of a chain and its gradients by draw."""
    model = ready_model(request)
    started = time.process_time()
    sampler = make_sampler(make_settings(metric, 1, num_tune=TUNE, num_draws=draws), model)
    while True:
        try:
            sampler.wait(0.5)
            break
        except TimeoutError:
            continue
    seconds = time.process_time() - started
    _, (statistics,) = sampler.take_results().get_arrow_trace()
    return seconds, numbers(statistics, "n_steps")


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--coordinates", type=int, nargs="+", default=[10, 30, 100, 300])
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    print(f"{'metric':9} {'rho':>5} {'d':>4} {'per step':>9} {'per draw of warm-up':>20}   microseconds")
    for rho in (0.0, 0.95):
        for d in given.coordinates:
            request = Request(TEXT, f'{{"D": {d}, "rho": {rho}}}', 1000, TUNE, 1, 1)
            for metric in ("diag", "low_rank"):
                found = []
                for _ in range(given.repeats):
                    short, few = cpu_of(metric, request, 200)
                    long, many = cpu_of(metric, request, 1200)
                    step = (long - short) / (many.sum() - few.sum())
                    found.append((step, (short - step * few.sum()) / TUNE))
                step, warm = np.median(found, axis=0)
                print(f"{metric:9} {rho:5} {d:4} {step * 1e6:9.2f} {warm * 1e6:20.1f}", flush=True)


if __name__ == "__main__":
    main()
