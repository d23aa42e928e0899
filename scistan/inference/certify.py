"""Certify a run: ask the engine and SciPy for the same densities, on the data at hand, in milliseconds."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from scistan.distributions.resolve import value_domain
from scistan.engines.embedded import KERNELS, Density, open_density
from scistan.engines.encoding import to_json
from scistan.graph.instance import Instance
from scistan.inference.certificate import Certificate, point_of
from scistan.inference.integrated import IntegratedDensity
from scistan.inference.solver_error import SLOPES, SolverError, tells
from scistan.inference.states import SummedDensity, density_of
from scistan.inference.subject import Subject
from scistan.inference.tolerance import (
    DENSITY_TOLERANCE,
    EPSILON,
    GRADIENT_TOLERANCE,
    NEIGHBOURS,
    NOISE_OF_INTEGRALS,
    NOISES,
    ROUNDING,
    SMALL_STEP,
    STEP,
    TINY_STEP,
    allowed_slope_error,
    approximates,
    noise_of,
)
from scistan.targets.scipy import JointDensity
from scistan.targets.stan.twin import flat_twin

__all__ = ["certify", "certify_lowered"]

WANTED = 3
_DOUBT = 0.1  # share of a derivative that rounding may explain, for it to be told from a wrong one
MOST = 12  # points tried where there is no density at the first ones


@dataclass(frozen=True, slots=True)
class Seen:
    """A point: SciPy's log density, how large its parts are, and the engine's with its gradient; the Jacobian apart."""

    q: np.ndarray
    latents: Mapping[str, np.ndarray]
    scipy: float
    size: float
    engine: float
    gradient: np.ndarray
    jacobian: float
    noise: float = 0.0  # what rounding was seen to do to the two densities, and to the derivative
    slope_noise: float = 0.0
    solver: float = 0.0  # how far the tolerances of equations may move the density


def certify(subject: Subject, data: Mapping[str, Any], density: Density, seed: int) -> Certificate:
    """Compare the density of an embedded engine with SciPy's on the data."""
    started = time.perf_counter()
    twin = flat_twin(subject.program)
    jacobian = None if twin is None else open_density(twin.text, to_json(twin.data(data)), seed)
    witnesses = _Witnesses(subject.instance, density_of(subject.instance), density, jacobian)
    tolerance, approximate = allowed_slope_error(subject.program), approximates(subject.program)
    return _compared(witnesses, seed, KERNELS, tolerance, approximate, started)


def certify_lowered(subject: Subject, density: Density, jacobian: Density, seed: int, engine: str) -> Certificate:
    """Compare the density of an engine that runs no Stan program, and tells its Jacobian, with SciPy's."""
    started = time.perf_counter()
    witnesses = _Witnesses(subject.instance, density_of(subject.instance), density, jacobian)
    return _compared(witnesses, seed, engine, GRADIENT_TOLERANCE, False, started)


def _compared(
    witnesses: _Witnesses, seed: int, engine: str, tolerance: float, approximate: bool, started: float
) -> Certificate:
    best_within = tolerance if approximate else 0.0
    with np.errstate(all="ignore"):
        found, zeros, apart = _collect(witnesses, seed, approximate)
        kept = _agreeing(found) if approximate else found
        kept = kept if len(kept) >= min(WANTED, len(found)) else found
        errors = _density_errors(list(kept.values()))
        slopes, gradient_error = _compare_slopes(witnesses, list(kept.values()), seed, best_within)
        if max(errors, default=0.0) > DENSITY_TOLERANCE or gradient_error > tolerance:
            # Where a matrix is almost singular, rounding alone may explain it.
            kept = {number: _with_noise(witnesses, seen, seed) for number, seen in kept.items()}
            errors = _density_errors(list(kept.values()))
            slopes, gradient_error = _compare_slopes(witnesses, list(kept.values()), seed, best_within, noisy=True)
    return Certificate(
        engine=engine,
        seed=seed,
        dimension=witnesses.density.dimension,
        numbers=tuple(kept),
        scipy_values=tuple(seen.scipy for seen in kept.values()),
        engine_values=tuple(seen.engine for seen in kept.values()),
        density_errors=errors,
        density_tolerance=DENSITY_TOLERANCE,
        slopes=slopes,
        gradient_error=gradient_error,
        gradient_tolerance=tolerance,
        zeros=zeros,
        apart=apart,
        in_tails=len(found) - len(kept),
        seconds=time.perf_counter() - started,
        spread=witnesses.spread,
    )


