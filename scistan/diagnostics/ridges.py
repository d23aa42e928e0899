"""Ridges: two or three latents that only their sum or product holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scistan.diagnostics.check import Evidence, Measured
from scistan.diagnostics.sweep import Sweep

__all__ = ["ridge"]

_FEW = 300  # elements whose whole matrix of correlations is looked at
_ROWS = 2000  # draws that it is computed from
_COARSE_ROWS, _COARSE = 256, 0.97  # of many elements: draws for a first look, and what is looked at again
_TILE = 1024
TRIPLE = 0.01  # the smallest eigenvalue of correlations: that of a pair that correlates 0.99
MOST = 4  # elements of a ridge that can be named
HELD = 0.95  # of the ridge's direction is in the elements that are named
_PER_ELEMENT = 10  # effective draws for each element, below which directions are chance


@dataclass(frozen=True, slots=True)
class _Ridge:
    correlation: float
    elements: tuple[int, ...]
    product: bool
    weights: tuple[float, ...]


def ridge(seen: Evidence, limit: float) -> Measured | None:
    """Find the strongest correlation between latents as they are sampled; failing that, three or four together."""
    facts, s = seen.context.facts, seen.swept
    if facts is None or s is None:
        return None
    names = [n for n, own in facts.latents.items() if n in s.names and own.free and not own.noncentred]
    candidates = np.concatenate([np.arange(s.elements)[s.span(name)] for name in names] or [np.empty(0, int)])
    candidates = candidates[(s.sd[candidates] > 0) & np.isfinite(s.sd[candidates])]
    if len(candidates) < 2 or seen.draws * seen.chains < 100:
        return None
    few = len(candidates) <= _FEW
    found = _among(seen, s, candidates, limit) if few else _pair_of_many(seen, s, candidates, limit)
    if found is None:
        return None
    places = tuple(seen.element(k) for k in found.elements)
    sds = [float(s.sd[k]) for k in found.elements]
    more = {
        "elements": [s.address(k) for k in found.elements], "product": found.product, "weights": found.weights,
        "sharper": _sharper(seen, s, found), "sds": sds,
    }  # fmt: skip
    return Measured(abs(found.correlation), places, {**more, "correlation": found.correlation})


def _about_chains(seen: Evidence, x: np.ndarray, rows: int) -> np.ndarray:
    """Take each chain's own mean off: chains in different modes make no ridge."""
    owner = np.arange(0, seen.chains * seen.draws, max(1, seen.chains * seen.draws // rows)) // seen.draws
    for chain in range(seen.chains):
        x[owner == chain] -= x[owner == chain].mean(0)
    return x


def columns(seen: Evidence, elements: np.ndarray, rows: int) -> np.ndarray:
    """Give some draws of elements: (draws, elements)."""
    step = max(1, seen.chains * seen.draws // rows)
    found = np.empty((len(range(0, seen.chains * seen.draws, step)), len(elements)))
    for k, element in enumerate(elements):
        found[:, k] = seen.column(int(element)).reshape(-1)[::step]
    return found


def _among(seen: Evidence, s: Sweep, elements: np.ndarray, limit: float) -> _Ridge | None:
    x = columns(seen, elements, _ROWS)
    kept = np.flatnonzero((s.low[elements] > 0) | (s.high[elements] < 0))
    logs = _about_chains(seen, np.log(np.abs(x[:, kept])), _ROWS)
    linear = _correlations(_about_chains(seen, x, _ROWS))
    best = _strongest(linear, elements, product=False)
    if len(kept) > 1:
        other = _strongest(_correlations(logs), elements[kept], product=True)
        best = _prefer(seen, s, best, other)
    if abs(best.correlation) >= limit:
        scale = s.sd if not best.product else _log_sds(seen, s, best.elements)
        return _weighted(best, scale)
    if len(elements) * _PER_ELEMENT > float(np.nanmin(s.bulk[elements])):
        return None
    found = _direction(linear, elements, s.sd[elements], product=False)
    if found is None and len(kept) > 2:
        found = _direction(_correlations(logs), elements[kept], logs.std(0), product=True)
    return found


def _correlations(x: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        z = (x - x.mean(0)) / x.std(0)
    return np.asarray(np.nan_to_num(z).T @ np.nan_to_num(z) / len(z))


def _strongest(matrix: np.ndarray, elements: np.ndarray, *, product: bool) -> _Ridge:
    upper = np.abs(np.triu(matrix, 1))
    i, j = np.unravel_index(int(upper.argmax()), upper.shape)
    return _Ridge(float(matrix[i, j]), (int(elements[i]), int(elements[j])), product, ())


def _prefer(seen: Evidence, s: Sweep, linear: _Ridge, logs: _Ridge) -> _Ridge:
    """Take the stronger; where both are as strong, what the graph has: a product or a sum."""
    facts = seen.context.facts
    a, b = abs(linear.correlation), abs(logs.correlation)
    if facts is not None and linear.elements == logs.elements and min(a, b) > 0.98:
        names = [s.address(k)[0] for k in linear.elements]
        return logs if names[0] != names[1] and facts.joined(names[0], names[1]) == "multiply" else linear
    return logs if (1 - b) * 2 < 1 - a else linear


def _log_sds(seen: Evidence, s: Sweep, elements: tuple[int, ...]) -> np.ndarray:
    found = np.ones(s.elements)
    logs = np.log(np.abs(columns(seen, np.asarray(elements), _ROWS)))
    found[list(elements)] = logs.std(0)
    return found


def _weighted(found: _Ridge, sd: np.ndarray) -> _Ridge:
    """Weigh a pair so that what varies least has the weight 1 of its first element."""
    first, second = found.elements
    weight = -np.sign(found.correlation) * float(sd[first] / sd[second])
    return _Ridge(found.correlation, found.elements, found.product, (1.0, float(weight)))


def _direction(matrix: np.ndarray, elements: np.ndarray, sd: np.ndarray, *, product: bool) -> _Ridge | None:
    """Find the combination that is held best, if a few elements make it up."""
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= TRIPLE:
        return None
    loads = vectors[:, 0]
    order = np.argsort(-np.abs(loads))
    for count in range(3, min(MOST, len(order)) + 1):
        held = order[:count]
        if np.square(loads[held]).sum() >= HELD:
            own = np.sort(held)
            weights = loads[own] / sd[own]
            weights = weights / weights[0]
            multiple = float(np.sqrt(1 - values[0] / np.square(loads[own]).max()))
            return _Ridge(multiple, tuple(int(k) for k in elements[own]), product, tuple(map(float, weights)))
    return None


def _pair_of_many(seen: Evidence, s: Sweep, elements: np.ndarray, limit: float) -> _Ridge | None:
    """Look at all pairs by some draws, tile by tile, and again by all draws at those that stand out."""
    x = _about_chains(seen, columns(seen, elements, _COARSE_ROWS), _COARSE_ROWS).astype(np.float32)
    with np.errstate(all="ignore"):
        x /= np.sqrt(np.square(x).sum(0))
    np.nan_to_num(x, copy=False)
    best: _Ridge | None = None
    for a in range(0, len(elements), _TILE):
        for b in range(a, len(elements), _TILE):
            tile = np.abs(x[:, a : a + _TILE].T @ x[:, b : b + _TILE])
            if a == b:
                tile = np.triu(tile, 1)
            if float(tile.max(initial=0.0)) < _COARSE:
                continue
            i, j = np.unravel_index(int(tile.argmax()), tile.shape)
            pair = elements[[a + int(i), b + int(j)]]
            closer = _correlations(_about_chains(seen, columns(seen, pair, _ROWS), _ROWS))
            again = _strongest(closer, pair, product=False)
            if abs(again.correlation) >= limit and (best is None or abs(again.correlation) > abs(best.correlation)):
                best = _weighted(again, s.sd)
    return best


def _sharper(seen: Evidence, s: Sweep, found: _Ridge) -> float:
    """Give how many times better the combination is known than its parts."""
    x = columns(seen, np.asarray(found.elements), _ROWS)
    x = np.log(np.abs(x)) if found.product else x
    weights = np.asarray(found.weights)
    with np.errstate(all="ignore"):
        return float(np.min(np.abs(weights) * x.std(0)) / (x @ weights).std())
