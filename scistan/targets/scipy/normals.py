"""Normal latents given all else with NumPy, over draws: exact draws of them, and how probable those were.

They are given by the quadratic form h' Q h of h = (slots of each group, others, 1), whose exponential at -½ is their
density: block by block, with those of the group before where groups make a chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Drawn", "Normals"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Draws of the slots (draws, groups, slots) and of the others (draws, others), and their log density."""

    slots: np.ndarray
    others: np.ndarray
    log_density: np.ndarray


@dataclass(frozen=True, eq=False)
class Normals:
    """The blocks of the form at each draw; `before` has no groups where they are no chain."""

    within: np.ndarray  # draws, groups, slots, slots
    before: np.ndarray  # draws, groups, slots, slots of the group before
    slot_others: np.ndarray  # draws, groups, slots, others
    slot_known: np.ndarray  # draws, groups, slots
    others: np.ndarray  # draws, others, others
    others_known: np.ndarray  # draws, others

    @property
    def chained(self) -> bool:
        return self.before.shape[1] > 0

    @cached_property
    def _beside(self) -> np.ndarray:
        return np.concatenate([self.slot_others, self.slot_known[..., None]], axis=-1)

    @cached_property
    def _factor(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The Cholesky factor of each group, what ties it to the one before, and what it makes of what is beside."""
        if not self.chained:
            lower = np.linalg.cholesky(self.within)
            return lower, self.before, np.linalg.solve(lower, self._beside)
        lower, solved = np.empty_like(self.within), np.empty_like(self._beside)
        tied = np.zeros_like(self.within)
        for t in range(self.within.shape[1]):
            block, beside = self.within[:, t], self._beside[:, t]
            if t:
                tied[:, t] = np.swapaxes(np.linalg.solve(lower[:, t - 1], np.swapaxes(self.before[:, t], -1, -2)), -1, -2)
                block = block - tied[:, t] @ np.swapaxes(tied[:, t], -1, -2)
                beside = beside - tied[:, t] @ solved[:, t - 1]
            lower[:, t] = np.linalg.cholesky(block)
            solved[:, t] = np.linalg.solve(lower[:, t], beside)
        return lower, tied, solved

    @cached_property
    def _others(self) -> tuple[np.ndarray, np.ndarray]:
        """The factor of the others with the slots integrated out, and the vector beside it."""
        solved = self._factor[2]
        flat = solved.reshape(len(solved), -1, solved.shape[-1])
        gone = np.swapaxes(flat, -1, -2) @ flat
        left = self.others - gone[:, :-1, :-1]
        return np.linalg.cholesky(left), self.others_known - gone[:, :-1, -1]

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Draw all of them once for each draw of all else."""
        lower, tied, solved = self._factor
        dense, beside = self._others
        noise = rng.standard_normal(beside.shape)
        others = _back(dense, noise - np.linalg.solve(dense, beside[..., None])[..., 0])
        noises = rng.standard_normal(self.slot_known.shape)
        right = noises - (solved[..., :-1] @ others[:, None, :, None])[..., 0] - solved[..., -1]
        if not self.chained:
            slots = _back(lower, right)
        else:
            slots = np.empty_like(right)
            for t in range(right.shape[1] - 1, -1, -1):
                here = right[:, t]
                if t + 1 < right.shape[1]:
                    here = here - (np.swapaxes(tied[:, t + 1], -1, -2) @ slots[:, t + 1, :, None])[..., 0]
                slots[:, t] = _back(lower[:, t], here)
        pivots = np.log(np.diagonal(lower, axis1=-2, axis2=-1)).sum((-2, -1))
        pivots = pivots + np.log(np.diagonal(dense, axis1=-2, axis2=-1)).sum(-1)
        squares = (noise**2).sum(-1) + (noises**2).sum((-2, -1))
        count = noise.shape[-1] + noises.shape[-1] * noises.shape[-2]
        return Drawn(slots, others, pivots - 0.5 * squares - 0.5 * count * np.log(2 * np.pi))


def _back(lower: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Solve `lower.T x = right`."""
    return np.asarray(np.linalg.solve(np.swapaxes(lower, -1, -2), right[..., None])[..., 0])
