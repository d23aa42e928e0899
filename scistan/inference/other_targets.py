"""What targets that are installed beside SciPy, torch and Stan say of the points of `m.verify()`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from scistan.errors import UnsupportedError
from scistan.graph.instance import Instance
from scistan.inference.tolerance import DENSITY_TOLERANCE, GRADIENT_TOLERANCE
from scistan.inference.witnesses import Seen
from scistan.passes import run_passes

__all__ = ["OTHER_TARGETS", "Row", "compare_others", "error_of", "largest"]

_FEW = 200  # symbols of latents and numbers of data, up to which SymPy is asked
_DIGITS = 30
_FEW_TERMS = 60  # up to which JAX is asked: it compiles each for itself, 300 of them for eight seconds


@dataclass(frozen=True, slots=True)
class Row:
    """Two targets, what of them was compared, the largest relative error, and what is allowed."""

    who: str
    what: str
    error: float
    allowed: float

    @property
    def ok(self) -> bool:
        return self.error < self.allowed


def compare_others(instance: Instance, found: Sequence[Seen]) -> tuple[Row, ...]:
    """Compare every target that is installed; one that has no form for something of the model has no row."""
    rows: list[Row] = []
    for name, compare in OTHER_TARGETS.items():
        if find_spec(name.lower()) is not None and found:
            try:
                rows += compare(instance, found)
            except UnsupportedError:
                continue
    return tuple(rows)


def _jax(instance: Instance, found: Sequence[Seen]) -> list[Row]:
    """Compare densities with SciPy's and, over the same coordinates, gradients with torch's, where it compiles soon."""
    if len(instance.graph.terms) > _FEW_TERMS:
        return []
    from scistan.targets.jax import JaxDensity
    from scistan.targets.torch import TorchDensity

    lowered = instance.on(run_passes(instance.graph).plain)
    density, by_torch = JaxDensity(lowered), TorchDensity(lowered)
    torch = by_torch.torch
    densities, gradients = [0.0], [0.0]
    for seen in found:
        q, value, gradient = density.at_values(seen.latents)
        densities.append(error_of(seen, float(value)))
        leaf = torch.tensor(np.asarray(q), requires_grad=True)
        try:
            expected = torch.autograd.grad(by_torch.log_density(leaf, jacobian=True), leaf)[0].numpy()
        except torch.linalg.LinAlgError:
            continue
        if np.isfinite(seen.scipy):
            size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
            gradients.append(float(np.max(np.abs(expected - np.asarray(gradient)), initial=0.0)) / size)
    return [
        Row("SciPy and JAX", "log density", largest(densities), DENSITY_TOLERANCE),
        Row("torch and JAX", "gradient", largest(gradients), GRADIENT_TOLERANCE),
    ]


def _sympy(instance: Instance, found: Sequence[Seen]) -> list[Row]:
    """Compare a small model's density, computed in many digits, with SciPy's."""
    size = sum(array.size for array in found[0].latents.values()) + sum(a.size for a in instance.values.values())
    if size > _FEW:
        return []
    from scistan.targets.sympy import lower_to_sympy

    density = lower_to_sympy(instance, numbers=True)
    errors = [0.0]
    for seen in found:
        if np.isfinite(seen.scipy):
            at = {s: float(x) for n, array in density.latents.items()
                  for s, x in zip(array.ravel(), seen.latents[n].ravel(), strict=True)}
            value = density.log_density.evalf(_DIGITS, subs=at)
            errors.append(error_of(seen, float(value) if value.is_real else np.nan))
    return [Row("SciPy and SymPy", "log density", largest(errors), DENSITY_TOLERANCE)]


def error_of(seen: Seen, value: float) -> float:
    """Give the relative error of a density; where neither is finite they agree."""
    if not np.isfinite(seen.scipy) or not np.isfinite(value):
        return np.inf if np.isfinite(seen.scipy) != np.isfinite(value) else 0.0
    return max(0.0, abs(value - seen.scipy) - seen.noise) / max(1.0, seen.size)


def largest(errors: Sequence[float]) -> float:
    """Give the largest error; one that is no number is infinite."""
    return float(np.max(np.nan_to_num(errors, nan=np.inf)))


OTHER_TARGETS: dict[str, Callable[[Instance, Sequence[Seen]], list[Row]]] = {"JAX": _jax, "SymPy": _sympy}
