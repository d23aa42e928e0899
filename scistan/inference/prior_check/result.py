"""What `m.prior_check` gives back: a summary, findings, and ways to look and to change."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from scistan.diagnostics.diagnosis import Diagnosis, Hint
from scistan.given import as_switch, as_whole
from scistan.graph.instance import Instance
from scistan.inference.memory import check_draws_fit
from scistan.inference.prior_check.change import Change
from scistan.inference.prior_check.checks import CHECKS, hints_of, unassessed
from scistan.inference.prior_check.constants import Slot
from scistan.inference.prior_check.state import State, constant_to_change, first_state
from scistan.inference.prior_check.summary import Row, rows_of
from scistan.messages import inference as messages
from scistan.targets.scipy.streams import use_seed

if TYPE_CHECKING:
    from scistan.inference.prior_check.widget import Widget

__all__ = ["PriorCheck", "Source", "check_prior"]

_COPIES = 3  # of the draws: as written, as changed, and while they are described


class Source(Protocol):
    """Who knows how the model was written."""

    def lines(self, changes: Mapping[Slot, Change]) -> list[str]:
        """Give the lines of Python with other constants."""


class PriorCheck:
    """What the priors say before the data: printed, as a table, as a picture, and with sliders."""

    def __init__(self, state: State, source: Source) -> None:
        self.state = state
        self._source = source

    # -- numbers --------------------------------------------------------------------------------
    @cached_property
    def rows(self) -> list[Row]:
        """One row a variable: the observed ones first, with the data beside them."""
        return rows_of(self.state.drawn)

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """The findings and the checks that were made."""
        drawn = self.state.drawn
        hints = hints_of(drawn, self.rows, lambda check, found: constant_to_change(self.state, check, found))
        waiting = tuple(f"`{name}` has no data yet" for name in drawn.instance.missing)
        missing = unassessed(drawn.draws)
        made = tuple(c.name for c in CHECKS if c.name not in {u.check for u in missing})
        return Diagnosis(tuple(hints), made, tuple(missing), waiting)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """The findings: each a number, a threshold, a place and a suggestion."""
        return self.diagnosis.hints

    @property
    def ok(self) -> bool:
        """Whether every check was made and none found anything."""
        return self.diagnosis.ok

    @property
    def seed(self) -> int:
        """The seed of the draws; `m.prior(draws, seed)` gives the same ones."""
        return self.state.drawn.seed

    @property
    def draws(self) -> int:
        """How many draws there are."""
        return self.state.drawn.draws

    @property
    def idata(self) -> Any:
        """The draws as `m.prior` gives them."""
        from scistan.inference.prior import as_inference_data

        drawn = self.state.drawn
        return as_inference_data(drawn.instance, drawn.arrays, drawn.seed)

    def to_dataframe(self) -> Any:
        """Give the summary as a pandas table."""
        from scistan.inference.prior_check.show import as_dataframe

        return as_dataframe(self.rows)

    @property
    def table(self) -> Any:
        """The summary as a pandas table."""
        return self.to_dataframe()

    # -- constants ------------------------------------------------------------------------------
    @property
    def constants(self) -> dict[str, float]:
        """The constants of the priors under their names, such as `tau.sigma`, with their values."""
        return {c.name: self.state.values.get(c.name, c.value) for c in self.state.constants}

    def with_constants(self, values: Mapping[str, float]) -> PriorCheck:
        """Give the check at other constants, from the same random numbers; those left out stay as they are."""
        if not isinstance(values, Mapping):
            raise messages.no_mapping("constants", values, 'check.with_constants({"tau.sigma": 2.5})')
        return self.at({**self.state.values, **values})

    def at(self, values: Mapping[str, object]) -> PriorCheck:
        """Give the check at these constants, those left out as they were written."""
        return PriorCheck(self.state.at(values), self._source)

    @property
    def lines(self) -> list[str]:
        """The lines of Python to write for the constants that were changed."""
        return self._source.lines(self.state.changes)

    # -- looking --------------------------------------------------------------------------------
    def plot(self) -> Any:
        """Plot the prior predictive against the data, a panel for each observed variable, and the priors."""
        from scistan.inference.prior_check.plot import plot

        return plot(self)

    def interact(self) -> Widget:
        """Show a slider for each constant of the priors, in a notebook; needs anywidget."""
        from scistan.inference.prior_check.widget import widget

        return widget(self)

    def serve(self, port: int = 0, browser: bool = True) -> None:
        """Open a page with a slider for each constant of the priors; Ctrl-C ends it."""
        from scistan.inference.prior_check.serve import serve

        used = as_whole("port", port, least=0, most=65_535)
        serve({self.state.drawn.instance.name: self}, used, as_switch("browser", browser))

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        from scistan.inference.prior_check.show import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from scistan.inference.prior_check.show import as_html

        return as_html(self)


def check_prior(instance: Instance, draws: int, seed: int | None, source: Source) -> PriorCheck:
    """Draw from the prior and look at it."""
    draws, used = as_whole("draws", draws, least=2, most=None), use_seed(seed)
    check_draws_fit(instance, draws, _COPIES)
    return PriorCheck(first_state(instance, draws, used), source)
