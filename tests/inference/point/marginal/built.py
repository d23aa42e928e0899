"""Marginal objectives of models, at points that tests choose."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss
from scistan.inference.point.marginal.effects import choose_integrated
from scistan.inference.point.maximize import integrated, lower
from scistan.inference.point.options import Options
from scistan.inference.point.starts import starting_points
from scistan.targets.torch import choose_target, to_numpy


def objective_of(m: ss.Model, verb: str = "mle", integrate: Any = "auto") -> Any:
    instance = m.instance()
    joint = lower(instance, verb, Options(integrate=integrate), choose_target("cpu", "float64"))
    return integrated(joint, choose_integrated(instance, integrate, verb), starting_points(joint.density, 4, 0, None))


def somewhere(objective: Any, seed: int, size: float = 0.5) -> tuple[Any, dict[str, np.ndarray]]:
    """Give random coordinates, and the values there of the latents that are left."""
    q = objective.density.backend.constant(np.random.default_rng(seed).normal(size=objective.dimension) * size)
    known, _, _ = objective.density.constrain(q)
    return q, {block.term.name: to_numpy(known[block.term.value].array) for block in objective.density.blocks}


def gradient_by_differences(objective: Any, q: Any, step: float = 1e-4) -> np.ndarray:
    eye = np.eye(len(q)) * step
    ends = [objective.value(q + objective.density.backend.constant(side * eye)) for side in (1, -1)]
    return to_numpy((ends[0] - ends[1]) / (2 * step))
