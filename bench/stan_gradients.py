"""Gradient time of the generated program over a hand-written one, on the same engine and data.

Run: python bench/stan_gradients.py. Times are the smallest of several rounds taken in turn; the ratio is what counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pairs import PAIRS, Pair

from scistan.engines.encoding import to_json

ROUNDS, SECONDS = 7, 0.05


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

    def seconds(self, q: np.ndarray, repeats: int) -> float:
        started = time.perf_counter()
        for _ in range(repeats):
            self.evaluate(q)
        return (time.perf_counter() - started) / repeats


def ratio(pair: Pair) -> float:
    """Time both programs in turn and give generated over hand-written."""
    model = pair.model()
    quiet = {"log_lik": False, "predictive": False, "log_prior": False}
    generated = Gradient.of(model.stan_code(**quiet), model.stan_data())
    written = Gradient.of(pair.handwritten, pair.data(model))
    if generated.dimension != written.dimension:
        raise SystemExit(f"{pair.name}: the two programs have {generated.dimension} and {written.dimension} parameters")
    q = np.random.default_rng(0).normal(size=generated.dimension) * 0.1
    repeats = max(3, int(SECONDS / max(1e-6, written.seconds(q, 3))))
    times = [(generated.seconds(q, repeats), written.seconds(q, repeats)) for _ in range(ROUNDS)]
    return min(t[0] for t in times) / min(t[1] for t in times)


def main() -> None:
    ratios: dict[str, float] = {}
    for pair in PAIRS:
        ratios[pair.name] = ratio(pair)
        print(f"{pair.name:<28} {ratios[pair.name]:6.2f}")
    print(f"{'median':<28} {statistics.median(ratios.values()):6.2f}   (aim: each at most 1.05, median at most 1.0)")


if __name__ == "__main__":
    main()
