"""Hidden Markov chains with NumPy, over any number of chains and draws: filter, smooth, draw, most likely path.

All are logarithms: `start` (…, K) of the first state, `step` (…, K, K) or (…, T - 1, K, K) of the next state (columns)
given this one (rows), and `seen` (…, T, K) of what is observed in each state; axes in front are shared by broadcasting.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

__all__ = ["Chain"]


def _log_sum(x: np.ndarray, axis: int) -> np.ndarray:
    """Give `log(sum(exp(x)))`; -∞ where all are."""
    top = x.max(axis=axis, keepdims=True)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(np.exp(x - safe).sum(axis=axis)) + np.squeeze(safe, axis))


@dataclass(frozen=True, eq=False)
class Chain:
    """A chain of hidden states and what was seen along it."""

    start: np.ndarray
    step: np.ndarray
    seen: np.ndarray

    @property
    def length(self) -> int:
        return int(self.seen.shape[-2])

    @property
    def _varies(self) -> bool:
        """Whether the probabilities of the next state differ along the chain."""
        return self.step.ndim == max(self.seen.ndim, self.start.ndim + 1) + 1

    def _step(self, t: int) -> np.ndarray:
        """Give the probabilities from state t to state t + 1."""
        return np.asarray(self.step[..., t, :, :] if self._varies else self.step)

    @cached_property
    def filtered(self) -> np.ndarray:
        """The log probability of what was seen up to each time together with the state then: (…, T, K)."""
        found = [self.start + self.seen[..., 0, :]]
        for t in range(1, self.length):
            predicted = _log_sum(found[-1][..., :, None] + self._step(t - 1), -2)
            found.append(predicted + self.seen[..., t, :])
        return np.stack(np.broadcast_arrays(*found), axis=-2)

    @property
    def totals(self) -> np.ndarray:
        """The log probability of what was seen up to each time."""
        return _log_sum(self.filtered, -1)

    @property
    def total(self) -> np.ndarray:
        """The log probability of all that was seen."""
        return _log_sum(self.filtered[..., -1, :], -1)

    @property
    def smoothed(self) -> np.ndarray:
        """The probability of each state at each time, given all that was seen: (…, T, K)."""
        ahead = np.zeros(self.filtered.shape[:-2] + self.filtered.shape[-1:])
        found = [ahead]
        for t in range(self.length - 2, -1, -1):
            ahead = _log_sum(self._step(t) + (self.seen[..., t + 1, :] + ahead)[..., None, :], -1)
            found.append(ahead)
        both = self.filtered + np.stack(np.broadcast_arrays(*found[::-1]), axis=-2)
        return np.asarray(np.exp(both - _log_sum(both, -1)[..., None]))

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Draw the states, given all that was seen: forwards filtered, backwards drawn."""
        filtered = self.filtered
        states = np.empty(filtered.shape[:-1], dtype=np.int64)
        weights = filtered[..., -1, :]
        for t in range(self.length - 1, -1, -1):
            if t < self.length - 1:
                # rows of the next state: p(this | next) ∝ filtered(this) · p(next | this)
                step = np.broadcast_to(self._step(t), (*filtered.shape[:-2], *self.step.shape[-2:]))
                into = np.take_along_axis(step, states[..., t + 1, None, None], axis=-1)[..., 0]
                weights = filtered[..., t, :] + into
            states[..., t] = _drawn(rng, weights)
        return states

    def log_joint(self, states: np.ndarray) -> np.ndarray:
        """Give the log probability of a path together with all that was seen."""
        first = np.take_along_axis(np.broadcast_to(self.start, (*states.shape[:-1], self.start.shape[-1])),
                                   states[..., :1], axis=-1)[..., 0]
        seen = np.broadcast_to(self.seen, (*states.shape, self.seen.shape[-1]))
        total = first + np.take_along_axis(seen, states[..., None], axis=-1)[..., 0].sum(-1)
        for t in range(self.length - 1):
            step = np.broadcast_to(self._step(t), (*states.shape[:-1], *self.step.shape[-2:]))
            row = np.take_along_axis(step, states[..., t, None, None], axis=-2)[..., 0, :]
            total = total + np.take_along_axis(row, states[..., t + 1, None], axis=-1)[..., 0]
        return np.asarray(total)

    @property
    def most_likely(self) -> np.ndarray:
        """The path that is most probable as a whole (Viterbi)."""
        best = self.start + self.seen[..., 0, :]
        best = np.broadcast_to(best, self.filtered.shape[:-2] + best.shape[-1:])
        came: list[np.ndarray] = []
        for t in range(1, self.length):
            reached = best[..., :, None] + self._step(t - 1)
            came.append(reached.argmax(-2))
            best = reached.max(-2) + self.seen[..., t, :]
        path = np.empty((*best.shape[:-1], self.length), dtype=np.int64)
        path[..., -1] = best.argmax(-1)
        for t in range(self.length - 2, -1, -1):
            path[..., t] = np.take_along_axis(came[t], path[..., t + 1, None], axis=-1)[..., 0]
        return path


def _drawn(rng: np.random.Generator, logs: np.ndarray) -> np.ndarray:
    top = logs.max(-1, keepdims=True)
    passed = np.cumsum(np.exp(logs - np.where(np.isfinite(top), top, 0.0)), axis=-1)
    uniform = rng.random((*logs.shape[:-1], 1))
    return np.asarray((uniform * passed[..., -1:] >= passed[..., :-1]).sum(-1))
