"""`fit.certificate`: what an embedded engine computes on these data, beside SciPy, before it samples."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from scistan.messages import inference as messages

__all__ = ["RADIUS", "Certificate", "point_of", "radius_of"]

RADIUS = 2.0  # Stan's own starts: uniform on (-2, 2) in unconstrained coordinates
HALVED_AFTER = 3  # so many points of a radius are tried before nearer ones


@dataclass(frozen=True, slots=True)
class Certificate:
    """The engine's log densities and SciPy's at a few points, and the derivative in a random direction at one.

    The engine's values are without the Jacobian and, as Stan drops constants, known up to one number: what is
    compared is how they change from point to point. Errors are relative, and hold what rounding cannot explain.
    `zeros` counts points at which both say that the density is zero, `apart` those at which one has a density and the
    other none, `in_tails` those so far out that Stan's approximations of cumulative probabilities have no digits left;
    `slopes` are SciPy's derivative and the engine's, None where it could not be told.
    """

    engine: str
    seed: int
    dimension: int
    numbers: tuple[int, ...]
    scipy_values: tuple[float, ...]
    engine_values: tuple[float, ...]
    density_errors: tuple[float, ...]
    density_tolerance: float
    slopes: tuple[float, float] | None
    gradient_error: float
    gradient_tolerance: float
    zeros: int = 0
    apart: int = 0
    in_tails: int = 0
    seconds: float = 0.0
    spread: float = 1.0  # less than 1 where a large matrix would be near singular further out

    @property
    def points(self) -> np.ndarray:
        """The unconstrained coordinates at which densities were compared, a row for each."""
        rows = [point_of(self.seed, number, self.dimension, self.spread) for number in self.numbers]
        return np.array(rows).reshape(len(rows), self.dimension)

    @property
    def density_error(self) -> float:
        """The largest relative error of a change of the log density."""
        return max(self.density_errors, default=0.0)

    @property
    def density_agrees(self) -> bool:
        """Whether the densities do; where none could be compared, whether it is not that one alone has any."""
        return self.density_error <= self.density_tolerance if self.numbers else self.apart <= self.zeros

    @property
    def gradient_agrees(self) -> bool:
        return self.gradient_error <= self.gradient_tolerance

    @property
    def ok(self) -> bool:
        """Whether the engine computes the model's density."""
        return bool(self.density_agrees and self.gradient_agrees)

    @property
    def worst(self) -> tuple[float, float]:
        """The error that is largest beside its tolerance, and that tolerance."""
        if not self.numbers:
            return (0.0, 1.0) if self.ok else (math.inf, 1.0)
        pairs = ((self.density_error, self.density_tolerance), (self.gradient_error, self.gradient_tolerance))
        return max(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else float(pair[0] > 0))

    def told_apart(self) -> str:
        """Say in both numbers how the engine and SciPy differ."""
        if not self.numbers:
            return messages.density_of_one(self.engine, self.apart)
        if not self.density_agrees:
            worst = int(np.argmax(self.density_errors))
            base = int(np.argmin(self.density_errors))
            by_engine = self.engine_values[worst] - self.engine_values[base]
            by_scipy = self.scipy_values[worst] - self.scipy_values[base]
            return messages.densities_differ(self.engine, by_engine, by_scipy, self.density_error)
        by_scipy, by_engine = self.slopes or (math.nan, math.nan)
        return messages.slopes_differ(self.engine, by_engine, by_scipy, self.gradient_error)

    # -- as a table ---------------------------------------------------------------------------------
    @property
    def _head(self) -> str:
        left = {"zero for both": self.zeros, "zero for one alone": self.apart, "too far in the tails": self.in_tails}
        return messages.certified(self.engine, self.ok, len(self.numbers), left, self.seconds)

    def _rows(self) -> list[tuple[str, float, float, float, float]]:
        """Give what, SciPy's number, the engine's, the relative error and what is allowed."""
        first = (self.scipy_values[0], self.engine_values[0]) if self.numbers else (0.0, 0.0)
        rows = [
            (f"log density, point {number}", s - first[0], e - first[1], error, self.density_tolerance)
            for number, s, e, error in zip(
                self.numbers, self.scipy_values, self.engine_values, self.density_errors, strict=True
            )
        ]
        if self.slopes is not None:
            rows.append(("derivative", *self.slopes, self.gradient_error, self.gradient_tolerance))
        return rows

    def __repr__(self) -> str:
        lines = [f"  {'':<21} {'SciPy':>13} {self.engine:>13} {'error':>9}"]
        lines += [
            f"  {what:<21} {s:13.6g} {e:13.6g} {error:9.1e}  (allowed {most:.0e})"
            for what, s, e, error, most in self._rows()
        ]
        return "\n".join([self._head, *lines])

    def _repr_html_(self) -> str:
        cells = "<tr><td>{}</td><td>{:.6g}</td><td>{:.6g}</td><td>{:.1e}</td><td>{:.0e}</td></tr>"
        head = f"<tr><th></th><th>SciPy</th><th>{self.engine}</th><th>relative error</th><th>allowed</th></tr>"
        rows = "".join(cells.format(*row) for row in self._rows())
        return f"<p>{self._head}</p><table>{head}{rows}</table>"

    # -- in a file ----------------------------------------------------------------------------------
    def to_json(self) -> str:
        """Write it as text; the points follow from the seed."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Read what `to_json` wrote."""
        found: Mapping[str, object] = json.loads(text)
        return cls(**{key: _tuple(value) if isinstance(value, list) else value for key, value in found.items()})  # type: ignore[arg-type]


def _tuple(values: Sequence[object]) -> tuple[object, ...]:
    return tuple(values)


def radius_of(number: int, spread: float = 1.0) -> float:
    """Give how far from 0 a point may lie: nearer and nearer, where the first ones have no density."""
    return float(RADIUS * spread * 0.5 ** (number // HALVED_AFTER))


def point_of(seed: int, number: int, dimension: int, spread: float = 1.0) -> np.ndarray:
    """Give a point of a run: its coordinates follow from the seed, its number and the spread alone."""
    radius = radius_of(number, spread)
    return np.random.default_rng([seed, number]).uniform(-radius, radius, dimension)
