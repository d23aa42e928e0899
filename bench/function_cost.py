"""Processor time of a gradient for each element of some functions and densities, for the tables of `inference/work.py`.

Run: python bench/function_cost.py        # half a minute; the time of 8,000 elements less that of 2,000
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import scistan as ss
from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.inference.prepare import subject_of

Build = Callable[[ss.Model, int], object]
RNG = np.random.default_rng(1)
FUNCTIONS: dict[str, Build] = {
    "add": lambda m, n: m.a + m.x,
    "exp": lambda m, n: ss.exp(-(m.a + m.x)),
    "log": lambda m, n: ss.log(m.a + m.x),
    "lgamma": lambda m, n: ss.lgamma(m.a + m.x),
    "lbeta": lambda m, n: ss.lbeta(m.a + m.x, m.a),
    "digamma": lambda m, n: ss.digamma(m.a + m.x),
    "erf": lambda m, n: ss.erf(m.a + m.x),
    "Phi": lambda m, n: ss.Phi(m.a - m.x),
}
DENSITIES: dict[str, Build] = {
    "Normal": lambda m, n: ss.Normal(m.a * m.x, m.a).observe(RNG.normal(size=n)),
    "PoissonLog": lambda m, n: ss.PoissonLog(m.a * m.x).observe(RNG.poisson(3, n)),
    "BernoulliLogit": lambda m, n: ss.BernoulliLogit(m.a * m.x).observe(RNG.integers(0, 2, n)),
    "Weibull": lambda m, n: ss.Weibull(m.a, m.a + m.x).observe(RNG.gamma(2, size=n)),
    "StudentT": lambda m, n: ss.StudentT(m.a, m.a * m.x, m.a).observe(RNG.normal(size=n)),
    "NegBinomial2Log": lambda m, n: ss.NegBinomial2Log(m.a * m.x, m.a).observe(RNG.poisson(3, n)),
    "BetaBinomial": lambda m, n: ss.BetaBinomial(9, m.a + m.x, m.a).observe(RNG.integers(0, 9, n)),
    "Beta": lambda m, n: ss.Beta(m.a + m.x, m.a).observe(RNG.beta(2, 2, n)),
    "Gamma": lambda m, n: ss.Gamma(m.a + m.x, m.a).observe(RNG.gamma(2, size=n)),
    "OrderedLogistic": lambda m, n: ss.OrderedLogistic(m.a * m.x, np.array([-1.0, 0.0, 1.0])).observe(RNG.integers(0, 4, n)),
}


def seconds(make: Callable[[int], ss.Model], length: int) -> float:
    """Give the least processor time of a gradient."""
    subject = subject_of(make(length).instance(), merge=False)
    density = open_density(subject.program.text, to_json(subject.data), 1)
    q = np.full(density.dimension, 0.1)
    found = []
    for _ in range(12):
        began = time.process_time()
        for _ in range(10):
            density.log_density_gradient(q)
        found.append((time.process_time() - began) / 10)
    return min(found)


def of_function(build: Build) -> Callable[[int], ss.Model]:
    """Make models whose density is the sum of a function."""

    def make(length: int) -> ss.Model:
        m = started(length)
        m.t = ss.potential(ss.sum(build(m, length)))
        return m

    return make


def of_density(build: Build) -> Callable[[int], ss.Model]:
    """Make models with observations that follow a law."""

    def make(length: int) -> ss.Model:
        m = started(length)
        m.y = build(m, length)
        return m

    return make


def started(length: int) -> ss.Model:
    """Begin a model with a positive latent and positive data."""
    m = ss.Model("cost")
    m.a = ss.HalfNormal(1)
    m.x = ss.data(0.5 + RNG.random(length))
    return m


def main() -> None:
    """Print nanoseconds for each element."""
    makes = {name: of_function(build) for name, build in FUNCTIONS.items()}
    makes |= {name: of_density(build) for name, build in DENSITIES.items()}
    for name, make in makes.items():
        print(f"{name:16} {1e9 * (seconds(make, 8000) - seconds(make, 2000)) / 6000:7.1f} ns", flush=True)


if __name__ == "__main__":
    main()
