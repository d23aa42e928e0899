"""What a fit shows of itself: pictures, a table for a paper, and a report; each is made in a module of its own."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Pictured"]

Names = str | Sequence[str] | None
File = str | PathLike[str] | None


class Pictured:
    """The part of a fit that draws.

    Every picture is a matplotlib Figure that pyplot does not know of: a notebook shows it, `path=` or `.savefig` writes
    it. `var_names` chooses variables (`"theta"`) or single numbers by their labels (`"theta[A]"`); of many, the first
    `limit` are drawn, some of each variable, and the picture says what it leaves out.
    """

    __slots__ = ()

    def plot_trace(self, var_names: Names = None, limit: int | None = None, path: File = None) -> Any:
        """Draw each chain's density and path, divergences marked."""
        from scistan.inference.pictures import plot_trace

        return plot_trace(self._fit, var_names, limit, path)

    def plot_rank(self, var_names: Names = None, limit: int | None = None, path: File = None) -> Any:
        """Draw how the ranks of each chain's draws are spread: evenly, where chains agree."""
        from scistan.inference.pictures import plot_rank

        return plot_rank(self._fit, var_names, limit, path)

    def plot_pairs(self, var_names: Names = None, limit: int | None = None, path: File = None) -> Any:
        """Draw numbers against each other, divergences marked.

        Without names it is the worst pair: where divergences gather, or else the strongest correlation.
        """
        from scistan.inference.pictures import plot_pairs

        return plot_pairs(self._fit, var_names, limit, path)

    def plot_posterior(
        self, var_names: Names = None, limit: int | None = None, probability: float = 0.9, path: File = None
    ) -> Any:
        """Draw posterior densities with their medians and the intervals that hold `probability`."""
        from scistan.inference.pictures import plot_posterior

        return plot_posterior(self._fit, var_names, limit, probability, path)

    def plot_forest(
        self, var_names: Names = None, limit: int | None = None, probability: float = 0.9, path: File = None
    ) -> Any:
        """Draw the intervals of many numbers below each other."""
        from scistan.inference.pictures import plot_forest

        return plot_forest(self._fit, var_names, limit, probability, path)

    def plot_prior_posterior(
        self, var_names: Names = None, limit: int | None = None, path: File = None, seed: int | None = None
    ) -> Any:
        """Draw prior and posterior over each other; a prior that is not at hand is drawn, by `seed` or the fit's."""
        from scistan.inference.pictures import plot_prior_posterior

        return plot_prior_posterior(self._fit, var_names, limit, path, seed)

    def plot_ppc(self, var_names: Names = None, limit: int | None = None, path: File = None) -> Any:
        """Draw observations over data drawn anew from the posterior; `var_names` are observed variables."""
        from scistan.inference.pictures import plot_ppc

        return plot_ppc(self._fit, var_names, limit, path)

    def plot_calibration(self, var_names: Names = None, limit: int | None = None, path: File = None) -> Any:
        """Draw whether predictions are as sure as they should be: LOO-PIT, or the reliability of outcomes 0 and 1."""
        from scistan.inference.pictures import plot_calibration

        return plot_calibration(self._fit, var_names, limit, path)

    def plot_forecast(
        self,
        steps: int,
        data: object = None,
        var_names: Names = None,
        steps_shown: int | None = None,
        limit: int | None = None,
        seed: int | None = None,
        path: File = None,
    ) -> Any:
        """Draw the past and the fan of what may come, `steps` steps on: bands of 50 % and 90 %, and the median.

        `data` has the covariates of the steps ahead, `steps_shown` says how much of the past is drawn.
        """
        from scistan.inference.pictures import plot_forecast

        return plot_forecast(self._fit, steps, data, var_names, steps_shown, limit, seed, path)

    def plot_energy(self, path: File = None) -> Any:
        """Draw the energies of Hamiltonian Monte Carlo beside their steps from draw to draw."""
        from scistan.inference.pictures import plot_energy

        return plot_energy(self._fit, path)

    def table(
        self, format: str = "markdown", var_names: Names = None, probability: float = 0.9, limit: int | None = None
    ) -> str:
        """Write the posterior as a table for a paper: `format` is "latex", "markdown" or "html"."""
        from scistan.inference.report.table import table

        return table(self._fit, format, var_names, probability, limit)

    def report(
        self, path: str | PathLike[str], title: str | None = None, question: str | None = None, limit: int = 40
    ) -> Path:
        """Write all there is to tell as one HTML page that needs no network; tables have up to `limit` rows."""
        from scistan.inference.report import write_report

        return write_report(self._fit, path, title, question, limit)

    @property
    def _fit(self) -> Fit:
        return cast("Fit", self)
