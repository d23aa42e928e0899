"""Pictures for a report: each as an SVG within the page, with words for those who cannot see it."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scistan.errors import ScistanError
from scistan.inference.pictures import (
    plot_calibration,
    plot_energy,
    plot_forest,
    plot_pairs,
    plot_posterior,
    plot_ppc,
    plot_prior_posterior,
    plot_rank,
    plot_trace,
)
from scistan.inference.pictures.predictive import observed_names

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Shown", "diagnostic_pictures", "posterior_pictures", "predictive_pictures", "prior_pictures"]

_DOTS = 110
# matplotlib writes a point of a curve by six decimals of a pixel's size: two are more than enough.
_PATH, _DIGITS = re.compile(r' d="[^"]*"'), re.compile(r"(\.\d\d)\d+")
_PANELS, _TRACES, _FOREST = 12, 6, 40


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture as a data URI with its width, or the reason why there is none."""

    words: str
    uri: str = ""
    width: int = 0
    why: str = ""


def posterior_pictures(fit: Fit) -> Iterator[Shown]:
    """Draw the posterior: densities of a few numbers, intervals of many."""
    count = sum(array[0, 0].size for array in fit.posterior.values())
    if count <= _PANELS:
        yield _shown("Posterior densities", lambda: plot_posterior(fit))
    yield _shown("Posterior intervals", lambda: plot_forest(fit, limit=_FOREST))


def prior_pictures(fit: Fit) -> Iterator[Shown]:
    yield _shown("Prior and posterior", lambda: plot_prior_posterior(fit, limit=_PANELS))


def predictive_pictures(fit: Fit) -> Iterator[Shown]:
    """Draw the observations beside predictions, where something was observed."""
    if observed_names(fit):
        yield _shown("Observed data and data drawn anew", lambda: plot_ppc(fit))
        yield _shown("Calibration of the predictions", lambda: plot_calibration(fit))


def diagnostic_pictures(fit: Fit) -> Iterator[Shown]:
    """Draw the chains; an approximation has none."""
    if fit.method != "mcmc":
        return
    yield _shown("Densities and paths of the chains", lambda: plot_trace(fit, limit=_TRACES))
    yield _shown("Ranks of the chains' draws", lambda: plot_rank(fit, limit=_PANELS))
    if sum(array[0, 0].size for array in fit.posterior.values()) > 1:
        yield _shown("The pair of numbers to look at first", lambda: plot_pairs(fit))
    yield _shown("Energies", lambda: plot_energy(fit))


def _shown(words: str, draw: Callable[[], Any]) -> Shown:
    """Draw a picture, or say in its place why it cannot be: a report of what is there is better than none."""
    try:
        figure = draw()
    except ScistanError as error:
        return Shown(words, why=str(error).splitlines()[0])
    out = io.BytesIO()
    figure.savefig(out, format="svg", dpi=_DOTS, transparent=True, metadata={"Date": None})
    drawing = _PATH.sub(lambda path: _DIGITS.sub(r"\1", path[0]), out.getvalue().decode("utf-8"))
    text = base64.b64encode(drawing.encode("utf-8")).decode("ascii")
    return Shown(words, f"data:image/svg+xml;base64,{text}", int(figure.get_figwidth() * 96))
