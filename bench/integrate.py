"""What integration gains: effective draws a second of processor time, beside the same model sampled whole, here and elsewhere.

    python bench/integrate.py [model …] [--calls 2] [--kept FOLDER] [--ours]

For each of twenty models the smallest bulk ESS of what is sampled either way, over the processor time of the whole call (all
threads, 4 chains of 1000 draws; the median of the later calls in one process, so that imports and most of compiling are out):

- *auto*, as it is called; with a + where it integrated;
- *whole*, our best with `integrate=False`: `auto` so, Stan's NUTS on stanli, nutpie with a diagonal and a low-rank metric;
- *NumPyro*, double precision, warm-up 1000, chains one after another, or at once if that is better (`--vectorized`);
- *PyMC*, sampled by nutpie with its own warm-up, its compilation not counted, with the better of both metrics;

the neighbours with effects centred and non-centred, whichever gave more, and at most 75 s for a call. A way that is ill (more than
one draw in 100 diverged, or an R-hat above 1.05) is marked with !, and is the best only where no other is sound. *ratio* is auto over the
best of all others, *share* auto over the better of integrated and whole here. Poisson and binomial groups have a line for
`m.laplace()` too: the effective draws its weights leave of 4000. `--work` prints what a gradient costs by counted work and by the clock.
The twins are held to our densities by bench/integrate_check.py.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

MANY_DIVERGENCES, BAD_RHAT = 0.01, 1.05
WHOLE = ("whole", "stanli", "diag", "low rank")
GROUPED = ("counts", "binomial")
Runs = list[dict[str, Any]]


def later(runs: Runs) -> Runs:
    done = [run for run in runs if "failed" not in run]
    return [run for run in done if not run["first"]] or done


def rate(runs: Runs) -> float:
    found = [run["ess"] / run["cpu"] for run in later(runs)]
    return float(np.median(found)) if found else np.nan


def is_ill(runs: Runs) -> bool:
    return any(run["diverged"] > MANY_DIVERGENCES or run["rhat"] > BAD_RHAT for run in later(runs))


def best_of(ways: dict[str, Runs]) -> tuple[str, float, str]:
    """Give the best sound way, its rate, and a mark where none is sound."""
    done = {way: runs for way, runs in ways.items() if later(runs)}
    if not done:
        return "–", np.nan, " "
    sound = {way: runs for way, runs in done.items() if not is_ill(runs)}
    way = max(sound or done, key=lambda one: rate(done[one]))
    return way, rate(done[way]), " " if sound else "!"


def by_way(runs: Runs) -> dict[str, Runs]:
    return {who: [run for run in runs if run.get("who") == who] for who in dict.fromkeys(run.get("who", "") for run in runs)}


def neighbours(twin: str, vectorized: bool) -> dict[str, list[str]]:
    """Give the ways in which each neighbour is run."""
    from integrate_numpyro import FORMS
    from integrate_pymc import FORMS as PYMC_FORMS

    return {
        "NumPyro": [f"numpyro/{form}{how}" for form in FORMS[twin] for how in ("", " vectorized")[: 1 + vectorized]],
        "PyMC": [f"nutpie/{form}" for form in PYMC_FORMS[twin]],
    }


def measure(name: str, given: argparse.Namespace) -> tuple[float, bool]:
    """Print a model's row; give its ratio, and whether `auto` integrated."""
    from integrate_models import CASES
    from integrate_runs import OURS, measured

    runs = measured(name, "ours", given.calls, given.kept)
    ours = {way: [] for way in OURS} | by_way(runs)
    took = any(run["integrated"] for run in later(ours["auto"]))
    others = {"whole": best_of({way: ours[way] for way in WHOLE})}
    if not given.ours:
        for who, ways in neighbours(CASES[name]().twin, given.vectorized).items():
            others[who] = best_of(by_way([run for way in ways for run in measured(name, way, given.calls, given.kept)]))
    auto, against = rate(ours["auto"]), {who: found for who, found in others.items() if np.isfinite(found[1])}
    sound = {who: found for who, found in against.items() if found[2] == " "} or against
    ratio = auto / max((value for _, value, _ in sound.values()), default=np.nan)
    share = auto / np.nanmax([rate(ours["integrated"]), rate(ours["whole"])])
    cells = "  ".join(f"{who} {value:8,.0f}{mark}({way})" for who, (way, value, mark) in others.items())
    ill = "!" if is_ill(ours["auto"]) else " "
    print(f"{name:26s} auto {auto:8,.0f}{'+' if took else ' '}{ill} {cells}  ratio {ratio:6.2f}  share {share:5.2f}", flush=True)
    if name in GROUPED:
        weighed = measured(name, "laplace", given.calls, given.kept)
        effective = rate([{**run, "ess": run.get("effective")} for run in weighed])
        print(f"{name:26s} m.laplace() {effective:8,.0f}", flush=True)
    return ratio, took


def sum_up(rows: list[tuple[float, bool]]) -> None:
    ratios, took = np.array([ratio for ratio, _ in rows]), np.array([one for _, one in rows])
    print(f"{len(rows)} models, {took.sum()} integrated by auto; ratio below 0.9: {(ratios < 0.9).sum()}, least {ratios.min():.2f}")
    if took.any():
        print(f"of those integrated: median {np.median(ratios[took]):.1f}, at least 10: {(ratios[took] >= 10).sum()}")


def work(name: str) -> None:
    from integrate_models import CASES

    from scistan.engines.embedded import open_density
    from scistan.engines.encoding import to_json
    from scistan.inference.integrate import integrated
    from scistan.inference.work import gradient_work
    from scistan.targets.stan.program import lower_to_stan

    whole = CASES[name]().model.instance()
    for way, instance in (("whole", whole), ("integrated", integrated(whole, True))):
        program = lower_to_stan(instance.graph, log_lik=False, predictive=False, log_prior=False)
        density = open_density(program.text, to_json(program.data(instance)), 1)
        q = np.full(density.dimension, 0.1)
        times = []
        for _ in range(7):
            begun = time.process_time()
            for _ in range(200):
                density.log_density_gradient(q)
            times.append((time.process_time() - begun) / 200)
        print(f"{name:26s} {way:10s} counted {gradient_work(instance) / 1e3:8.1f} µs  measured {min(times) * 1e6:8.1f} µs")


def main() -> None:
    """Measure each model, and sum up."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from integrate_models import CASES

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("models", nargs="*", choices=[*CASES, []])
    options.add_argument("--calls", type=int, default=2)
    options.add_argument("--kept", type=Path, help="a folder of calls that are not made again")
    options.add_argument("--ours", action="store_true", help="without the neighbours")
    options.add_argument("--vectorized", action="store_true", help="NumPyro's chains at once, too")
    options.add_argument("--work", action="store_true")
    given = options.parse_args()
    if given.kept is not None:
        given.kept.mkdir(parents=True, exist_ok=True)
    models = given.models or list(CASES)
    if given.work:
        for name in models:
            work(name)
        return
    sum_up([measure(name, given) for name in models])


if __name__ == "__main__":
    main()
