"""How long `fit.diagnose()` takes on many elements, how much memory, and beside ArviZ's R-hat and ESS on some of them.

Run: python bench/diagnose.py [elements] [draws of a chain] [elements for ArviZ]. Times are of the process, not of the
wall; the model has one latent for each observation, and its draws are independent ones of its posterior.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import scistan as ss
from scistan.diagnostics import Context, check_draws
from scistan.diagnostics.ran import Ran
from scistan.diagnostics.thorough import diagnose
from scistan.inference.prepare import subject_of

CHAINS = 4


def case(elements: int, draws: int) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], Context]:
    """Give draws, the sampler's statistics and the model's context."""
    rng = np.random.default_rng(0)
    y = 3.16 * rng.normal(size=elements)
    m = ss.Model("wide")
    m.b = ss.Normal(0, 3, shape=elements)
    m.y = ss.Normal(m.b, 1).observe(y)
    posterior = {"b": 0.9 * y + rng.normal(0, 0.9**0.5, (CHAINS, draws, elements))}
    shape = (CHAINS, draws)
    statistics: dict[str, Any] = {"lp": rng.normal(size=shape), "energy": rng.normal(size=shape)}
    statistics |= {"diverging": np.zeros(shape, bool), "tree_depth": np.full(shape, 3)}
    statistics |= {"step_size": np.full(shape, 0.7), "acceptance_rate": np.full(shape, 0.8)}
    ran = Ran.of("stanli", {"draws": draws, "warmup": 1000})
    return posterior, statistics, replace(subject_of(m.instance()).context, ran=ran)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def checked(elements: int, draws: int) -> tuple[float, float, Any]:
    """Time the quick checks and the thorough ones behind them."""
    posterior, statistics, context = case(elements, draws)
    quick, gate = seconds(lambda: check_draws(posterior, statistics, context=context))
    more, found = seconds(lambda: diagnose(posterior, gate, context))
    return quick, more, found


def by_arviz(elements: int, draws: int) -> float:
    """Time ArviZ's R-hat and both ESS."""
    import arviz

    made = arviz.convert_to_dataset(case(elements, draws)[0])
    return seconds(lambda: [arviz.rhat(made), arviz.ess(made), arviz.ess(made, method="tail")])[0]


def memory(elements: int, draws: int) -> tuple[float, float]:
    """Give the bytes of the draws, and the most that the thorough checks take besides."""
    posterior, statistics, context = case(elements, draws)
    gate = check_draws(posterior, statistics, context=context)
    tracemalloc.start()
    diagnose(posterior, gate, context)
    return posterior["b"].nbytes, tracemalloc.get_traced_memory()[1]


def main(elements: int = 10_000, draws: int = 1_000, some: int = 500) -> None:
    checked(10, draws)  # imports are not what is measured
    quick, more, found = checked(elements, draws)
    print(f"{elements} elements, {CHAINS * draws} draws: {found.verdict.split(':')[0]}", flush=True)
    print(f"  quick checks {quick:.2f} s, thorough ones besides {more:.2f} s", flush=True)
    held, peak = memory(elements, draws)
    print(f"  draws {held / 1e6:.0f} MB, thorough checks take {peak / 1e6:.0f} MB besides at most", flush=True)
    ours, theirs = sum(checked(some, draws)[:2]), by_arviz(some, draws)
    print(f"{some} elements: all checks {ours:.2f} s, ArviZ's R-hat and ESS {theirs:.2f} s, ratio {ours / theirs:.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
