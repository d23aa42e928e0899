"""Several Pathfinder paths as one approximation: draws of all paths, resampled by their smoothed importance.

Zhang, Carpenter, Gelman and Vehtari (2022), "Pathfinder: parallel quasi-Newton variational inference", algorithm 2.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from scistan.engines.methods import MethodRequest
from scistan.engines.protocol import Chains, Draws
from scistan.importance import smoothed_weights
from scistan.targets.scipy.streams import stream

__all__ = ["resample_paths"]


def resample_paths(found: Draws, request: MethodRequest) -> Draws:
    """Give as many draws as were asked for; a single path's, or unweighted ones, are taken as they come."""
    total, wanted = found.kept.shape[1], request.draws
    if request.options.get("num_paths") == 1:
        return found
    rng = stream(request.seed, "pathfinder")
    if request.options.get("psis_resample", True):
        ratios = found.statistics["lp"] - found.statistics["lp_approx"]
        weights, _ = smoothed_weights(ratios.ravel())
        rows = rng.choice(total, wanted, p=np.exp(weights))
    else:
        rows = np.sort(rng.choice(total, wanted, replace=wanted > total))
    kept = Chains(
        {name: array[:, rows] for name, array in found.kept.values.items()},
        {name: array[:, rows] for name, array in found.kept.statistics.items()},
    )
    return replace(found, kept=kept)
