"""What is approximated and what is drawn first: the joint density over coordinates, split, and its mode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from scistan.engines.proposal import Proposal
from scistan.inference.nested.choose import approximated
from scistan.inference.nested.field import Field
from scistan.inference.nested.peaks import count_modes, find_peaks
from scistan.inference.point.curvature import Dense
from scistan.inference.point.elimination import Layout
from scistan.inference.point.marginal.bend import Split
from scistan.inference.point.marginal.coordinates import standardize
from scistan.inference.point.marginal.objective import MarginalObjective
from scistan.inference.point.marginal.structure import Structure, find_structure
from scistan.inference.point.maximize import count_observations, count_widest
from scistan.inference.point.mode import count_places, find_mode
from scistan.inference.point.objective import Objective
from scistan.inference.point.options import Options
from scistan.inference.point.progress import Progress
from scistan.inference.point.starts import starting_points
from scistan.inference.subject import Subject
from scistan.passes import run_passes
from scistan.targets.scipy.streams import stream
from scistan.targets.torch import Target, TorchDensity, to_numpy

__all__ = ["Lowered", "Middle", "find_middle", "lower"]

Tensor = Any
_STARTS = 6  # draws from which modes of what is approximated are looked for


@dataclass(eq=False)
class Lowered:
    """The joint density in torch, how its coordinates are split and its Hessian is shaped, and points to start from."""

    joint: Objective
    split: Split
    structure: Structure
    names: tuple[str, ...]
    starts: Tensor

    @cached_property
    def field(self) -> Field:
        """The density at many points at once."""
        return Field(self.split, self.structure)

    @property
    def others(self) -> list[str]:
        """The latents that are drawn first."""
        return [block.term.name for block in self.joint.density.blocks if block.term.name not in self.names]


@dataclass(frozen=True, slots=True)
class Middle:
    """The mode of the outer numbers, that of the others given them, and how those follow (D, k)."""

    theta: Tensor
    u: Tensor
    slopes: Tensor
    outer: Proposal
    modes: int = 1  # that climbs from several starts ended at

    def near(self, theta: Tensor) -> Tensor:
        """Give about where the mode of the others is, for rows of the outer numbers."""
        return self.u + (theta - self.theta) @ self.slopes


def lower(subject: Subject, options: Options, target: Target) -> Lowered:
    """Lower the density to torch, what is approximated in standard coordinates."""
    instance = subject.instance
    names = approximated(instance, options.integrate)
    graph = run_passes(instance.graph, noncenter=True, vectorize=True).plain
    made = replace(instance, graph=standardize(graph, names, instance))
    density = TorchDensity(made, target.device, target.dtype, apart=names, kept=names)
    joint = Objective(
        density, jacobian=True, observations=count_observations(made), widest=count_widest(made), written=instance
    )
    starts = starting_points(density, options.starts, options.seed, options.inits)
    split = Split(joint, names)
    return Lowered(joint, split, _structure(split, starts), names, starts)


def _structure(split: Split, starts: Tensor) -> Structure:
    if len(split.inner):
        return find_structure(split, starts[:, split.outer])
    groups = split.torch.zeros((0, 0), dtype=split.torch.int64, device=split.inner.device)
    return Structure(Layout(split.inner, groups), starts.new_zeros((0, 0)), True)


def find_middle(lowered: Lowered, options: Options) -> Middle:
    """Find the mode of the outer numbers, all else integrated as if it were normal, and what it is like around."""
    joint, split, starts = lowered.joint, lowered.split, lowered.starts
    inner, outer = len(split.inner), len(split.outer)
    if not outer:
        u, modes = _inner_mode(lowered, starts[0, :0], starts[0, split.inner])
        nothing = Proposal(np.zeros(0), np.zeros((0, 0)))
        return Middle(starts[0, :0], u, starts.new_zeros((0, inner)), nothing, modes)
    objective = MarginalObjective(joint, lowered.names, starts) if inner else joint
    bar = Progress(options.progress, "laplace")
    try:
        searched = find_mode(objective, objective.chosen(starts), "map", options, bar)
    finally:
        bar.close()
    theta = searched.mode.q.detach()
    modes = count_places(searched.mode, searched.rest)
    u, slopes = starts.new_zeros(inner), starts.new_zeros((outer, inner))
    peak = objective.peak(theta) if isinstance(objective, MarginalObjective) else None
    if peak is not None:
        u, within = _inner_mode(lowered, theta, peak.u)
        modes = max(modes, within)
        slopes = peak.precision.solve(joint.hessian_products(split.join(theta, u), split.units())[:, split.inner])
    root = _root(searched.mode.curvature, joint.torch, outer)
    return Middle(theta, u, slopes, Proposal(to_numpy(theta), root), modes)


def _inner_mode(lowered: Lowered, theta: Tensor, u: Tensor) -> tuple[Tensor, int]:
    """Find the highest mode given outer numbers, from `u` and from draws of standard normals; count those there are."""
    noise = stream(0, "modes").standard_normal((_STARTS, len(u)))
    rows = lowered.joint.torch.cat([u[None], u.new_zeros((1, len(u))), u.new_tensor(noise)])
    peaks = find_peaks(lowered.field, theta.expand(len(rows), -1), rows)
    best = int(peaks.height.argmax())
    return peaks.u[best], count_modes(lowered.field, peaks, best)


def _root(curvature: Any, torch: Any, count: int) -> np.ndarray:
    """Give a root of the covariance at the mode along its axes, or of something like it where that is no peak's."""
    if isinstance(curvature, Dense) and len(curvature.matrix) == count:
        eye = torch.eye(count).to(curvature.matrix)
        covariance = to_numpy(curvature.solve(eye) if curvature.definite else curvature.precondition(eye))
        if np.isfinite(covariance).all():
            values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T))
            found: np.ndarray = vectors * np.sqrt(np.clip(values, 1e-12, None))
            return found
    return np.eye(count)
