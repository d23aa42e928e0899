"""`fit.loo()`: leave-one-out by importance sampling, and by moment matching where that does not reach."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scistan.errors import ScistanError
from scistan.given import as_switch
from scistan.graph.node import Node
from scistan.graph.places import warn_at_users_line
from scistan.inference.arviz_data import leave_one_out, loo_numbers, loo_revised
from scistan.inference.judge.moment_match import Matched, match
from scistan.inference.judge.split import Rows, check_rows_part, rows_of
from scistan.inference.judge.unconstrained import Posterior, open_posterior
from scistan.inference.summed import conditional_terms
from scistan.messages import judge as messages
from scistan.targets.scipy import pointwise_log_densities

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["loo"]

_MOST = 100  # observations that are matched, the largest k first: more of them are a model's fault, not an outlier's


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihood:
    """The log likelihood of one observation as a function of points; of its row alone where rows can be parted."""

    posterior: Posterior
    name: str
    rows: Rows | None

    def of(self, at: tuple[int, ...]) -> Callable[[np.ndarray], np.ndarray]:
        instance, index, shapes = self.posterior.subject.instance, at, {}
        if self.rows is not None:
            where = np.array([at[0]])
            instance, index = self.rows.taken(where), (0, *at[1:])
            shapes = {t.name: t.law.shape for t in self.posterior.subject.instance.graph.latents}
        term = next(t for t in instance.graph.observed if t.name == self.name)

        def log_likelihood(points: np.ndarray) -> np.ndarray:
            drawn = self.posterior.latents(points)
            if self.rows is not None:
                drawn = {n: self.rows.of(array, shapes[n], where, before=1) for n, array in drawn.items()}
            latents: dict[Node, np.ndarray] = {t.value: drawn[t.name] for t in instance.graph.latents}
            found = pointwise_log_densities(instance, latents, [term])[self.name]
            found = found.reshape(len(points), -1)[:, np.ravel_multi_index(index, found.shape[1:]) if index else 0]
            return np.where(np.isnan(found), -np.inf, found)

        return log_likelihood


def loo(fit: Fit, name: str | None, moment_match: bool, options: dict[str, Any]) -> Any:
    """Give ArviZ's result, with observations of large Pareto k estimated anew; say which, and what was done."""
    wanted = as_switch("moment_match", moment_match)
    pointwise = options.pop("pointwise", None)
    likelihood = fit.log_likelihood
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Estimated shape parameter of Pareto", UserWarning)  # told below, by label
        found = leave_one_out(fit.group("posterior"), likelihood, name, pointwise=True, **options)
    name = name or str(next(iter(likelihood.data_vars)))
    elpd, k, good = loo_numbers(found)
    bad = sorted((tuple(int(i) for i in at) for at in np.argwhere(~(k <= good))), key=lambda at: -k[at])
    if bad:
        labels = [_label(fit, name, at, k.shape) for at in bad]
        told, why = [], ""
        if wanted and fit.method == "mcmc":  # of an approximation the draws are not the posterior's
            try:
                told = _matched(fit, name, bad[:_MOST], good)
            except ScistanError as error:
                why = error.what
        for at, one in zip(bad, told, strict=False):
            if one.k < k[at] or not math.isfinite(k[at]):
                elpd[at], k[at] = one.elpd, one.k
        found = loo_revised(found, elpd, k)
        _tell(fit, name, labels, [float(k[at]) for at in bad], good, any(one.steps for one in told), why)
    return found if pointwise is not False else loo_revised(found, elpd, None)


def _matched(fit: Fit, name: str, bad: list[tuple[int, ...]], good: float) -> list[Matched]:
    given = conditional_terms(fit._need("moment matching").instance).get(name)
    if given is not None:
        raise messages.given_states(name, given)
    posterior = open_posterior(fit)
    density = posterior.log_density(posterior.points)
    likelihood = _Likelihood(posterior, name, _rows(posterior, fit, name))
    return [match(posterior.points, density, posterior.log_density, likelihood.of(at), good) for at in bad]


def _rows(posterior: Posterior, fit: Fit, name: str) -> Rows | None:
    """Give the rows, where one of them can be looked at alone: much less to compute."""
    instance = posterior.subject.instance
    term = next(t for t in instance.graph.observed if t.name == name)
    draws = {t.name: fit.posterior[t.name][0, :2] for t in instance.graph.latents}
    try:
        rows = rows_of(instance, term, 0)
        check_rows_part(rows, draws)
    except ScistanError:
        return None
    return rows


def _label(fit: Fit, name: str, at: tuple[int, ...], shape: tuple[int, ...]) -> str:
    return fit._context.element(name, at, shape)


def _tell(fit: Fit, name: str, labels: list[str], after: list[float], good: float, moved: bool, why: str) -> None:
    """Note what was done; warn of what is still not reliable."""
    left = [label for label, k in zip(labels, after, strict=True) if not k <= good]
    if moved:
        fit._note(messages.loo_matched(labels, good, len(left)))
    if left:
        warn_at_users_line(messages.loo_unreliable(left, max(after), good, moved, why, name), messages.JudgeWarning)
