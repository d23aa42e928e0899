"""What a call of `m.mcmc()` costs beside its sampling: in a fresh process, and later in the same one.

Run: python bench/fixed_cost.py [runs]. Every run is a process of its own that makes eight calls with `engine="auto"`; models take
turns. Figures are processor time (all threads), so that other processes add little: the whole call without its stage
`sampling` in `fit.profile`. What a race draws is therefore counted here, though the winner goes on from those draws: read
`regression` so. *first* is the first call of a process, *import* is `import scistan` after NumPy's. Modules are compiled
once, as they are for users; NumPy's library starts no threads, which spin while they wait.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from statistics import median, quantiles

CALLS = 8
MODELS = {
    "eight schools": """
m.mu = ss.Normal(0, 5)
m.tau = ss.HalfCauchy(5)
m.theta = ss.Normal(m.mu, m.tau, shape=8)
m.y = ss.Normal(m.theta, np.array([15, 10, 16, 11, 9, 11, 10, 18.0])).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
""",
    "a line, 20 rows": """
x = np.linspace(-1, 1, 20)
m.a = ss.Normal(0, 1)
m.b = ss.Normal(0, 1)
m.s = ss.HalfNormal(1)
m.y = ss.Normal(m.a + m.b * ss.data(x), m.s).observe(x + np.sin(9 * x))
""",
    "regression, 200 x 3": """
x = np.sin(np.outer(np.arange(200), [1.0, 2.3, 3.1]))
m.b = ss.Normal(0, 1, shape=3)
m.s = ss.HalfNormal(1)
m.y = ss.StudentT(4, ss.data(x) @ m.b, m.s).observe(x @ np.ones(3) + np.cos(5.0 * np.arange(200)))
""",
}
PROCESS = """
import json, warnings
from time import process_time as now
import numpy as np
before = now()
import scistan as ss
imported = now() - before
warnings.simplefilter("ignore")
m = ss.Model("small")
{model}
calls = []
for seed in range({calls}):
    before = now()
    fit = m.mcmc(seed=seed, progress=False)
    whole, stages = now() - before, fit.profile.stages.children
    parts = {{name: stage.cpu for name, stage in stages.items() if name != "sampling"}}
    calls.append(dict(whole=whole, fixed=whole - stages["sampling"].cpu, parts=parts))
print(json.dumps(dict(imported=imported, calls=calls)))
"""


def run(model: str, cache: str) -> dict:
    """Give what the calls of one process took."""
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    inside = {**plain, "PYTHONPYCACHEPREFIX": cache, "SCISTAN_CACHE": cache, "OPENBLAS_NUM_THREADS": "1"}
    code = PROCESS.format(model=model, calls=CALLS)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=inside)
    return json.loads(done.stdout)


def low(figures: Iterable[float]) -> str:
    """Give the median and the lower quartile in milliseconds: others make figures larger, never smaller."""
    found = list(figures)
    return f"{1e3 * median(found):7.0f} ({1e3 * quantiles(found)[0]:.0f})"


def main() -> None:
    """Print a table, and where the time of later calls goes."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    found: dict[str, list[dict]] = {name: [] for name in MODELS}
    with tempfile.TemporaryDirectory() as cache:
        run(MODELS["eight schools"], cache)  # compiles the modules
        for _ in range(runs):
            for name, model in MODELS.items():
                found[name].append(run(model, cache))
    print(f"{'CPU ms, median (lower quartile)':32}{'import':>14}{'first':>14}{'later':>14}{'later, all':>14}")
    for name, processes in found.items():
        later = [call for process in processes for call in process["calls"][1:]]
        columns = [
            low(process["imported"] for process in processes), low(process["calls"][0]["fixed"] for process in processes),
            low(call["fixed"] for call in later), low(call["whole"] for call in later),
        ]
        print(f"{name:32}" + "".join(f"{column:>14}" for column in columns))
        parts = {part: median(call["parts"].get(part, 0.0) for call in later) for part in later[0]["parts"]}
        told = ", ".join(f"{part} {1e3 * took:.1f}" for part, took in parts.items() if took > 2e-4)
        rest = median(call["fixed"] - sum(call["parts"].values()) for call in later)
        print(f"    later: {told}, the rest {1e3 * rest:.1f}")


if __name__ == "__main__":
    main()
