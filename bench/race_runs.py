"""Whole calls of `m.mcmc` on the models of bench/race.py, in processes of their own; kept as JSON when asked.

Run by bench/race.py. A process makes one first call and some later ones, each with another seed; two ways in one process take
turns. What a call gave: the min bulk ESS over all latents, processor time (all threads) and seconds by the clock, steps of the
kept draws, divergences, the worst R-hat, and what was run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["AS_WRITTEN", "CENTRED", "SMALLER_STEPS", "WHO", "Runs", "measured", "measured_in_turns"]

_STANLI: dict[str, Any] = {"engine": "stanli"}
_DIAGONAL: dict[str, Any] = {"engine": "nutpie", "metric": "diag", "warmup": 400}
_LOW_RANK: dict[str, Any] = {"engine": "nutpie", "metric": "low_rank", "warmup": 400}
WHO: dict[str, dict[str, Any]] = {
    "auto": {},
    "stanli": _STANLI, "diag": _DIAGONAL, "low rank": _LOW_RANK,
    "stanli w": _STANLI, "diag w": _DIAGONAL, "low rank w": _LOW_RANK,
    "stanli c": _STANLI, "diag c": _DIAGONAL, "low rank c": _LOW_RANK,
}
# These integrate nothing out; only models of which `auto` integrates something are run so.
AS_WRITTEN = ("stanli w", "diag w", "low rank w")
# These integrate nothing out and have every latent centred whose centring is open; only models that have such a latent.
CENTRED = ("stanli c", "diag c", "low rank c")
# These have smaller steps; they are run where all the others are ill.
SMALLER_STEPS = tuple(f"{who} {delta}" for delta in (0.95, 0.99) for who in ("stanli", "diag", "low rank"))
WHO |= {who: {**WHO[who.rpartition(" ")[0]], "adapt_delta": float(who.rpartition(" ")[2])} for who in SMALLER_STEPS}
# Seconds by the clock for one call of a candidate, and of processor time after which a process makes no further call.
LIMIT, ENOUGH = 60.0, 20.0

Runs = list[dict[str, Any]]


def measured(model: str, who: str, processes: int, calls: int, kept: Path | None) -> Runs:
    """Give the calls made one way: those kept, or new ones; a way that the model does not have gives none."""
    file = None if kept is None else kept / f"{model}.{who.replace(' ', '_')}.json"
    if file is not None and file.exists():
        return json.loads(file.read_text())
    found = [run for process in range(processes) for run in _process(model, (who,), process, calls)]
    if file is not None:
        file.write_text(json.dumps(found, indent=0))
    return found


def measured_in_turns(model: str, best: str, processes: int, calls: int) -> dict[str, Runs]:
    """Run `auto` and another way in turns, so that both meet the machine as it is: each is first in half the processes."""
    found: Runs = []
    for process in range(processes):
        found += _process(model, ("auto", best), 2 * process, calls)
        found += _process(model, (best, "auto"), 2 * process + 1, calls)
    return {who: [run for run in found if run.get("who", who) == who] for who in ("auto", best)}


def _process(model: str, who: tuple[str, ...], process: int, calls: int) -> Runs:
    command = [sys.executable, __file__, model, ",".join(who), str(process), str(calls)]
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "SCISTAN_CACHE": cache}
        )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        lines.append({"failed": done.stderr.strip().splitlines()[-1] if done.stderr.strip() else str(done.returncode)})
    return lines


def worker(model: str, who: list[str], process: int, calls: int) -> None:
    """Make the calls and print what each gave as a line of JSON."""
    warnings.simplefilter("ignore")
    ways = {one: way for one in who if (way := _way(model, one)) is not None}
    for call in range(calls):
        for one, (m, options) in ways.items():
            found = _call(m, 1 + call + 100 * process, options)
            if call or one == who[0]:  # what comes second in a process is neither a first call nor a later one
                print(json.dumps({"who": one, "first": call == 0, **found}), flush=True)
        if who != ["auto"] and time.process_time() > ENOUGH * len(who):
            return


def _way(model: str, who: str) -> tuple[Any, dict[str, Any]] | None:
    """Give the model and the options of a way; None where the model does not have it."""
    from race_models import MODELS

    from scistan.inference.choose import CAREFUL_DELTA, scales_are_estimated
    from scistan.inference.integrate import integrated
    from scistan.model.fitted import FittedModel
    from scistan.passes.centring import learnable

    m, options = MODELS[model](), dict(WHO[who])
    if who in CENTRED:
        open_ones = [term.name for term in learnable(m.instance().graph)]
        if not open_ones:
            return None
        m = FittedModel(m).changed({name: {"centred": True} for name in open_ones}).model
    if who in AS_WRITTEN and not integrated(m.instance(), "auto").integrated:
        return None
    if who in (*AS_WRITTEN, *CENTRED):
        options["integrate"] = False
    if who != "auto":
        options["time_limit"] = LIMIT
        if scales_are_estimated(integrated(m.instance(), options.get("integrate", "auto"))):
            options.setdefault("adapt_delta", CAREFUL_DELTA)
    return m, options


def _call(m: Any, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    from scistan.diagnostics.statistics import measure

    wall, cpu = time.perf_counter(), time.process_time()
    fit = m.mcmc(seed=seed, progress=False, **options)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    health = measure({name: fit.posterior[name] for name in fit.subject.latents}).values()
    return {
        "seed": seed,
        "ess": min(float(np.nanmin(h.bulk_ess)) for h in health),
        "rhat": max(float(np.nanmax(h.rhat)) for h in health),
        "diverged": float(np.mean(fit.draws.statistics["diverging"])),
        "steps": float(np.mean(fit.draws.statistics["n_steps"])),
        "draws": int(np.prod(fit.shape)),
        "cpu": cpu,
        "wall": wall,
        "why": fit.why,
        "notes": list(fit.notes),
        "centred": sorted(fit.plan.centring),
        "stages": {name: stage.cpu for name, stage in fit.profile.stages.children.items()},
    }


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    worker(sys.argv[1], sys.argv[2].split(","), int(sys.argv[3]), int(sys.argv[4]))
