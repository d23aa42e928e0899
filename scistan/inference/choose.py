"""`engine="auto"`: which engine and metric a model gets, and the one line that says why.

The figures behind the rules are in docs/engines.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scistan.engines.declaration import LOW_RANK
from scistan.engines.options import check_any_options
from scistan.engines.registry import ENGINES, preferred
from scistan.errors import SamplingError, UnsupportedError
from scistan.graph.instance import Instance
from scistan.graph.node import Variable
from scistan.graph.walk import topological
from scistan.inference.cost import counted_cost
from scistan.inference.curvature import Shape
from scistan.inference.plan import Plan
from scistan.inference.race import Runner, best_of
from scistan.inference.work import coordinates
from scistan.messages import packages
from scistan.messages import race as race_messages
from scistan.messages import sampling as messages

__all__ = ["Pilot", "choose", "fitting_engines"]

# With fewer numbers than this, a short run with so many steps a draw is over before a race has paid for itself.
TINY, TINY_STEPS = 100, 12.0
# Coordinates up to which the shape at the mode costs next to nothing beside a run.
FEW = 64
# Steps for an effective draw where a posterior is round. Up to a condition that is nearly ROUND a metric that sees no
# correlations takes no more, and beyond it so many times more, by a power: read off bench/condition.py. From which
# condition on a tiny model is worth an engine that sees them.
ROUND_STEPS, ROUND, LONGER, SLANTED = 5.0, 2.0, 0.8, 30.0
# The counted cost below which a run is over before an engine's threads have paid for themselves, in nanoseconds.
SHORT = 2e8
# The warm-up of a call that says nothing of it.
USUAL_WARMUP = 1000
# Where a scale is estimated, small steps keep the funnel's neck from being missed.
CAREFUL_DELTA = 0.9

# A race between plans: those that came through, and why the others did not.
Pilot = Callable[[Sequence[Plan]], tuple[Sequence[Runner], dict[str, str]]]


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
    pilot: Pilot,
    shape: Callable[[], Shape | None] = lambda: None,
    draws: int = 1000,
    chains: int = 4,
) -> Plan:
    """Choose the first engine to try; `numbers` counts the data, `pilot` races candidates where that can matter.

    `shape` gives the posterior's shape at its mode; it is asked where that says which metric is the better. `draws` of
    each of the `chains` are wanted.
    """
    hierarchical = scales_are_estimated(instance)
    own: dict[str, Any] = {"adapt_delta": CAREFUL_DELTA} if hierarchical and "adapt_delta" not in options else {}
    plain = next(iter(preferred(fitting, lambda engine: engine.stans_nuts)), "")
    quick = next(iter(preferred(fitting, lambda engine: bool(engine.work))), "")
    if not quick:
        lacking = " or ".join(preferred(ENGINES, lambda engine: bool(engine.work)))
        reason = f"{lacking} is not at hand or lacks an option asked for"
        return Plan(plain, {**options, **own}, warmup, f"{plain}: {reason}")
    if options.get("metric") == LOW_RANK or not plain:
        return Plan(quick, {**options, **own}, warmup, f"{quick}: the options ask for it")
    short = _enough(warmup, coordinates(instance))
    asked_for = options.get("metric")
    metrics = list(ENGINES[quick].work) if asked_for is None else [ENGINES[quick].metrics[asked_for]]
    plans = [Plan(quick, {**options, **own, "metric": m}, short, draws=draws, chains=chains) for m in metrics]
    tiny = numbers < TINY and counted_cost(plans[0], TINY_STEPS, instance) < SHORT
    seen = None if hierarchical or coordinates(instance) > FEW or asked_for is not None else shape()
    if tiny and (seen is None or seen.condition < SLANTED):
        reason = f"{numbers} numbers of data are too few for a race to pay"
        return Plan(plain, {**options, **own}, short, f"{plain}: {reason}")
    if len(metrics) == 1:
        return replace(plans[0], why=f"{quick}: the options leave no other metric, and it adapts faster")
    if seen is not None:
        return _by_shape(plans, Plan(plain, {**options, **own}, short), seen, instance)
    try:
        runners, failed = pilot(plans)
    except (SamplingError, UnsupportedError) as error:
        if isinstance(error, packages.OtherSurfaceError):
            warnings.warn(str(error), messages.ChainWarning, stacklevel=5)
        return Plan(plain, {**options, **own}, warmup, f"{plain}: {packages.pilot_failed(quick, error.what)}")
    if not runners:
        why = next(iter(failed.values()))
        return Plan(plain, {**options, **own}, warmup, f"{plain}: {packages.pilot_failed(quick, why)}")
    best, why = best_of(runners, failed)
    return Plan(quick, best.plan.options, short, why)


def _by_shape(plans: Sequence[Plan], plain: Plan, shape: Shape, instance: Instance) -> Plan:
    """Choose the metric that takes the least counted cost for an effective draw of a normal posterior of this shape.

    Where that is the diagonal one and the run short, Stan's own sampler has it done before the other has begun.
    """

    def cost(plan: Plan) -> float:
        longer = 1.0 if plan.metric == LOW_RANK else max(1.0, shape.condition / ROUND) ** LONGER
        return counted_cost(plan, longer * ROUND_STEPS, instance)

    best = min(plans, key=cost)
    best = plain if best.metric != LOW_RANK and cost(best) < SHORT else best
    return replace(best, why=race_messages.chosen_by_shape(best.described(), shape.condition))


def _enough(asked: int, dimension: int) -> int:
    """Give the warm-up after which nothing more is gained; whoever asks for more than usual gets it."""
    return asked if asked > USUAL_WARMUP else min(asked, 400 if dimension <= 1000 else 800)


def scales_are_estimated(instance: Instance) -> bool:
    """Tell whether a latent's distribution depends on other latents: where funnels are."""
    return any(
        isinstance(node, Variable)
        for term in instance.graph.latents
        for node in topological(list(term.law.inputs))
    )
