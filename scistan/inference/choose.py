"""`engine="auto"`: which engine and metric a model gets, and the one line that says why.

The figures behind the rules are in docs/engines.md.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from scistan.engines.declaration import LOW_RANK
from scistan.engines.options import check_any_options
from scistan.engines.registry import ENGINES, preferred
from scistan.engines.trial import Trial
from scistan.errors import SamplingError, UnsupportedError
from scistan.graph.instance import Instance
from scistan.graph.node import Variable
from scistan.graph.walk import topological
from scistan.inference.plan import Plan
from scistan.messages import packages
from scistan.messages import sampling as messages

__all__ = ["choose", "fitting_engines"]

# A diagonal metric that needs more steps than this pays for a low-rank one (a pilot counts at most 15).
MANY_STEPS = 11.0
# Correlations stronger than this slow a diagonal metric down even where its steps are few.
ILL_CONDITIONED = 15.0
# With fewer numbers than this a run is over before a pilot has paid for itself.
TINY = 100
# The warm-up of a call that says nothing of it.
USUAL_WARMUP = 1000
# Where a scale is estimated, small steps keep the funnel's neck from being missed.
CAREFUL_DELTA = 0.9


def fitting_engines(at_hand: list[str], options: Mapping[str, Any], inits: bool, warmup: int) -> list[str]:
    """List the engines at hand that take all options; an option that none takes is refused by name."""
    check_any_options(options)
    fitting = preferred(at_hand, lambda engine: engine.takes(options, inits, warmup))
    if not fitting:
        raise messages.no_engine_has(sorted(options))
    return fitting


def choose(
    instance: Instance,
    fitting: list[str],
    options: Mapping[str, Any],
    warmup: int,
    numbers: int,
    pilot: Callable[[], Trial],
) -> Plan:
    """Choose the first engine to try; `numbers` counts the data, `pilot` is flown only where it can matter."""
    hierarchical = scales_are_estimated(instance)
    own: dict[str, Any] = {"adapt_delta": CAREFUL_DELTA} if hierarchical and "adapt_delta" not in options else {}
    plain = next(iter(preferred(fitting, lambda engine: engine.stans_nuts)), "")
    quick = next(iter(preferred(fitting, lambda engine: engine.low_rank)), "")
    if not quick:
        lacking = " or ".join(preferred(ENGINES, lambda engine: engine.low_rank))
        reason = f"{lacking} is not at hand or lacks an option asked for"
        return Plan(plain, {**options, **own}, warmup, f"{plain}: {reason}")
    if options.get("metric") == LOW_RANK or not plain:
        return Plan(quick, {**options, **own}, warmup, f"{quick}: the options ask for it")
    if numbers < TINY:
        reason = f"{numbers} numbers of data are too few for a pilot to pay"
        return Plan(plain, {**options, **own}, _enough(warmup, _coordinates(instance)), f"{plain}: {reason}")
    try:
        seen = pilot()
    except (SamplingError, UnsupportedError) as error:
        if isinstance(error, packages.OtherSurfaceError):
            warnings.warn(str(error), messages.ChainWarning, stacklevel=5)
        return Plan(plain, {**options, **own}, warmup, f"{plain}: {packages.pilot_failed(quick, error.what)}")
    short = _enough(warmup, seen.dimension)
    if options.get("metric") is None and _correlated(seen):
        metric, reason = LOW_RANK, _reason(seen)
    else:
        metric, reason = "diag", f"the pilot needed {seen.steps:.0f} steps a draw, so a diagonal metric serves"
    return Plan(quick, {**options, **own, "metric": metric}, short, f"{quick}, {metric} metric: {reason}")


def _correlated(seen: Trial) -> bool:
    return seen.steps >= MANY_STEPS or (seen.condition is not None and seen.condition >= ILL_CONDITIONED)


def _reason(seen: Trial) -> str:
    if seen.steps >= MANY_STEPS:
        return f"the pilot needed {seen.steps:.0f} or more steps a draw, so correlations are worth adapting to"
    return f"the pilot's correlations have condition number {seen.condition:.0f}, so they are worth adapting to"


def _enough(asked: int, dimension: int) -> int:
    """Give the warm-up after which nothing more is gained; whoever asks for more than usual gets it."""
    return asked if asked > USUAL_WARMUP else min(asked, 400 if dimension <= 100 else 800)


def _coordinates(instance: Instance) -> int:
    return sum(math.prod(instance.shape(term.law.shape)) for term in instance.graph.latents)


def scales_are_estimated(instance: Instance) -> bool:
    """Tell whether a latent's distribution depends on other latents: where funnels are."""
    return any(
        isinstance(node, Variable)
        for term in instance.graph.latents
        for node in topological(list(term.law.inputs))
    )
