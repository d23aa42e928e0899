"""How often a few divergences of a funnel are taken for scattered ones, and those of nothing for gathered ones.

Run: python bench/few_divergences.py [fits of each model]. Centred funnels are sampled as they are; of the divergences of
each run some are taken at random, and the rule of `scistan/diagnostics/scattered.py` is asked about those alone: what it
would have said had the run had no others. The second table puts them at random draws, and so counts false alarms.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable

import numpy as np

import scistan as ss
from scistan.diagnostics.scattered import few_and_scattered

FEW = (1, 2, 3, 4)
TRIES = 50
STEPS = (0.8, 0.95, 0.99)


def schools(seed: int) -> ss.Model:
    m = ss.Model("eight schools, centred")
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8, centred=True)
    m.y = ss.Normal(m.theta, [15, 10, 16, 11, 9, 11, 10, 18.0]).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def many_groups(seed: int) -> ss.Model:
    rng, group = np.random.default_rng(seed), np.repeat(np.arange(50), 2)
    m = ss.Model("50 groups of two, centred")
    m.mu, m.tau, m.sigma = ss.Normal(0, 3), ss.HalfNormal(2), ss.HalfNormal(2)
    m.u = ss.Normal(m.mu, m.tau, shape=50, centred=True)
    m.y = ss.Normal(m.u[group], m.sigma).observe(rng.normal(0, 0.3, 50)[group] + rng.normal(size=100))
    return m


def funnel(seed: int) -> ss.Model:
    m = ss.Model("Neal's funnel, centred")
    m.v = ss.Normal(0, 3)
    m.x = ss.Normal(0, ss.exp(m.v / 2), shape=9, centred=True)
    return m


Scattered = tuple[list[float], list[float]]


def asked(fit: ss.Fit, scales: set[str], count: int, rng: np.random.Generator) -> Scattered:
    """Ask the rule about some of a run's divergences, and about as many draws of any kind."""
    draws = {str(name): np.asarray(array) for name, array in fit.idata.posterior.data_vars.items()}
    diverging = np.asarray(fit.idata.sample_stats["diverging"]).ravel()
    shape = np.asarray(fit.idata.sample_stats["diverging"]).shape

    def told(among: np.ndarray) -> float:
        where = np.zeros(diverging.size, bool)
        where[rng.choice(among, count, replace=False)] = True
        return float(few_and_scattered(draws, where.reshape(shape), scales))

    real = np.flatnonzero(diverging)
    return (
        [told(real) for _ in range(TRIES)] if len(real) >= 2 * max(FEW) else [],
        [told(np.arange(diverging.size)) for _ in range(TRIES)],
    )


def main() -> None:
    fits = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    rng = np.random.default_rng(1)
    warnings.simplefilter("ignore")
    builds: dict[Callable[[int], ss.Model], set[str]] = {schools: {"tau"}, many_groups: {"tau", "sigma"}, funnel: {"v"}}
    print("| model | divergences | called scattered | random draws called gathered |\n|---|---|---|---|")
    for build, scales in builds.items():
        runs = [
            build(seed).mcmc(seed=seed, engine="stanli", adapt_delta=delta, progress=False)
            for delta in STEPS for seed in range(fits)
        ]  # fmt: skip
        for count in FEW:
            found = [asked(fit, scales, count, rng) for fit in runs]
            real, random = ([one for pair in found for one in pair[k]] for k in (0, 1))
            print(f"| {build(0).name} | {count} | "
                  f"{np.mean(real):.0%} of {len(real)} | {1 - np.mean(random):.0%} of {len(random)} |", flush=True)


if __name__ == "__main__":
    main()
