"""Gradients of observations merged by equal rows beside those of the rows as they are, on stanli.

Run: python bench/equal_rows.py. Processor time, the best of 5 rounds; each call goes through Python, 5 µs on both sides.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import scistan as ss
from scistan.engines.encoding import to_json
from scistan.graph.instance import Instance
from scistan.passes.equal_rows import merge_equal_rows
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy.evaluate import NUMPY
from scistan.targets.stan.program import lower_to_stan

ROWS, CALLS, ROUNDS = 2000, 300, 5
FAMILIES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[np.random.Generator], np.ndarray]]] = {
    "Normal": (ss.Normal, lambda rng: rng.normal(size=ROWS)),
    "BernoulliLogit": (lambda eta, _: ss.BernoulliLogit(eta), lambda rng: rng.integers(0, 2, ROWS)),
    "PoissonLog": (lambda eta, _: ss.PoissonLog(eta), lambda rng: rng.poisson(2.0, ROWS)),
    "Exponential": (lambda eta, _: ss.Exponential(ss.exp(eta)), lambda rng: rng.exponential(size=ROWS)),
}


def model_of(family: str, groups: int, design: bool) -> ss.Model:
    """Write a model whose rows fall into so many groups: by intercepts, or by the rows of a design matrix."""
    rng = np.random.default_rng(0)
    distribution, draw = FAMILIES[family]
    place = np.arange(ROWS) % groups
    m = ss.Model()
    m.sigma = ss.HalfNormal(1)
    if design:
        m.x = ss.data((rng.integers(0, 9, (groups, 5)) + np.arange(groups)[:, None])[place] / groups)
        m.beta = ss.Normal(0, 1, shape=5)
        eta = m.x @ m.beta
    else:
        m.group = ss.data(place)
        m.a = ss.Normal(0, 1, shape=groups)
        eta = m.a[m.group]
    m.y = distribution(eta, m.sigma).observe(draw(rng))
    return m


def microseconds(instance: Instance) -> float:
    """Time a gradient."""
    import stanli

    program = lower_to_stan(instance.graph, log_lik=False, predictive=False, log_prior=False)
    compiled = stanli.Model(stan_code=program.text, data=to_json(program.data(instance)))
    q = np.full(sum(int(np.prod(instance.shape(t.law.shape))) for t in instance.graph.latents), 0.1)
    best = np.inf
    for _ in range(ROUNDS):
        started = time.process_time()
        for _ in range(CALLS):
            compiled.log_prob_grad(q)
        best = min(best, (time.process_time() - started) / CALLS)
    return 1e6 * best


def main() -> None:
    """Print a table of times and their ratio."""
    print("| | rows a group | rows as they are, µs | merged, µs | times as fast |\n|---|---|---|---|---|")
    for family in FAMILIES:
        for design in (False, True):
            for share in (4, 10, 50):
                instance = model_of(family, ROWS // share, design).instance()
                numbers = Evaluator(instance, NUMPY)
                other = merge_equal_rows(instance, lambda node, numbers=numbers: numbers[node].array)
                plain, merged = microseconds(instance), microseconds(other)
                name = f"{family}, {'design' if design else 'intercepts'}"
                print(f"| {name} | {share} | {plain:.1f} | {merged:.1f} | {plain / merged:.1f} |", flush=True)


if __name__ == "__main__":
    main()
