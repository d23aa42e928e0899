"""What `engine="auto"` gives beside each engine and metric by itself, on thirty models: effective draws a second.

Run: python bench/race.py [--models rats wells] [--repeats 3] [--held-out | --open] [--work]

For each model `auto` and the three candidates (Stan's NUTS on stanli, nutpie with a diagonal and with a low-rank metric)
run as whole calls of `m.mcmc` in a process of their own: 4 chains of 1000 draws, warm-up 1000 for stanli, 400 for nutpie,
`adapt_delta` 0.9 where scales are estimated, as `auto` has it. Min bulk ESS over all latents, for each second of processor
time (all threads) and of the clock, of a first call and of later ones (the median of `--repeats`). A run in which more
than one draw in 1,000 diverged, or whose R-hat is above 1.05, is marked with ! and is nobody's best. *ratio* is auto's
ESS per CPU second over the best candidate's, *time* its CPU seconds over that candidate's, in later calls; *first* is the
ratio of first calls. Models of the held-out ten are marked with *. `--work` prints the counted work of a gradient.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

WHO: dict[str, dict[str, Any]] = {
    "auto": {},
    "stanli": {"engine": "stanli"},
    "diag": {"engine": "nutpie", "metric": "diag", "warmup": 400},
    "low rank": {"engine": "nutpie", "metric": "low_rank", "warmup": 400},
}
CANDIDATES = tuple(name for name in WHO if name != "auto")
MANY_DIVERGENCES, BAD_RHAT = 0.001, 1.05
PATIENCE = 300.0  # seconds for one process


def worker(model: str, who: str, repeats: int) -> None:
    """Run the calls and print what they gave, as JSON."""
    warnings.simplefilter("ignore")
    from race_models import MODELS

    from scistan.diagnostics.statistics import measure
    from scistan.inference.choose import CAREFUL_DELTA, scales_are_estimated

    m = MODELS[model]()
    options = dict(WHO[who])
    if who != "auto" and scales_are_estimated(m.instance()):
        options["adapt_delta"] = CAREFUL_DELTA
    found = []
    for seed in range(1, repeats + 2):
        wall, cpu = time.perf_counter(), time.process_time()
        fit = m.mcmc(seed=seed, progress=False, **options)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        health = measure({name: fit.posterior[name] for name in fit.subject.latents}).values()
        diverged = float(np.mean(fit.draws.statistics["diverging"]))
        found.append(
            {
                "ess": min(float(np.nanmin(h.bulk_ess)) for h in health),
                "ill": diverged > MANY_DIVERGENCES or max(float(np.nanmax(h.rhat)) for h in health) > BAD_RHAT,
                "cpu": cpu,
                "wall": wall,
                "why": fit.why,
            }
        )
    print(json.dumps(found))


def measured(model: str, who: str, repeats: int) -> list[dict[str, Any]]:
    """Run a worker; an empty list where it failed or took too long."""
    command = [sys.executable, __file__, "--worker", model, who, "--repeats", str(repeats)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return []
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else []


def rate(runs: list[dict[str, Any]], clock: str = "cpu") -> float:
    return float(np.median([run["ess"] / run[clock] for run in runs])) if runs else 0.0


def compare(model: str, held_out: bool, repeats: int) -> tuple[float, float, float] | None:
    """Print a model's row; give ratio, time and the first call's ratio."""
    runs = {who: measured(model, who, repeats) for who in WHO}
    cells = []
    for who in WHO:
        later = runs[who][1:]
        mark = "!" if any(run["ill"] for run in later) else " "
        cells.append(f"{rate(later):9,.0f}{mark}{rate(later, 'wall'):9,.0f}" if later else f"{'failed':>19}")
    sound = [who for who in CANDIDATES if runs[who] and not any(run["ill"] for run in runs[who][1:])]
    name = f"{model}{'*' if held_out else ''}"
    if not runs["auto"] or not sound:
        print(f"{name:22} {' '.join(cells)}  no candidate is sound", flush=True)
        return None
    best = max(sound, key=lambda who: rate(runs[who][1:]))
    ratio = rate(runs["auto"][1:]) / rate(runs[best][1:])
    seconds = {who: float(np.median([run["cpu"] for run in runs[who][1:]])) for who in ("auto", best)}
    first = rate(runs["auto"][:1]) / max(rate(runs[who][:1]) for who in sound)
    taken = seconds["auto"] / seconds[best]
    print(f"{name:22} {' '.join(cells)}  {ratio:5.2f} {taken:5.2f} {first:5.2f}", flush=True)
    return ratio, taken, first


def print_work(models: list[str]) -> None:
    """Print the counted work of a gradient beside its processor time, both in microseconds."""
    from race_models import MODELS

    from scistan.engines.embedded import open_density
    from scistan.engines.encoding import to_json
    from scistan.inference.prepare import subject_of
    from scistan.inference.work import gradient_work

    for name in models:
        subject = subject_of(MODELS[name]().instance(), merge=True)
        density = open_density(subject.program.text, to_json(subject.data), 1)
        q = np.full(density.dimension, 0.1)
        density.log_density_gradient(q)
        started = time.process_time()
        for _ in range(300):
            density.log_density_gradient(q)
        taken = (time.process_time() - started) / 300
        counted = gradient_work(subject.sampled or subject.instance)
        print(f"{name:22} counted {counted / 1e3:8.2f}  measured, with the call from Python {taken * 1e6:8.2f}")


def main() -> None:
    """Compare, and sum up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--work", action="store_true")
    parser.add_argument("--worker", nargs=2)
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    if given.worker:
        worker(*given.worker, given.repeats)
        return
    from race_models import HELD_OUT, MODELS

    models = given.models or [
        name for name in MODELS if not (given.held_out and name not in HELD_OUT) and not (given.open and name in HELD_OUT)
    ]
    if given.work:
        print_work(models)
        return
    print(f"{'ESS per CPU s, per s':22} {' '.join(f'{who:>19}' for who in WHO)}  ratio  time first")
    rows = {model: compare(model, model in HELD_OUT, given.repeats) for model in models}
    found = np.array([row for row in rows.values() if row is not None])
    if len(found):
        low, middle = found.min(0), np.median(found, axis=0)
        print(f"ratio: median {middle[0]:.2f}, worst {low[0]:.2f}; first call: median {middle[2]:.2f}, worst {low[2]:.2f}")
        print(f"time: median {middle[1]:.2f}, longest {found[:, 1].max():.2f}; {len(found)} models")


if __name__ == "__main__":
    main()
