"""Where to start from: the middle, draws of the prior, and jittered points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.errors import ScistanError
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.density import latent_values
from scistan.messages import point as messages
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import NUMPY
from scistan.targets.scipy.draws import draw_term
from scistan.targets.scipy.streams import stream
from scistan.targets.torch import TorchDensity, to_numpy

__all__ = ["starting_points"]

_JITTER = 2.0  # as wide as Stan's own starts
_NEAR = 0.1  # of that for non-centred latents, all of a group together


def starting_points(density: TorchDensity, count: int, seed: int, inits: object) -> Any:
    """Give `count` rows of coordinates: the middle or `inits`, then by turns jittered points and draws of the prior."""
    instance = density.instance
    rng = stream(seed, "starts")
    points = rng.uniform(-_JITTER, _JITTER, (count, density.dimension))
    points[0] = 0.0
    if inits is not None:
        around = _given(density, instance, inits)
        points[0] = around
        points[1:] = around + points[1:] / 2
    elif count > 2:
        drawn = _from_prior(density, instance, len(points[2::2]), seed)
        if drawn is not None:
            points[2::2] = np.where(np.isfinite(drawn).all(-1, keepdims=True), drawn, points[2::2])
    if inits is None:
        # Random members of a group drive its scale to 0, where they no longer matter and it stays.
        for block in density.blocks:
            if block.term.law.noncentred:
                points[:, block.start : block.stop] *= _NEAR / np.sqrt(block.stop - block.start)
    return density.backend.constant(points)


def _given(density: TorchDensity, instance: Instance, inits: object) -> np.ndarray:
    given = inits if isinstance(inits, Mapping) else getattr(inits, "values", None)
    if not isinstance(given, Mapping):
        raise messages.unknown_inits(inits)
    latents = {t.name for t in instance.graph.latents}
    known = {k: v for k, v in given.items() if k in latents or isinstance(inits, Mapping)}
    middle, _, _ = density.constrain(density.backend.zeros(density.dimension))
    rest = {t.name: to_numpy(middle[t.value].array) for t in instance.graph.latents if t.name not in known}
    points = to_numpy(density.unconstrain(latent_values(instance, {**rest, **known}))).copy()
    for block in density.blocks:
        part = points[block.start : block.stop]
        if block.term.name in rest:
            part[:] = 0.0  # the middle, whatever it depends on
        elif not np.isfinite(part).all():
            raise messages.init_outside(block.term.name, value_domain(block.term.law).words)
    return points


def _from_prior(density: TorchDensity, instance: Instance, count: int, seed: int) -> np.ndarray | None:
    """Draw the latents alone; None where the prior is improper or cannot be drawn from."""
    evaluator = Evaluator(instance, NUMPY)  # type: ignore[arg-type]
    drawn: dict[Node, np.ndarray] = {}
    try:
        with np.errstate(all="ignore"):
            for term in instance.graph.latents:
                array = draw_term(instance, term, count, stream(seed, term.name), evaluator)
                evaluator.set(term.value, array, batched=True)
                drawn[term.value] = np.array(array, dtype=float)
    except (ScistanError, ArithmeticError, ValueError, NotImplementedError):
        return None
    return to_numpy(density.unconstrain(drawn)).reshape(count, density.dimension)
