"""How far apart two right computations of a density may be: by arithmetic, and by what Stan's functions can do."""

from __future__ import annotations

import numpy as np

from scistan.inference.solver_error import slope_tolerance
from scistan.targets.stan.accuracy import calls_what_saturates, slope_error
from scistan.targets.stan.program import StanProgram

__all__ = [
    "DENSITY_TOLERANCE", "EPSILON", "GRADIENT_TOLERANCE", "NEIGHBOURS", "NOISES", "NOISE_OF_INTEGRALS", "ROUNDING",
    "SMALL_STEP", "STEP", "TINY_STEP", "allowed_slope_error", "approximates", "noise_of",
]  # fmt: skip

# Densities are compared as differences between points, relative to the size of what is added up; gradients meet
# through a central difference of step 1e-5, which is good to about 1e-9 of the values' size.
DENSITY_TOLERANCE = 1e-8
GRADIENT_TOLERANCE = 1e-5
STEP = 1e-5
EPSILON = float(np.finfo(float).eps)
# A value is a sum whose parts are each right to a few units in the last place, in two ways of writing it.
ROUNDING = 8 * EPSILON
# Noise is seen at neighbours of a point; the largest of eight is as likely as not below the one that matters.
NEIGHBOURS, TINY_STEP, NOISES = 8, 1e-10, 8
NOISE_OF_INTEGRALS = 1e-3  # of a log density without its latents: much less than what a step of a chain accepts by
SMALL_STEP = 3e-5  # a probability near 1 moves in steps of its own, which a tiny one does not cross


def allowed_slope_error(program: StanProgram) -> float:
    """Give the relative error that a program's derivatives may have: arithmetic's, or that of Stan's own functions."""
    return max(GRADIENT_TOLERANCE, slope_error(program.text), slope_tolerance(program.entries.graph))


def approximates(program: StanProgram) -> bool:
    """Tell whether a program calls functions that have no digits left in their tails."""
    return slope_error(program.text) > 0 or calls_what_saturates(program.text)


def noise_of(table: np.ndarray, degree: int = 1) -> np.ndarray:
    """Give what rounding does to each column of numbers at neighbours.

    Over `TINY_STEP`s a density is a straight line, over `SMALL_STEP`s a cubic, and the rest is noise. A wrong density
    is as smooth as a right one, so that this excuses none.
    """
    powers = np.linspace(-1, 1, len(table))[:, None] ** np.arange(degree + 1)
    bent = table - table[0]
    return np.asarray(np.abs(bent - powers @ np.linalg.lstsq(powers, bent, rcond=None)[0]).max(axis=0))
