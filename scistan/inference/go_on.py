"""A run that goes on from another's draws: each chain from where one ended, with the scales and steps found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from scistan.engines.encoding import to_json
from scistan.engines.protocol import Draws, Request
from scistan.engines.stanli import prepare
from scistan.inference.subject import Subject

__all__ = ["GOING_ON", "going_on", "scales_of"]

# The warm-up of a run that starts in the posterior and knows its scales.
GOING_ON = 300
# Draws of each chain that the scales are taken from.
LOOKED_AT = 50
# Stan's own shrinkage of variances that were estimated from few draws: as if so many more had been so small.
SHRINKING_DRAWS, SMALL = 5, 1e-3
DIAGONAL = ("diag", "diag_e")


def going_on(subject: Subject, request: Request, before: Draws) -> Request:
    """Give the request whose chains start where those of `before` ended, with the metric of its draws."""
    chains, length = before.kept.shape
    options: dict[str, Any] = dict(request.options)
    try:
        scales = scales_of(subject, request, before)
    except ValueError:
        return request  # a draw at the very edge of its support has no coordinates to start from
    if (options.get("metric") or "diag") in DIAGONAL and scales is not None:
        options["inv_metric"] = scales
    sizes = before.statistics.get("step_size")
    if sizes is not None and np.isfinite(sizes[:, -1]).all() and (sizes[:, -1] > 0).all():
        options["step_size"] = float(np.median(sizes[:, -1]) / 2)  # smaller steps are what it goes on for
    ends = tuple(_point(subject, before, k % chains, length - 1) for k in range(request.chains))
    return replace(request, inits=ends, options=options)


def scales_of(subject: Subject, request: Request, draws: Draws, looked_at: int = LOOKED_AT) -> np.ndarray | None:
    """Give the variances of draws in the program's coordinates, shrunken as Stan does; None where some are infinite.

    A draw at the very edge of its support has no coordinates, and is a ValueError.
    """
    model = prepare(request)
    chains, length = draws.kept.shape
    picks = np.unique(np.linspace(0, length - 1, looked_at).astype(int))
    points = np.stack([model.unconstrain(_point(subject, draws, c, d)) for c in range(chains) for d in picks])
    count, variances = len(points), points.var(0)
    if not np.isfinite(variances).all():
        return None
    found: np.ndarray = (count * variances + SHRINKING_DRAWS * SMALL) / (count + SHRINKING_DRAWS)
    return found


def _point(subject: Subject, draws: Draws, chain: int, draw: int) -> str:
    """Give a draw as the program's parameters, in JSON."""
    instance = subject.sampled or subject.instance
    named = {name: np.asarray(subject.shaped(name, draws.values[name])[chain, draw]) for name in subject.latents}
    return to_json(subject.program.inits(named, instance))
