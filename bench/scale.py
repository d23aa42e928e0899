"""What a logistic regression of a million rows costs, beside JAX: memory at its peak, and a gradient.

    python bench/scale.py [--rows 1000000] [--columns 20] [--linear] [--latents 10000 100000]

Each figure comes from a process of its own: `getrusage` knows one high water alone. `data` is what the arrays take by
themselves; `stanli` and `nutpie` make a model ready to be sampled, as `m.mcmc(engine=…)` does, certificate included,
and take gradients (nutpie runs on stanli's: its own figure is that of a short run); `jax` is the density as NumPyro
computes it, written in jax.numpy, compiled, in double precision, on one device. `--linear` adds a normal regression of
the same size, `m.mcmc()` whole, and `--latents` what each stage takes with so many site effects of Poisson counts.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

REPEATS = 7


def numbers(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give a design, and outcomes of a logistic and of a normal regression on it."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, columns))
    eta = 0.3 + x @ (rng.normal(size=columns) / 4)
    return x, (rng.random(rows) < 1 / (1 + np.exp(-eta))).astype(np.int64), eta + rng.normal(size=rows)


def logistic(rows: int, columns: int) -> Any:
    import scistan as ss

    x, y, _ = numbers(rows, columns)
    m = ss.Model("logistic")
    m.X = ss.data(x)
    m.a, m.b = ss.Normal(0, 5), ss.Normal(0, 1, shape=columns)
    m.y = ss.BernoulliLogit(m.a + m.X @ m.b).observe(y)
    return m


def timed(gradient: Callable[[], object]) -> float:
    """Give the least processor time of a call, in milliseconds."""
    found = []
    for _ in range(REPEATS):
        begun = time.process_time()
        gradient()
        found.append(time.process_time() - begun)
    return 1e3 * min(found)


def measure_data(rows: int, columns: int) -> str:
    return f"{sum(array.nbytes for array in numbers(rows, columns)[:2]) / 1e6:.0f} MB of numbers"


def measure_stanli(rows: int, columns: int) -> str:
    from scistan.inference.asked import read_call
    from scistan.inference.certified import certified
    from scistan.inference.prepare import prepare

    m = logistic(rows, columns)
    asked = read_call(m.instance(), None, 10, 10, 1, 1, "stanli", None, False, None, None, {}, None, "auto")
    certificate, prepared = certified(asked, prepare(asked, merge=True))
    model, q = prepared.request.loaded, np.full(columns + 1, 0.1)
    return f"gradient {timed(lambda: model.log_prob_grad(q)):7.1f} ms, certificate {certificate.ok}"


def measure_run(rows: int, columns: int, engine: str) -> str:
    begun = time.process_time()
    fit = logistic(rows, columns).mcmc(draws=2, warmup=2, chains=1, seed=1, progress=False, engine=engine)
    return f"2 + 2 draws {time.process_time() - begun:6.1f} s of CPU ({fit.engine})"


def measure_jax(rows: int, columns: int) -> str:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    x, y, _ = numbers(rows, columns)
    held, seen = jnp.asarray(x), jnp.asarray(y)
    del x, y

    def log_density(q: Any) -> Any:
        a, b = q[0], q[1:]
        eta = a + held @ b
        prior = -0.5 * (a / 5) ** 2 - 0.5 * jnp.sum(b**2)
        return prior + jnp.sum(seen * eta - jnp.logaddexp(0.0, eta))  # Bernoulli's, as NumPyro has it by logits

    both = jax.jit(jax.value_and_grad(log_density))
    q = jnp.full(columns + 1, 0.1)
    both(q)[0].block_until_ready()
    return f"gradient {timed(lambda: both(q)[1].block_until_ready()):7.1f} ms"


def measure_linear(rows: int, columns: int) -> str:
    import scistan as ss
    from scistan.inference.integrate import integrated

    x, _, y = numbers(rows, columns)
    m = ss.Model("linear")
    m.X = ss.data(x)
    m.a, m.b, m.sigma = ss.Normal(0, 5), ss.Normal(0, 1, shape=columns), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.X @ m.b, m.sigma).observe(y)
    begun = time.process_time()
    integrated(m.instance(), "auto")
    sums = time.process_time() - begun
    begun = time.process_time()
    m.mcmc(seed=1, progress=False)
    return f"sums {sums:5.2f} s, m.mcmc() {time.process_time() - begun:5.1f} s of CPU"


def measure_latents(count: int, _: int) -> str:
    import scistan as ss

    rng = np.random.default_rng(1)
    site = np.repeat(np.arange(count), 3)
    y = rng.poisson(np.exp(0.5 + 0.7 * rng.normal(size=count)[site]))
    spent: dict[str, float] = {}

    def stage(name: str, work: Callable[[], Any]) -> Any:
        begun = time.process_time()
        made = work()
        spent[name] = time.process_time() - begun
        return made

    def build() -> Any:
        m = ss.Model("sites")
        m.site, m.a, m.tau = ss.data(site), ss.Normal(0, 2), ss.HalfNormal(1)
        m.u = ss.Normal(0, m.tau, shape=count)
        m.y = ss.Poisson(ss.exp(m.a + m.u[m.site])).observe(y)
        return m

    m = stage("build", build)
    stage("Stan code", m.stan_code)
    run = {"draws": 50, "warmup": 50, "chains": 2, "seed": 1, "progress": False}
    fit = stage("mcmc", lambda: m.mcmc(engine="stanli", max_treedepth=5, **run))
    stage("summary", fit.summary)
    stage("diagnose", lambda: str(fit.diagnose()))
    stage("idata", lambda: fit.idata)
    with tempfile.TemporaryDirectory() as folder:
        stage("save", lambda: fit.save(Path(folder) / "fit.nc"))
        stage("load", lambda: ss.load(Path(folder) / "fit.nc"))
    return "  ".join(f"{name} {seconds:.1f}" for name, seconds in spent.items()) + "  (s of CPU)"


WAYS: dict[str, Callable[[int, int], str]] = {
    "data": measure_data,
    "stanli": measure_stanli,
    "stanli run": lambda rows, columns: measure_run(rows, columns, "stanli"),
    "nutpie run": lambda rows, columns: measure_run(rows, columns, "nutpie"),
    "jax": measure_jax,
    "linear": measure_linear,
    "latents": measure_latents,
}


def apart(way: str, rows: int, columns: int) -> None:
    """Measure in a process of its own, and print what it says."""
    command = [sys.executable, __file__, "--way", way, "--rows", str(rows), "--columns", str(columns)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    said = done.stdout.strip() or done.stderr.strip()[-300:]
    print(f"{way:<11}{rows:>9} × {columns:<3} {said}" if way != "latents" else f"{way:<11}{rows:>9}  {said}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--columns", type=int, default=20)
    options.add_argument("--linear", action="store_true")
    options.add_argument("--latents", type=int, nargs="*", default=[])
    options.add_argument("--way", choices=WAYS)
    chosen = options.parse_args()
    if chosen.way is not None:
        warnings.simplefilter("ignore")
        said = WAYS[chosen.way](chosen.rows, chosen.columns)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak {peak:6.0f} MB, {said}")
        return
    for way in ("data", "stanli", "stanli run", "nutpie run", "jax", *(["linear"] if chosen.linear else [])):
        apart(way, chosen.rows, chosen.columns)
    for count in chosen.latents:
        apart("latents", count, 1)


if __name__ == "__main__":
    main()
