"""`m.verify()`: SciPy, torch, Stan and what else is installed are asked for the same densities and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.given import as_whole
from scistan.graph.instance import Instance
from scistan.graph.node import Node
from scistan.inference.agreement import Agreement
from scistan.inference.compare import allowed, base_of, directions_of, errors_at
from scistan.inference.density import check_complete
from scistan.inference.locate import Fault, tell_fault
from scistan.inference.other_targets import Row, compare_others, error_of, largest
from scistan.inference.solver_error import tells
from scistan.inference.states import SummedDensity
from scistan.inference.tolerance import DENSITY_TOLERANCE, allowed_slope_error, approximates
from scistan.inference.witnesses import Seen, Witnesses
from scistan.targets.scipy.streams import use_seed

__all__ = ["verify"]

_PATIENCE = 10  # how many times as many points as asked for are tried where the density is zero at some
_NEARER = 4  # how often points in the tails are replaced, each time half as far out


def verify(instance: Instance, points: int, seed: int, **switches: Any) -> Agreement:
    """Compare the three targets at random points of the unconstrained space."""
    points, seed = as_whole("points", points), use_seed(seed)
    check_complete(instance)
    witnesses = Witnesses(instance, **switches)
    rng = np.random.default_rng(seed)
    most = allowed(allowed_slope_error(witnesses.program))
    with np.errstate(all="ignore"):
        found, zeros = _collect(witnesses, points, rng, 1.0)
        directions = directions_of(witnesses.stan.dimension, rng)
        far = 0
        if approximates(witnesses.program):
            found, far = _out_of_the_tails(witnesses, found, directions, most, rng)
        errors = _errors(witnesses, found, directions)
        if not (errors < most).all():
            # Where a matrix is almost singular, rounding alone may explain it.
            found = _with_noise(witnesses, found, _fails(errors, most), rng)
            errors = _errors(witnesses, found, directions)
        failing = [kind for kind in range(3) if not (errors[:, kind] < most[kind]).all()]
        worst = {kind: int(np.argmax(errors[:, kind])) for kind in failing}
        base = base_of(found)
        faults = [Fault(kind, at, found[at], base, float(most[kind])) for kind, at in worst.items()]
        told = [tell_fault(witnesses, fault, switches) for fault in faults]
    torch, stan, gradient = (float(error) for error in errors.max(axis=0, initial=0.0))
    return Agreement(
        points=len(found), scipy_torch_density=torch, scipy_stan_density=stan, torch_stan_gradient=gradient,
        gradient_tolerance=float(most[2]), zeros=zeros, asked=points, findings=tuple(told), in_tails=far,
        others=(*compare_others(instance, found), *_of_states(instance, found)),
    )  # fmt: skip


def _of_states(instance: Instance, found: list[Seen]) -> list[Row]:
    """Compare the sum over states with the joint density in one of them, given how probable it is."""
    if not instance.summed or not found:
        return []
    points: list[dict[Node, np.ndarray]] = [{t.value: s.latents[t.name] for t in instance.graph.latents} for s in found]
    values = SummedDensity(instance).at_each(points)
    errors = [error_of(seen, value) for seen, (value, _) in zip(found, values, strict=True)]
    return [Row("summed and joint", "log density", largest(errors), DENSITY_TOLERANCE)]


def _collect(
    witnesses: Witnesses, points: int, rng: np.random.Generator, radius: float
) -> tuple[list[Seen], int]:
    """Try points until there are enough at which some target has a density; count the others."""
    found: list[Seen] = []
    coarse: list[Seen] = []  # where solvers of equations have too few digits to tell anything
    zeros = 0
    while len(found) < points and len(found) + len(coarse) + zeros < _PATIENCE * points:
        wanted = min(points - len(found), _PATIENCE * points - len(found) - len(coarse) - zeros)
        for seen in witnesses.at_each(witnesses.points(rng, radius, wanted)):
            if np.isfinite(seen.densities).any():
                seen = witnesses.with_solver_error(seen)
                (found if tells(seen.solver, seen.size) else coarse).append(seen)
            else:
                zeros += 1
    return found or coarse[:points], zeros


def _out_of_the_tails(
    witnesses: Witnesses, found: list[Seen], directions: np.ndarray, most: np.ndarray, rng: np.random.Generator
) -> tuple[list[Seen], int]:
    """Take nearer points for those so far out that what Stan approximates has no digits left, unless most are such.

    A density that is wrong differs at most points, near or far.
    """
    far = 0
    for attempt in range(1, _NEARER + 1):
        lost = _fails(_errors(witnesses, found, directions)[:, 1:], most[1:])
        count = int(lost.sum())
        if not 0 < count <= len(found) // 2:
            break
        nearer, _ = _collect(witnesses, count, rng, 0.5**attempt)
        found = [seen for seen, gone in zip(found, lost, strict=True) if not gone] + nearer
        far += count
    return found, far


def _with_noise(witnesses: Witnesses, found: list[Seen], failing: np.ndarray, rng: np.random.Generator) -> list[Seen]:
    """See what rounding does at the points that fail, and at that which they are compared with."""
    base = base_of(found)
    return [
        witnesses.with_noise(seen, rng.choice([-1.0, 1.0], seen.q.size)) if fails or seen is base else seen
        for seen, fails in zip(found, failing, strict=True)
    ]


def _fails(errors: np.ndarray, most: np.ndarray) -> np.ndarray:
    """Tell of each point whether any of its errors is too large."""
    return np.asarray(~(errors < most).all(axis=1))


def _errors(witnesses: Witnesses, found: list[Seen], directions: np.ndarray) -> np.ndarray:
    base = base_of(found)
    rows = [errors_at(witnesses, seen, base, directions) for seen in found]
    return np.array(rows).reshape(len(rows), 3)
