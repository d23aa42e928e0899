"""`m.laplace()` from top to bottom: lower, find the mode, draw everything with its weight, judge, give a fit.

Normal latents (coefficients, effects, smooth functions) are approximated by a normal at their mode given the others;
the others, a few, come from Student's t about the mode of what is left. Every draw is weighed against the exact joint
density, so that where the weights can be trusted the draws are those of the posterior, and where not it is told.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from scistan.engines.protocol import Chains, Draws
from scistan.graph.node import Node
from scistan.importance import pareto_k, smoothed_weights
from scistan.inference.density import check_complete
from scistan.inference.fit import Fit
from scistan.inference.fit_of import fit_of
from scistan.inference.memory import check_size
from scistan.inference.nested.groups import Groups, find_groups
from scistan.inference.nested.lowered import Lowered, find_middle, lower
from scistan.inference.nested.rows import Rows, draw_rows
from scistan.inference.point.objective import guard_memory
from scistan.inference.point.options import read_options
from scistan.inference.point.uncertainty import Quantities
from scistan.inference.subject import Subject
from scistan.inference.weighed import Weighed
from scistan.messages import nested as messages
from scistan.messages import sampling as sampling_messages
from scistan.profiling import stage
from scistan.targets.scipy import JointDensity
from scistan.targets.scipy.streams import stream
from scistan.targets.torch import choose_target, to_numpy
from scistan.targets.torch.threads import threads_for

__all__ = ["approximate_nested"]

_MORE = 2  # times as many draws are weighed as are given
_LEAST_WEIGHED = 500
_STARTS = 4
_LOOKED_AT = 200  # groups, those with the most uneven weights, whose Pareto k is computed
_COMPARED = 4  # draws at which torch's density is compared with SciPy's
_DENSITY_TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


def approximate_nested(
    subject: Subject, draws: int, seed: int, inits: object, progress: bool, correct: bool, **given: Any
) -> Fit:
    """Approximate the posterior, weigh the draws, and give them as one chain."""
    options = read_options("map", {**given, "seed": seed, "inits": inits, "progress": progress, "starts": _STARTS})
    check_complete(subject.instance)
    if not subject.instance.graph.latents:
        raise sampling_messages.nothing_to_sample()
    check_size(subject.instance, subject.names, _MORE * draws)
    begun = time.perf_counter()
    with stage("loading"):
        target = choose_target(options.device, options.dtype)
    with guard_memory(target.device, 0):
        with stage("lowering"):
            lowered = lower(subject, options, target)
        with threads_for(lowered.joint.torch, lowered.joint.width), stage("sampling"):
            middle = find_middle(lowered, options)
            exact = lowered.structure.constant
            groups = None if exact else find_groups(lowered.split, lowered.structure.layout, middle.theta, middle.u)
            count = max(_MORE * draws, _LEAST_WEIGHED)
            rows = draw_rows(lowered.field, groups, middle, count, stream(seed, "laplace"))
            if len(rows.usable) < len(rows.u) / 2:
                raise messages.no_peaks(len(rows.u), len(rows.u) - len(rows.usable))
            taken, certificate = _judged(lowered, rows, groups, middle.modes, draws, correct, seed)
            q = _coordinates(lowered, rows, taken)
            _check_density(subject, lowered, q, _DENSITY_TOLERANCE[options.dtype])
            found = _draws(lowered, q, begun)
    settings = {"draws": draws, "seed": seed, "integrate": list(lowered.names), "correct": correct}
    weighed = certificate.corrected, certificate.effective, certificate.tried
    notes = messages.told(correct, *weighed, exact, certificate.modes)
    if len(rows.usable) < len(rows.u):
        notes += messages.some_without_peak(len(rows.u) - len(rows.usable), len(rows.u))
    why = messages.why(lowered.names, lowered.others, groups is not None)
    fit = fit_of(subject, found, settings, why, (notes,), method="laplace")
    fit.certificate = certificate
    return fit


def _judged(
    lowered: Lowered, rows: Rows, groups: Groups | None, modes: int, draws: int, correct: bool, seed: int
) -> tuple[np.ndarray, Weighed]:
    """Judge the weights, and say which rows to give: drawn by weight where that can be trusted."""
    log_weights, k = smoothed_weights(rows.log_weights)
    weights = np.exp(log_weights)
    by_group = _worst_group(lowered, rows, groups)
    beyond = 0.0 if rows.beyond is None else float(rows.beyond.max())
    found = Weighed(float(k), len(weights), float(1 / (weights**2).sum()), correct, by_group, beyond, modes)
    if correct and found.ok:
        return _drawn_again(weights, draws, stream(seed, "laplace, drawn again")), found
    return np.resize(rows.usable, draws), replace(found, corrected=False)


def _drawn_again(weights: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw rows by weight, as evenly as can be, in an order by chance."""
    at = (np.arange(draws) + rng.random()) / draws
    found: np.ndarray = rng.permutation(np.minimum(np.searchsorted(np.cumsum(weights), at), len(weights) - 1))
    return found


def _worst_group(lowered: Lowered, rows: Rows, groups: Groups | None) -> tuple[tuple[str, int, float], ...]:
    """Give the largest Pareto k among the groups, of those whose weights are the most uneven."""
    if groups is None or rows.ratios is None:
        return ()
    looked_at = np.argsort(rows.ratios.max(0))[-_LOOKED_AT:]
    shapes = {int(j): pareto_k(np.maximum(rows.ratios[:, j], -700.0)) for j in looked_at}
    worst = max(shapes, key=lambda j: shapes[j])
    named = [block.term.name for block in lowered.split.blocks if groups.count in block.shape]
    return ((", ".join(named), worst, float(shapes[worst])),)


def _coordinates(lowered: Lowered, rows: Rows, taken: np.ndarray) -> Any:
    constant = lowered.joint.density.backend.constant
    return lowered.split.join(constant(rows.theta[taken]), constant(rows.u[taken]))


def _draws(lowered: Lowered, q: Any, begun: float) -> Draws:
    """Give the latents at rows of coordinates, as an engine gives its draws."""
    joint = lowered.joint
    graph = joint.density.instance.graph
    with joint.torch.no_grad():
        values = Quantities(joint, graph, without=frozenset(graph.derived)).at(q)
        statistics = {"lp": to_numpy(joint.value(q))[None]}
    kept = Chains({name: to_numpy(value)[None] for name, value in values.items()}, statistics)
    seconds = time.perf_counter() - begun
    return Draws(kept, "torch", {"torch": str(joint.torch.__version__)}, {"sample": seconds}, (1,))


def _check_density(subject: Subject, lowered: Lowered, q: Any, tolerance: float) -> None:
    """Compare torch's log density of the user's variables with SciPy's at some draws, relative to what is added up."""
    some, density = q[:_COMPARED], lowered.joint.density
    with lowered.joint.torch.no_grad():
        evaluator, _, scaling = density.constrain(some)
        by_torch = to_numpy(density.log_density(some) - scaling)
        latents: dict[Node, np.ndarray] = {
            term.value: to_numpy(evaluator[term.value].array) for term in subject.instance.graph.latents
        }
    points = [{leaf: array[k] for leaf, array in latents.items()} for k in range(len(some))]
    by_scipy = JointDensity(subject.instance).at_each(points)
    error = max(abs(mine - other) / (1 + size) for mine, (other, size) in zip(by_torch, by_scipy, strict=True))
    if not error <= tolerance:
        raise messages.differs(float(error), tolerance)
