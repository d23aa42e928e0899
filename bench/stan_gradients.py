"""Gradient time of generated programs over hand-written ones, and of loops over vectorized models.

Run: python bench/stan_gradients.py [name ...]. Every ratio is between two programs on the same engine, data and point;
rounds are taken in turn and measured in processor time, and the ratio is that of the medians.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pairs import PAIRS, Pair
from twins import TWINS, twin

import scistan as ss
from scistan.engines.encoding import to_json

ROUNDS, SECONDS = 21, 0.02
QUIET = {"log_lik": False, "predictive": False, "log_prior": False}


@dataclass
class Gradient:
    """A program ready to be asked for gradients at one point."""

    evaluate: Callable[[np.ndarray], object]
    dimension: int

    @classmethod
    def of(cls, text: str, data: dict[str, object]) -> Gradient:
        import stanli

        model = stanli.Model(stan_code=text, data=to_json(data))
        return cls(model.log_prob_grad, model.n_unconstrained)

    @classmethod
    def of_model(cls, model: ss.Model) -> Gradient:
        return cls.of(model.stan_code(**QUIET), model.stan_data())

    def seconds(self, q: np.ndarray, repeats: int) -> float:
        started = time.process_time()
        for _ in range(repeats):
            self.evaluate(q)
        return (time.process_time() - started) / repeats


def ratio(name: str, ours: Gradient, other: Gradient) -> float:
    """Time both programs in turn and give ours over the other."""
    if ours.dimension != other.dimension:
        raise SystemExit(f"{name}: the two programs have {ours.dimension} and {other.dimension} parameters")
    q = np.random.default_rng(0).normal(size=ours.dimension) * 0.1
    repeats = max(3, int(SECONDS / max(1e-6, other.seconds(q, 3))))
    times = [(ours.seconds(q, repeats), other.seconds(q, repeats)) for _ in range(ROUNDS)]
    return statistics.median(t[0] for t in times) / statistics.median(t[1] for t in times)


def pair_ratio(pair: Pair) -> float:
    """Compare the generated program with the hand-written one."""
    model = pair.model()
    return ratio(pair.name, Gradient.of_model(model), Gradient.of(pair.handwritten, pair.data(model)))


def twin_ratio(name: str) -> float:
    """Compare the loop with the vectorized model."""
    both = twin(name)
    return ratio(name, Gradient.of_model(both.elementwise), Gradient.of_model(both.vectorized))


def main(names: list[str]) -> None:
    wanted = [pair for pair in PAIRS if not names or pair.name in names]
    ratios: list[float] = []
    print(f"{'model':<30}{'over by hand':>14}{'loop over vectors':>20}")
    for pair in wanted:
        ratios.append(pair_ratio(pair))
        loop = f"{twin_ratio(pair.name):20.2f}" if pair.name in TWINS else ""
        print(f"{pair.name:<30}{ratios[-1]:14.2f}{loop}", flush=True)
    print(f"{'median':<30}{statistics.median(ratios):14.2f}   (aims: each at most 1.05, median 1.0; loops at most 1.10)")


if __name__ == "__main__":
    main(sys.argv[1:])
