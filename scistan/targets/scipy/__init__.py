"""The SciPy target: ancestral draws and log densities with NumPy and SciPy."""

from scistan.targets.scipy.draws import ancestral_draws, conditional_mean, draw_term, predictive_draws
from scistan.targets.scipy.evaluate import NUMPY, JointDensity, joint_log_density, pointwise_log_densities

__all__ = [
    "NUMPY",
    "JointDensity",
    "ancestral_draws",
    "conditional_mean",
    "draw_term",
    "joint_log_density",
    "pointwise_log_densities",
    "predictive_draws",
]
