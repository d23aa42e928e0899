"""Time 10,000 prior draws of a varying-intercept regression (85 groups, 919 rows) beside PyMC and NumPyro.

Run `python bench/prior_draws.py`. The neighbours live in an environment of their own, so that they and SciStan do not
choose each other's versions: `SCISTAN_NEIGHBOURS=/path/to/python` names its interpreter, and what it lacks is told.
Each library starts in a fresh process. The first call pays for what is loaded or compiled on first use, the second
(the fastest of five) does not. What one library loads on import another loads on the first call, so their sum is
shown too. Wall times depend on what else the machine does, processor times less, so both are shown; ratios are to
SciStan's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

MODEL = """
import json, os, sys, time
import numpy as np

DRAWS, ROWS, GROUPS = 10_000, 919, 85
rng = np.random.default_rng(0)
group = np.concatenate([np.arange(GROUPS), rng.integers(0, GROUPS, ROWS - GROUPS)])
x, y = rng.normal(size=ROWS), rng.normal(size=ROWS)

def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu

def report(version, imported, call):
    first = timed(call)
    again = [timed(call) for _ in range(5)]
    best = [min(run[k] for run in again) for k in (0, 1)]
    started = [imported[k] + first[k] for k in (0, 1)]
    print(json.dumps({"version": version, "started": started, "first": first, "second": best}))

begin = time.perf_counter(), time.process_time()
def since():
    return time.perf_counter() - begin[0], time.process_time() - begin[1]
"""

SCISTAN = """
import scistan as ss
imported = since()
m = ss.Model("radon")
m.group = ss.data(group)
m.x = ss.data(x)
m.mu = ss.Normal(0, 1)
m.tau = ss.HalfNormal(1)
m.alpha = ss.Normal(m.mu, m.tau, shape=GROUPS)
m.beta = ss.Normal(0, 1)
m.sigma = ss.HalfNormal(1)
m.y = ss.Normal(m.alpha[m.group] + m.beta * m.x, m.sigma).observe(y)
report(ss.__version__, imported, lambda: m.prior(draws=DRAWS, seed=1))
"""

PYMC = """
import logging
import pymc as pm
imported = since()
logging.getLogger("pymc").setLevel(logging.ERROR)
with pm.Model() as model:
    mu = pm.Normal("mu", 0, 1)
    tau = pm.HalfNormal("tau", 1)
    alpha = pm.Normal("alpha", mu, tau, shape=GROUPS)
    beta = pm.Normal("beta", 0, 1)
    sigma = pm.HalfNormal("sigma", 1)
    pm.Normal("y", alpha[group] + beta * x, sigma, observed=y)
report(pm.__version__, imported, lambda: pm.sample_prior_predictive(DRAWS, model=model, random_seed=1))
"""

NUMPYRO = """
import jax, numpyro
import numpyro.distributions as dist
from numpyro.infer import Predictive
imported = since()

def model():
    mu = numpyro.sample("mu", dist.Normal(0, 1))
    tau = numpyro.sample("tau", dist.HalfNormal(1))
    with numpyro.plate("groups", GROUPS):
        alpha = numpyro.sample("alpha", dist.Normal(mu, tau))
    beta = numpyro.sample("beta", dist.Normal(0, 1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1))
    numpyro.sample("y", dist.Normal(alpha[group] + beta * x, sigma))

predictive = Predictive(model, num_samples=DRAWS, parallel=PARALLEL)
report(numpyro.__version__, imported, lambda: jax.block_until_ready(predictive(jax.random.PRNGKey(1))))
"""

PROGRAMS = {
    "SciStan": SCISTAN,
    "PyMC": PYMC,
    "NumPyro": NUMPYRO.replace("PARALLEL", "False"),
    "NumPyro, parallel=True": NUMPYRO.replace("PARALLEL", "True"),
}


def measure(name: str, program: str) -> dict[str, object] | None:
    """Run one library in a process of its own; None where it is not installed."""
    python = sys.executable if name == "SciStan" else os.environ.get("SCISTAN_NEIGHBOURS", sys.executable)
    done = subprocess.run([python, "-W", "ignore", "-c", MODEL + program], capture_output=True, text=True, check=False)
    if done.returncode:
        if "ModuleNotFoundError" in done.stderr:
            return None
        raise SystemExit(done.stderr)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def row(name: str, found: dict[str, object], own: dict[str, object]) -> str:
    cells = [f"{name} {found['version']}".ljust(30)]
    for stage in ("started", "first", "second"):
        (wall, cpu), (own_wall, own_cpu) = found[stage], own[stage]  # type: ignore[misc]
        cells.append(f"{wall:8.2f} {cpu:8.2f} {wall / own_wall:7.1f} {cpu / own_cpu:7.1f}")
    return " |".join(cells)


def main() -> None:
    own = measure("SciStan", SCISTAN)
    if own is None:
        raise SystemExit("SciStan itself is not installed")
    print("seconds: wall and processor, then the ratios of both to SciStan's")
    print(" |".join(["".ljust(30), *(f"{stage:^33}" for stage in ("import and first call", "first call", "second call"))]))
    for name, program in PROGRAMS.items():
        found = own if name == "SciStan" else measure(name, program)
        print(f"{name.ljust(30)} | not installed" if found is None else row(name, found, own), flush=True)


if __name__ == "__main__":
    main()
