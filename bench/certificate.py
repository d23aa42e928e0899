"""What a run's certificate costs: the comparison with SciPy beside the whole run, as it is called.

Run: python bench/certificate.py. stanli samples with the model that was loaded for the certificate; for nutpie, which
loads its own, loading counts as a part of the certificate. The first run of each model, which imports what is needed,
is not counted; the best of 3 rounds. `few` draws 50 after 50 of warm-up in one chain, the others 1000 after 1000 in
four.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import scistan as ss
from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.inference.subject import Subject

ROUNDS = 3
USUAL: dict[str, Any] = {"seed": 1, "progress": False}
FEW: dict[str, Any] = {**USUAL, "draws": 50, "warmup": 50, "chains": 1}


def eight_schools() -> ss.Model:
    """Write the smallest of models: a run takes a tenth of a second."""
    m = ss.Model("eight schools")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, [15, 10, 16, 11, 9, 11, 10, 18.0]).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def logistic(rows: int, columns: int) -> ss.Model:
    """Write a logistic regression: large data, few latents."""
    rng = np.random.default_rng(0)
    m = ss.Model(f"logistic, {rows:,} × {columns}")
    m.x = ss.data(rng.normal(size=(rows, columns)))
    m.beta = ss.Normal(0, 1, shape=columns)
    m.y = ss.BernoulliLogit(m.x @ m.beta).observe(rng.integers(0, 2, rows))
    return m


def groups(rows: int, count: int) -> ss.Model:
    """Write varying intercepts: many latents, and a scale that is constrained."""
    rng = np.random.default_rng(0)
    m = ss.Model(f"{count:,} groups of {rows // count}")
    m.group = ss.data(np.arange(rows) % count)
    m.x = ss.data(rng.normal(size=rows))
    m.tau = ss.HalfNormal(1)
    m.a = ss.Normal(0, m.tau, shape=count)
    m.b = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.a[m.group] + m.b * m.x, m.sigma).observe(rng.normal(size=rows))
    return m


def dirichlets() -> ss.Model:
    """Write simplexes: a flat twin with a Jacobian of its own."""
    m = ss.Model("20 simplexes")
    m.p = ss.Dirichlet(np.ones(5), shape=20)
    counts = np.random.default_rng(0).multinomial(30, np.ones(5) / 5, size=20)
    m.y = ss.Multinomial(counts.sum(1), m.p).observe(counts)
    return m


def loading(subject: Subject) -> float:
    """Time what stanli needs to be ready."""
    data = to_json(subject.data)
    started = time.perf_counter()
    open_density(subject.program.text, data, 1)
    return time.perf_counter() - started


CASES: list[tuple[Callable[[], ss.Model], str, dict[str, Any], str]] = [
    (eight_schools, "auto", USUAL, ""),
    (eight_schools, "stanli", FEW, ", few"),
    (dirichlets, "auto", USUAL, ""),
    (lambda: groups(2000, 200), "auto", USUAL, ""),
    (lambda: logistic(10_000, 20), "stanli", FEW, ", few"),
    (lambda: logistic(10_000, 20), "auto", USUAL, ""),
    (lambda: logistic(100_000, 50), "stanli", FEW, ", few"),
]


def main() -> None:
    """Print a table: milliseconds of certificate and run, and the share of the one in the other."""
    print("| | engine | certificate, ms | run, ms | share |\n|---|---|---|---|---|")
    for build, engine, settings, few in CASES:
        m = build()
        rounds = 1 + (ROUNDS if few or m.name != "logistic, 10,000 × 20" else 1)
        best = (np.inf, np.inf)
        for k in range(rounds):
            started = time.perf_counter()
            fit = m.mcmc(engine=engine, **settings)
            seconds = time.perf_counter() - started
            if k and fit.certificate is not None:
                extra = loading(fit.subject) if fit.engine == "nutpie" else 0.0
                best = min(best, (fit.certificate.seconds + extra, seconds))
        print(
            f"| {m.name}{few} | {fit.engine} | {1e3 * best[0]:.1f} | {1e3 * best[1]:.0f} | {best[0] / best[1]:.1%} |",
            flush=True,
        )


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
