"""What `engine="jax"` costs: compiling, and each stretch of steps after it; beside it a whole run of NumPyro's.

CPU seconds, eight schools, 4 chains: `python bench/jax_nuts.py`.
"""

from __future__ import annotations

import time

import jax
import numpy as np

import scistan as ss
from scistan.engines.jax_nuts import STRETCH, NutsSettings, run_chains
from scistan.targets.jax.backend import double_precision

WARMUP, DRAWS, CHAINS = 1000, 1000, 4


def eight_schools() -> ss.Model:
    m = ss.Model("eight_schools")
    m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0])
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def with_blackjax(density: object, starts: np.ndarray) -> list[float]:
    """Give the CPU seconds of each stretch; the first compiles."""
    seconds, before = [], time.process_time()
    with double_precision():
        for _ in run_chains(density, starts, 1, range(1, CHAINS + 1), WARMUP, DRAWS, NutsSettings()):
            seconds.append(time.process_time() - before)
            before = time.process_time()
    return seconds


def with_numpyro(density: object, starts: np.ndarray) -> float:
    """Give the CPU seconds of a whole run."""
    from numpyro.infer import MCMC, NUTS

    before = time.process_time()
    run = MCMC(NUTS(potential_fn=lambda q: -density.log_density(q)), num_warmup=WARMUP, num_samples=DRAWS,
               num_chains=CHAINS, chain_method="vectorized", progress_bar=False)
    run.run(jax.random.key(0), init_params=jax.numpy.asarray(starts))
    run.get_samples()
    return time.process_time() - before


def main() -> None:
    density = eight_schools().to_jax()
    starts = np.full((CHAINS, density.dimension), 0.1)
    first, *rest = with_blackjax(density, starts)
    print(f"blackjax: first {STRETCH} steps with compiling {first:.1f} s, each {STRETCH} later {np.median(rest):.3f} s, "
          f"all {first + sum(rest):.1f} s")
    try:
        with jax.enable_x64(True):
            print(f"NumPyro: the whole run {with_numpyro(density, starts):.1f} s")
    except ImportError:
        print("NumPyro is not installed")


if __name__ == "__main__":
    main()
