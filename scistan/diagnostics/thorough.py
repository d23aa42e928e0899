"""The whole diagnosis of a fit: what the quick checks found, told by what was run, and what lies behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from scistan.diagnostics.causes import CAUSES
from scistan.diagnostics.checks import CHECKS, MEASURABLE
from scistan.diagnostics.context import Context
from scistan.diagnostics.diagnosis import Diagnosis, in_order
from scistan.diagnostics.draws import ask
from scistan.diagnostics.sweep import sweep
from scistan.profiling import staged

__all__ = ["diagnose"]


@staged("diagnosis")
def diagnose(
    posterior: Mapping[str, np.ndarray],
    quick: Diagnosis,
    context: Context,
    certificate: tuple[float, float] | None = None,
) -> Diagnosis:
    """Make every check on draws (chain, draw, …); what the `quick` ones measured is not measured again."""
    if quick.evidence is None:
        return quick
    known = replace(quick.evidence, context=context)
    told = ask(CHECKS, known)
    measured = {name: health for name, health in known.health.items() if name in posterior}
    swept = sweep(posterior, measured) if measured and known.draws >= MEASURABLE else None
    seen = replace(known, posterior=posterior, swept=swept, symptoms=told.hints, certificate=certificate)
    more = ask(CAUSES, seen)
    unassessed = told.unassessed  # a thorough check that cannot be made leaves a verdict as it is
    hints = in_order((*more.hints, *told.hints))
    return Diagnosis(hints, (*told.checks, *more.checks), unassessed, told.remarks, known)
