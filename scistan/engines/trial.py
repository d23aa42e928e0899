"""A short run that tells what kind of posterior this is: how far a diagonal metric must travel, and why.

Its answer depends on the model, the data and the seed alone, never on the clock: the same call chooses the same
engine wherever it runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.engines.nutpie_call import make_sampler, make_settings, ready_model, said_by_rust, what_it_says
from scistan.engines.protocol import Request
from scistan.messages import sampling as messages
from scistan.profiling import staged

__all__ = ["Trial", "run_trial"]

CHAINS, TUNE, DRAWS, DEPTH = 2, 150, 75, 4
# Correlations of more coordinates than this cannot be told from noise with so few draws.
MOST_COORDINATES = CHAINS * DRAWS // 5


@dataclass(frozen=True, slots=True)
class Trial:
    """What a pilot saw: coordinates, steps per draw under a diagonal metric (cut at 15), condition number."""

    dimension: int
    steps: float
    condition: float | None


@staged("trial")
def run_trial(request: Request) -> Trial:
    """Run nutpie with a diagonal metric for a moment; a SamplingError or UnsupportedError says why it cannot."""
    from scistan.engines.nutpie import chain_seed

    model = ready_model(request)
    samplers: list[Any] = []
    try:
        for number in range(1, CHAINS + 1):
            counts = {"num_tune": TUNE, "num_draws": DRAWS, "maxdepth": DEPTH, "store_unconstrained": True}
            settings = make_settings("diag", chain_seed(request.seed, number), **counts)
            samplers.append(make_sampler(settings, model))
        seen = [_seen(sampler) for sampler in samplers]
    except BaseException as error:
        for sampler in samplers:
            _abort(sampler)
        if not said_by_rust(error):
            raise  # no answer of nutpie's to this model
        raise messages.cannot_sample(what_it_says(error)) from None
    steps = np.concatenate([s for s, _ in seen])
    points = np.concatenate([q for _, q in seen])
    return Trial(points.shape[1], float(steps.mean()), _condition(points))


def _seen(sampler: Any) -> tuple[np.ndarray, np.ndarray]:
    from scistan.engines.trace import numbers

    while True:
        try:
            sampler.wait(0.05)  # in short steps, so that Ctrl-C is heard
            break
        except TimeoutError:
            continue
    _, (statistics,) = sampler.take_results().get_arrow_trace()
    steps = numbers(statistics, "n_steps")[TUNE:]
    points = numbers(statistics, "unconstrained_draw").reshape(TUNE + DRAWS, -1)[TUNE:]
    return steps, points


def _abort(sampler: Any) -> None:
    try:
        sampler.abort()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise


def _condition(points: np.ndarray) -> float | None:
    """Give the condition number of the draws' correlations: what a diagonal metric cannot take away."""
    dimension = points.shape[1]
    if not 1 < dimension <= MOST_COORDINATES or not np.isfinite(points).all() or (np.ptp(points, axis=0) == 0).any():
        return None
    values = np.linalg.eigvalsh(np.corrcoef(points.T))
    return float(values[-1] / max(values[0], 1e-12))
