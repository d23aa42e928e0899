"""`m.verify()`: SciPy, torch and Stan are asked for the same densities and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.given import as_whole
from scistan.graph.instance import Instance
from scistan.inference.agreement import Agreement
from scistan.inference.compare import allowed, base_of, directions_of, errors_at
from scistan.inference.density import check_complete
from scistan.inference.locate import tell_fault
from scistan.inference.tolerance import allowed_slope_error
from scistan.inference.witnesses import Seen, Witnesses
from scistan.targets.scipy.streams import use_seed

__all__ = ["verify"]

_PATIENCE = 10  # how many times as many points as asked for are tried where the density is zero at some


def verify(instance: Instance, points: int, seed: int, **switches: Any) -> Agreement:
    """Compare the three targets at random points of the unconstrained space."""
    points, seed = as_whole("points", points), use_seed(seed)
    check_complete(instance)
    witnesses = Witnesses(instance, **switches)
    rng = np.random.default_rng(seed)
    most = allowed(allowed_slope_error(witnesses.program))
    with np.errstate(all="ignore"):
        found, zeros = _collect(witnesses, points, rng)
        directions = directions_of(witnesses.stan.dimension, rng)
        errors = _errors(witnesses, found, directions)
        if not (errors < most).all():
            # Where a matrix is almost singular, rounding alone may explain it.
            found = [witnesses.with_noise(seen, rng.choice([-1.0, 1.0], seen.q.size)) for seen in found]
            errors = _errors(witnesses, found, directions)
        failing = [kind for kind in range(3) if not (errors[:, kind] < most[kind]).all()]
        worst = {kind: int(np.argmax(errors[:, kind])) for kind in failing}
        told = [tell_fault(witnesses, kind, at, found[at], base_of(found), most, switches) for kind, at in worst.items()]
    scipy_torch, scipy_stan, torch_stan = errors.max(axis=0, initial=0.0).tolist()
    return Agreement(
        len(found), scipy_torch, scipy_stan, torch_stan, float(most[2]), zeros, points, tuple(told)
    )


def _collect(witnesses: Witnesses, points: int, rng: np.random.Generator) -> tuple[list[Seen], int]:
    """Try points until there are enough at which some target has a density; count the others."""
    found: list[Seen] = []
    zeros = 0
    while len(found) < points and len(found) + zeros < _PATIENCE * points:
        seen = witnesses.at(witnesses.point(rng))
        if np.isfinite(seen.densities).any():
            found.append(seen)
        else:
            zeros += 1
    return found, zeros


def _errors(witnesses: Witnesses, found: list[Seen], directions: np.ndarray) -> np.ndarray:
    base = base_of(found)
    rows = [errors_at(witnesses, seen, base, directions) for seen in found]
    return np.array(rows).reshape(len(rows), 3)
