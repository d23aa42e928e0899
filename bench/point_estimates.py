"""Time to the same optimum: SciStan beside a hand-written torch L-BFGS, Stan's L-BFGS, PyMC and NumPyro, in one run.

    python bench/point_estimates.py                  # modest sizes
    python bench/point_estimates.py --full           # the sizes of the aim: 100,000 x 100, and 10,000 groups
    python bench/point_estimates.py --growth         # one model from 10,000 to 1,000,000 observations
    python bench/point_estimates.py --compile        # what torch.compile gains or loses

Prints Markdown, then one line of JSON. Times are CPU seconds on one thread, to the first point whose objective is
within 1e-4, relatively, of the best that any of them found; the tools take turns and the middle of the rounds counts, so that
a busy machine slows them alike. Tools that are not installed are reported as such.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

import scistan as ss
from scistan.inference.point.objective import Objective

WITHIN = 1e-4
HAND = "by hand"
STAN = "Stan's L-BFGS (stanli)"
clock = time.process_time
"""CPU seconds, so that a busy machine matters less; `--wall` takes the time on the wall."""


@dataclass
class Trace:
    """When a run had reached which log density, in seconds since it began."""

    points: list[tuple[float, float]] = field(default_factory=list)
    total: float = math.nan
    note: str = ""

    @property
    def best(self) -> float:
        return max((value for _, value in self.points), default=-math.inf)

    def time_to(self, level: float) -> float:
        return next((when for when, value in self.points if value >= level), math.inf)


Run = Callable[[], Trace]


# -- SciStan ----------------------------------------------------------------------------------------------
def scistan_run(model: ss.Model, **options: Any) -> Trace:
    """Watch every evaluation of `m.map`; lowering the model counts."""
    trace = Trace()
    original = Objective.value_and_gradient
    begun = clock()

    def watched(self: Objective, q: Any) -> Any:
        value, gradient = original(self, q)
        trace.points.append((clock() - begun, float(value.max())))
        return value, gradient

    Objective.value_and_gradient = watched  # type: ignore[method-assign]
    try:
        estimate = model.map(seed=1, progress=False, **options)
    finally:
        Objective.value_and_gradient = original  # type: ignore[method-assign]
    trace.total = clock() - begun
    spent = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in estimate.timing.items())
    verdict = "converged" if estimate.converged else "NOT converged"
    trace.note = f"{verdict}, {estimate.starts_agreeing} of {estimate.starts} agree; {spent}"
    return trace


# -- written by hand ------------------------------------------------------------------------------------------
def by_hand(dimension: int, log_density: Callable[[Any], Any]) -> Trace:
    """Run torch.optim.LBFGS with its line search from 0, as one would write it."""
    trace = Trace()
    begun = clock()
    q = torch.zeros(dimension, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([q], max_iter=1000, history_size=20, line_search_fn="strong_wolfe",
                                  tolerance_grad=1e-6, tolerance_change=1e-12)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = -log_density(q)
        loss.backward()
        trace.points.append((clock() - begun, -float(loss.detach())))
        return loss

    optimizer.step(closure)
    trace.total = clock() - begun
    trace.note = f"{len(trace.points)} evaluations"
    return trace


# -- Stan's ------------------------------------------------------------------------------------------------
def stan_run(model: ss.Model, value_at: Callable[[Any], float]) -> Trace:
    """Run stanli's L-BFGS, which is CmdStan's, from 0; it reports only its end, so its time is its whole time."""
    import stanli

    code = model.stan_code(log_lik=False, predictive=False, log_prior=False)
    data = model.stan_data()
    begun = clock()
    found = stanli.Model(stan_code=code, data=data).optimize(seed=1, init_radius=0.0)
    total = clock() - begun
    value = value_at(found)
    return Trace([(total, value)], total, f"whole run, ends at {value:.6g}")


# -- the models ---------------------------------------------------------------------------------------------
def logistic(observations: int, covariates: int) -> tuple[ss.Model, dict[str, Run]]:
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

    def at_end(found: Any) -> float:
        beta = np.array([found[f"beta.{k + 1}"] for k in range(covariates)])
        return float(log_density(torch.from_numpy(beta)))

    return m, {HAND: lambda: by_hand(covariates, log_density), STAN: lambda: stan_run(m, at_end)}


def hierarchical(groups: int, each: int) -> tuple[ss.Model, dict[str, Run]]:
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

    def at_end(found: Any) -> float:
        mu, tau, sigma = (float(found[name]) for name in ("mu", "tau", "sigma"))
        theta = np.array([found[f"theta.{k + 1}"] for k in range(groups)])
        return float(log_density(torch.from_numpy(np.r_[mu, np.log(tau), np.log(sigma), (theta - mu) / tau])))

    return m, {HAND: lambda: by_hand(groups + 3, log_density), STAN: lambda: stan_run(m, at_end)}


def absent() -> dict[str, str]:
    return {name: "not installed" for module, name in (("pymc", "PyMC find_MAP"), ("numpyro", "NumPyro"))
            if importlib.util.find_spec(module) is None}


# -- comparing ------------------------------------------------------------------------------------------------
def compare(title: str, model: ss.Model, runs: dict[str, Run], rounds: int) -> dict[str, Any]:
    """Run everything in turn, and print a table of times as ratios to the one written by hand."""
    everyone: dict[str, Run] = {
        "SciStan, 1 start": lambda: scistan_run(model, starts=1),
        "SciStan, 8 starts": lambda: scistan_run(model, starts=8),
        **runs,
    }
    traces: dict[str, list[Trace]] = {name: [] for name in everyone}
    for _ in range(rounds):
        for name, run in everyone.items():
            try:
                traces[name].append(run())
            except Exception as error:
                traces[name].append(Trace(note=f"failed: {str(error).splitlines()[0][:80]}"))
    best = max(t.best for found in traces.values() for t in found if math.isfinite(t.best))
    level = best - WITHIN * abs(best)
    reach = {name: statistics.median(t.time_to(level) for t in found) for name, found in traces.items()}
    whole = {name: statistics.median(t.total for t in found) for name, found in traces.items()}
    print(f"\n### {title}\n\n| | time to optimum | ratio | whole call | |\n|---|---|---|---|---|")
    for name in everyone:
        times = "not reached | " if math.isinf(reach[name]) else f"{reach[name]:.3f} s | {reach[name] / reach[HAND]:.2f}"
        print(f"| {name} | {times} | {whole[name]:.3f} s | {traces[name][-1].note} |")
    for name, why in absent().items():
        print(f"| {name} | {why} | | | |")
    return {"title": title, "best": best, "seconds": reach, "whole": whole}


def growth(sizes: list[int], covariates: int) -> dict[str, Any]:
    """Time one evaluation with gradient, and a whole estimate, as observations grow."""
    rows = []
    head = "| N | one gradient | per observation | whole `m.map(starts=1)` | evaluations |"
    print(f"\n### Growth with observations\n\n{head}\n|---|---|---|---|---|")
    for n in sizes:
        model, _ = logistic(n, covariates)
        begun = clock()
        estimate = model.map(starts=1, seed=1, progress=False)
        whole = clock() - begun
        objective = estimate.source.objective  # type: ignore[union-attr]
        q = torch.zeros((1, covariates), dtype=torch.float64)
        times = []
        for _ in range(7):
            begun = clock()
            objective.value_and_gradient(q)
            times.append(clock() - begun)
        gradient = min(times)
        rows.append({"n": n, "gradient": gradient, "whole": whole, "evaluations": estimate.evaluations})
        each = f"{1e3 * gradient:.2f} ms | {1e9 * gradient / n:.0f} ns"
        print(f"| {n:,} | {each} | {whole:.2f} s | {estimate.evaluations} |")
    return {"title": "growth", "rows": rows}


def compiled(observations: int, covariates: int) -> dict[str, Any]:
    """Compare with torch.compile, its compilation counted and not."""
    print("\n### torch.compile\n\n| | whole call |\n|---|---|")
    result: dict[str, float | str] = {}
    for name, options in (("without", {}), ("with, first call", {"compile": True}), ("with, again", {"compile": True})):
        model, _ = logistic(observations, covariates)
        begun = clock()
        try:
            model.map(starts=1, seed=1, progress=False, **options)
            result[name] = clock() - begun
            print(f"| {name} | {result[name]:.2f} s |")
        except Exception as error:
            result[name] = f"failed: {str(error).splitlines()[0][:100]}"
            print(f"| {name} | {result[name]} |")
    return {"title": "compile", "seconds": result}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--wall", action="store_true")
    given = parser.parse_args()
    global clock
    clock = time.perf_counter if given.wall else time.process_time
    torch.set_num_threads(given.threads)
    results: list[dict[str, Any]] = []
    for small, runs in (logistic(200, 3), hierarchical(60, 3)):  # let everyone load what it needs
        scistan_run(small, starts=2)
        for run in runs.values():
            run()
    if given.growth:
        results.append(growth([10_000, 100_000, 1_000_000], 20))
    elif given.compile:
        results.append(compiled(20_000, 30))
    else:
        n, p, groups = (100_000, 100, 10_000) if given.full else (20_000, 30, 2_000)
        results.append(compare(f"Logistic regression, N = {n:,}, P = {p}", *logistic(n, p), given.rounds))
        results.append(
            compare(f"Hierarchical normal, {groups:,} groups of 10", *hierarchical(groups, 10), given.rounds)
        )
    print("\n" + json.dumps({"threads": given.threads, "results": results}))


if __name__ == "__main__":
    main()
