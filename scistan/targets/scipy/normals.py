"""Normal latents given all else with NumPy, over draws: exact draws of them, and how probable those were.

They are given by the quadratic form h' Q h of h = (slots of each group, others, 1), whose exponential at -½ is their
density: block by block, with those of the group before where groups make a chain. Blocks are small and many, so their
factors are written slot by slot, for all groups (or, in a chain, all draws) at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Drawn", "Normals", "Process", "Walk"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Draws of the slots (slots, draws, groups) and of the others (draws, others), and their log density if asked."""

    slots: np.ndarray
    others: np.ndarray
    log_density: Callable[[], np.ndarray]


@dataclass(frozen=True, slots=True)
class _Factor:
    """Of each block: the Cholesky factor, what ties it to the one before, and what it makes of what is beside."""

    lower: np.ndarray  # slots, slots, draws, groups
    tied: np.ndarray
    others: np.ndarray  # slots, draws, others, groups
    known: np.ndarray  # slots, draws, groups


@dataclass(frozen=True, eq=False)
class Normals:
    """The blocks of the form at each draw; `before` has no groups where they are no chain."""

    within: np.ndarray  # slots, slots, draws, groups
    before: np.ndarray  # slots, slots of the group before, draws, groups
    slot_others: np.ndarray  # slots, draws, others, groups
    slot_known: np.ndarray  # slots, draws, groups
    others: np.ndarray  # draws, others, others
    others_known: np.ndarray  # draws, others

    @property
    def chained(self) -> bool:
        return bool(self.before.shape[-1])

    @property
    def beside(self) -> np.ndarray:
        """What is beside single elements: (draws, groups, others and what is known)."""
        return np.concatenate([np.swapaxes(self.slot_others[0], -1, -2), self.slot_known[0][..., None]], axis=-1)

    @cached_property
    def _factor(self) -> _Factor:
        if not self.chained:
            lower, others, known = _factored(self.within, self.slot_others, self.slot_known)
            return _Factor(lower, self.before, others, known)
        made = _Factor(
            np.empty_like(self.within), np.zeros_like(self.within), np.empty_like(self.slot_others),
            np.empty_like(self.slot_known),
        )
        slots = range(len(self.within))
        for t in range(self.within.shape[-1]):
            within, others, known = self.within[..., t], self.slot_others[..., t], self.slot_known[..., t]
            if t:
                last, tied = made.lower[..., t - 1], made.tied[..., t]
                for i in slots:
                    for k in slots:
                        entry = self.before[i, k, :, t] - sum(tied[i, j] * last[k, j] for j in range(k))
                        tied[i, k] = entry / last[k, k]
                within = within - np.einsum("ijd,kjd->ikd", tied, tied)
                others = others - np.einsum("ijd,jdm->idm", tied, made.others[..., t - 1])
                known = known - np.einsum("ijd,jd->id", tied, made.known[..., t - 1])
            one = _factored(within[..., None], others[..., None], known[..., None])
            made.lower[..., t], made.others[..., t], made.known[..., t] = (part[..., 0] for part in one)
        return made

    @cached_property
    def _others(self) -> tuple[np.ndarray, np.ndarray]:
        """The factor of the others with the slots integrated out, and the vector beside it."""
        factor = self._factor
        gone, pulled = np.zeros_like(self.others), np.zeros_like(self.others_known)
        for rows, known in zip(factor.others, factor.known, strict=True):  # of each slot: draws, others, groups
            gone += rows @ np.swapaxes(rows, -1, -2)
            pulled += (rows @ known[..., None])[..., 0]
        return np.linalg.cholesky(self.others - gone), self.others_known - pulled

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Draw all of them once for each draw of all else."""
        factor = self._factor
        dense, beside = self._others
        noise = rng.standard_normal(beside.shape)
        others = _solved_back(dense, noise - _solved(dense, beside))
        noises = rng.standard_normal(self.slot_known.shape)
        left = noises - factor.known
        if others.shape[-1]:
            left -= (others[:, None] @ factor.others)[..., 0, :]
        if not self.chained:
            slots = _back(factor.lower, left)
        else:
            slots = np.empty_like(left)
            for t in range(left.shape[-1] - 1, -1, -1):
                here = left[..., t]
                if t + 1 < left.shape[-1]:
                    here = here - np.einsum("jid,jd->id", factor.tied[..., t + 1], slots[..., t + 1])
                slots[..., t] = _back(factor.lower[..., t], here)

        def log_density() -> np.ndarray:
            found = _half_log_determinant(dense)
            for k in range(len(left)):
                found = found + np.log(factor.lower[k, k]).sum(-1)
            squares = (noise**2).sum(-1) + (noises**2).sum((0, 2))
            count = noise.shape[-1] + noises.shape[0] * noises.shape[-1]
            return np.asarray(found - 0.5 * squares - 0.5 * count * np.log(2 * np.pi))

        return Drawn(slots, others, log_density)


@dataclass(frozen=True, eq=False)
class Walk:
    """A chain of single elements: rows `here u[t] + before u[t - 1] + step` from the second on, and what else there is.

    All axes but those of the others are (draws, times).
    """

    precision: np.ndarray
    here: np.ndarray
    before: np.ndarray
    step_others: np.ndarray
    step_known: np.ndarray

    def draw(self, normals: Normals, rng: np.random.Generator) -> Drawn:
        """Draw the elements from the last to the first, and the others before them."""
        # Times first: a step is taken for all draws at once, and finds their numbers beside each other.
        within, w, a, b = (_turned(array) for array in (normals.within[0, 0], self.precision, self.here, self.before))
        beside = _turned(normals.beside)
        steps = _turned(np.concatenate([self.step_others, self.step_known[..., None]], axis=-1))
        d, h, pivots = np.empty_like(within), np.empty_like(beside), np.empty_like(w)
        d[0], h[0] = within[0], beside[0]
        for t in range(len(w)):
            pivots[t] = d[t] + w[t] * b[t] * b[t]
            ratio = w[t] * a[t] / pivots[t]
            d[t + 1] = ratio * a[t] * d[t] + within[t + 1]
            h[t + 1] = ratio[:, None] * (d[t, :, None] * steps[t] - b[t, :, None] * h[t]) + beside[t + 1]
        dense, right = self._others(normals, *map(_turned, (d, h, steps, pivots)))
        noise = rng.standard_normal(right.shape)
        others = _solved_back(dense, noise - _solved(dense, right))
        ends = np.concatenate([others, np.ones((len(others), 1))], axis=-1)
        known, moved = (np.einsum("tdm,dm->td", array, ends) for array in (h, steps))
        noises = rng.standard_normal(within.shape[::-1])
        free, found = _turned(noises), np.empty_like(within)
        last, roots = np.sqrt(d[-1]), np.sqrt(pivots)
        found[-1] = (free[-1] - known[-1] / last) / last
        for t in range(len(w) - 1, -1, -1):
            pulled = w[t] * b[t] * (a[t] * found[t + 1] + moved[t])
            found[t] = (free[t] - (known[t] + pulled) / roots[t]) / roots[t]

        def log_density() -> np.ndarray:
            squares = (noise**2).sum(-1) + (noises**2).sum(-1)
            count = noise.shape[-1] + noises.shape[-1]
            scale = _half_log_determinant(dense) + 0.5 * (np.log(pivots).sum(0) + np.log(d[-1]))
            return np.asarray(scale - 0.5 * squares - 0.5 * count * np.log(2 * np.pi))

        return Drawn(_turned(found)[None], others, log_density)

    def _others(
        self, normals: Normals, d: np.ndarray, h: np.ndarray, steps: np.ndarray, pivots: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The factor of the others with the chain integrated out, and the vector beside it."""
        w = self.precision
        ties = np.einsum("dtm,dt,dtn->dmn", h[:, :-1], w * self.before / pivots, steps)
        gone = np.einsum("dtm,dt,dtn->dmn", h[:, :-1], 1 / pivots, h[:, :-1]) + ties + np.swapaxes(ties, -1, -2)
        gone = gone - np.einsum("dtm,dt,dtn->dmn", steps, w * d[:, :-1] / pivots, steps)
        gone = gone + h[:, -1, :, None] * h[:, -1, None] / d[:, -1, None, None]
        return np.linalg.cholesky(normals.others - gone[:, :-1, :-1]), normals.others_known - gone[:, :-1, -1]


