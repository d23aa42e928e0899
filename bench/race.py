"""What `engine="auto"` gives beside each engine and metric by itself, on thirty models: effective draws a second.

Run: python bench/race.py [--models rats wells] [--held-out | --open] [--kept FOLDER] [--processes 2] [--calls 3]

For each model `auto` and the candidates (Stan's NUTS on stanli, nutpie with a diagonal and with a low-rank metric; the same
three with every latent centred whose centring is open, marked c) run as whole calls of `m.mcmc` in processes of their own
(bench/race_runs.py): 4 chains of 1000 draws, warm-up 1000 for stanli, 400 for nutpie, `adapt_delta` 0.9 where scales are
estimated, as `auto` has it. Min bulk ESS over all latents for each second of processor time (all threads), in the median over
the later calls of all processes. With `--kept` the candidates' calls are kept in a folder, so that only `auto` runs again.

A candidate that is ill in most of its calls (more than one draw in 1,000 diverged, or an R-hat above 1.05), or was cut short
by its time limit, is marked with ! and is not the best; *of all* is auto's rate over the best of all candidates, the ill among
them. *ratio* is auto's rate over that of the best candidate that is sound, *time* its processor time over that candidate's,
*first* and *first time* the same of the first calls of a process (auto's ESS per draw varies by seed, so the median over all
calls is taken for the effective draws). Models of the held-out ten are marked with *.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

MANY_DIVERGENCES, BAD_RHAT, DRAWS = 0.001, 1.05, 4000


@dataclass(frozen=True)
class Row:
    """A model's figures."""

    ratio: float
    time: float
    of_all: float
    first: float
    first_time: float


@dataclass(frozen=True)
class Way:
    """What one way gave: its rate, processor time of later and first calls, and whether it is ill."""

    effective: float
    seconds: float
    first_seconds: float
    ill: bool

    @property
    def rate(self) -> float:
        return self.effective / self.seconds

    @property
    def first_rate(self) -> float:
        return self.effective / self.first_seconds


def way(runs: list[dict]) -> Way | None:
    """Sum up calls; None where there are none."""
    good = [run for run in runs if "failed" not in run]
    if not good:
        return None
    later = [run for run in good if not run["first"]] or good
    ill = [run["diverged"] > MANY_DIVERGENCES or run["rhat"] > BAD_RHAT or run["draws"] < DRAWS for run in good]
    return Way(
        float(np.median([run["ess"] for run in good])),
        float(np.median([run["cpu"] for run in later])),
        float(np.median([run["cpu"] for run in good if run["first"]])),
        float(np.mean(ill)) > 0.5,
    )


def compare(model: str, held_out: bool, found: dict[str, Way | None]) -> Row | None:
    """Print a model's row, and give its figures."""
    cells = [
        f"{one.rate:9,.0f}{'!' if one.ill else ' '}{one.seconds:6.2f}" if one else f"{'–':>16}" for one in found.values()
    ]
    name, auto = f"{model}{'*' if held_out else ''}", found["auto"]
    candidates = {who: one for who, one in found.items() if who != "auto" and one is not None}
    sound = [one for one in candidates.values() if not one.ill]
    row = None
    if auto is not None and sound:
        best, best_first = max(sound, key=lambda one: one.rate), max(sound, key=lambda one: one.first_rate)
        row = Row(
            auto.rate / best.rate,
            auto.seconds / best.seconds,
            auto.rate / max(one.rate for one in candidates.values()),
            auto.first_rate / best_first.first_rate,
            auto.first_seconds / best_first.first_seconds,
        )
    told = " ".join(f"{figure:5.2f}" for figure in astuple(row)) if row else "no candidate is sound"
    print(f"{name:20} {' '.join(cells)}  {told}", flush=True)
    return row


def sum_up(rows: list[Row]) -> None:
    """Print what the rows say together."""
    found = np.array([astuple(row) for row in rows])
    for k, (name, worst) in enumerate((("ratio", "min"), ("time", "max"), ("of all", "min"), ("first", "min"), ("first time", "max"))):
        print(f"{name:10} median {np.median(found[:, k]):.2f}, worst {getattr(found[:, k], worst)():.2f}")
    print(f"{len(rows)} models; ratio below 0.7: {(found[:, 0] < 0.7).sum()}, time above 1.5: {(found[:, 1] > 1.5).sum()}")


def main() -> None:
    """Compare, and sum up."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--who", nargs="+", help="run these alone, and print no row")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--calls", type=int, default=3)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--keep-auto", action="store_true", help="auto's calls too are kept, and not made again")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--open", action="store_true")
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from race_models import HELD_OUT, MODELS
    from race_runs import WHO, measured

    models = given.models or [
        name for name in MODELS if not (given.held_out and name not in HELD_OUT) and not (given.open and name in HELD_OUT)
    ]
    if given.kept is not None:
        given.kept.mkdir(parents=True, exist_ok=True)

    def runs_of(model: str, who: str) -> list[dict]:
        file = None if given.kept is None else given.kept / f"{model}.auto.json"
        if who == "auto" and not given.keep_auto and file is not None:
            file.unlink(missing_ok=True)
        return measured(model, who, given.processes, given.calls, given.kept)

    if given.who:
        for model in models:
            for who in given.who:
                found = way(runs_of(model, who))
                print(f"{model} {who}: {found}", flush=True)
        return
    print(f"{'ESS per CPU s, CPU s':20} {' '.join(f'{who:>16}' for who in WHO)}  ratio  time ofall first ftime")
    rows = [compare(m, m in HELD_OUT, {who: way(runs_of(m, who)) for who in WHO}) for m in models]
    sum_up([row for row in rows if row is not None])


if __name__ == "__main__":
    main()
