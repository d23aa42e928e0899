"""Count what is found of the healthy models, seed after seed: `python -m tests.diagnostics.false_alarms 100`.

Prints a line for each fit of which something was found, and the table of docs/diagnosis.md at the end; Ctrl-C prints it
earlier. `--keep FILE` writes what each fit gave to a file and reads there what was done before, so that a long count can
be made in portions (`--seconds 600`).
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from scistan.inference.fit import Fit
from tests.diagnostics.healthy_models import HEALTHY


@dataclass(frozen=True)
class Found:
    """What one fit gave: the checks that raised an alarm, the checks that left a note, and its divergences."""

    model: str
    seed: int
    alarms: list[str]
    notes: list[str]
    divergences: int


def fitted(name: str, seed: int) -> Fit:
    """Fit a healthy model with data and chains of a seed, by a call that says nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return HEALTHY[name](seed).mcmc(seed=seed, progress=False)


def found(name: str, seed: int) -> Found:
    """Fit a healthy model, and sort what is found by whether it asks for something to be done."""
    fit = fitted(name, seed)
    told = fit.diagnose()
    alarms, notes = ([hint.check for hint in hints] for hints in (told.findings, told.notes))
    return Found(name, seed, alarms, notes, int(fit.idata.sample_stats["diverging"].sum()))


def table(results: Iterable[Found]) -> str:
    """Give the table of the docs."""
    results = list(results)
    lines = ["| model | fits | with an alarm | with a note | divergences in all |", "|---|---|---|---|---|"]
    for name in HEALTHY:
        own = [one for one in results if one.model == name]
        alarms, notes = (Counter(check for one in own for check in getattr(one, kind)) for kind in ("alarms", "notes"))
        cells = (", ".join(f"{n} ({check})" for check, n in counted.items()) or "0" for counted in (alarms, notes))
        lines.append(f"| {name.replace('_', ' ')} | {len(own)} | {' | '.join(cells)} | {sum(o.divergences for o in own)} |")
    alarmed, noted = (sum(bool(getattr(one, kind)) for one in results) for kind in ("alarms", "notes"))
    lines.append(f"| all | {len(results)} | {alarmed} | {noted} | {sum(one.divergences for one in results)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", type=int, nargs="?", default=100)
    parser.add_argument("--keep", type=Path, help="a file of results, one in a line")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    given = parser.parse_args()
    lines = given.keep.read_text().splitlines() if given.keep and given.keep.exists() else []
    results = {(one.model, one.seed): one for one in (Found(**json.loads(line)) for line in lines)}
    started = time.monotonic()
    try:
        for name, seed in ((name, seed) for seed in range(given.seeds) for name in HEALTHY):
            if (name, seed) in results:
                continue
            if time.monotonic() - started > given.seconds:
                break
            one = results[name, seed] = found(name, seed)
            if given.keep:
                with given.keep.open("a") as file:
                    file.write(json.dumps(asdict(one)) + "\n")
            if one.alarms or one.notes:
                print(one, flush=True)
    except KeyboardInterrupt:
        pass
    print(f"\n{table(one for one in results.values() if one.seed < given.seeds)}")


if __name__ == "__main__":
    main()
