"""Structured data, and what stanli makes of a program on them beside SciPy: engines merge iterations that look alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from scistan.engines.density import StanDensity
from scistan.graph.instance import Instance
from scistan.targets.scipy import joint_log_density
from scistan.targets.stan.program import StanProgram
from scistan.targets.stan.twin import flat_twin

__all__ = ["LENGTH", "ORDERS", "PATTERNS", "Disagreement", "arranged", "compare"]

POINTS = 3
STEP = 1e-5
LENGTH = 15  # stanli merges runs of five iterations and more
# Zeros and ones: every two runs, constants among them, then what is mixed.
PATTERNS: list[list[int]] = [
    *([first] * a + [1 - first] * b for first in (0, 1) for a in range(12) for b in range(12) if a + b),
    [0, 1] * 8,
    [0] * 6 + [1] * 6 + [0] * 7,
    [0] * 9 + [1] + [0] * 9,
]
# Which row of an array stands where.
ORDERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "constant": lambda rows: np.zeros(len(rows), dtype=int),
    "two runs": lambda rows: (np.arange(len(rows)) >= len(rows) // 3).astype(int),
    "sorted": lambda rows: np.argsort(rows.reshape(len(rows), -1)[:, 0], kind="stable"),
}


def arranged(instance: Instance, order: str) -> Instance:
    """Put the rows of all data that have a name in an order."""
    named = instance.graph.data_names
    values = {
        leaf: array[ORDERS[order](array)] if leaf in named and array.ndim and len(array) > 1 else array
        for leaf, array in instance.values.items()
    }
    return replace(instance, values=values)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How far stanli is from SciPy: relative errors of the density and of a slope."""

    density: float
    slope: float


def compare(program: StanProgram, instance: Instance, seed: int = 0) -> Disagreement:
    """Compare differences of log density between points, and slopes in a random direction."""
    data = program.data(instance)
    stan, twin = StanDensity(program.text, data), flat_twin(program)
    flat = None if twin is None else StanDensity(twin.text, twin.data(data))
    rng = np.random.default_rng(seed)

    def by_scipy(q: np.ndarray) -> float:
        values = stan.constrain(q)
        return float(joint_log_density(instance, {t.value: values[t.name] for t in instance.graph.latents}))

    shifts, sizes, slopes = [], [1.0], [0.0]
    for _ in range(POINTS):
        q = 0.5 * rng.normal(size=stan.dimension)
        direction = rng.normal(size=stan.dimension)
        whole, gradient = stan.log_density_gradient(q)
        jacobian, volume = (0.0, np.zeros_like(q)) if flat is None else flat.log_density_gradient(q)
        expected = by_scipy(q)
        shifts.append(whole - jacobian - expected)
        sizes.append(abs(expected))
        slope = (by_scipy(q + STEP * direction) - by_scipy(q - STEP * direction)) / (2 * STEP)
        found = float((gradient - volume) @ direction)
        slopes.append(abs(found - slope) / max(1.0, abs(slope), abs(expected)))
    apart = np.abs(np.array(shifts) - shifts[0])
    return Disagreement(float(np.max(apart)) / max(sizes), float(np.max(slopes)))
