"""Exact draws of a conjugate latent that was integrated out, given all others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scistan.distributions.density import pointwise
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.passes.integrate import CompoundIntegral
from scistan.targets.evaluate import Evaluator

__all__ = ["draw_compound"]


def draw_compound(
    made: CompoundIntegral, instance: Instance, evaluator: Evaluator, draws: int, rng: np.random.Generator
) -> tuple[dict[Node, np.ndarray], Callable[[], np.ndarray]]:
    """Draw the latent, and give the log density of the draws; sets it in the evaluator."""
    law, leaf = made.posterior.law, made.posterior.value
    shape = (draws, *instance.shape(law.shape))
    args = [_positive(np.broadcast_to(np.asarray(evaluator[arg].array, float), shape)) for arg in law.args]
    drawn = law.distribution.draw(rng, shape[: len(shape) - law.distribution.event_rank], *args)
    # What underflows, or rounds to 1, has no density: it is drawn as the number beside it.
    value = np.clip(drawn, np.finfo(float).tiny, made.conjugate.most)
    evaluator.set(leaf, value, batched=True)

    def log_density() -> np.ndarray:
        density = np.asarray(evaluator[pointwise(made.posterior)].array, float)
        return np.asarray(density.reshape(draws, -1).sum(axis=1))

    return {leaf: value}, log_density


def _positive(array: np.ndarray) -> np.ndarray:
    """Give parameters that can be drawn with, where those of a point of density 0 can not."""
    return np.where(np.isfinite(array) & (array > 0), array, 1.0)
