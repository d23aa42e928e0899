"""Time to the same optimum: SciStan beside a hand-written torch L-BFGS, Stan's L-BFGS, PyMC and NumPyro, in one run.

    python bench/point_estimates.py                  # modest sizes
    python bench/point_estimates.py --full           # the sizes of the aim: 100,000 x 100, and 10,000 groups
    python bench/point_estimates.py --growth         # one model from 10,000 to 1,000,000 observations
    python bench/point_estimates.py --compile        # what torch.compile gains or loses

Prints Markdown, then one line of JSON. Times are CPU seconds on one thread, to the first point whose objective is
within 1e-4, relatively, of the best that any of them found. "Search" leaves out what comes before the first
evaluation (lowering, compiling), which "first to optimum" has in it. The tools take turns and the middle of the rounds
counts, so that a busy machine slows them alike. Tools that are not installed are reported as such.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from point_tools import Clock, Problem, Trace, by_hand, numpyro_run, pymc_run, scistan_run, stan_run

import scistan as ss

WITHIN = 1e-4
HAND = "torch L-BFGS by hand, 1 start"
Run = Callable[[Problem], Trace]
TOOLS: dict[str, tuple[str, Run]] = {
    "SciStan, 1 start": ("torch", lambda problem: scistan_run(problem, starts=1)),
    "SciStan, 8 starts": ("torch", lambda problem: scistan_run(problem, starts=8)),
    HAND: ("torch", by_hand),
    "Stan's L-BFGS (stanli)": ("stanli", stan_run),
    "PyMC find_MAP": ("pymc", pymc_run),
    "NumPyro's density, SciPy's L-BFGS-B": ("numpyro", numpyro_run),
}


# -- the models ---------------------------------------------------------------------------------------------
def logistic(observations: int, covariates: int) -> Problem:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(observations, covariates))
    for k in range(1, covariates):  # neighbours are correlated, as covariates are
        x[:, k] = 0.8 * x[:, k - 1] + 0.6 * x[:, k]
    truth = rng.normal(size=covariates) / math.sqrt(covariates)
    y = (rng.random(observations) < 1 / (1 + np.exp(-x @ truth))).astype(int)
    m = ss.Model("logistic")
    m.x = ss.data(x)
    m.beta = ss.Normal(0, 2, shape=covariates)
    m.y = ss.BernoulliLogit(m.x @ m.beta).observe(y)
    features, signs = torch.from_numpy(x), torch.from_numpy(2.0 * y - 1)

    def log_density(q: Any) -> Any:
        prior = -0.5 * (q / 2).square().sum() - covariates * (math.log(2) + 0.5 * math.log(2 * math.pi))
        return torch.nn.functional.logsigmoid(signs * (features @ q)).sum() + prior

    def from_stan(found: Any) -> np.ndarray:
        return np.array([found[f"beta.{k + 1}"] for k in range(covariates)])

    def pymc_model() -> Any:
        import pymc as pm

        with pm.Model() as model:
            beta = pm.Normal("beta", 0, 2, shape=covariates)
            pm.Bernoulli("y", logit_p=pm.math.dot(x, beta), observed=y)
        return model

    def numpyro_model() -> None:
        import numpyro
        from numpyro import distributions as dist

        beta = numpyro.sample("beta", dist.Normal(0, 2).expand([covariates]).to_event(1))
        numpyro.sample("y", dist.Bernoulli(logits=x @ beta), obs=y)

    title = f"Logistic regression, N = {observations:,}, P = {covariates}"
    return Problem(title, m, covariates, log_density, from_stan, pymc_model, numpyro_model, lambda _: 0.0)


def hierarchical(groups: int, each: int) -> Problem:
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(groups), each)
    y = 1.0 + 2.0 * rng.normal(size=groups)[group] + 1.5 * rng.normal(size=group.size)
    m = ss.Model("hierarchical", coords={"group": list(range(groups))})
    m.g = ss.data(group)
    m.mu, m.tau, m.sigma = ss.Normal(0, 5), ss.HalfNormal(5), ss.HalfNormal(5)
    m.theta = ss.Normal(m.mu, m.tau, dims="group")
    m.y = ss.Normal(m.theta[m.g], m.sigma).observe(y)
    index, outcome = torch.from_numpy(group), torch.from_numpy(y)
    half = 0.5 * math.log(2 * math.pi)

    def log_density(q: Any) -> Any:
        mu, tau, sigma, z = q[0], q[1].exp(), q[2].exp(), q[3:]
        prior = -0.5 * ((mu / 5) ** 2 + (tau / 5) ** 2 + (sigma / 5) ** 2) - 3 * (math.log(5) + half) + 2 * math.log(2)
        local = -0.5 * z.square().sum() - groups * half
        away = (outcome - (mu + tau * z)[index]) / sigma
        return prior + local - 0.5 * away.square().sum() - group.size * (sigma.log() + half)

    def from_stan(found: Any) -> np.ndarray:
        mu, tau, sigma = (float(found[name]) for name in ("mu", "tau", "sigma"))
        theta = np.array([found[f"theta.{k + 1}"] for k in range(groups)])
        return np.r_[mu, np.log(tau), np.log(sigma), (theta - mu) / tau]

    def pymc_model() -> Any:
        import pymc as pm

        with pm.Model() as model:
            mu, tau, sigma = pm.Normal("mu", 0, 5), pm.HalfNormal("tau", 5), pm.HalfNormal("sigma", 5)
            z = pm.Normal("z", 0, 1, shape=groups)
            pm.Normal("y", (mu + tau * z)[group], sigma, observed=y)
        return model

    def numpyro_model() -> None:
        import numpyro
        from numpyro import distributions as dist

        mu = numpyro.sample("mu", dist.Normal(0, 5))
        tau, sigma = (numpyro.sample(name, dist.HalfNormal(5)) for name in ("tau", "sigma"))
        z = numpyro.sample("z", dist.Normal(0, 1).expand([groups]).to_event(1))
        numpyro.sample("y", dist.Normal((mu + tau * z)[group], sigma), obs=y)

    def jacobian(z: dict[str, np.ndarray]) -> float:
        return float(z["tau"] + z["sigma"])  # NumPyro adds log tau + log sigma to the density

    title = f"Hierarchical normal, {groups:,} groups of {each}"
    return Problem(title, m, groups + 3, log_density, from_stan, pymc_model, numpyro_model, jacobian)


def installed() -> dict[str, Run]:
    return {name: run for name, (module, run) in TOOLS.items() if importlib.util.find_spec(module) is not None}


# -- comparing ------------------------------------------------------------------------------------------------
def compare(problem: Problem, rounds: int) -> dict[str, Any]:
    """Run everything in turn, and print a table of times as ratios to the one written by hand."""
    traces: dict[str, list[Trace]] = {name: [] for name in installed()}
    for _ in range(rounds):
        for name, run in installed().items():
            try:
                traces[name].append(run(problem))
            except Exception as error:
                traces[name].append(Trace(note=f"failed: {str(error).splitlines()[0][:80]}"))
    best = max(t.best for found in traces.values() for t in found)
    level = best - WITHIN * abs(best)

    def middle(read: Callable[[Trace], float]) -> dict[str, float]:
        return {name: statistics.median(read(t) for t in found) for name, found in traces.items()}

    search, first = middle(lambda t: t.time_to(level) - t.ready), middle(lambda t: t.time_to(level))
    whole = middle(lambda t: t.total)
    head = "| | search | ratio | first to optimum | ratio | whole call | |"
    print(f"\n### {problem.title}\n\n{head}\n|---|---|---|---|---|---|---|")
    for name in TOOLS:
        if name not in traces:
            print(f"| {name} | not installed | | | | | |")
        elif not math.isfinite(first[name]):
            print(f"| {name} | not reached | | | | {whole[name]:.3f} s | {traces[name][-1].note} |")
        else:
            cells = [f"{t[name]:.3f} s | {t[name] / t[HAND]:.2f}" for t in (search, first)]
            print(f"| {name} | {' | '.join(cells)} | {whole[name]:.3f} s | {traces[name][-1].note} |")
    return {"title": problem.title, "best": best, "search": search, "first": first, "whole": whole}


def gradient_time(objective: Any) -> float:
    """Give the least of some evaluations with gradient, in seconds."""
    q = torch.zeros((1, objective.dimension), dtype=torch.float64)
    times = []
    for _ in range(20):
        begun = Clock.read()
        objective.value_and_gradient(q)
        times.append(Clock.read() - begun)
    return min(times)


def growth(sizes: list[int], covariates: int) -> dict[str, Any]:
    """Time one evaluation with gradient, and a whole estimate, as observations grow."""
    rows = []
    head = "| N | one gradient | per observation | whole `m.map(starts=1)` | evaluations |"
    print(f"\n### Growth with observations\n\n{head}\n|---|---|---|---|---|")
    for n in sizes:
        model = logistic(n, covariates).model
        begun = Clock.read()
        estimate = model.map(starts=1, seed=1, progress=False)
        whole = Clock.read() - begun
        gradient = gradient_time(estimate.source.objective)  # type: ignore[union-attr]
        rows.append({"n": n, "gradient": gradient, "whole": whole, "evaluations": estimate.evaluations})
        each = f"{1e3 * gradient:.2f} ms | {1e9 * gradient / n:.0f} ns"
        print(f"| {n:,} | {each} | {whole:.2f} s | {estimate.evaluations} |")
    return {"title": "growth", "rows": rows}


def compiled(problems: list[Problem]) -> dict[str, Any]:
    """Compare one gradient and a whole first call, on the wall too: compilers run beside this process."""
    head = "| | one gradient | compiled | first call, wall | compiled |"
    print(f"\n### torch.compile\n\n{head}\n|---|---|---|---|---|")
    rows = []
    for problem in problems:
        row: dict[str, Any] = {"title": problem.title}
        for name, choice in (("plain", False), ("compiled", True)):
            begun = time.perf_counter()
            estimate = problem.model.map(starts=1, seed=1, progress=False, integrate=False, compile=choice)
            row[f"{name} call"] = time.perf_counter() - begun
            row[name] = gradient_time(estimate.source.objective)  # type: ignore[union-attr]
        rows.append(row)
        gradients = " | ".join(f"{1e3 * row[name]:.2f} ms" for name in ("plain", "compiled"))
        calls = " | ".join(f"{row[f'{name} call']:.1f} s" for name in ("plain", "compiled"))
        print(f"| {problem.title} | {gradients} | {calls} |")
    return {"title": "compile", "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true")
    given = parser.parse_args()
    if given.wall:
        Clock.read = staticmethod(time.perf_counter)
    torch.set_num_threads(given.threads)
    if given.threads == 1:  # the others are not loaded yet, and read these when they are
        os.environ["OMP_NUM_THREADS"] = "1"
        os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    results: list[dict[str, Any]] = []
    for small in (logistic(200, 3), hierarchical(60, 3)):  # let everyone load what it needs
        for run in () if given.growth or given.compile else installed().values():
            run(small)
        scistan_run(small, starts=2)
    if given.growth:
        results.append(growth([10_000, 100_000, 1_000_000], 20))
    elif given.compile:
        results.append(compiled([logistic(100_000, 100), hierarchical(10_000, 10), hierarchical(20, 5)]))
    else:
        n, p, groups = (100_000, 100, 10_000) if given.full else (20_000, 30, 2_000)
        results += [compare(problem, given.rounds) for problem in (logistic(n, p), hierarchical(groups, 10))]
    print("\n" + json.dumps({"threads": given.threads, "results": results}))


if __name__ == "__main__":
    main()
