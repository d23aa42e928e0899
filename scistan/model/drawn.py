"""What a model says before it has seen data: `m.prior()`, `m.prior_check()`, `m.simulate()`."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Literal, overload

from scistan.given import as_switch
from scistan.model.assignment import Assignable
from scistan.model.intervene import as_drawn

if TYPE_CHECKING:
    import numpy as np

    from scistan.graph.instance import Instance
    from scistan.inference.prior_check import PriorCheck

__all__ = ["Drawn"]


class Drawn(Assignable):
    """What holds variables, and can be drawn from as it stands. Abstract."""

    if TYPE_CHECKING:

        def instance(self) -> Instance: ...

    def prior(self, draws: int = 1000, seed: int | None = None, ignore_potentials: bool = False) -> Any:
        """Draw from the prior: InferenceData with prior, prior_predictive and observed_data.

        Terms of the density (`ss.potential`) cannot be drawn from; `ignore_potentials` leaves them out.
        """
        from scistan.inference.prior import draw_prior

        return draw_prior(self._drawn(ignore_potentials), draws, seed)

    def _drawn(self, ignore_potentials: bool) -> Instance:
        instance = as_drawn(self.instance(), self._variables.acts)
        ignored = as_switch("ignore_potentials", ignore_potentials)
        return instance.on(instance.graph.without_potentials()) if ignored else instance

    @overload
    def prior_check(self, draws: int = ..., seed: int | None = ..., interactive: Literal[False] = ...) -> PriorCheck:
        ...

    @overload
    def prior_check(self, draws: int = ..., seed: int | None = ..., *, interactive: bool) -> Any: ...
    def prior_check(self, draws: int = 1000, seed: int | None = None, interactive: bool = False) -> Any:
        """Check the priors: what they predict beside the data, and findings; `interactive` gives a widget with sliders.

        `docs/prior-checks.md` lists the checks and their thresholds.
        """
        from scistan.inference.prior_check import check_prior
        from scistan.model.source import Source

        check = check_prior(as_drawn(self.instance(), self._variables.acts), draws, seed, Source(copy(self)._variables))
        return check.interact() if as_switch("interactive", interactive) else check

    def simulate(self, seed: int | None = None, ignore_potentials: bool = False) -> dict[str, np.ndarray]:
        """Draw every latent and every observation once."""
        from scistan.inference.prior import simulate

        return simulate(self._drawn(ignore_potentials), seed)
