"""What `m.map()` and `m.mle()` give back: values, how sure they are, and whether to believe them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.graph.instance import Instance
from scistan.inference.named import Named
from scistan.inference.plan import Plan
from scistan.inference.point import show
from scistan.inference.point.maximized import Maximized
from scistan.inference.point.mode import Mode
from scistan.messages import point as messages
from scistan.targets.scipy.streams import use_seed

if TYPE_CHECKING:
    from scistan.inference.profile.profile import Profile
    from scistan.inference.subject import Fitted

__all__ = ["PointEstimate", "Source"]


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The model and the mode that an estimate came from, for what is computed on request.

    `mode` is over the coordinates that were maximized over, `whole` over those of everything.
    """

    instance: Instance
    objective: Maximized
    mode: Mode
    whole: Mode


@dataclass(frozen=True, slots=True, eq=False)
class PointEstimate:
    """A point estimate: `values`, `std_errors` and `intervals` by name, and an audit.

    `intervals` are the 95 % ends, lower and upper along a first axis, within the domain of what they are of.
    `log_density` is what was maximized, and `kind` says what that is: the log density over the coordinates the model
    is sampled in (`"map"`) or the log likelihood (`"mle"`), or either with random effects integrated out (`"marginal
    map"`, `"marginal mle"`, `"reml"`). `integrated` names these, whose values are modes given the rest, `maximized` the
    others; `exact` tells whether the integral is, or Laplace's approximation. `findings` are what the audit has to say
    beside `reason`, and `profile_of_run` what each stage took.
    """

    values: dict[str, np.ndarray]
    std_errors: dict[str, np.ndarray]
    intervals: dict[str, np.ndarray]
    log_density: float
    converged: bool
    reason: str
    findings: tuple[str, ...]
    boundary: tuple[str, ...]
    gradient_norm: float
    iterations: int
    evaluations: int
    starts: int
    starts_agreeing: int
    history: tuple[tuple[float, float], ...]
    timing: Mapping[str, float]
    kind: str
    device: str
    dtype: str
    seed: int
    dims: dict[str, tuple[str, ...]]
    coords: dict[str, list[object]]
    coordinates: np.ndarray
    integrated: tuple[str, ...] = ()
    maximized: tuple[str, ...] = ()
    exact: bool = True
    source: Source | None = field(default=None, repr=False)
    model: Fitted | None = field(default=None, repr=False)
    plan: Plan | None = field(default=None, repr=False)
    profile_of_run: Profile | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("values", "std_errors", "intervals"):
            object.__setattr__(self, name, Named(getattr(self, name)))

    def __getitem__(self, name: str) -> np.ndarray:
        return self.values[name]

    def to_dataframe(self) -> Any:
        """Give estimates, standard errors and 95 % intervals as a pandas table, one row per number."""
        return show.to_dataframe(self)

    def __repr__(self) -> str:
        return show.as_text(self)

    def _repr_html_(self) -> str:
        return show.as_html(self)

    def plot(self, ax: Any = None) -> Any:
        """Plot the loss over iterations (needs matplotlib)."""
        return show.plot_loss(self, ax)

    def idata(self, draws: int = 1000, seed: int | None = None) -> Any:
        """Draw from the normal approximation at the mode: InferenceData, posterior predictive included."""
        from scistan.inference.point.laplace import laplace_draws

        return laplace_draws(self, self._need("idata()"), draws, self.seed if seed is None else use_seed(seed))

    def profile(self, name: str, level: float = 0.95) -> Any:
        """Give intervals that the profile of the density gives, for each number of a latent, as a pandas table."""
        from scistan.inference.point.profile import profile_intervals

        return profile_intervals(self, self._need("profile()"), name, level)

    def _need(self, what: str) -> Source:
        if self.source is not None:
            return self.source
        if self.model is None:
            raise messages.no_model_with_it(what)
        from scistan.inference.point.storage import source_of
        from scistan.inference.summed import summed

        found = source_of(self, summed(self.model.instance()))
        object.__setattr__(self, "source", found)
        return found

    def save(self, path: str | Path) -> Path:
        """Write everything, the model included, to a file of NumPy's `.npz` format; `ss.load` reads it."""
        from scistan.inference.point.storage import save_estimate

        return save_estimate(self, path)

    @classmethod
    def load(cls, path: str | Path, model: Any = None) -> PointEstimate:
        """Read what `save` wrote, for the model given; `ss.load` also reads the model itself."""
        from scistan.inference.point.storage import load_estimate

        return load_estimate(path, model)
