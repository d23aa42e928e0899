"""What `engine="auto"` gives beside each engine and metric by itself, on thirty models: effective draws a second.

Run: python bench/race.py [--models rats wells] [--held-out | --open] [--kept FOLDER] [--calls 4]

1. The candidates run as whole calls of `m.mcmc` (Stan's NUTS on stanli, nutpie with a diagonal and with a low-rank metric): 4
   chains of 1000 draws, warm-up 1000 for stanli, 400 for nutpie, `adapt_delta` 0.9 where scales are estimated, as `auto` has it.
   They integrate out what `auto` does. Where that is something, each also runs with the model as it is written (w), and where
   the centring of latents is open, with all of these centred and nothing integrated out (c): the best of all of them is what
   `auto` is held to. Min bulk ESS over all latents, redrawn ones included, for each second of processor time (all threads), the
   median over later calls. With `--kept` these calls are kept in a folder and not made again.
2. `auto` and the best of them run in turns, call by call in one process with the same seeds, so that a machine that others use
   too is the same to both (processor time of one and the same run differs by half there, from one minute to the next).

A candidate that is ill in most of its calls (more than one draw in 1,000 diverged, or an R-hat above 1.05), or was cut short
by its limit of time, is marked with !. Where none is sound, all run with smaller steps too (`adapt_delta` 0.95 and 0.99), and one
that is ill is the best only where none of these is sound either. *ratio* is auto's ESS per CPU second
over the best candidate's, *time* its CPU seconds over that candidate's, both medians over pairs of later calls; *first* and
*first time* the same of first calls in a process, where for ESS the median over all calls is taken. Models of the held-out ten
are marked with *. `--work` prints the counted work of a gradient.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

MANY_DIVERGENCES, BAD_RHAT, DRAWS = 0.001, 1.05, 4000
Runs = list[dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """A model's figures: of later calls, and of first ones."""

    ratio: float
    time: float
    first: float
    first_time: float


def sound(run: dict[str, Any]) -> bool:
    return run["diverged"] <= MANY_DIVERGENCES and run["rhat"] <= BAD_RHAT and run["draws"] >= DRAWS


def good(runs: Runs) -> Runs:
    return [run for run in runs if "failed" not in run]


def later(runs: Runs) -> Runs:
    return [run for run in good(runs) if not run["first"]] or good(runs)


def rate(runs: Runs) -> float:
    return float(np.median([run["ess"] / run["cpu"] for run in later(runs)]))


def is_ill(runs: Runs) -> bool:
    return float(np.mean([not sound(run) for run in good(runs)])) > 0.5


def compare(model: str, candidates: dict[str, Runs], best: str, turns: dict[str, Runs], held_out: bool) -> Row:
    """Print a model's row, and give its figures."""
    cells = [
        f"{rate(runs):9,.0f}{'!' if is_ill(runs) else ' '}" if good(runs) else f"{'–':>10}" for runs in candidates.values()
    ]
    auto, other = ({run["seed"]: run for run in good(turns[who]) if not run["first"]} for who in ("auto", best))
    pairs = [(auto[seed], other[seed]) for seed in auto if seed in other]
    effective = {who: np.median([run["ess"] for run in good(turns[who])]) for who in ("auto", best)}
    firsts = {who: np.median([run["cpu"] for run in good(turns[who]) if run["first"]]) for who in ("auto", best)}
    row = Row(
        float(np.median([a["ess"] / a["cpu"] / (b["ess"] / b["cpu"]) for a, b in pairs])),
        float(np.median([a["cpu"] / b["cpu"] for a, b in pairs])),
        float(effective["auto"] / firsts["auto"] / (effective[best] / firsts[best])),
        float(firsts["auto"] / firsts[best]),
    )
    name, mark = f"{model}{'*' if held_out else ''}", "!" if is_ill(turns["auto"]) else " "
    told = " ".join(f"{figure:5.2f}" for figure in astuple(row))
    seconds = float(np.median([a["cpu"] for a, _ in pairs]))
    print(f"{name:20} {' '.join(cells)} {rate(turns['auto']):9,.0f}{mark} {seconds:6.2f} {best:>13}  {told}", flush=True)
    return row


def sum_up(rows: list[Row]) -> None:
    """Print what the rows say together."""
    found = np.array([astuple(row) for row in rows])
    worst = {"ratio": found[:, 0].min(), "time": found[:, 1].max(), "first": found[:, 2].min(), "first time": found[:, 3].max()}
    for k, (name, figure) in enumerate(worst.items()):
        print(f"{name:10} median {np.median(found[:, k]):.2f}, worst {figure:.2f}")
    print(f"{len(rows)} models; ratio below 0.7: {(found[:, 0] < 0.7).sum()}, time above 1.5: {(found[:, 1] > 1.5).sum()}")


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
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--calls", type=int, default=4)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--candidates", action="store_true", help="run the candidates alone")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--work", action="store_true")
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from race_models import HELD_OUT, MODELS
    from race_runs import SMALLER_STEPS, WHO, measured, measured_in_turns

    models = given.models or [
        name for name in MODELS if not (given.held_out and name not in HELD_OUT) and not (given.open and name in HELD_OUT)
    ]
    if given.work:
        print_work(models)
        return
    if given.kept is not None:
        given.kept.mkdir(parents=True, exist_ok=True)
    others = [who for who in WHO if who not in ("auto", *SMALLER_STEPS)]
    print(f"{'ESS per CPU s':20} {' '.join(f'{who:>10}' for who in others)} {'auto':>10} CPU s {'best':>13}  ratio  time first ftime")
    rows = []
    for model in models:
        runs = {who: measured(model, who, given.processes, given.calls, given.kept) for who in others}
        tried = {who: found for who, found in runs.items() if good(found)}
        if tried and all(map(is_ill, tried.values())):
            tried |= {who: measured(model, who, given.processes, given.calls, given.kept) for who in SMALLER_STEPS}
        tried = {who: found for who, found in tried.items() if good(found)}
        if given.candidates or not tried:
            continue
        best = max([who for who in tried if not is_ill(tried[who])] or tried, key=lambda who: rate(tried[who]))
        turns = measured_in_turns(model, best, given.processes, given.calls)
        rows.append(compare(model, runs, best, turns, model in HELD_OUT))
    if rows:
        sum_up(rows)


if __name__ == "__main__":
    main()
