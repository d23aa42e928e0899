"""Several modes: valleys between them, chains that settled apart, and the symmetry of the model behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from scistan.diagnostics.chance import beyond_chance, effective
from scistan.diagnostics.check import Evidence, Measured
from scistan.diagnostics.facts import Facts, Latent
from scistan.diagnostics.ridges import ridge
from scistan.diagnostics.statistics import measure
from scistan.diagnostics.sweep import BINS, Sweep
from scistan.distributions.constraints import is_known

__all__ = ["exchangeable", "mirrored", "several_modes"]

VALLEY = 0.5  # of the lower peak: a valley less deep is no second mode
SIDE = 0.1  # of the draws at least, on each side of a valley
APART, DRIFT = 3.0, 0.75  # sds within chains between chains that settled; between the halves of one that has
DISAGREE = 1.05  # R-hat from which chains are taken to be in different places
ENOUGH = 100  # effective draws: of fewer a histogram's valleys are where a chain has been
CURED = 0.25  # of what R-hat is above 1 may be left once components are sorted
EMPTY = 0.1  # of the lower peak: a valley that no chain wanders through
ON_A_RIDGE = 0.99
_POINTS = 3
_EQUAL = 1e-8
_MOST = 20  # elements of a vector of components
_TOGETHER = 6  # latents that are tried two by two


def several_modes(seen: Evidence, limit: float) -> Measured | None:
    """Find latents with a valley between modes, or with chains that settled in different places."""
    if seen.swept is None or symmetric(seen) is not None:
        return None
    depth = valleys(seen)
    ill = np.flatnonzero(depth < limit)
    if not len(ill):
        return None
    ill = ill[np.argsort(depth[ill], kind="stable")]
    return Measured(float(depth[ill[0]]), seen.named(ill), {"settled": _settled(seen.swept)[ill[0]]})


def valleys(seen: Evidence, *, raw: bool = False) -> np.ndarray:
    """Give the depth of each latent element's deepest valley, as a share of the lower peak; 1 where there is none.

    `raw` ones are as they are in the histogram, certain or not.
    """
    s = seen.swept
    if s is None or not s.elements:
        return np.ones(0)
    counts = np.vstack([np.zeros((1, s.elements)), s.counts.astype(float), np.zeros((1, s.elements))])
    smooth = (counts[:-2] + 2 * counts[1:-1] + counts[2:]) / 4
    total = s.counts.sum(0)
    lower = np.minimum(np.maximum.accumulate(smooth), np.maximum.accumulate(smooth[::-1])[::-1])
    share = np.cumsum(s.counts, axis=0) / total
    middle = (share >= SIDE) & (1 - share + s.counts / total >= SIDE)
    with np.errstate(all="ignore"):
        ratio = np.where(middle & (lower > 0), smooth / lower, 1.0)
        at = ratio.argmin(0)
        peak, floor, depth = (np.take_along_axis(x, at[None], 0)[0] for x in (lower, smooth, ratio))
        # A count of neighbouring bins by 1, 2, 1 has 6/16 of a count's variance.
        noise = np.sqrt(6 / 16 * (peak + floor) * total / effective(s.bulk, int(total.max(initial=1))))
        certain = ((peak - floor) / noise > beyond_chance(s.elements * BINS)) & (s.bulk > ENOUGH)
    if raw:
        return np.asarray(depth)
    settled = _settled(s) & ~np.full(s.elements, seen.has("stuck chains"))
    found = np.where(certain | settled, np.where(settled, np.minimum(depth, VALLEY / 2), depth), 1.0)
    found[~_of_latents(seen, s)] = 1.0
    return found


def _settled(s: Sweep) -> np.ndarray:
    """Tell where chains agree with themselves and not with each other."""
    if len(s.middles) < 2:
        return np.zeros(s.elements, bool)
    with np.errstate(all="ignore"):
        gap = np.diff(np.sort(s.middles, axis=0), axis=0).max(0) / s.within
        drift = np.abs(s.halves[0] - s.halves[1]).max(0) / s.within
    return np.asarray((gap > APART) & (drift < DRIFT))


def _of_latents(seen: Evidence, s: Sweep) -> np.ndarray:
    """Mark the elements of latents: what is derived may have few values by its nature."""
    facts = seen.context.facts
    known = set(s.names) if facts is None else set(facts.latents)
    found = np.zeros(s.elements, bool)
    for name in s.names:
        found[s.span(name)] = name in known
    return found


# -- the symmetry behind it ------------------------------------------------------------------------
Swap = Mapping[str, Sequence[int]]


def symmetric(seen: Evidence) -> Measured | None:
    return exchangeable(seen, 0.0) or mirrored(seen, 0.0)


def exchangeable(seen: Evidence, limit: float) -> Measured | None:
    """Find ill components that can change places without changing the density."""
    facts, s = seen.context.facts, seen.swept
    if facts is None or s is None:
        return None
    for latent in _ill(seen, facts, s):
        size = latent.shape[-1] if latent.shape else 0
        if not 2 <= size <= _MOST or not latent.free:
            continue
        others = [other.name for other in facts.latents.values()
                  if other is not latent and other.shape and other.shape[-1] == size]
        groups = [[latent.name], *([latent.name, other] for other in others[:_TOGETHER]), [latent.name, *others]]
        group = next((g for g in groups if _same_swapped(seen, facts, g, size)), None)
        found = None if group is None else _switched(seen, s, latent, group)
        if found is not None:
            return found
    return _alike(seen, facts, s)


def _ill(seen: Evidence, facts: Facts, s: Sweep) -> Iterator[Latent]:
    """Give the latents with an element whose chains disagree, or that has several modes."""
    depth = valleys(seen)
    for latent in facts.latents.values():
        span = s.span(latent.name)
        if np.any(s.rhat[span] > DISAGREE) or np.any(depth[span] < VALLEY):
            yield latent


def _is_cured(before: float, after: float) -> bool:
    """Tell whether sorting made chains agree: else it is not the order in which they differ."""
    return after < DISAGREE or after - 1 < CURED * (before - 1)


def _switched(seen: Evidence, s: Sweep, latent: Latent, group: list[str]) -> Measured | None:
    """Give components that change places, if sorting them within each draw makes chains agree."""
    span = s.span(latent.name)
    worst = float(np.nanmax(s.rhat[span]))
    ordered = np.sort(seen.posterior[latent.name], axis=-1)
    after = float(np.nanmax(measure({"x": ordered})["x"].rhat))
    more = {"about": latent.name, "group": group, "sorted": after, "lone": True, "known": _orderable(latent)}
    places = tuple(seen.element(k) for k in range(span.start, span.stop))
    apart = _are_apart(seen, s, [latent.name])
    return Measured(worst, places, more) if apart and _is_cured(worst, after) else None


def _are_apart(seen: Evidence, s: Sweep, names: Sequence[str]) -> bool:
    """Tell whether components keep apart, as those that change places do; on a ridge they run into each other."""
    if ridge(seen, ON_A_RIDGE) is None:
        return True
    certain, raw = valleys(seen), valleys(seen, raw=True)
    spans = [s.span(name) for name in names]
    return any(np.any(certain[span] < VALLEY) or np.any(raw[span] < EMPTY) for span in spans)


def _orderable(latent: Latent) -> bool:
    """Tell whether the density of its elements in order is known."""
    return is_known("ordered", latent.law.distribution, latent.law.args) and not latent.law.truncated


def _points(seen: Evidence, facts: Facts) -> dict[str, np.ndarray] | None:
    """Take a few draws of all latents, from different chains."""
    if any(name not in seen.posterior for name in facts.latents):
        return None
    chains = [k % seen.chains for k in range(_POINTS)]
    rows = [(k + 1) * seen.draws // (_POINTS + 1) for k in range(_POINTS)]
    return {name: seen.posterior[name][chains, rows] for name in facts.latents}


def _unchanged(facts: Facts, here: Mapping[str, np.ndarray], there: Mapping[str, np.ndarray], times: int) -> bool:
    """Tell whether the density is the same at points (times · points) as at the points themselves."""
    before, after = facts.log_density(here), facts.log_density(there).reshape(times, -1)
    return bool(np.isfinite(before).all() and (np.abs(after - before) <= _EQUAL * (1 + np.abs(before))).all())


def _same_swapped(seen: Evidence, facts: Facts, group: list[str], size: int) -> bool:
    """Tell whether every two neighbours can change places in all vectors of a group together."""
    here = _points(seen, facts)
    if here is None:
        return False
    orders = []
    for k in range(size - 1):
        order = np.arange(size)
        order[[k, k + 1]] = k + 1, k
        orders.append(order)
    there = {
        name: np.concatenate([x[..., order] if name in group else x for order in orders]) for name, x in here.items()
    }
    return _unchanged(facts, here, there, len(orders))


def _alike(seen: Evidence, facts: Facts, s: Sweep) -> Measured | None:
    """Find scalars of one prior that can change places, with others of their kind, and a weight turned round."""
    here = _points(seen, facts)
    ill = [latent.name for latent in _ill(seen, facts, s) if not latent.shape and latent.free]
    if here is None or len(ill) < 2:
        return None
    kinds: dict[object, list[str]] = {}
    for latent in facts.latents.values():
        if not latent.shape and latent.free:
            kinds.setdefault((latent.law.distribution.name, latent.law.inputs), []).append(latent.name)
    pairs = [tuple(names) for names in kinds.values() if len(names) == 2]
    weights = [n for n, own in facts.latents.items()
               if not own.shape and (own.domain.lower, own.domain.upper) == (0.0, 1.0)]
    for pair in (pair for pair in pairs if set(pair) <= set(ill)):
        others = [other for other in pairs if other != pair]
        for swapped in ([pair], [pair, *others]):
            for turned in ([], weights):
                there = dict(here)
                for first, second in swapped:
                    there[first], there[second] = here[second], here[first]
                there |= {name: 1 - here[name] for name in turned}
                found = _paired(seen, s, pair) if _unchanged(facts, here, there, 1) else None
                if found is not None:
                    return found
    return None


def _paired(seen: Evidence, s: Sweep, pair: tuple[str, ...]) -> Measured | None:
    worst = max(float(np.nanmax(s.rhat[s.span(name)])) for name in pair)
    both = np.stack([seen.posterior[name] for name in pair], axis=-1)
    after = float(np.nanmax(measure({"x": np.sort(both, axis=-1)})["x"].rhat))
    more = {"about": pair[0], "group": list(pair), "sorted": after, "lone": False, "known": False}
    return Measured(worst, pair, more) if _are_apart(seen, s, pair) and _is_cured(worst, after) else None


def mirrored(seen: Evidence, limit: float) -> Measured | None:
    """Find ill latents whose sign can change, alone or together, without changing the density."""
    facts, s = seen.context.facts, seen.swept
    if facts is None or s is None:
        return None
    ill = [own for own in _ill(seen, facts, s) if own.free and own.domain.lower is own.domain.upper is None]
    here = _points(seen, facts)
    if here is None:
        return None
    pairs = [list(pair) for pair in combinations(ill[:_TOGETHER], 2)]
    groups = [[latent] for latent in ill] + pairs + ([ill] if len(ill) > 2 else [])
    for group in groups:
        there = {name: -x if any(name == latent.name for latent in group) else x for name, x in here.items()}
        if _unchanged(facts, here, there, 1):
            names = tuple(latent.name for latent in group)
            worst = max(float(np.nanmax(s.rhat[s.span(name)])) for name in names)
            scalar = next((latent.name for latent in group if not latent.shape), "")
            return Measured(worst, names, {"about": scalar or names[0], "scalar": scalar})
    return None