def _collect(witnesses: _Witnesses, seed: int, approximate: bool) -> tuple[dict[int, Seen], int, int]:
    """Try points until enough can be compared; count those where neither has a density, and those where one has."""
    found: dict[int, Seen] = {}
    coarse: dict[int, Seen] = {}  # where solvers of equations have too few digits to tell anything
    zeros, apart = 0, 0
    ahead: list[Seen | None] = []
    for number in range(MOST):
        if len(_agreeing(found) if approximate else found) >= WANTED:
            break
        if not ahead:
            numbers = range(number, min(number + (1 if number else WANTED), MOST))
            ahead = witnesses.at([point_of(seed, n, witnesses.density.dimension, witnesses.spread) for n in numbers])
        seen = ahead.pop(0)
        finite = seen is not None and (bool(np.isfinite(seen.scipy)), bool(np.isfinite(seen.engine)))
        if seen is None or finite == (False, False):
            zeros += 1
        elif finite == (True, True):
            seen = replace(seen, solver=witnesses.solver.at(seen.latents, seen.scipy))
            (found if tells(seen.solver, seen.size) else coarse)[number] = seen
        else:
            apart += 1
    return found or coarse, zeros, apart


@dataclass(frozen=True)
class _Witnesses:
    """Both sides: the model on its data for SciPy, the program and its flat twin in the engine."""

    instance: Instance
    joint: JointDensity | SummedDensity | IntegratedDensity
    density: Density
    jacobian: Density | None

    @cached_property
    def solver(self) -> SolverError:
        """What the tolerances of equations may do."""
        return SolverError(self.instance)

    @cached_property
    def spread(self) -> float:
        """How far from 0 coordinates may lie so that the largest matrix is well inside its domain."""
        draws = [term.law for term in self.instance.graph.latents]
        return min((value_domain(law).spread(self.instance.shape(law.shape)) for law in draws), default=1.0)

    def at(self, points: Sequence[np.ndarray]) -> list[Seen | None]:
        """Ask both at points, SciPy at all of them at once; None where the engine cannot tell what the latents are."""
        terms = self.instance.graph.latents
        latents: list[dict[str, np.ndarray] | None] = []
        for q in points:
            try:
                drawn = self.density.constrain(q)
            except RuntimeError:
                latents.append(None)
                continue
            latents.append({t.name: self._shaped(drawn, t.name, t.law.shape) for t in terms})
        told = [here for here in latents if here is not None]
        by_scipy = iter(self.joint.at_each([{t.value: here[t.name] for t in terms} for here in told]))
        pairs = zip(points, latents, strict=True)
        return [None if here is None else self._seen(q, here, *next(by_scipy)) for q, here in pairs]

    def _seen(self, q: np.ndarray, latents: dict[str, np.ndarray], scipy: float, size: float) -> Seen:
        engine, gradient = _asked(self.density, q)
        jacobian = 0.0 if self.jacobian is None else _asked(self.jacobian, q)[0]
        return Seen(q, latents, float(scipy), float(size) + abs(jacobian), engine - jacobian, gradient, jacobian)

    def _shaped(self, drawn: Mapping[str, np.ndarray], name: str, shape: Any) -> np.ndarray:
        """Give a latent its own axes; one without elements has no columns."""
        lengths = self.instance.shape(shape)
        return drawn[name].reshape(lengths) if name in drawn else np.empty(lengths)


def _asked(density: Density, q: np.ndarray) -> tuple[float, np.ndarray]:
    """Ask the engine; where it rejects a point, a term has no meaning there: the density is zero."""
    try:
        return density.log_density_gradient(q)
    except RuntimeError:
        return -np.inf, np.full(q.shape, np.nan)


def _density_errors(found: list[Seen]) -> tuple[float, ...]:
    """Compare how the densities change from the point with the smallest parts."""
    base = min(found, key=lambda seen: seen.size, default=None)
    return tuple(_error(seen, base) for seen in found if base is not None)


def _error(seen: Seen, base: Seen) -> float:
    """Give the error of a change of the density, relative to what is added up."""
    off = abs((seen.engine - base.engine) - (seen.scipy - base.scipy)) - seen.solver - base.solver
    return max(0.0, off - NOISES * (seen.noise + base.noise)) / max(1.0, seen.size + base.size)


def _agreeing(found: dict[int, Seen]) -> dict[int, Seen]:
    """Give the most points that agree with their smallest: in the tails, what Stan approximates loses its digits."""
    groups = [
        {n: seen for n, seen in found.items() if seen.size >= base.size and _error(seen, base) <= DENSITY_TOLERANCE}
        for base in found.values()
    ]
    return max(groups, key=len, default={})


