"""Whole calls on the models of bench/integrate.py, ours and the neighbours', each in a process of its own.

Run by bench/integrate.py. A process makes its calls one after another, each with another seed; ours take turns in one process,
as do nutpie's metrics. What a call gave is a line of JSON: the smallest bulk ESS of what is sampled either way and of all latents,
processor time (all threads), divergences, the worst R-hat, and whether it was the first of its kind in the process. A call that
takes too long ends the process.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["OURS", "Runs", "measured"]

Runs = list[dict[str, Any]]
DRAWS, WARMUP, CHAINS = 1000, 1000, 4
# Seconds of processor time for one call of a neighbour's, its compilation with it.
LIMIT = 75
# An engine of ours that took longer in its first call makes no other: what it compiles is a small part then.
# Seconds by the clock after which it is ended and judged by the draws it has.
ENOUGH, PATIENCE = 15.0, 30.0
OURS: dict[str, dict[str, Any]] = {
    "auto": {},
    "integrated": {"integrate": True},
    "whole": {"integrate": False},
    "stanli": {"integrate": False, "engine": "stanli"},
    "diag": {"integrate": False, "engine": "nutpie", "metric": "diag", "warmup": 400},
    "low rank": {"integrate": False, "engine": "nutpie", "metric": "low_rank", "warmup": 400},
}


def measured(model: str, who: str, calls: int, kept: Path | None) -> Runs:
    """Give the calls made one way: those kept, or new ones."""
    file = None if kept is None else kept / f"{model}.{who.replace(' ', '_').replace('/', '_')}.json"
    if file is not None and file.exists():
        return json.loads(file.read_text())
    with tempfile.TemporaryDirectory() as cache:
        one = {"OMP_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "SCISTAN_CACHE": cache}
        command = [sys.executable, __file__, model, who, str(calls)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **one})
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        told = done.stderr.strip().splitlines()
        found.append({"failed": "out of time" if done.returncode == -24 else told[-1] if told else str(done.returncode)})
    if file is not None:
        file.write_text(json.dumps(found, indent=0))
    return found


def worker(model: str, who: str, calls: int) -> None:
    """Make the calls and print what each gave as a line of JSON."""
    from integrate_models import CASES

    from scistan.inference.integrate import integrated

    warnings.simplefilter("ignore")
    case = CASES[model]()
    instance = case.model.instance()
    sampled = [term.name for term in integrated(instance, True).graph.latents]
    latents = [term.name for term in instance.graph.latents]
    made = {"ours": _ours, "laplace": _laplace}.get(who)
    if made is not None:
        runs = made(case, calls)
    else:
        package, form = who.split("/")
        runs = {"numpyro": _numpyro, "nutpie": _nutpie}[package](case, form, calls)
    for run in runs:
        draws = run.pop("draws")
        print(json.dumps({**run, "ess": _least(draws, sampled), **_health(draws, latents)}), flush=True)


def _ours(case: Any, calls: int) -> Iterator[dict[str, Any]]:
    from scistan.inference.choose import CAREFUL_DELTA, scales_are_estimated

    careful = {"adapt_delta": CAREFUL_DELTA} if scales_are_estimated(case.model.instance()) else {}
    slow: set[str] = set()
    for call in range(calls):
        for who, given in OURS.items():
            if who in slow:
                continue
            options = given if "engine" not in given else {**careful, **given, "time_limit": PATIENCE}
            begun = time.process_time()
            try:
                fit = case.model.mcmc(seed=10 + call, progress=False, **options)
            except Exception as error:  # what one way cannot do is told, and the others go on
                print(json.dumps({"who": who, "failed": repr(error)[:300]}), flush=True)
                continue
            spent = time.process_time() - begun
            if "engine" in given and spent > ENOUGH:
                slow.add(who)
            diverged = float(np.mean(fit.draws.statistics["diverging"]))
            told = {"integrated": list(fit.plan.integrated), "why": fit.why}
            yield {"who": who, "first": not call, "cpu": spent, "diverged": diverged, **told, "draws": fit.posterior}


def _laplace(case: Any, calls: int) -> Iterator[dict[str, Any]]:
    for call in range(calls):
        begun = time.process_time()
        fit = case.model.laplace(draws=CHAINS * DRAWS, seed=10 + call, progress=False)
        spent = time.process_time() - begun
        # More than are asked for are tried and weighed; no more than are given count.
        told = {"effective": min(float(fit.certificate.effective), CHAINS * DRAWS), "notes": list(fit.notes)}
        yield {"who": "laplace", "first": not call, "cpu": spent, "diverged": 0.0, **told, "draws": fit.posterior}


def _timed(ways: dict[str, Callable[[int], tuple[dict[str, Any], float]]], calls: int) -> Iterator[dict[str, Any]]:
    for number in range(calls):
        for who, call in ways.items():
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + LIMIT, resource.RLIM_INFINITY))
            begun = time.process_time()
            draws, diverged = call(10 + number)
            spent = time.process_time() - begun
            yield {"who": who, "first": not number, "cpu": spent, "diverged": diverged, "draws": draws}


def _numpyro(case: Any, form: str, calls: int) -> Iterator[dict[str, Any]]:
    import jax
    import numpyro
    from integrate_numpyro import TWINS
    from numpyro.infer import MCMC, NUTS

    written, _, method = form.partition(" ")
    numpyro.enable_x64()
    data = {name: jax.numpy.asarray(array) for name, array in case.data.items()}
    sampler = MCMC(
        # One object for all calls and no arguments to its model: so what the first call compiled serves the later ones.
        NUTS(lambda: TWINS[case.twin](data, written)), num_warmup=WARMUP, num_samples=DRAWS, num_chains=CHAINS,
        chain_method=method or "sequential", progress_bar=False,
    )

    def call(seed: int) -> tuple[dict[str, Any], float]:
        sampler.run(jax.random.PRNGKey(seed))
        draws = {name: np.asarray(array) for name, array in sampler.get_samples(group_by_chain=True).items()}
        return draws, float(np.mean(sampler.get_extra_fields()["diverging"]))

    yield from _timed({form: call}, calls)


def _nutpie(case: Any, form: str, calls: int) -> Iterator[dict[str, Any]]:
    import nutpie
    import pymc as pm
    from integrate_pymc import TWINS

    begun = time.process_time()
    with pm.Model() as model:
        TWINS[case.twin](case.data, form)
    compiled = nutpie.compile_pymc_model(model)
    compiling = time.process_time() - begun

    def call(seed: int, low_rank: bool) -> tuple[dict[str, Any], float]:
        trace = nutpie.sample(
            compiled, draws=DRAWS, chains=CHAINS, cores=1, seed=seed, progress_bar=False, low_rank_modified_mass_matrix=low_rank
        )
        return {name: array.values for name, array in trace.posterior.items()}, float(trace.sample_stats["diverging"].mean())

    ways = {form: partial(call, low_rank=False), f"{form} low rank": partial(call, low_rank=True)}
    for run in _timed(ways, calls):
        yield {**run, "compiling": compiling}


def _columns(draws: Any, names: list[str]) -> Iterator[np.ndarray]:
    for name in names:
        array = np.asarray(draws[name])
        array = array.reshape(*array.shape[:2], -1)
        yield from (array[..., k] for k in range(array.shape[-1]) if np.ptp(array[..., k]) > 0)


def _least(draws: Any, names: list[str]) -> float:
    from scistan.diagnostics.statistics import bulk_ess

    return min(float(bulk_ess(column)) for column in _columns(draws, names))


def _health(draws: Any, latents: list[str]) -> dict[str, float]:
    from scistan.diagnostics.statistics import measure

    # A Gaussian process whose values were integrated out by its user has none to judge.
    judged = measure({name: np.asarray(draws[name]) for name in latents if name in draws}).values()
    return {
        "ess_all": min(float(np.nanmin(one.bulk_ess)) for one in judged),
        "rhat": max(float(np.nanmax(one.rhat)) for one in judged),
    }


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    worker(sys.argv[1], sys.argv[2], int(sys.argv[3]))
