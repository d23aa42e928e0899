"""Min bulk ESS per second and cold time of SciStan's engines beside their neighbours, as ratios in one run.

Run: python bench/sampling.py [--cases "kid scores" GP] [--who auto PyMC] [--repeats 3] [--draws 1000] [--seconds 120]

Each figure is the median over fresh processes, which take turns. *Cold* is the time from a process's start to
InferenceData, with everything in between: imports, lowering, compilation, sampling. *ESS/s* is the median of further runs
in the same process, each with a seed of its own (11, or as many as begin within 15 s): for SciStan the whole call of
`m.mcmc` (lowering, pilot, gate and all), for the neighbours the sampling alone, compiled before. `--cold` measures the cold
times alone. "cmdstanpy, built" compiles its program anew, runner and headers being at hand. "stanli, by hand" is no
neighbour but what one of the engines gives by itself: shown, not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

SEEDS, ENOUGH = 11, 15.0
HERE = Path(__file__).resolve().parent
Posterior = dict[str, np.ndarray]
# A run: settings -> draws by name (chain, draw, …) and, where it is known, the seconds of sampling alone.
Runner = Callable[[Any, dict[str, Any], dict[str, Any]], tuple[Posterior, float | None]]


def scistan_with(**choice: Any) -> Runner:
    def run(case: Any, data: dict[str, Any], settings: dict[str, Any]) -> tuple[Posterior, float | None]:
        started = time.perf_counter()
        fit = case.scistan(data).mcmc(progress=False, **settings, **choice)
        seconds = time.perf_counter() - started
        _ = fit.idata
        return {n: fit.posterior[n] for n in fit.subject.latents}, seconds

    return run


def stanli_alone(case: Any, data: dict[str, Any], settings: dict[str, Any]) -> tuple[Posterior, float | None]:
    import stanli

    from scistan.engines.encoding import to_json

    model = stanli.Model(stan_code=case.stan, data=to_json(data))
    started = time.perf_counter()
    length = {"warmup": settings["warmup"], "samples": settings["draws"]}
    fit = model.sample(chains=settings["chains"], seed=settings["seed"], refresh=0, **length)
    seconds = time.perf_counter() - started
    fit.to_arviz()
    return {"all": fit.draws()}, seconds


def cmdstanpy_with(mark: str) -> Runner:
    """Run the program written by hand; a mark at its end makes it another program, which no cache has."""

    def run(case: Any, data: dict[str, Any], settings: dict[str, Any]) -> tuple[Posterior, float | None]:
        return cmdstanpy_written(case.stan + mark, data, settings)

    return run


def cmdstanpy_written(text: str, data: dict[str, Any], settings: dict[str, Any]) -> tuple[Posterior, float | None]:
    import logging

    import cmdstanpy

    from scistan.toolchain.build import compile_stan

    logging.getLogger("cmdstanpy").setLevel(logging.ERROR)
    executable = compile_stan(text, progress=False)
    model = cmdstanpy.CmdStanModel(exe_file=str(executable))
    started = time.perf_counter()
    fit = model.sample(
        data,
        chains=settings["chains"],
        seed=settings["seed"],
        iter_warmup=settings["warmup"],
        iter_sampling=settings["draws"],
        show_progress=False,
    )
    seconds = time.perf_counter() - started
    import arviz

    arviz.from_cmdstanpy(fit)
    return {"all": fit.draws(concat_chains=False).transpose(1, 0, 2)[:, :, 7:]}, seconds


def pymc_with(sampler: str) -> Runner:
    def run(case: Any, data: dict[str, Any], settings: dict[str, Any]) -> tuple[Posterior, float | None]:
        import pymc as pm

        with pm.Model() as model:
            case.pymc(pm, data)
            common = {"draws": settings["draws"], "tune": settings["warmup"], "chains": settings["chains"]}
            if sampler == "nutpie":
                import nutpie

                compiled = nutpie.compile_pymc_model(model)
                started = time.perf_counter()
                idata = nutpie.sample(compiled, seed=settings["seed"], progress_bar=False, cores=2, **common)
                seconds = time.perf_counter() - started
            else:
                idata = pm.sample(random_seed=settings["seed"], progressbar=False, cores=2, **common)
                seconds = float(idata.posterior.attrs["sampling_time"])
        return {n: idata.posterior[n].values for n in idata.posterior.data_vars}, seconds

    return run


def numpyro_run(case: Any, data: dict[str, Any], settings: dict[str, Any]) -> tuple[Posterior, float | None]:
    import arviz
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import MCMC, NUTS

    numpyro.set_host_device_count(4)
    kernel = NUTS(lambda: case.numpyro(numpyro, dist, data))
    mcmc = MCMC(
        kernel, num_warmup=settings["warmup"], num_samples=settings["draws"], num_chains=settings["chains"],
        progress_bar=False,
    )
    mcmc.run(jax.random.PRNGKey(settings["seed"]))
    seconds = None
    if settings["seed"] > 1:  # the second run: compiled above, timed here
        started = time.perf_counter()
        mcmc.run(jax.random.PRNGKey(settings["seed"]))
        jax.block_until_ready(mcmc.get_samples())
        seconds = time.perf_counter() - started
    arviz.from_numpyro(mcmc)
    return {n: np.asarray(x) for n, x in mcmc.get_samples(group_by_chain=True).items()}, seconds


RUNNERS: dict[str, tuple[Runner, tuple[str, ...]]] = {
    "auto": (scistan_with(engine="auto"), ()),
    "stanli": (scistan_with(engine="stanli"), ()),
    "nutpie diag": (scistan_with(engine="nutpie", metric="diag"), ("nutpie",)),
    "nutpie low rank": (scistan_with(engine="nutpie", metric="low_rank"), ("nutpie",)),
    "cmdstan": (scistan_with(engine="cmdstan"), ("cmdstanpy",)),
    "stanli, by hand": (stanli_alone, ()),
    "cmdstanpy, by hand": (cmdstanpy_with(""), ("cmdstanpy",)),
    "cmdstanpy, built": (cmdstanpy_with(f"generated quantities {{ real mark_{time.time_ns()} = 0; }}\n"), ("cmdstanpy",)),
    "PyMC": (pymc_with("pymc"), ("pymc",)),
    "PyMC + nutpie": (pymc_with("nutpie"), ("pymc", "nutpie", "numba")),
    "NumPyro": (numpyro_run, ("numpyro",)),
}
OWN = ("auto", "stanli", "nutpie diag", "nutpie low rank", "cmdstan")
NEIGHBOURS = ("cmdstanpy, by hand", "PyMC", "PyMC + nutpie", "NumPyro")
SLOW_STARTERS = ("cmdstanpy, built", "PyMC", "PyMC + nutpie", "NumPyro")


def child(who: str, case_name: str, settings: dict[str, Any], warm: bool) -> None:
    """Run in a fresh process: once for the cold time, then with other seeds for ESS/s."""
    import warnings

    warnings.simplefilter("ignore")
    from sampling_models import CASES

    case = CASES[case_name]
    data = case.data()
    run = RUNNERS[who][0]
    run(case, data, {**settings, "seed": 1})
    print(json.dumps({"cold_end": time.time()}), flush=True)
    if not warm:
        return
    from scistan.diagnostics.statistics import bulk_ess

    rates = []
    began = time.perf_counter()
    while len(rates) < SEEDS and time.perf_counter() - began < ENOUGH:
        started = time.perf_counter()
        posterior, seconds = run(case, data, {**settings, "seed": 2 + len(rates)})
        seconds = time.perf_counter() - started if seconds is None else seconds
        smallest = min(float(np.nanmin(bulk_ess(x))) for x in posterior.values() if np.ptp(x) > 0)
        rates.append(smallest / seconds)
    print(json.dumps({"rate": float(np.median(rates)), "runs": len(rates)}), flush=True)


def measure(who: str, case: str, arguments: argparse.Namespace) -> dict[str, float] | str:
    """Start a process for one figure."""
    missing = [package for package in RUNNERS[who][1] if find_spec(package) is None]
    if missing:
        return "not installed"
    settings = {"draws": arguments.draws, "warmup": arguments.warmup, "chains": 4}
    command = [sys.executable, __file__, "--child", who, case, json.dumps(settings), *["--cold"] * arguments.cold]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)])}
    started = time.time()
    # A session of its own: samplers that end their process group must not end the benchmark.
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    late = False
    try:
        said, trouble = process.communicate(timeout=arguments.seconds)
    except subprocess.TimeoutExpired:
        late = True
        os.killpg(process.pid, signal.SIGKILL)
        said, trouble = process.communicate()
    lines = [line for line in said.strip().splitlines() if line.startswith("{")]
    if not lines:
        return f"over {arguments.seconds:.0f} s" if late else f"failed: {(trouble.strip() or '?').splitlines()[-1][:60]}"
    found = {"cold": json.loads(lines[0])["cold_end"] - started}
    if len(lines) > 1:
        found |= json.loads(lines[1])
    return found


def middle(runs: list[dict[str, float] | str]) -> dict[str, float] | str:
    """Give the medians of a figure's runs, or what went wrong when all of them did."""
    good = [run for run in runs if isinstance(run, dict)]
    if not good:
        return runs[0]
    return {key: float(np.median([run[key] for run in good if key in run])) for key in good[0]}


