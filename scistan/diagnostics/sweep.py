"""One more look at all draws, block by block: where each element lies, how wide it is, and how its histogram looks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from scistan.diagnostics.statistics import Health

__all__ = ["BINS", "Sweep", "sweep"]

_BLOCK = 200_000  # numbers handled at once
BINS = 24
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_WIDE = 4.0  # times the middle half, on each side of the median: what lies beyond is in the last bins


@dataclass(frozen=True, slots=True, eq=False)
class Sweep:
    """Numbers of every element of every variable that moves, one after the other: arrays (…, elements).

    `middles` are each chain's means and `halves` those of its two halves: (chains, elements), (2, chains, elements).
    `counts` are histograms around the median: (bins, elements). `within` is the sd within chains.
    """

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    starts: tuple[int, ...]
    mean: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray
    quantiles: np.ndarray
    within: np.ndarray
    middles: np.ndarray
    halves: np.ndarray
    counts: np.ndarray
    rhat: np.ndarray
    bulk: np.ndarray
    tail: np.ndarray

    @property
    def elements(self) -> int:
        return len(self.mean)

    @property
    def median(self) -> np.ndarray:
        found: np.ndarray = self.quantiles[2]
        return found

    def span(self, name: str) -> slice:
        """Give where a variable's elements are; nowhere where it does not move."""
        if name not in self.names:
            return slice(0, 0)
        k = self.names.index(name)
        return slice(self.starts[k], self.starts[k] + math.prod(self.shapes[k]))

    def address(self, element: int) -> tuple[str, tuple[int, ...], tuple[int, ...]]:
        """Give an element's variable, its place in it, and the variable's shape."""
        k = int(np.searchsorted(self.starts, element, side="right")) - 1
        while not math.prod(self.shapes[k]):
            k -= 1
        at = np.unravel_index(element - self.starts[k], self.shapes[k]) if self.shapes[k] else ()
        return self.names[k], tuple(int(i) for i in at), self.shapes[k]


def sweep(posterior: Mapping[str, np.ndarray], health: Mapping[str, Health]) -> Sweep:
    """Look at every variable that was measured; draws are read where they lie, a block of elements at a time."""
    names = tuple(health)
    shapes = tuple(posterior[name].shape[2:] for name in names)
    sizes = [math.prod(shape) for shape in shapes]
    parts = [_swept(block) for name in names for block in _blocks(posterior[name])]
    whole = [np.concatenate(columns, axis=-1) for columns in zip(*parts, strict=True)] if parts else _nothing()
    measured = [
        np.concatenate([np.ravel(getattr(health[name], field)) for name in names] or [np.empty(0)])
        for field in ("rhat", "bulk_ess", "tail_ess")
    ]
    starts = tuple(int(k) for k in np.cumsum([0, *sizes])[:-1])
    return Sweep(names, shapes, starts, *whole, *measured)


def _nothing() -> list[np.ndarray]:
    none, rows = np.empty(0), [5, 0, 1, 1, BINS]
    return [none, none, none, none, np.empty((rows[0], 0)), none, np.empty((1, 0)), np.empty((2, 1, 0)),
            np.empty((BINS, 0))]


def _blocks(array: np.ndarray) -> Iterator[np.ndarray]:
    """Cut a variable's elements into blocks (elements, chains, draws)."""
    chains, draws = array.shape[:2]
    flat = array.reshape(chains, draws, -1)
    width = max(1, _BLOCK // max(1, chains * draws))
    for start in range(0, flat.shape[2], width):
        yield np.ascontiguousarray(np.moveaxis(flat[:, :, start : start + width], 2, 0))


def _swept(x: np.ndarray) -> tuple[np.ndarray, ...]:
    """Give everything of a block: means, sds, ends, quantiles, sds within chains, chains' means, halves, counts."""
    columns, chains, draws = x.shape
    flat = x.reshape(columns, -1)
    total = flat.shape[1]
    half = draws // 2
    halves = np.stack([x[:, :, :half].mean(2), x[:, :, draws - half :].mean(2)])
    middles = x.mean(2)
    mean = middles.mean(1)
    rest = x - middles[:, :, None]
    squares = np.einsum("cmn,cmn->cm", rest, rest)
    within = np.sqrt(squares.sum(1) / max(1, chains * (draws - 1)))
    spread = squares.sum(1) + draws * np.square(middles - mean[:, None]).sum(1)
    sd = np.sqrt(spread / max(1, total - 1))
    ranks = [round(q * (total - 1)) for q in _QUANTILES]
    ordered = np.partition(flat, ranks, axis=1)
    quantiles = ordered[:, ranks].T
    width = _WIDE * (quantiles[3] - quantiles[1])
    low = np.maximum(flat.min(1), quantiles[2] - width)
    high = np.minimum(flat.max(1), quantiles[2] + width)
    with np.errstate(all="ignore"):
        bins = (flat - low[:, None]) * (BINS / (high - low))[:, None]
        np.nan_to_num(bins, copy=False)
        np.clip(bins, 0, BINS - 1, out=bins)
    places = bins.astype(np.int32)
    places += BINS * np.arange(columns, dtype=np.int32)[:, None]
    counts = np.bincount(places.ravel(), minlength=columns * BINS).reshape(columns, BINS).T
    return mean, sd, flat.min(1), flat.max(1), quantiles, within, middles.T, halves.transpose(0, 2, 1), counts
