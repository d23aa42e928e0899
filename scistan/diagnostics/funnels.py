"""Hierarchies sampled in the wrong coordinates: a funnel's neck at a small scale, or groups with much data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scistan.diagnostics.chance import beyond_chance
from scistan.diagnostics.check import Evidence, Measured
from scistan.diagnostics.context import variable_of
from scistan.diagnostics.facts import Facts, Latent
from scistan.distributions.standard import frame_of
from scistan.ops.expression import Expression

__all__ = ["funnel", "much_data"]

SYMPTOMS = ("divergences", "E-BFMI", "R-hat", "bulk ESS", "tail ESS", "step sizes", "chain means", "stuck chains")
GATHER = 0.65  # of the draws have a larger scale than a divergence has, on average; a half where it is chance
FOLLOWS = 0.5  # correlation of the logarithms of scale and spread, from which a child's spread follows the scale
WIDE = 3.0  # times: a scale that varies less has no neck
_MOST = 50
_POINTS, _FEWEST, _NUMBERS = 2000, 100, 4_000_000  # draws that a correlation is taken of; numbers computed for them


def funnel(seen: Evidence, limit: float) -> Measured | None:
    """Find a centred latent whose scale is small where the sampler fails."""
    facts = seen.context.facts
    if facts is None or not seen.has(*SYMPTOMS):
        return None
    best: Measured | None = None
    for child, scale in _pairs(facts, noncentred=False):
        for place, values in _elements(seen, scale):
            gathered, count = _gathering(seen, values, len(child.scales))
            follows = _following(seen, facts, child) if _is_ill(seen, child.name, scale) else 0.0
            if gathered < limit and follows < FOLLOWS:
                continue
            found = Measured(max(gathered, limit), (place, child.name), {
                "about": child.name, "scale": place, "child": child.name, "count": count, "gathered": gathered >= limit,
                "follows": follows, "written": bool(child.law.centred), "can": child.can_noncentre,
            })  # fmt: skip
            best = found if best is None or found.value > best.value else best
    return best


def much_data(seen: Evidence, limit: float) -> Measured | None:
    """Find a non-centred latent that the data hold far more tightly than its scale does."""
    facts = seen.context.facts
    slow = seen.has("R-hat", "bulk ESS", "tail ESS", "tree depth", "divergences")
    if facts is None or seen.swept is None or not slow:
        return None
    best: Measured | None = None
    for child, scale in _pairs(facts, noncentred=True):
        span = seen.swept.span(child.name)
        if child.name not in seen.context.noncentred or span.stop == span.start or scale not in seen.posterior:
            continue
        width = float(np.median(seen.swept.sd[span])) / float(np.median(seen.posterior[scale]))
        if width < limit and (best is None or width < best.value):
            best = Measured(width, (child.name, scale), {"about": child.name, "scale": scale, "child": child.name})
    return best


def _pairs(facts: Facts, *, noncentred: bool) -> Iterator[tuple[Latent, str]]:
    """Give latents with the latents that their scale is made of."""
    for child in facts.latents.values():
        if child.noncentred is noncentred:
            yield from ((child, scale) for scale in sorted(child.scales))


def _elements(seen: Evidence, scale: str) -> Iterator[tuple[str, np.ndarray]]:
    """Give the first elements of a scale by name, with their draws (chain, draw)."""
    array = seen.posterior.get(scale)
    if array is None or not array.size:
        return
    shape = array.shape[2:]
    flat = array.reshape(*array.shape[:2], -1)
    for k in range(min(_MOST, flat.shape[2])):
        at = tuple(int(i) for i in np.unravel_index(k, shape)) if shape else ()
        yield seen.context.element(scale, at, shape), flat[:, :, k]


def _gathering(seen: Evidence, values: np.ndarray, looked_at: int) -> tuple[float, int]:
    """Give the mean share of draws with a larger scale than a divergent draw has, where that is beyond chance."""
    diverging = seen.statistics.get("diverging")
    if diverging is None or not diverging.any():
        return 0.0, 0
    rising = np.sort(values, axis=None)
    at = values[diverging.astype(bool)]
    ranks = (np.searchsorted(rising, at, side="left") + np.searchsorted(rising, at, side="right")) / 2
    larger = 1 - ranks / rising.size
    error = np.sqrt(1 / 12 / len(at))  # of a mean of uniform numbers
    share = float(larger.mean())
    return (share if (share - 0.5) / error > beyond_chance(looked_at) else 0.0), len(at)


def _following(seen: Evidence, facts: Facts, child: Latent) -> float:
    """Give how closely the spread of a latent's elements follows its scale, both as logarithms.

    Elements of a series spread around what those before them say.
    """
    steps = facts.steps(child.name)
    draws, frame = seen.posterior.get(child.name), frame_of(steps.law)
    if draws is None or frame is None or frame.scale.shape or any(name not in seen.posterior for name in facts.latents):
        return 0.0
    total = seen.chains * seen.draws
    step = max(1, total * facts.widest // _NUMBERS, total // _POINTS)
    flat = draws.reshape(total, -1)[::step]
    if flat.shape[1] < 3 or len(flat) < _FEWEST:
        return 0.0
    points = {name: seen.posterior[name].reshape(total, *own.shape)[::step] for name, own in facts.latents.items()}
    scale = facts.values_at(frame.scale, points)
    if (scale <= 0).any():
        return 0.0
    low, high = np.quantile(scale, (0.05, 0.95))
    if high < WIDE * low:
        return 0.0
    if child.law.distribution.rule is not None:
        apart = Expression(steps.value) - Expression(frame.location)
        flat = facts.values_at(apart._scistan_node_, points).reshape(len(flat), -1)
    spread = flat.std(1)
    with np.errstate(all="ignore"):
        found = np.corrcoef(np.log(scale).ravel(), np.log(spread).ravel())[0, 1]
    return float(np.nan_to_num(found))


def _is_ill(seen: Evidence, *names: str) -> bool:
    """Tell whether a symptom is about one of these variables, or about the run as a whole in a funnel's way."""
    ill = {variable_of(place) for hint in seen.symptoms for place in hint.variables}
    return bool(ill & set(names)) or seen.has("E-BFMI")
