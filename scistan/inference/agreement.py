"""What `m.verify()` gives back: how far apart the targets are, and where."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from scistan.inference.other_targets import Row
from scistan.inference.tolerance import DENSITY_TOLERANCE, GRADIENT_TOLERANCE
from scistan.messages import agreement as messages

__all__ = ["Agreement"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far apart the targets are: the largest relative errors over all points.

    `zeros` counts further points, at which every target says that the density is zero; `asked` is how many points
    with a density were wanted. `findings` say of each comparison that fails where it is worst: the targets and their
    numbers, the term, the variable and the point. `in_tails` counts points that were left out, so far out that Stan's
    approximations have no digits left. `others` are the comparisons of targets that are installed beside these three.
    """

    points: int
    scipy_torch_density: float
    scipy_stan_density: float
    torch_stan_gradient: float
    gradient_tolerance: float = GRADIENT_TOLERANCE
    zeros: int = 0
    asked: int = 1
    findings: tuple[str, ...] = ()
    in_tails: int = 0
    others: tuple[Row, ...] = ()

    @property
    def max_density_error(self) -> float:
        return max(self.scipy_torch_density, self.scipy_stan_density, *self._of_others("log density"))

    @property
    def max_gradient_error(self) -> float:
        return max(self.torch_stan_gradient, *self._of_others("gradient"))

    def _of_others(self, what: str) -> list[float]:
        return [0.0, *(row.error for row in self.others if row.what == what)]

    @property
    def ok(self) -> bool:
        near = self.max_density_error < DENSITY_TOLERANCE and self.torch_stan_gradient < self.gradient_tolerance
        return near and all(row.ok for row in self.others) and self.points > 0

    def _rows(self) -> list[tuple[str, str, float, float]]:
        return [
            ("SciPy and torch", "log density", self.scipy_torch_density, DENSITY_TOLERANCE),
            ("SciPy and Stan", "log density", self.scipy_stan_density, DENSITY_TOLERANCE),
            ("torch and Stan", "gradient", self.torch_stan_gradient, self.gradient_tolerance),
            *((row.who, row.what, row.error, row.allowed) for row in self.others),
        ]

    def __repr__(self) -> str:
        rows = self._rows()
        lines = [f"  {who:<16} {what:<12} {error:9.1e}  (allowed {most:.0e})" for who, what, error, most in rows]
        return "\n".join([self._head, *lines, *self.findings])

    @property
    def _head(self) -> str:
        """One line: the verdict and the points it rests on."""
        if not self.points:
            return messages.zero_everywhere(self.zeros)
        verdict = "agreement" if self.ok else "DISAGREEMENT"
        few = self.asked if self.points < self.asked else 0
        return messages.agreement_at(verdict, self.points, self.zeros, self.in_tails, few)

    def _repr_html_(self) -> str:
        cells = "<tr><td>{}</td><td>{}</td><td>{:.1e}</td><td>{:.0e}</td></tr>"
        rows = "".join(cells.format(*row) for row in self._rows())
        head = "<tr><th>targets</th><th>what</th><th>largest relative error</th><th>allowed</th></tr>"
        told = "".join(f"<pre>{escape(finding)}</pre>" for finding in self.findings)
        return f"<p>{self._head}</p><table>{head}{rows}</table>{told}"
