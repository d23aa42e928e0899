"""`m.map()` and `m.mle()` from top to bottom: prepare, search, audit, measure the uncertainty."""

from __future__ import annotations

import time
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.graph.graph import Graph
from scistan.graph.instance import Instance
from scistan.graph.node import Node, Variable
from scistan.graph.places import first_place
from scistan.graph.walk import topological
from scistan.inference.density import check_complete
from scistan.inference.point.audit import judge, release_boundaries
from scistan.inference.point.estimate import PointEstimate, Source
from scistan.inference.point.intervals import intervals, limits_of
from scistan.inference.point.joint import Joint, find_joint
from scistan.inference.point.marginal.coordinates import standardize
from scistan.inference.point.marginal.effects import Integrated, choose_integrated, random_effects
from scistan.inference.point.marginal.objective import MarginalObjective
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.mode import find_mode
from scistan.inference.point.objective import Objective, guard_memory
from scistan.inference.point.options import Options, read_options
from scistan.inference.point.progress import Progress
from scistan.inference.point.shrink import shrink_to_fit
from scistan.inference.point.starts import starting_points
from scistan.inference.point.uncertainty import Quantities, standard_errors
from scistan.messages import marginal as marginal_messages
from scistan.messages import point as messages
from scistan.passes import run_passes
from scistan.profiling import stage, staged
from scistan.targets.torch import Batches, Target, TorchDensity, choose_target, to_numpy
from scistan.targets.torch.threads import threads_for

if TYPE_CHECKING:
    from scistan.inference.subject import Fitted

__all__ = ["check_maximizable", "count_observations", "count_widest", "integrated", "lower", "maximize"]


