"""Prior beside posterior: in conflict, pressed against a bound, untouched by the data, or no prior at all."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scistan.diagnostics.chance import beyond_chance, effective, share_allowed
from scistan.diagnostics.check import Evidence, Measured
from scistan.diagnostics.facts import Facts, Latent
from scistan.diagnostics.sweep import Sweep
from scistan.graph.node import Node
from scistan.graph.walk import has_latents

__all__ = ["at_a_bound", "conflict", "improper", "untouched"]

AGREE = 1.1  # R-hat above which draws say nothing of where the posterior is
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)  # of the sweep's quantiles
NEAR = 0.1  # of the way from a bound to the quantile below
REACH = 0.9
FLAT = 0.1  # the share of draws that near, at most, where the density does not rise towards the bound
HUGE = 1e6  # an sd that no prior would have let through


def conflict(seen: Evidence, limit: float) -> Measured | None:
    """Find latents whose posterior median is where the prior has almost nothing."""
    facts, s = seen.context.facts, seen.swept
    if facts is None or s is None or not facts.observed:
        return None
    allowed = share_allowed(sum(int(np.prod(own.shape)) for own in facts.latents.values()))
    found: list[tuple[float, int, float]] = []
    for latent, span in _measured(facts, s):
        frozen = facts.frozen(latent)
        if frozen is None:
            continue
        below, above = frozen.below_and_above(s.median[span].reshape(latent.shape))
        beyond = np.minimum(below, above).ravel()
        known = s.rhat[span] < AGREE
        found += [(2 * float(beyond[k]), span.start + int(k), float(s.median[span][k]))
                  for k in np.flatnonzero((2 * beyond < allowed) & known)]
    if not found:
        return None
    found.sort()
    p, element, median = found[0]
    name = s.address(element)[0]
    places = tuple(seen.element(k) for _, k, _ in found)
    more = {"median": median, "prior": facts.latents[name].law.distribution.title, "allowed": allowed,
            "scale": name in facts.scales}
    return Measured(p, places, more)


def _measured(facts: Facts, s: Sweep) -> Iterator[tuple[Latent, slice]]:
    for latent in facts.latents.values():
        span = s.span(latent.name)
        if span.stop > span.start:
            yield latent, span


def untouched(seen: Evidence, limit: float) -> Measured | None:
    """Find latents whose posterior is their prior, quantile by quantile, or that no observation depends on."""
    facts, s = seen.context.facts, seen.swept
    if facts is None or s is None or not facts.instance.graph.observed:
        return None
    found: list[tuple[float, str]] = []
    alone: list[str] = []
    for latent, span in _measured(facts, s):
        if latent.name not in facts.touched:
            alone.append(latent.name)
            continue
        frozen = facts.frozen(latent)
        if frozen is None or latent.law.constraint is not None:
            continue
        away = np.zeros(span.stop - span.start)
        for level, quantile in zip(LEVELS, s.quantiles[:, span], strict=True):
            below, _ = frozen.below_and_above(quantile.reshape(latent.shape))
            away = np.maximum(away, np.abs(below.ravel() - level))
        same = (away < limit) & (s.rhat[span] < AGREE)
        if not same.all():
            same &= _idle_columns(facts, latent)
        found += [(float(away[k]), seen.element(span.start + int(k))) for k in np.flatnonzero(same)]
    if not found and not alone:
        return None
    found.sort()
    places = (*alone, *(place for _, place in found))
    return Measured(0.0 if alone else found[0][0], places, {"alone": alone})


def _idle_columns(facts: Facts, latent: Latent) -> np.ndarray:
    """Mark the elements of a vector that multiply nothing but zeros; of others some may well be left to the prior."""
    predictor = facts.predictor(latent.name)
    if predictor is None or predictor.values.ndim != 2 or predictor.values.shape[1:] != latent.shape:
        return np.zeros(int(np.prod(latent.shape)), bool)
    return np.asarray(~predictor.values.any(0))


def improper(seen: Evidence, limit: float) -> Measured | None:
    """Find latents without a prior whose chains wander: the data do not hold them."""
    facts, s = seen.context.facts, seen.swept
    if facts is None or s is None:
        return None
    found: list[tuple[float, int]] = []
    for latent, span in _measured(facts, s):
        if latent.proper:
            continue
        wanders = (s.rhat[span] > limit) | (s.sd[span] > HUGE)
        found += [(float(s.rhat[span][k]), span.start + int(k)) for k in np.flatnonzero(wanders)]
    if not found:
        return None
    found.sort(reverse=True)
    reach = max(float(max(abs(s.low[k]), abs(s.high[k]))) for _, k in found)
    return Measured(found[0][0], tuple(seen.element(k) for _, k in found), {"reach": reach})


def at_a_bound(seen: Evidence, limit: float) -> Measured | None:
    """Find latents whose draws are pressed against a bound that the model sets on them."""
    facts, s = seen.context.facts, seen.swept
    if facts is None or s is None:
        return None
    found: list[tuple[float, int, float, str]] = []
    total = seen.chains * seen.draws
    for latent, span in _measured(facts, s):
        for side, bound in _bounds(facts, latent):
            ends = np.broadcast_to(bound, latent.shape).ravel() if latent.shape else np.ravel(bound)
            sign = 1.0 if side == "lower" else -1.0
            near, far = (sign * (s.quantiles[k][span] - ends) for k in ((0, 4) if side == "lower" else (4, 0)))
            # The inner 90 % of an exponential's draws begin at 0.017 of where they end, those of a uniform at 0.053.
            for k in np.flatnonzero((near < 0.04 * far) & (s.rhat[span] < AGREE)):
                share = _share_near(seen, span.start + int(k), float(ends[k]), sign)
                noise = np.sqrt(FLAT * (1 - FLAT) / effective(s.bulk[span], total)[k])
                if share > limit and share - FLAT > beyond_chance(s.elements) * noise:
                    found.append((share, span.start + int(k), float(ends[k]), side))
    if not found:
        return None
    found.sort(reverse=True)
    share, _, end, side = found[0]
    return Measured(share, tuple(seen.element(k) for _, k, _, _ in found), {"bound": end, "side": side})


def _bounds(facts: Facts, latent: Latent) -> Iterator[tuple[str, np.ndarray]]:
    """Give the bounds that the user set, and the ends of a uniform prior; a scale may well be near 0."""
    if not latent.free:
        return
    ends = (latent.domain.lower, latent.domain.upper)
    given = (latent.law.lower, latent.law.upper)
    for side, end, own in zip(("lower", "upper"), ends, given, strict=True):
        if end is None or (own is None and latent.law.distribution.name != "Uniform"):
            continue
        if isinstance(end, Node):
            if has_latents(end):
                continue
            number = np.asarray(facts.numbers[end].array, dtype=float)
        else:
            number = np.asarray(end, dtype=float)
        if side == "lower" and latent.name in facts.scales and not number.any():
            continue
        yield side, number


def _share_near(seen: Evidence, element: int, end: float, sign: float) -> float:
    """Give the share of draws in the nearest tenth of the way from a bound to the 90 % that lie nearest."""
    distance = sign * (seen.column(element) - end)
    return float((distance < NEAR * np.quantile(distance, REACH)).mean())