def _compare_slopes(
    witnesses: _Witnesses, found: list[Seen], seed: int, best_within: float, noisy: bool = False
) -> tuple[tuple[float, float] | None, float]:
    """Compare the derivative in a random direction; of one that is approximate, at the point where it is best.

    Where it is so small that rounding could hide a lie, the next point is asked too. Where rounding is to explain an
    error, it must do so at every point: noise may hide it at one.
    """
    best: _Slopes | None = None
    for seen in sorted(found, key=lambda seen: seen.size):
        told = _slopes_at(witnesses, seen, seed)
        if told is None:
            continue
        if best is None or (told.error < best.error if best_within else told.error > best.error):
            best = told
        if best.error <= best_within if best_within else not noisy and (told.error > 0 or told.doubt <= _DOUBT):
            break
    return (None, 0.0) if best is None else (best.pair, best.error)


@dataclass(frozen=True, slots=True)
class _Slopes:
    """SciPy's derivative and the engine's, the error between them, and the share of them that rounding may explain."""

    pair: tuple[float, float]
    error: float
    doubt: float


def _slopes_at(witnesses: _Witnesses, seen: Seen, seed: int) -> _Slopes | None:
    """Give a difference of SciPy's density and the engine's derivative; None where they cannot be told."""
    if not seen.q.size or not np.isfinite(seen.gradient).all():
        return None  # a chain cannot go on from such a point: the run tells why
    direction = _direction(seen.q.size, seed)
    ahead, behind = witnesses.at([seen.q + STEP * direction, seen.q - STEP * direction])
    if ahead is None or behind is None:
        return None
    here, after, before = (s.scipy + s.jacobian for s in (seen, ahead, behind))
    if not np.isfinite([after, before]).all():
        return None
    by_scipy = (after - before) / (2 * STEP)
    by_engine = float(seen.gradient @ direction)
    scale = max(1.0, float(np.abs(seen.gradient) @ np.abs(direction)))
    # At a kink the derivatives of both sides are right, and so is anything between them.
    explained = abs(after - 2 * here + before) / (2 * STEP)
    explained += ROUNDING * max(seen.size, ahead.size, behind.size) / STEP + _lost(seen, ahead) * scale
    explained += NOISES * (seen.noise / STEP + seen.slope_noise) + SLOPES * seen.solver
    left = max(0.0, abs(by_engine - by_scipy) - explained)
    return _Slopes((by_scipy, by_engine), left / scale, explained / max(abs(by_scipy), abs(by_engine), EPSILON))


def _direction(dimension: int, seed: int) -> np.ndarray:
    """Give a random direction that moves every coordinate, no two as far: errors that swap or cancel are seen too."""
    rng = np.random.default_rng([seed, MOST])
    steps: np.ndarray = rng.choice([-1.0, 1.0], dimension) * rng.uniform(0.5, 1.5, dimension)
    return np.asarray(steps / np.linalg.norm(steps))


def _with_noise(witnesses: _Witnesses, seen: Seen, seed: int) -> Seen:
    """See what rounding does near a point."""
    if not seen.q.size:
        return seen
    direction = _direction(seen.q.size, seed)
    noise = np.zeros(3)
    for step, degree in ((TINY_STEP, 1), (SMALL_STEP, 3)):
        near = witnesses.at([seen.q + k * step * direction for k in range(NEIGHBOURS)])
        table = np.array([[s.scipy, s.engine, float(s.gradient @ direction)] for s in near if s is not None])
        if len(table) == NEIGHBOURS and np.isfinite(table).all():
            noise = np.maximum(noise, noise_of(table, degree))
    # A model can be sampled with all its latents instead: without them it must keep its digits.
    by_engine = min(noise[1], NOISE_OF_INTEGRALS) if witnesses.instance.integrated else noise[1]
    return replace(seen, noise=float(noise[0] + by_engine), slope_noise=float(noise[2]))


def _lost(seen: Seen, ahead: Seen) -> float:
    """Give how much of a step is lost by rounding in the latent that it moves least for its size: 1e6 + a step."""
    worst = 0.0
    for name, here in seen.latents.items():
        moved = np.abs(ahead.latents[name] - here)
        share = EPSILON * np.abs(here)[moved > 0] / moved[moved > 0]
        worst = max(worst, float(np.max(share, initial=0.0)))
    return worst
