"""Observations that make a posterior ill: outcomes that are all equal, or that a predictor parts without error."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from scistan.diagnostics.check import Evidence, Measured
from scistan.diagnostics.facts import Facts
from scistan.distributions.standard import frame_of
from scistan.errors import ScistanError
from scistan.graph.graph import Term
from scistan.graph.node import Data
from scistan.graph.walk import has_latents
from scistan.targets.scipy import ancestral_draws

__all__ = ["constant_outcomes", "far_from_prior", "separated"]

_POINTS = 1000  # draws that are asked, fewer where observations are many
_MOST_ASKED, _FEWEST_ASKED = 4_000_000, 20  # numbers of all draws together; draws below which nothing is asked
# Where each family has its predictor, and what tells one outcome from the other.
_BINARY = {"BernoulliLogit": 0.0, "Bernoulli": 0.5}
_FEWEST = 4
_PRIOR_DRAWS, _AT_ONCE, _MOST_NUMBERS = 1000, 250_000, 50_000_000


def constant_outcomes(seen: Evidence, limit: float) -> Measured | None:
    """Find an observed variable without variation whose scale is to be estimated."""
    facts = seen.context.facts
    if facts is None:
        return None
    for term in facts.observed:
        frame, values = frame_of(term.law), _values(facts, term)
        if frame is None or values.size < 2 or np.ptp(values) > 0 or not has_latents(frame.scale):
            continue
        if has_latents(frame.location) or frame.location.shape == ():
            return Measured(float(values.size), (term.name,), {"number": float(values.flat[0])})
    return None


def separated(seen: Evidence, limit: float) -> Measured | None:
    """Find binary outcomes that draws of the posterior tell apart without an error: one draw shows that it can be."""
    facts = seen.context.facts
    if facts is None or any(name not in seen.posterior for name in facts.latents):
        return None
    for term in facts.observed:
        cut = _BINARY.get(term.law.distribution.name)
        outcomes = _values(facts, term)
        if cut is None or outcomes.size < _FEWEST or not has_latents(term.law.args[0]):
            continue
        asked = min(_POINTS, _MOST_ASKED // facts.widest)
        if asked < _FEWEST_ASKED:
            continue
        step = max(1, seen.chains * seen.draws // asked)
        flat = {name: _thinned(seen.posterior[name], step) for name in facts.latents}
        told = facts.values_at(term.law.args[0], flat) > cut
        right = (told == outcomes.astype(bool)).reshape(len(told), -1).all(1).mean()
        if right >= limit:
            return Measured(float(right), (term.name,), {"constant": bool(np.ptp(outcomes) == 0), "about": term.name,
                                                          **_parting(facts, outcomes)})
    return None


def _parting(facts: Facts, outcomes: np.ndarray) -> dict[str, str]:
    """Name the column of a predictor that alone parts the outcomes."""
    yes = outcomes.astype(bool)
    if outcomes.ndim != 1 or yes.all() or not yes.any():
        return {}
    for predictor in facts.predictors:
        whole = predictor.values.ndim == 1
        if predictor.values.ndim not in (1, 2) or len(predictor.values) != len(outcomes):
            continue
        for k, column in enumerate(predictor.values.reshape(len(outcomes), -1).T):
            if column[yes].min() > column[~yes].max() or column[yes].max() < column[~yes].min():
                return {"column": predictor.data if whole else f"{predictor.data}[:, {k}]", "latent": predictor.latent}
    return {}


def far_from_prior(seen: Evidence, limit: float) -> Measured | None:
    """Find observed variables whose mean or spread lies beyond all that the prior predicts."""
    facts = seen.context.facts
    if facts is None or not facts.observed:
        return None
    if facts.widest * _PRIOR_DRAWS > _MOST_NUMBERS or not all(own.proper for own in facts.latents.values()):
        return None
    try:
        drawn = _predicted(facts, max(1, _AT_ONCE // max(1, facts.widest)))
    except (ScistanError, ArithmeticError, LookupError, TypeError, ValueError):
        return None  # a prior that cannot be drawn from says so in `m.prior()`
    found = []
    for term in facts.observed:
        for what, statistic in _STATISTICS.items():
            prior, own = drawn[term.name][what], statistic(_values(facts, term)[None])[0]
            prior = prior[np.isfinite(prior)]
            if len(prior) < _PRIOR_DRAWS / 2 or (what == "spread" and _values(facts, term).size < 3):
                continue
            low, high = float(prior.min()), float(prior.max())
            beyond = max(float(own) - high, low - float(own))
            if beyond > limit * float(prior.std()) > 0:
                found.append((beyond / float(prior.std()), term.name, what, float(own), low, high))
    if not found:
        return None
    worst = max(found)
    more = dict(zip(("what", "own", "low", "high"), worst[2:], strict=True))
    return Measured(worst[0], tuple(dict.fromkeys(name for _, name, *_ in sorted(found, reverse=True))), more)


_STATISTICS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "mean": lambda x: np.asarray(x.reshape(len(x), -1).mean(1)),
    "spread": lambda x: np.asarray(x.reshape(len(x), -1).std(1)),
}


def _predicted(facts: Facts, at_once: int) -> dict[str, dict[str, np.ndarray]]:
    """Draw the prior predictive block by block, and keep the statistics alone."""
    names = [term.name for term in facts.observed]
    found: dict[str, dict[str, list[np.ndarray]]] = {n: {what: [] for what in _STATISTICS} for n in names}
    done = 0
    while done < _PRIOR_DRAWS:
        count = min(at_once, _PRIOR_DRAWS - done)
        arrays, _ = ancestral_draws(facts.instance, count, done)
        with np.errstate(all="ignore"):
            for name in names:
                for what, statistic in _STATISTICS.items():
                    found[name][what].append(statistic(np.asarray(arrays[name], dtype=float)))
        done += count
    return {n: {what: np.concatenate(parts) for what, parts in own.items()} for n, own in found.items()}


def _values(facts: Facts, term: Term) -> np.ndarray:
    return np.asarray(facts.instance.values[term.value]) if isinstance(term.value, Data) else np.empty(0)


def _thinned(array: np.ndarray, step: int) -> np.ndarray:
    flat = array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])
    return flat[::step]


