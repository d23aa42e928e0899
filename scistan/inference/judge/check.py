"""`fit.check_model()`: predictive checks, calibration and sensitivity of one fit, and what they suggest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from scistan.diagnostics.diagnosis import Hint, Unassessed
from scistan.given import as_whole, is_number
from scistan.graph.graph import Term
from scistan.graph.instance import Instance
from scistan.graph.node import Data, Node
from scistan.inference.generated import log_likelihood, predictive
from scistan.inference.judge.loo_pit import Pit, loo_pit
from scistan.inference.judge.model_check import ModelCheck
from scistan.inference.judge.predictive import Compared, compare, statistics_for
from scistan.inference.judge.sensitivity import THRESHOLD, Sensitivity, sensitivities, top_level
from scistan.inference.memory import check_fits, sizes_of
from scistan.inference.states import log_likelihoods
from scistan.inference.summed import as_written
from scistan.messages import model_check as messages
from scistan.messages import options as option_messages
from scistan.messages import sampling as sampling_messages
from scistan.targets.scipy import pointwise_log_densities

if TYPE_CHECKING:
    from scistan.inference.fit import Fit

__all__ = ["check_model"]

_MOST_ELEMENTS = 2000  # whose sensitivity is measured


def check_model(fit: Fit, statistics: object, level: float, draws: int) -> ModelCheck:
    """Judge the model by what it would have drawn, and by what its posterior rests on."""
    if not is_number(level) or not 0 < level < 1:
        raise option_messages.bad_option("level", level, "a number between 0 and 1", "0.01")
    draws = as_whole("draws", draws)
    sampled = fit._need("checking the model").instance
    instance = as_written(sampled)
    if any(t.name not in fit.posterior for t in instance.graph.latents):
        raise sampling_messages.not_kept("checking the model")
    terms = [t for t in instance.graph.observed if 0 not in instance.shape(t.law.shape)]
    if not terms:
        raise messages.nothing_to_check(instance.name)
    posterior = _thinned(fit, draws)
    seed = int(fit.settings["seed"])
    used = int(np.prod(next(iter(posterior.values())).shape[:2]))
    sizes = sizes_of(instance, [t.name for t in terms], used)
    check_fits(sizes, 2, partial(sampling_messages.generated_too_big, "the check"))
    latents = {t.name: posterior[t.name] for t in instance.graph.latents}
    drawn, likelihood = predictive(instance, latents, seed), log_likelihoods(sampled, latents)
    compared, pits, gaps = [], [], []
    for term in terms:
        y = instance.values[term.value] if isinstance(term.value, Data) else np.empty(0)
        own = drawn[term.name]
        compared += [compare(term.name, s, y, own) for s in statistics_for(term, y, statistics)]
        if term.law.event_rank:
            gaps.append(Unassessed("LOO-PIT", messages.no_pit(term.name, term.law.distribution.title)))
        else:
            pits.append(loo_pit(term.name, y, own, likelihood[term.name], seed))
    seen = [t for t in sampled.graph.observed if 0 not in instance.shape(t.law.shape)]
    moved, why = _sensitivities(fit, sampled, seen, posterior, log_likelihood(sampled, latents))
    gaps += [Unassessed("prior sensitivity", why)] if why else []
    hints = (*_of_statistics(compared, level), *_of_pits(pits, level), *_of_sensitivity(moved))
    health = fit.diagnose()
    remarks = () if health.ok else (messages.fit_is_ill(health.verdict),)
    tables = tuple(compared), tuple(pits), tuple(moved)
    return ModelCheck(fit.model_name, *tables, hints, tuple(gaps), level, used, remarks)


def _thinned(fit: Fit, draws: int) -> dict[str, np.ndarray]:
    """Take draws evenly from every chain, as many as asked for."""
    chains, length = fit.shape
    each = max(1, min(length, round(draws / chains)))
    picks = np.linspace(0, length - 1, each).round().astype(int)
    return {name: np.asarray(array)[:, picks] for name, array in fit.posterior.items()}


def _sensitivities(
    fit: Fit, instance: Instance, terms: list[Term], posterior: Mapping[str, np.ndarray],
    likelihood: Mapping[str, np.ndarray],
) -> tuple[list[Sensitivity], str]:
    """Measure sensitivity, or say why that cannot be done."""
    top = [t for t in top_level(instance) if not t.law.distribution.improper]
    if not top:
        return [], messages.no_proper_prior()
    chains, draws = next(iter(posterior.values())).shape[:2]
    latents: dict[Node, np.ndarray] = {
        t.value: posterior[t.name].reshape(chains * draws, *posterior[t.name].shape[2:]) for t in instance.graph.latents
    }
    prior = np.sum([_total(part) for part in pointwise_log_densities(instance, latents, top).values()], axis=0)
    data = np.sum([_total(likelihood[t.name].reshape(chains * draws, -1)) for t in terms], axis=0)
    if not (np.isfinite(prior).all() and np.isfinite(data).all()):
        return [], messages.densities_not_finite()
    chosen: dict[str, np.ndarray] = {}
    room = _MOST_ELEMENTS
    for name, array in posterior.items():
        room -= int(np.prod(array.shape[2:]))
        if room < 0:
            break
        chosen[name] = array
    return sensitivities(chosen, prior, data, fit._context), ""


def _total(part: np.ndarray) -> np.ndarray:
    return np.asarray(part.reshape(len(part), -1).sum(1))


# -- what is told ---------------------------------------------------------------------------------
def _of_statistics(compared: list[Compared], level: float) -> Iterator[Hint]:
    """Tell of statistics that the model hardly ever draws; `level` is shared among all of them."""
    limit = level / max(1, len(compared))
    for one in compared:
        if one.two_sided < limit:
            fact = messages.statistic_off(one.variable, one.statistic, one.observed, one.low, one.high, one.p)
            advice = messages.mend_statistic(one.statistic)
            yield Hint("predictive check", one.two_sided, limit, (one.variable,), fact, advice)


def _of_pits(pits: list[Pit], level: float) -> Iterator[Hint]:
    limit = level / max(1, len(pits))
    for one in pits:
        if one.p < limit:
            fact = messages.pit_off(one.variable, one.mean, one.spread, one.places.size, one.p)
            advice = messages.mend_calibration(one.variable, one.mean, one.spread, one.places.size)
            yield Hint("LOO-PIT", one.p, limit, (one.variable,), fact, advice)


def _of_sensitivity(moved: list[Sensitivity]) -> Iterator[Hint]:
    for chosen, fact, advice in (
        ([m for m in moved if m.conflict], messages.prior_conflict, messages.mend_conflict()),
        ([m for m in moved if m.by_prior_alone], messages.prior_alone, messages.mend_prior_alone()),
    ):
        if chosen:
            worst = sorted(chosen, key=lambda m: -m.prior)
            told = fact([f"{m.element} ({m.prior:.2f})" for m in worst], THRESHOLD)
            places = tuple(m.element for m in worst)
            yield Hint("prior sensitivity", worst[0].prior, THRESHOLD, places, told, advice)
