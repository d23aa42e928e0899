"""Count the false alarms on the healthy models, seed after seed: `python -m tests.diagnostics.false_alarms 100`.

Prints a line for each seed that raised one, and the table of docs/diagnosis.md at the end; Ctrl-C prints it earlier.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter, defaultdict

from scistan.diagnostics import Hint
from tests.diagnostics.healthy_models import HEALTHY


def alarms(name: str, seed: int) -> tuple[Hint, ...]:
    """Fit a healthy model with data of a seed, and give what is found; of notes only scattered divergences are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = HEALTHY[name](seed).mcmc(seed=seed, progress=False).diagnose()
    return tuple(hint for hint in found.hints if hint.severity != "note" or hint.check != "divergences")


def main(first: int, last: int) -> None:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    done = 0
    try:
        for seed in range(first, last):
            for name in HEALTHY:
                for hint in alarms(name, seed):
                    found[name][hint.check] += 1
                    print(f"{name}, seed {seed}: {hint.severity}: {hint.fact}", flush=True)
            done += 1
            print(f"seed {seed} done", flush=True)
    except KeyboardInterrupt:
        pass
    print(f"\n| model | alarms in {done} fits |\n|---|---|")
    for name in HEALTHY:
        told = ", ".join(f"{check} {count}" for check, count in found[name].items())
        print(f"| {name.replace('_', ' ')} | {told or 'none'} |")


if __name__ == "__main__":
    main(0, int(sys.argv[1]) if len(sys.argv) > 1 else 100)