def maximize(instance: Instance, verb: str, model: Fitted | None = None, /, **given: Any) -> PointEstimate:
    """Maximize the density over the sampled coordinates (`"map"`), or the likelihood (`"mle"`).

    Random effects are integrated out of both, unless `integrate` says otherwise.
    """
    options = read_options(verb, given)
    with stage("loading"):
        target = choose_target(options.device, options.dtype)

    def attempt(options: Options, told: tuple[str, ...]) -> PointEstimate:
        clock = _Clock()
        with guard_memory(target.device, count_observations(instance) // 4):
            joint = lower(instance, verb, options, target)
            with threads_for(joint.torch, joint.width), stage("optimize"):
                return _maximize(instance, joint, verb, options, target, clock, model, told)

    return shrink_to_fit(options, attempt)


def _maximize(
    instance: Instance, joint: Objective, verb: str, options: Options, target: Target, clock: _Clock,
    model: Fitted | None, told: tuple[str, ...],
) -> PointEstimate:
    starts = starting_points(joint.density, options.starts, options.seed, options.inits)
    chosen = choose_integrated(instance, _integrate(options), verb)
    objective = integrated(joint, chosen, starts)
    starts = objective.chosen(starts)
    clock.lap("prepare")
    progress = Progress(options.progress, verb)
    try:
        searched = find_mode(objective, starts, verb, options, progress)
        clock.lap("optimize")
        try:
            held = release_boundaries(objective, searched, verb, progress)
            verdict = judge(objective, searched, held, options, verb)
        except KeyboardInterrupt:
            searched.mode.interrupted = True
            verdict = judge(objective, searched, {}, options, verb)
        clock.lap("audit")
    finally:
        progress.close()
    mode = searched.mode
    whole = objective.over_all(mode)
    graph = joint.density.instance.graph
    quantities = Quantities(joint, graph)
    values = {name: to_numpy(value) for name, value in quantities.at(whole.q).items()}
    misleading = find_joint(instance, chosen.names) if verb == "map" else Joint()
    # Off a peak the curvature says nothing about uncertainty.
    trusted = Quantities(joint, graph, without=misleading.hanging)
    errors = standard_errors(trusted, whole, graph, verdict.boundary, wanted=verdict.converged)
    left_out = [name for name, error in errors.items() if error.size and np.isnan(error).all()]
    errors = {name: errors.get(name, np.full(value.shape, np.nan)) for name, value in values.items()}
    limits = limits_of(joint.density.instance, values, quantities.number_at(whole.q))
    clock.lap("uncertainty")
    findings = verdict.findings
    if misleading.governing:
        others = [n for n in values if n in misleading.hanging - {*misleading.governing, *misleading.effects}]
        findings = (messages.joint_mode(misleading.governing, misleading.effects, others), *findings)
    if options.batch_size is not None and options.integrate is not False and (effects := random_effects(instance)):
        findings = (marginal_messages.joint_in_batches(effects), *findings)
    if left_out and verdict.converged and not verdict.boundary:
        findings += (messages.rough_errors(left_out),)
    empty = [t.name for t in graph.observed if 0 in joint.density.instance.shape(t.law.shape)]
    if len(empty) == len(graph.observed):
        findings = (messages.prior_mode(empty), *findings)
    return PointEstimate(
        values=values,
        std_errors=errors,
        intervals=intervals(values, errors, limits),
        log_density=mode.value,
        converged=verdict.converged,
        reason=verdict.reason,
        findings=(*told, *findings, *((target.note,) if target.note else ())),
        boundary=verdict.boundary,
        gradient_norm=float((mode.gradient * mode.free).abs().max()) if len(mode.q) else 0.0,
        iterations=mode.iterations,
        evaluations=objective.evaluations,
        starts=searched.starts,
        starts_agreeing=searched.agreeing,
        history=tuple(progress.history),
        timing=clock.laps,
        kind=_kind(verb, chosen),
        device=target.device,
        dtype=target.dtype,
        seed=options.seed,
        dims={name: instance.dims.get(name, ()) for name in values},
        coords=dict(instance.coords),
        coordinates=to_numpy(whole.q),
        integrated=chosen.names,
        maximized=tuple(block.term.name for block in objective.density.blocks),
        exact=not isinstance(objective, MarginalObjective) or objective.structure.constant,
        source=Source(instance, objective, mode, whole),
        model=model,
    )


@staged("lowering")
def lower(instance: Instance, verb: str, options: Options, target: Target) -> Objective:
    """Check that there is something to maximize and lower the joint density to torch."""
    check_maximizable(instance, verb, _integrate(options))
    chosen = choose_integrated(instance, _integrate(options), verb)
    # The likelihood has no use for non-centred coordinates: they would bring the prior's scale into it. What is
    # integrated has the same integral in any, and the best behaved near a scale of 0 in these.
    all_rows = options.batch_size is None
    graph = run_passes(instance.graph, noncenter=verb == "map", vectorize=all_rows).plain
    lowered = replace(instance, graph=standardize(graph, chosen.kept, instance))
    observed = count_observations(lowered)
    batches = None
    if options.batch_size is not None and instance.graph.observed:
        batches = Batches(lowered, options.batch_size, target.device, target.dtype)
    density = TorchDensity(lowered, target.device, target.dtype, apart=chosen.names, kept=chosen.kept)
    return Objective(
        density, likelihood_only=verb == "mle", batches=batches, observations=observed,
        widest=count_widest(lowered) if all_rows else 1, compiled=options.compile, written=instance,
    )


def integrated(joint: Objective, chosen: Integrated, points: Any) -> Maximized:
    """Integrate latents out of a density; `points` are rows of its coordinates to look at it from."""
    if not chosen.names:
        return joint
    if len(chosen.names) == len(joint.density.blocks):
        raise marginal_messages.nothing_left(chosen.names)
    found = MarginalObjective(joint, chosen.names, points)
    if chosen.kept != chosen.names and not found.structure.constant:
        raise marginal_messages.reml_not_linear(chosen.names)
    return found


def _kind(verb: str, chosen: Integrated) -> str:
    """Name what was maximized."""
    if not chosen.names:
        return verb
    return f"marginal {verb}" if chosen.kept == chosen.names else "reml"


def _integrate(options: Options) -> object:
    """Give what a call is to integrate out: in mini-batches nothing."""
    return options.integrate if options.batch_size is None else False


def check_maximizable(instance: Instance, verb: str, integrate: object = "auto") -> None:
    """Refuse a model without data, latents, or for `"mle"` a likelihood that determines them."""
    check_complete(instance)
    if not instance.graph.latents:
        raise messages.nothing_latent()
    if verb == "mle":
        _check_likelihood(instance.graph, choose_integrated(instance, integrate, verb).kept)


def count_observations(instance: Instance) -> int:
    """Count the numbers of the longest observed variable."""
    return max((prod(instance.shape(t.law.shape)) for t in instance.graph.observed), default=1)


def count_widest(instance: Instance) -> int:
    """Count the numbers of the largest value that is computed from latents: a covariance has n² of them."""
    moving: set[Node] = set()
    for node in instance.graph.nodes:
        if isinstance(node, Variable) or any(arg in moving for arg in node.args):
            moving.add(node)
    return max((prod(instance.shape(node.shape)) for node in moving), default=1)


def _check_likelihood(graph: Graph, kept: tuple[str, ...]) -> None:
    if not graph.observed:
        raise messages.nothing_observed()
    reached = topological([node for term in graph.observed for node in term.law.inputs])
    for term in reversed(graph.latents):  # the distribution of a random effect belongs to the likelihood
        if term.name in kept and term.value in reached:
            reached += topological(term.law.inputs)
    used = {node for node in reached if isinstance(node, Variable)}
    # A bound that is latent ties its owner to the likelihood.
    for term in reversed(graph.latents):
        if term.value in used:
            bounds = [b for b in (term.law.lower, term.law.upper) if b is not None]
            used |= {node for node in topological(bounds) if isinstance(node, Variable)}
    idle = [term for term in graph.latents if term.value not in used]
    if idle:
        raise messages.undetermined([t.name for t in idle], first_place(idle[0].value))


class _Clock:
    """Seconds spent on each part."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now
