"""Check the metric that a run starts from against the length of the posterior, before an engine reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from scistan.engines.embedded import open_density
from scistan.engines.protocol import Request
from scistan.engines.registry import ENGINES, STAN_METRICS
from scistan.errors import ScistanError
from scistan.messages import sampling as messages

__all__ = ["check_metric"]


def check_metric(options: Mapping[str, Any], request: Request, engine: str) -> None:
    """Refuse an `inv_metric` that is not one positive number, or matrix, for the coordinates of the posterior."""
    if options.get("inv_metric") is None:
        return
    given = np.asarray(options["inv_metric"], dtype=float)
    kind = STAN_METRICS.get(options.get("metric") or "diag", "diag_e")
    try:
        n = open_density(request.text, request.data, request.seed).dimension
    except ScistanError:
        return  # the run says so, in the words it has for it
    one = () if kind == "unit_e" else (n,) if kind == "diag_e" else (n, n)
    each = given if given.shape == one else given[0] if given.shape == (request.chains, *one) else None
    one_for_all = engine in ENGINES and not ENGINES[engine].metric_per_chain
    if not one or each is None or (one_for_all and given.shape != one):
        raise messages.metric_shape(kind, given.shape, one)
    eigenvalues = given if kind == "diag_e" else np.linalg.eigvalsh(given)
    if not (np.isfinite(given).all() and (eigenvalues > 0).all()):
        raise messages.metric_not_positive()