@dataclass(frozen=True, eq=False)
class Process:
    """A Gaussian process of which every element is seen: its covariance at each draw (draws, elements, elements)."""

    covariance: np.ndarray

    def draw(self, normals: Normals, rng: np.random.Generator) -> Drawn:
        """Draw the others, then the process given them: a draw of its prior, moved by what was seen of it."""
        within, beside = normals.within[0, 0], normals.beside
        count = within.shape[-1]
        noise = 1 / within
        seen = np.linalg.cholesky(self.covariance + noise[:, :, None] * np.eye(count))
        columns = beside * noise[..., None]
        solved = _solved(seen, columns)
        gone = np.swapaxes(beside, -1, -2) @ columns - np.swapaxes(solved, -1, -2) @ solved
        dense = np.linalg.cholesky(normals.others - gone[:, :-1, :-1])
        right = normals.others_known - gone[:, :-1, -1]
        first = rng.standard_normal(right.shape)
        others = _solved_back(dense, first - _solved(dense, right))
        root, lower = _root(self.covariance)
        drawn = (root @ rng.standard_normal((*within.shape, 1)))[..., 0]
        ends = np.concatenate([others, np.ones((len(others), 1))], axis=-1)
        pulled = np.einsum("dtm,dm->dt", columns, ends)
        apart = drawn + np.sqrt(noise) * rng.standard_normal(within.shape)
        found = drawn - self._moved(seen, apart + pulled)

        def log_density() -> np.ndarray:
            # Given all else, by the precision K⁻¹ + Λ: the determinants by that of what is seen.
            rest = found + self._moved(seen, pulled)
            whitened = _solved(root, rest) if lower else np.linalg.solve(root, rest[..., None])[..., 0]
            squares = (whitened**2).sum(-1) + (within * rest**2).sum(-1) + (first**2).sum(-1)
            scale = _half_log_determinant(seen) + 0.5 * np.log(within).sum(-1) - _half_log_determinant(root, lower)
            scale = scale + _half_log_determinant(dense)
            return np.asarray(scale - 0.5 * squares - 0.5 * (count + first.shape[-1]) * np.log(2 * np.pi))

        return Drawn(found[None], others, log_density)

    def _moved(self, seen: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Give K (K + Λ⁻¹)⁻¹ times a vector."""
        solved = _solved_back(seen, _solved(seen, value))
        return np.asarray((self.covariance @ solved[..., None])[..., 0])


def _turned(array: np.ndarray) -> np.ndarray:
    """Swap the first two axes, in memory too."""
    return np.ascontiguousarray(np.swapaxes(array, 0, 1))


def _solved(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve `lower x = right` for many small factors (draws, n, n) at once, row by row; `right` is (draws, n, …)."""
    found = np.empty_like(right)
    for k in range(lower.shape[-1]):
        found[:, k] = (right[:, k] - _dot(lower[:, k, :k], found[:, :k])) / _over(lower[:, k, k], right.ndim - 2)
    return found


def _solved_back(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve `lower.T x = right`, from the last row on."""
    found = np.empty_like(right)
    for k in range(lower.shape[-1] - 1, -1, -1):
        left = right[:, k] - _dot(lower[:, k + 1 :, k], found[:, k + 1 :])
        found[:, k] = left / _over(lower[:, k, k], right.ndim - 2)
    return found


def _dot(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("dj,dj...->d...", weights, rows))


def _over(numbers: np.ndarray, rank: int) -> np.ndarray:
    return numbers.reshape(len(numbers), *(1,) * rank)


def _root(covariance: np.ndarray) -> tuple[np.ndarray, bool]:
    """Give a root of covariances: the Cholesky factor, or where rounding leaves none, the symmetric one; and which."""
    try:
        return np.linalg.cholesky(covariance), True
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        floor = np.finfo(float).eps * values.max(-1, keepdims=True)
        return np.asarray((vectors * np.sqrt(np.maximum(values, floor))[:, None]) @ np.swapaxes(vectors, -1, -2)), False


def _half_log_determinant(root: np.ndarray, lower: bool = True) -> np.ndarray:
    diagonal = np.diagonal(root, axis1=-2, axis2=-1)
    return np.asarray(np.log(diagonal).sum(-1) if lower else np.linalg.slogdet(root)[1])


def _factored(
    within: np.ndarray, others: np.ndarray, known: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Factor blocks, and solve for what is beside them: slots come first in every array, groups last."""
    lower = np.zeros_like(within)
    rows, left = np.empty_like(others), np.empty_like(known)
    for i in range(len(within)):
        for k in range(i + 1):
            entry = within[i, k]
            for j in range(k):
                entry = entry - lower[i, j] * lower[k, j]
            lower[i, k] = np.sqrt(entry) if i == k else entry / lower[k, k]
        above, right = others[i], known[i]
        for j in range(i):
            above = above - lower[i, j][:, None] * rows[j]
            right = right - lower[i, j] * left[j]
        np.divide(above, lower[i, i][:, None], out=rows[i])
        np.divide(right, lower[i, i], out=left[i])
    return lower, rows, left


def _back(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve `lower.T x = right`, slot by slot from the last."""
    found = np.empty_like(right)
    for i in range(len(right) - 1, -1, -1):
        left = right[i]
        for j in range(i + 1, len(right)):
            left = left - lower[j, i] * found[j]
        np.divide(left, lower[i, i], out=found[i])
    return found
