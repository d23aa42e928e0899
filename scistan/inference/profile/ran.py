"""What a profile keeps of each fit, so that recommendations can be made from it: numbers, and what was sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.inference.subject import Subject

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Ran"]


@dataclass(frozen=True, slots=True, eq=False)
class Ran:
    """Fits of one model by one engine: how many, their leapfrog steps and draws, and the last one's settings.

    `gradients` counts those of kept draws where the engine tells; `seconds` is the time in the engine. `subject` is
    None for a fit whose model is not at hand.
    """

    model: str
    model_hash: str
    engine: str
    method: str
    settings: Mapping[str, Any]
    subject: Subject | None
    fits: int
    draws: int
    gradients: int
    seconds: float
    point: Mapping[str, np.ndarray]  # of the latents, somewhere typical

    @classmethod
    def of(cls, fit: Fit) -> Ran:
        """Read what there is to know of a fit."""
        chains, draws = fit.shape
        steps = fit.draws.statistics.get("n_steps")
        latents = [] if fit.subject is None else fit.subject.latents
        last = {name: np.array(fit.posterior[name][0, -1]) for name in latents if name in fit.posterior and draws}
        return cls(
            fit.model_name, fit.model_hash, fit.engine, fit.method, dict(fit.settings), fit.subject, 1,
            chains * draws, 0 if steps is None else int(np.sum(steps)), float(fit.timing.get("sample", 0.0)), last,
        )

    @property
    def key(self) -> tuple[str, str, str]:
        """What fits must share to be told of together."""
        return self.model_hash, self.engine, self.method

    def joined(self, other: Ran) -> Ran:
        """Tell of several fits together."""
        return replace(
            other, fits=self.fits + other.fits, draws=self.draws + other.draws,
            gradients=self.gradients + other.gradients, seconds=self.seconds + other.seconds,
        )

    @property
    def steps(self) -> float:
        """Gradients for each draw that was kept; NaN where the engine does not tell."""
        return self.gradients / self.draws if self.draws and self.gradients else float("nan")

    def __deepcopy__(self, _: object) -> Ran:
        return self  # a graph never changes
