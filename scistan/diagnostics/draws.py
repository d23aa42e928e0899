"""Check draws: measure them once, and ask every check of the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from scistan.diagnostics.check import Check, Evidence
from scistan.diagnostics.checks import CHECKS, MEASURABLE
from scistan.diagnostics.context import Context
from scistan.diagnostics.diagnosis import Diagnosis, in_order
from scistan.diagnostics.statistics import measure
from scistan.profiling import staged

__all__ = ["ask", "check_draws"]


@staged("gate")
def check_draws(
    posterior: Mapping[str, np.ndarray],
    statistics: Mapping[str, np.ndarray],
    max_treedepth: int = 10,
    context: Context | None = None,
) -> Diagnosis:
    """Check draws (chain, draw, …) of every variable and the sampler's statistics."""
    seen = _evidence(posterior, statistics, max_treedepth, context or Context())
    return ask(CHECKS, seen)


def ask(checks: Sequence[Check], seen: Evidence) -> Diagnosis:
    """Ask every check of a table that concerns these draws, and tell which could not be made."""
    checks = [check for check in checks if check.concerns(seen)]
    hints = in_order(hint for check in checks if (hint := check.hint(seen)) is not None)
    reasons = {check.name: check.unassessed(seen) for check in checks if check.listed}
    assessed = tuple(name for name, reason in reasons.items() if reason is None)
    unassessed = tuple(reason for reason in reasons.values() if reason is not None)
    return Diagnosis(hints, assessed, unassessed, seen.context.remarks, seen)


def _evidence(
    posterior: Mapping[str, np.ndarray], statistics: Mapping[str, np.ndarray], max_treedepth: int, context: Context
) -> Evidence:
    chains, draws = next((x.shape[:2] for x in (*posterior.values(), *statistics.values())), (0, 0))
    ranges = {n: (x.min(), x.max()) for n, x in posterior.items() if x.size}
    odd = tuple(n for n, ends in ranges.items() if not np.isfinite(ends).all())
    moving = {n: posterior[n] for n, (low, high) in ranges.items() if n not in odd and low < high}
    health = measure(moving) if draws >= MEASURABLE else {}
    return Evidence(chains, draws, statistics, health, odd, max_treedepth, context, posterior)
