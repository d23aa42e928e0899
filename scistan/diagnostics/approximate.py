"""The check on an approximation: does it resemble the posterior well enough to stand for it?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from scistan.diagnostics.diagnosis import Diagnosis, Hint, Unassessed
from scistan.importance import pareto_k

__all__ = ["check_approximation"]

# Vehtari et al. (2024), Pareto smoothed importance sampling.
PARETO_K = 0.7


def check_approximation(
    method: str,
    statistics: Mapping[str, np.ndarray],
    remarks: tuple[str, ...] = (),
    measured: Mapping[str, float] | None = None,
    modes: int = 1,
) -> Diagnosis:
    """Check draws by the tail of their importance ratios, where the method gives both densities or has `measured` it.

    What was measured stands by the variable that it is of, "" for all together. `modes` is how many were found.
    """
    if measured is None:
        if "lp" not in statistics or "lp_approx" not in statistics:
            return Diagnosis((), (), (Unassessed("Pareto k", f"{method} recorded no densities"),), remarks)
        measured = {"": pareto_k((statistics["lp"] - statistics["lp_approx"]).ravel())}
    hints = tuple(_hint(method, name, k) for name, k in measured.items() if not k <= PARETO_K)
    if modes > 1:
        hints = (_several_modes(method, modes), *hints)
    return Diagnosis(hints, ("Pareto k",), remarks=remarks)


def _several_modes(method: str, modes: int) -> Hint:
    return Hint(
        "modes",
        modes,
        1,
        (),
        f"Climbs from several starts ended at {modes} modes of about one height, and {method} is about one of them.",
        "sample with `m.mcmc()`; where modes are copies of each other, break their symmetry in the model (an order, a "
        "sign)",
    )


def _hint(method: str, name: str, k: float) -> Hint:
    of = f" of {name} given the rest" if name else ""
    return Hint(
        "Pareto k",
        k,
        PARETO_K,
        (name,) if name else (),
        f"Pareto k of the importance ratios{of} is {k:.2f} (should be below {PARETO_K}): {method} differs from "
        "the posterior.",
        "use it for starting values (`m.mcmc(inits=fit)`) or a first look, and sample with `m.mcmc()`",
    )
