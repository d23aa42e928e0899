"""Profile intervals: fix one number, maximize over the rest, and see where the density has fallen by enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.given import is_number
from scistan.inference.point.lbfgs import climb
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.show import labels
from scistan.inference.point.uncertainty import Quantities, standard_errors
from scistan.messages import point as messages
from scistan.messages.marginal import out_of_profile
from scistan.messages.values import name_given
from scistan.targets.torch import LatentBlock, to_numpy

if TYPE_CHECKING:
    from scistan.inference.point.estimate import PointEstimate, Source

__all__ = ["profile_intervals"]

Tensor = Any
_ROUNDS = 25
_ACCURACY = 1e-4  # of the root of twice the fall in log density


@dataclass(frozen=True, slots=True)
class _Lines:
    """Where each row of coordinates is pinned: a coordinate, or for a non-centred latent its value."""

    block: LatentBlock
    elements: Tensor  # (rows,): which element of the latent each row pins

    def at(self, rows: Tensor) -> _Lines:
        """Give some of the rows."""
        return _Lines(self.block, self.elements[rows])

    def pin(self, objective: Maximized, q: Tensor, targets: Tensor) -> Tensor:
        """Put the pinned numbers in place; what a non-centred value means depends on the other coordinates."""
        if q.ndim == 1:
            return self.pin(objective, q[None], targets)[0]
        density, torch = objective.density, objective.torch
        wanted = targets[:, None]
        if self.block.term.law.noncentred:
            evaluator, _, _ = density.constrain(q)
            affine = density.affine(self.block.term, evaluator)
            if affine is not None:
                z = density.coordinates(self.block, q)
                x = affine.value(z)
                parts = (z, x, torch.exp(affine.log_slope(x)))
                flat = (part.expand_as(z).reshape(len(q), -1) for part in parts)
                own, value, slope = (part.gather(1, self.elements[:, None]) for part in flat)
                wanted = own + (wanted - value) / slope
        place = (self.elements + self.block.start)[:, None]
        return torch.scatter(q, 1, place, wanted)


def profile_intervals(estimate: PointEstimate, source: Source, name: str, level: float) -> Any:
    """Give the interval of each number of the latent `name` as a table with its estimate."""
    import pandas as pd
    from scipy.stats import norm

    objective, mode = source.objective, source.mode
    block = next((b for b in objective.density.blocks if isinstance(name, str) and b.term.name == name), None)
    if name in estimate.integrated:
        raise messages.no_profile(name, out_of_profile())
    if block is None:
        raise messages.unknown_quantity(name_given(name), [b.term.name for b in objective.density.blocks])
    if not is_number(level) or not 0 < level < 1:
        raise messages.bad_option("level", level, "a probability strictly between 0 and 1")
    if value_domain(block.term.law).structure:
        raise messages.no_profile(name, "its numbers are tied to each other by a constraint")
    if mode.curvature is None or not mode.curvature.definite:
        raise messages.no_profile(name, "the estimate is no peak")
    if name in estimate.boundary:
        raise messages.no_profile(name, "it is at its boundary")
    ends = _ends(objective, source, block, estimate, float(norm.ppf(0.5 + level / 2)))
    estimates = np.ravel(estimate.values[name])
    columns = {"estimate": estimates, "lower": ends.min(0), "upper": ends.max(0)}
    return pd.DataFrame(columns, index=pd.Index(labels(estimate, name), name="parameter"))


def _ends(
    objective: Maximized, source: Source, block: LatentBlock, estimate: PointEstimate, wanted: float
) -> np.ndarray:
    torch, mode = objective.torch, source.mode
    count = block.stop - block.start
    lines = _Lines(block, torch.arange(count, device=mode.q.device).repeat(2))
    sides = torch.cat([-mode.q.new_ones(count), mode.q.new_ones(count)])
    middle, error = _middle(source, block, estimate)
    if not bool(torch.isfinite(error).all()):
        raise messages.no_profile(block.term.name, "its standard error is not known")
    middle, error = middle.repeat(2), error.repeat(2)
    free = mode.q.new_ones((2 * count, objective.dimension)) * mode.free
    free.scatter_(1, (lines.elements + block.start)[:, None], 0.0)
    q = mode.q.repeat(2 * count, 1)
    # The signed root of twice the fall is almost linear in the distance, so a secant finds its value in a few steps.
    inner, inner_root = torch.zeros_like(error), torch.zeros_like(error)
    outer, outer_root = torch.full_like(error, float("inf")), torch.full_like(error, float("inf"))
    step = wanted * error
    for _ in range(_ROUNDS):
        targets = middle + sides * step
        made = climb(objective, q, tolerance=1e-9, max_iterations=200, free=free,
                     precondition=mode.curvature.precondition if mode.curvature else None,
                     by_row=_pinned(objective, lines, targets))
        fall = (mode.value - made.value).clamp(min=0)
        root = torch.where(torch.isfinite(fall), (2 * fall).sqrt(), float("inf"))
        q = torch.where(torch.isfinite(root)[:, None], made.q, q)
        if bool(((root - wanted).abs() <= _ACCURACY).all()):
            break
        far = root > wanted
        outer, outer_root = torch.where(far, step, outer), torch.where(far, root, outer_root)
        inner, inner_root = torch.where(far, inner, step), torch.where(far, inner_root, root)
        new = _next(torch, inner, inner_root, outer, outer_root, wanted)
        step = torch.where((root - wanted).abs() <= _ACCURACY, step, new)
    reached = (root - wanted).abs() <= 100 * _ACCURACY
    ends = torch.where(reached, middle + sides * step, sides * float("inf"))
    return _constrained(objective, source, block, ends).reshape(2, count)


def _pinned(objective: Maximized, lines: _Lines, targets: Tensor) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Give an evaluation in which each row is pinned to its own target."""

    def evaluate(q: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        own, goal = lines.at(rows), targets[rows]
        objective.wrap = lambda x: own.pin(objective, x, goal)
        try:
            return objective.value_and_gradient(q)
        finally:
            objective.wrap = None

    return evaluate


def _next(torch: Any, inner: Tensor, low: Tensor, outer: Tensor, high: Tensor, wanted: float) -> Tensor:
    open_ended = ~torch.isfinite(outer)
    beyond = inner * (wanted / low.clamp(min=1e-3)).clamp(1.05, 3.0)
    share = torch.where(torch.isfinite(high), (wanted - low) / (high - low), 0.5).clamp(0.02, 0.98)
    return torch.where(open_ended, beyond, inner + share.nan_to_num(0.5) * (outer - inner))


def _middle(source: Source, block: LatentBlock, estimate: PointEstimate) -> tuple[Tensor, Tensor]:
    """Give where to start and the standard error, on the scale that is pinned."""
    mode, density = source.mode, source.objective.density
    if block.term.law.noncentred:
        name, graph = block.term.name, density.instance.graph
        errors = standard_errors(Quantities(source.objective.joint, graph), source.whole, graph, estimate.boundary)
        value, error = (density.backend.constant(np.ravel(t[name])) for t in (estimate.values, errors))
        return value, error
    deviations = mode.curvature.deviations() if mode.curvature is not None else None
    part = slice(block.start, block.stop)
    return mode.q[part], mode.q[part] * float("nan") if deviations is None else deviations[part]


def _constrained(objective: Maximized, source: Source, block: LatentBlock, ends: Tensor) -> np.ndarray:
    """Bring the ends of intervals to the scale of the latent."""
    if block.term.law.noncentred:
        return to_numpy(ends)
    torch = objective.torch
    rows = source.mode.q.repeat(2, 1)
    rows[:, block.start : block.stop] = ends.reshape(2, -1)
    with torch.no_grad():
        evaluator, _, _ = objective.density.constrain(rows)
        return to_numpy(evaluator[block.term.value].array).reshape(-1)
