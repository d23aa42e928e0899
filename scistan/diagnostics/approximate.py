"""The check on an approximation: does it resemble the posterior well enough to stand for it?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scistan.diagnostics.diagnosis import Diagnosis, Hint, Unassessed
from scistan.diagnostics.pareto import pareto_k

__all__ = ["check_approximation"]

# Vehtari et al. (2024), Pareto smoothed importance sampling.
PARETO_K = 0.7


def check_approximation(
    method: str, statistics: Mapping[str, np.ndarray], remarks: tuple[str, ...] = ()
) -> Diagnosis:
    """Check draws by the tail of their importance ratios, where the method gives both densities."""
    checks = ("Pareto k",)
    if "lp" not in statistics or "lp_approx" not in statistics:
        return Diagnosis((), (), (Unassessed("Pareto k", f"{method} recorded no densities"),), remarks)
    k = pareto_k((statistics["lp"] - statistics["lp_approx"]).ravel())
    if k <= PARETO_K:
        return Diagnosis((), checks, remarks=remarks)
    return Diagnosis(
        (
            Hint(
                "Pareto k",
                k,
                PARETO_K,
                (),
                f"Pareto k of the importance ratios is {k:.2f} (should be below {PARETO_K}): {method} differs from "
                "the posterior.",
                "use it for starting values (`m.mcmc(inits=fit)`) or a first look, and sample with `m.mcmc()`",
            ),
        ),
        checks,
        remarks=remarks,
    )
