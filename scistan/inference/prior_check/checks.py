"""The checks of a prior: each a measure, a threshold and its words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scistan.diagnostics.diagnosis import Hint, Unassessed
from scistan.distributions.declaration import Distribution
from scistan.graph.graph import Term
from scistan.graph.node import Variable
from scistan.graph.walk import leaves
from scistan.inference.prior_check.linear import contributions
from scistan.inference.prior_check.probability import probabilities
from scistan.inference.prior_check.summary import Row, data_of
from scistan.messages import prior_check as messages
from scistan.targets.scipy.redraw import Drawn

__all__ = ["CHECKS", "Found", "PriorTest", "hints_of", "measured", "unassessed"]

_SATURATED = 1e-3  # a probability this near to 0 or 1 leaves nothing to learn from one outcome
_LEAST_DRAWS = 400  # with fewer, no tail is as small as its threshold


@dataclass(frozen=True, slots=True)
class Found:
    """A number for a variable, and what the words need beside it."""

    value: float
    variable: str
    others: tuple[str, ...] = ()
    numbers: tuple[float, ...] = ()


Measure = Callable[[Drawn, Row, "Term | None"], "Found | None"]


@dataclass(frozen=True, slots=True, eq=False)
class PriorTest:
    """One check: `measure` gives a number for a variable, or None; beyond the threshold it is told.

    `narrower` says that a smaller number is what a user wants: the constant that lowers it most is named.
    """

    name: str
    threshold: float
    measure: Measure
    fact: Callable[[Found, float], str]
    suggestion: Callable[[Found], str]
    below: bool = False
    needs_draws: int = 1
    narrower: bool = False

    def beyond(self, value: float) -> bool:
        """Tell whether a number is one to tell of."""
        return value < self.threshold if self.below else value > self.threshold


# -- measures ---------------------------------------------------------------------------------------
def _impossible(drawn: Drawn, row: Row, term: Term | None) -> Found | None:
    return Found(row.impossible, row.name, _above(drawn, term), (row.impossible * drawn.draws, drawn.draws))


def _saturation(drawn: Drawn, row: Row, term: Term | None) -> Found | None:
    """Measure how often a probability of an outcome is 0 or 1 for all purposes."""
    if term is None or not term.is_observed:
        return None
    array = probabilities(drawn, term)
    if array is None:
        return None
    with np.errstate(all="ignore"):
        share = float(np.mean((array < _SATURATED) | (array > 1 - _SATURATED)))
    return Found(share, row.name, _above(drawn, term), (_SATURATED,))


def _width(drawn: Drawn, row: Row, term: Term | None) -> Found | None:
    if row.data is None or term is None or _has_ends(term) or not row.data.width > 0:
        return None
    return Found(
        row.drawn.width / row.data.width, row.name, _above(drawn, term),
        (row.drawn.low, row.drawn.high, row.data.low, row.data.high, row.outside),
    )


def _tail(statistic: str) -> Measure:
    """Measure how far out in the prior predictive a statistic of the data lies."""

    def measure(drawn: Drawn, row: Row, term: Term | None) -> Found | None:
        data = None if term is None else data_of(drawn, term)
        if term is None or data is None or not _has(term, statistic) or data.size < (1 if statistic == "mean" else 3):
            return None
        with np.errstate(all="ignore"):
            draws = getattr(drawn.arrays[term.name].reshape(drawn.draws, -1).astype(float), statistic)(axis=1)
            seen = float(getattr(np.asarray(data, dtype=float), statistic)())
        draws = draws[np.isfinite(draws)]
        if not draws.size:
            return None
        above = float(np.sum(draws >= seen))
        # Data that vary less than the prior expects are no surprise to a vague prior: that is `_width`'s matter.
        beyond = above if statistic == "std" else 2 * min(above, float(np.sum(draws <= seen)))
        share = min(1.0, (beyond + 1) / (draws.size + 1))
        return Found(share, row.name, _above(drawn, term), (seen, *np.quantile(draws, (0.05, 0.95)).tolist()))

    return measure


def _scales(drawn: Drawn, row: Row, term: Term | None) -> Found | None:
    if term is None or not term.is_observed:
        return None
    parts = sorted(contributions(drawn, term), key=lambda c: c.size)
    if len(parts) < 2:
        return None
    least, most = parts[0], parts[-1]
    return Found(most.size / least.size, row.name, (most.predictor, least.predictor), (most.size, least.size))


def _has_ends(term: Term) -> bool:
    """Tell whether a variable cannot go far: probabilities, outcomes and categories."""
    d: Distribution = term.law.distribution
    domain = d.domain(term.law.args)
    return domain.upper is not None or d.stan.one_based


def _has(term: Term, statistic: str) -> bool:
    """Tell whether a statistic says something: codes of categories have no mean, the sd of outcomes follows from it."""
    d: Distribution = term.law.distribution
    return not d.stan.one_based and not (statistic == "std" and _has_ends(term))


def _above(drawn: Drawn, term: Term | None) -> tuple[str, ...]:
    """Name the latents that a variable depends on, the nearest first."""
    if term is None:
        return ()
    by_value = {t.value: t for t in drawn.instance.graph.terms}
    waiting, found = [term], []
    for own in waiting:
        for leaf in leaves(own.law.inputs):
            if isinstance(leaf, Variable) and leaf in by_value and by_value[leaf] not in waiting:
                waiting.append(by_value[leaf])
                found.append(by_value[leaf].name)
    return tuple(found)


CHECKS: tuple[PriorTest, ...] = (
    PriorTest("impossible values", 0.01, _impossible, messages.impossible, messages.mend_impossible, narrower=True),
    PriorTest("saturated probabilities", 0.5, _saturation, messages.saturated, messages.mend_saturated, narrower=True),
    PriorTest("far outside the data", 100.0, _width, messages.far_outside, messages.mend_far_outside, narrower=True),
    PriorTest("mean of the data in the tail", 0.005, _tail("mean"), messages.mean_in_tail, messages.mend_tail,
              below=True, needs_draws=_LEAST_DRAWS),
    PriorTest("sd of the data in the tail", 0.005, _tail("std"), messages.sd_in_tail, messages.mend_tail,
              below=True, needs_draws=_LEAST_DRAWS),
    PriorTest("scales that disagree", 100.0, _scales, messages.scales_disagree, messages.mend_scales),
)  # fmt: skip


def measured(check: PriorTest, drawn: Drawn, rows: list[Row]) -> list[Found]:
    """Give a check's numbers, one a variable that it is about."""
    if drawn.draws < check.needs_draws:
        return []
    terms = {term.name: term for term in drawn.instance.graph.terms}
    return [found for row in rows if (found := check.measure(drawn, row, terms.get(row.name))) is not None]


def hints_of(drawn: Drawn, rows: list[Row], name: Callable[[PriorTest, Found], str] | None = None) -> list[Hint]:
    """Give what the checks find; `name` finds the constant to change first, and says what that does."""
    hints = []
    for check in CHECKS:
        for found in measured(check, drawn, rows):
            if check.beyond(found.value):
                first = name(check, found) if name is not None and check.narrower else ""
                hints.append(
                    Hint(check.name, found.value, check.threshold, (found.variable, *found.others),
                         check.fact(found, check.threshold), first or check.suggestion(found))
                )  # fmt: skip
    return hints


def unassessed(draws: int) -> list[Unassessed]:
    """List the checks that so few draws do not allow."""
    return [
        Unassessed(check.name, f"needs at least {check.needs_draws} draws")
        for check in CHECKS
        if draws < check.needs_draws
    ]