def _word(result: object) -> str:
    return result if isinstance(result, str) else "–"


def table(results: dict[str, dict[str, Any]], key: str, form: str) -> None:
    names = list(next(iter(results.values())))
    print(f"| {'cold time, s' if key == 'cold' else 'min bulk ESS per second'} | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for case, row in results.items():
        cells = [format(r[key], form) if isinstance(r, dict) and key in r else _word(r) for r in row.values()]
        print(f"| {case} | " + " | ".join(cells) + " |")
    print()


def verdict(results: dict[str, dict[str, Any]]) -> None:
    """Print the ratios that the aims are about."""
    ratios = []
    for case, row in results.items():
        def rates(names: tuple[str, ...], key: str = "rate", row: dict[str, Any] = row) -> list[float]:
            return [row[n][key] for n in names if isinstance(row.get(n), dict) and key in row[n]]

        auto, own, others = rates(("auto",)), rates(OWN[1:4]), rates(NEIGHBOURS)
        cold, slow = rates(("auto",), "cold"), rates(SLOW_STARTERS, "cold")
        parts = []
        if auto and others:
            ratios.append(auto[0] / max(others))
            parts.append(f"auto over the best neighbour {auto[0] / max(others):.1f}")
        if auto and own:
            parts.append(f"auto over the best of three engines and metrics {auto[0] / max(own):.2f}")
        if cold and slow:
            parts.append(f"fastest cold neighbour over auto {min(slow) / cold[0]:.1f}")
        print(f"{case}: " + "; ".join(parts))
    if ratios:
        print(f"auto over the best neighbour, median of {len(ratios)} models: {np.median(ratios):.1f}")


def main() -> None:
    if len(sys.argv) > 1 and sys.argv[1] == "--child":
        child(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), warm="--cold" not in sys.argv)
        return
    sys.path[:0] = [str(HERE), str(HERE.parent)]
    from sampling_models import CASES

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="*", default=list(CASES))
    parser.add_argument("--who", nargs="*", default=list(RUNNERS))
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--warmup", type=int, default=1000)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--seconds", type=float, default=120.0)
    arguments = parser.parse_args()
    results: dict[str, dict[str, Any]] = {}
    for case in arguments.cases:
        found: dict[str, list[dict[str, float] | str]] = {who: [] for who in arguments.who}
        for _ in range(arguments.repeats):
            for who in arguments.who:
                found[who].append(measure(who, case, arguments))
                print(f"{case}, {who}: {found[who][-1]}", file=sys.stderr, flush=True)
        results[case] = {who: middle(runs) for who, runs in found.items()}
    if not arguments.cold:
        table(results, "rate", ",.0f")
    table(results, "cold", ".1f")
    verdict(results)


if __name__ == "__main__":
    main()
