"""Running sums of elements, and latents that are read by them: w[t] = w[t - 1] + a[t] z[t], a random walk.

Steps that are summed up meet every later row. Their running sums meet one row each, and a step is the difference of
two of them: a change of variables whose determinant is a number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scistan.passes.integrate.part import Part

__all__ = ["RunningSums", "cumulated", "find_sums", "telescoped"]

# Elements of one latent that a row may have: beyond, no structure fits, and a table of all rows would fill memory.
MOST_TERMS = 250
LEAST = 1e-100  # of what multiplies a step, beside the first of its sum
ROUNDING = 8 * np.finfo(float).eps  # of what is added up: what is left below it is 0


@dataclass(frozen=True, slots=True, eq=False)
class RunningSums:
    """How the elements of a latent are summed up: `w = w[before] + weights * z`, where -1 is before the first of a sum.

    `places` lists the elements that are, sum by sum; `w` is `z` for all others.
    """

    before: np.ndarray
    weights: np.ndarray
    places: np.ndarray

    @property
    def order(self) -> np.ndarray:
        """All elements, each behind the one before it."""
        apart = np.setdiff1d(np.arange(len(self.before)), self.places)
        return np.concatenate([apart, self.places])

    @property
    def log_determinant(self) -> float:
        """The logarithm of |dw / dz|."""
        return float(np.log(np.abs(self.weights)).sum())

    def elements(self, part: Part) -> Part:
        """Read elements of a latent, which `part` has by themselves, as differences of sums."""
        place = part.positions[..., 0]
        share = part.columns[..., 0] / self.weights[place]
        before = self.before[place]
        return replace(
            part,
            positions=np.stack([place, np.maximum(before, 0)], axis=-1),
            columns=np.stack([share, np.where(before < 0, 0.0, -share)], axis=-1),
        )

    def steps(self, sums: np.ndarray) -> np.ndarray:
        """Give the elements whose sums these are, along the last axis."""
        last = np.where(self.before < 0, 0.0, sums[..., np.maximum(self.before, 0)])
        return np.asarray((sums - last) / self.weights)

    def joined(self, other: RunningSums) -> RunningSums:
        """Add the sums of other elements; where they are of the same, the first ones stay."""
        if np.intersect1d(self.places, other.places).size:
            return self
        mine = np.isin(np.arange(len(self.before)), self.places)
        return RunningSums(
            np.where(mine, self.before, other.before), np.where(mine, self.weights, other.weights),
            np.concatenate([self.places, other.places]),
        )


def find_sums(part: Part, axis: int, size: int) -> RunningSums | None:
    """Give the sums along an axis of a part, in a latent of this size, if each of its elements is in one of them."""
    if part.columns.shape[-1] != 1:
        return None
    places, columns = (np.moveaxis(array[..., 0], axis, -1) for array in (part.positions, part.columns))
    met = columns != 0
    line = np.broadcast_to(np.arange(met[..., 0].size).reshape(*met.shape[:-1], 1), met.shape)[met]
    place, column = places[met], columns[met]
    goes_on = line[1:] == line[:-1]
    if not goes_on.any() or np.bincount(place).max() > 1:
        return None
    starts = np.flatnonzero(np.concatenate([[True], ~goes_on]))
    first = np.repeat(column[starts], np.diff(np.concatenate([starts, [len(place)]])))
    shares = column / first
    if not (np.isfinite(shares) & (np.abs(shares) > LEAST)).all():
        return None
    before, weights = np.full(size, -1), np.ones(size)
    before[place[1:]] = np.where(goes_on, place[:-1], -1)
    weights[place] = shares
    return RunningSums(before, weights, place)


def cumulated(part: Part, axis: int) -> Part | None:
    """Sum a part up along an axis of its value; None where rows would have too many elements."""
    axis %= part.columns.ndim - 1
    if part.source is None:
        columns = np.cumsum(part.columns.sum(-1), axis=axis)
        return replace(part, columns=columns[..., None], positions=np.zeros((*columns.shape, 1), int))
    positions, columns = (np.moveaxis(array, axis, -2) for array in (part.positions, part.columns))
    *lines, length, _ = columns.shape
    made = _running(positions.reshape(-1, *positions.shape[-2:]), columns.reshape(-1, *columns.shape[-2:]))
    if made is None:
        return None
    back = [np.moveaxis(array.reshape(*lines, length, -1), -2, axis) for array in made]
    return replace(part, positions=back[0], columns=back[1])


def telescoped(part: Part) -> Part:
    """Add up what a row has of the same element: differences of sums cancel."""
    shape, terms = part.columns.shape[:-1], part.columns.shape[-1]
    made = _running(part.positions.reshape(-1, terms, 1), part.columns.reshape(-1, terms, 1))
    if made is None:
        return part
    positions, columns = (array.reshape(*shape, terms, -1)[..., -1, :] for array in made)
    return replace(part, positions=positions, columns=columns)


def _running(positions: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Sum up along the middle one of three axes (lines, steps, terms); None where rows would have too many elements.

    A multiple of an element holds from the step that changes it to the next such step, and is left out where it is 0:
    the work is that of the changes and of what is left.
    """
    lines, length, _ = columns.shape
    line, step, term = np.nonzero(columns)
    place, change = positions[line, step, term], columns[line, step, term]
    order = np.lexsort((step, place, line))
    line, step, place, change = line[order], step[order], place[order], change[order]
    goes_on = np.zeros(len(line), bool)
    goes_on[:-1] = (line[1:] == line[:-1]) & (place[1:] == place[:-1])
    value = _summed(change, goes_on)
    end = np.where(goes_on, np.roll(step, -1), length)
    lasting = np.where(value == 0, 0, end - step)
    if lasting.sum() > MOST_TERMS * lines * length:
        return None
    which = np.repeat(np.arange(len(line)), lasting)
    row = line[which] * length + step[which] + _counted(lasting)
    order = np.argsort(row, kind="stable")
    row, which = row[order], which[order]
    count = np.bincount(row, minlength=lines * length)
    width = max(1, int(count.max(initial=1)))
    if width > MOST_TERMS:
        return None
    found = np.zeros((lines * length, width), int), np.zeros((lines * length, width))
    at = _counted(count)
    found[0][row, at], found[1][row, at] = place[which], value[which]
    return found


def _counted(lengths: np.ndarray) -> np.ndarray:
    """Count from 0 to each of these lengths, one after the other."""
    return np.asarray(np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths))


def _summed(change: np.ndarray, goes_on: np.ndarray) -> np.ndarray:
    """Sum up within runs, each by itself; what only rounding leaves is 0."""
    ends = np.flatnonzero(~goes_on) + 1
    starts = np.concatenate([[0], ends[:-1]]).astype(int)[: len(ends)]
    lengths = ends - starts
    value = np.zeros(len(change))
    total, size = np.zeros(len(starts)), np.zeros(len(starts))
    for k in range(int(lengths.max(initial=0))):
        longer = lengths > k
        at = starts[longer] + k
        size[longer] += np.abs(change[at])
        total[longer] += change[at]
        total[np.abs(total) <= ROUNDING * size] = 0.0
        value[at] = total[longer]
    return value
