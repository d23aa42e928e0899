"""What integration gains: effective draws a second of processor time, with normal latents integrated out and without.

    python bench/integrate.py [model …] [--calls 2]

For each model the smallest bulk ESS of what is sampled either way, over the processor time of the whole call (the best
of the later calls in one process, in turns): integrated (`integrate=True`), whole (`integrate=False`), and the choice
of `auto` as a share of the better of the two. `--work` prints what a gradient costs by counted work and by the clock.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from integrate_models import MODELS

import scistan as ss
from scistan.diagnostics.statistics import bulk_ess
from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.inference.integrate import integrated
from scistan.inference.work import gradient_work
from scistan.targets.stan.program import lower_to_stan

WAYS = {"integrated": True, "whole": False, "auto": "auto"}


def rate(m: ss.Model, names: list[str], how: object, seed: int) -> float:
    """Sample once; give effective draws of the slowest number a second of processor time."""
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = m.mcmc(seed=seed, progress=False, integrate=how)
    spent = time.process_time() - begun
    numbers = [fit.posterior[name].reshape(*fit.shape, -1) for name in names]
    columns = [one[..., k] for one in numbers for k in range(one.shape[-1]) if np.ptp(one[..., k]) > 0]
    return min(float(bulk_ess(column)) for column in columns) / spent


def measure(name: str, calls: int) -> None:
    m = MODELS[name]()
    made = integrated(m.instance(), True)
    names = [term.name for term in made.graph.latents]
    ways = WAYS if made.integrated else {"whole": False, "auto": "auto"}
    found: dict[str, list[float]] = {way: [] for way in ways}
    for call in range(calls + 1):
        for way, how in ways.items():
            value = rate(m, names, how, 10 + call)
            if call:  # the first call of a process imports
                found[way].append(value)
    best = {way: max(values) for way, values in found.items()}
    gain = best.get("integrated", np.nan) / best["whole"]
    share = best["auto"] / max(value for way, value in best.items() if way != "auto")
    shown = "  ".join(f"{way} {value:8.0f}" for way, value in best.items())
    print(f"{name:26s} {shown}  gain {gain:6.1f}  auto {share:5.2f}", flush=True)


def work(name: str) -> None:
    m = MODELS[name]()
    for way, instance in (("whole", m.instance()), ("integrated", integrated(m.instance(), True))):
        program = lower_to_stan(instance.graph, log_lik=False, predictive=False, log_prior=False)
        density = open_density(program.text, to_json(program.data(instance)), 1)
        q = np.full(density.dimension, 0.1)
        times = []
        for _ in range(7):
            begun = time.process_time()
            for _ in range(200):
                density.log_density_gradient(q)
            times.append((time.process_time() - begun) / 200)
        print(f"{name:26s} {way:10s} counted {gradient_work(instance) / 1e3:8.1f} µs  measured {min(times) * 1e6:8.1f} µs")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("models", nargs="*", choices=[*MODELS, []])
    options.add_argument("--calls", type=int, default=2)
    options.add_argument("--work", action="store_true")
    chosen = options.parse_args()
    for name in chosen.models or MODELS:
        work(name) if chosen.work else measure(name, chosen.calls)


if __name__ == "__main__":
    main()
