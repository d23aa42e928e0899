"""What a profile keeps of each fit, so that recommendations can be made from it: numbers, and what was sampled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.engines.encoding import to_json
from scistan.inference.profile.design import correlation_condition
from scistan.inference.subject import Subject

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["Ran"]


@dataclass(frozen=True, eq=False)
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
    latents: Mapping[str, np.ndarray]  # the last fit's draws
    rebuilt: int = 0  # fits of equal data in other arrays: the model was built anew around them

    @property
    def point(self) -> dict[str, np.ndarray]:
        """The last draw: somewhere typical."""
        return {name: np.array(array[0, -1]) for name, array in self.latents.items()}

    @cached_property
    def condition(self) -> float:
        """The condition number of the draws' correlations: what a diagonal metric cannot take away."""
        rows = [array.reshape(array.shape[0] * array.shape[1], -1) for array in self.latents.values()]
        return correlation_condition(np.column_stack(rows)) if rows else float("nan")

    @cached_property
    def data_size(self) -> int:
        """The bytes of the data that the program reads, as JSON."""
        return 0 if self.subject is None else len(to_json(self.subject.data))

    @classmethod
    def of(cls, fit: Fit) -> Ran:
        """Read what there is to know of a fit."""
        chains, draws = fit.shape
        steps = fit.draws.statistics.get("n_steps")
        latents = [] if fit.subject is None else fit.subject.latents
        held = {name: fit.posterior[name] for name in latents if name in fit.posterior and draws}
        return cls(
            fit.model_name, fit.model_hash, fit.engine, fit.method, dict(fit.settings), fit.subject, 1,
            chains * draws, 0 if steps is None else int(np.sum(steps)), float(fit.timing.get("sample", 0.0)), held,
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
            rebuilt=self.rebuilt + other.rebuilt + self._same_data_elsewhere(other),
        )

    def _same_data_elsewhere(self, other: Ran) -> bool:
        if self.subject is None or other.subject is None:
            return False
        here, there = (list(s.instance.values.values()) for s in (self.subject, other.subject))
        pairs = list(zip(here, there, strict=False))
        moved = any(a is not b for a, b in pairs)
        return moved and len(here) == len(there) and all(a is b or np.array_equal(a, b) for a, b in pairs)

    @property
    def steps(self) -> float:
        """Gradients for each draw that was kept; NaN where the engine does not tell."""
        return self.gradients / self.draws if self.draws and self.gradients else float("nan")

    def __deepcopy__(self, _: object) -> Ran:
        return self  # a graph never changes
