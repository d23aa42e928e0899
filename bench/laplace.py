"""`m.laplace()` beside `m.mcmc()`: effective draws a second of processor time, and the certificate.

    python bench/laplace.py [model …] [--calls 2]

For each model the best of the later calls in one process: `laplace` has the independent draws that its weights are worth
(at most as many as are given), `mcmc` the smallest bulk ESS over all latents.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable

import numpy as np

import scistan as ss
from scistan.diagnostics.statistics import bulk_ess

MODELS: dict[str, Callable[[], ss.Model]] = {}


def case(build: Callable[[], ss.Model]) -> Callable[[], ss.Model]:
    """Enter a model under its name."""
    MODELS[build.__name__] = build
    return build


def _grouped(family: str, groups: int, rows: int) -> ss.Model:
    rng = np.random.default_rng(3)
    group, x = np.arange(rows) % groups, rng.normal(size=rows)
    eta = 0.5 + 0.3 * x + rng.normal(0, 0.8, groups)[group]
    m = ss.Model(family)
    m.x, m.group = ss.data(x), ss.data(group)
    m.a, m.b, m.tau = ss.Normal(0, 2), ss.Normal(0, 1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=groups)
    mean = m.a + m.b * m.x + m.u[m.group]
    if family == "counts":
        m.y = ss.PoissonLog(mean).observe(rng.poisson(np.exp(eta)))
    else:
        m.y = ss.BernoulliLogit(mean).observe((rng.random(rows) < 1 / (1 + np.exp(-eta))).astype(int))
    return m


@case
def counts() -> ss.Model:
    """Poisson counts in 100 groups, 1,000 rows."""
    return _grouped("counts", 100, 1000)


@case
def many_counts() -> ss.Model:
    """Poisson counts in 1,000 groups, 10,000 rows."""
    return _grouped("counts", 1000, 10_000)


@case
def yes_or_no() -> ss.Model:
    """Binary answers in 60 groups of four."""
    return _grouped("answers", 60, 240)


@case
def logistic() -> ss.Model:
    """A logistic regression, 20 predictors, 2,000 rows."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(2000, 20))
    m = ss.Model("logistic")
    m.x = ss.data(x)
    m.a, m.b = ss.Normal(0, 2), ss.Normal(0, 1, shape=20)
    chance = 1 / (1 + np.exp(-x @ rng.normal(0, 0.3, 20)))
    m.y = ss.BernoulliLogit(m.a + m.x @ m.b).observe((rng.random(2000) < chance).astype(int))
    return m


@case
def process() -> ss.Model:
    """A Gaussian process of 40 points behind counts."""
    rng = np.random.default_rng(6)
    x = np.linspace(0, 5, 40)
    m = ss.Model("process")
    m.rho, m.alpha = ss.InvGamma(5, 5), ss.HalfNormal(1)
    distance = (x[:, None] - x) ** 2
    m.f = ss.MultivariateNormal(
        np.zeros(40), cov=m.alpha**2 * ss.exp(-distance / (2 * m.rho**2)) + 1e-6 * np.eye(40)
    )
    m.y = ss.PoissonLog(m.f).observe(rng.poisson(np.exp(np.sin(x) + 0.5)))
    return m


def by_laplace(m: ss.Model, seed: int) -> tuple[float, str]:
    fit = m.laplace(seed=seed, progress=False)
    held = fit.certificate
    return min(held.effective, float(fit.shape[1])), f"k {held.worst_k:5.2f}{'' if held.ok else ' !'}"


def by_mcmc(m: ss.Model, seed: int) -> tuple[float, str]:
    fit = m.mcmc(seed=seed, progress=False)
    numbers = [array.reshape(*fit.shape, -1) for array in fit.posterior.values()]
    return min(float(bulk_ess(one[..., k])) for one in numbers for k in range(one.shape[-1])), fit.engine


def measure(name: str, calls: int) -> None:
    m = MODELS[name]()
    found: dict[str, list[tuple[float, str]]] = {"laplace": [], "mcmc": []}
    for call in range(calls + 1):
        for who, run in (("laplace", by_laplace), ("mcmc", by_mcmc)):
            begun = time.process_time()
            effective, told = run(m, 10 + call)
            if call:  # the first call of a process imports
                found[who].append((effective / (time.process_time() - begun), told))
    best = {who: max(rates) for who, rates in found.items()}
    shown = "  ".join(f"{who} {rate:8.0f} ({told})" for who, (rate, told) in best.items())
    print(f"{name:12s} {shown}  ratio {best['laplace'][0] / best['mcmc'][0]:5.2f}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("models", nargs="*", choices=[*MODELS, []])
    options.add_argument("--calls", type=int, default=2)
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    for name in chosen.models or MODELS:
        measure(name, chosen.calls)


if __name__ == "__main__":
    main()
