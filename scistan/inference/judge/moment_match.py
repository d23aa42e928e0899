"""Move posterior draws by an affine map so that they suit the posterior without one observation.

Paananen, Piironen, Bürkner and Vehtari (2021): means, then variances, then covariances of the draws are matched with
those that importance weights give, as long as Pareto k falls. At the end one half of the draws is moved and the other
is not, with weights of the mixture of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from scistan.importance import smoothed_weights

__all__ = ["Matched", "match"]

_MOST_STEPS = 30
_DRAWS_A_COORDINATE = 10  # without which a covariance says little

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, slots=True)
class Matched:
    """The log predictive density of an observation that is left out, Pareto k, and how often draws were moved."""

    elpd: float
    k: float
    steps: int


@dataclass(frozen=True, slots=True, eq=False)
class _Affine:
    """x -> matrix @ x + offset."""

    matrix: np.ndarray
    offset: np.ndarray

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(x @ self.matrix.T + self.offset)

    def back(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.solve(self.matrix, (x - self.offset).T).T)

    @property
    def log_volume(self) -> float:
        return float(np.linalg.slogdet(self.matrix)[1])

    def after(self, first: _Affine) -> _Affine:
        return _Affine(self.matrix @ first.matrix, self.matrix @ first.offset + self.offset)


def match(points: np.ndarray, density: np.ndarray, log_density: Function, log_likelihood: Function,
          threshold: float) -> Matched:
    """Leave out the observation that `log_likelihood` is of; `density` is the log density at the draws `points`."""
    whole = _Affine(np.eye(points.shape[1]), np.zeros(points.shape[1]))
    weights, k = smoothed_weights(-log_likelihood(points))
    here, steps = points, 0
    while k > threshold and steps < _MOST_STEPS:
        for step in _proposals(here, np.exp(weights)):
            there = step(here)
            ratios = log_density(there) - log_likelihood(there) - density
            if np.isfinite(ratios).sum() < len(points) / 2:  # most of them moved out of the support
                continue
            found, new = smoothed_weights(ratios)
            if new < k:
                here, weights, k, whole, steps = there, found, new, step.after(whole), steps + 1
                break
        else:
            break
    if not steps:
        return Matched(_log_sum(weights + log_likelihood(points)), k, 0)
    return _halved(points, density, log_density, log_likelihood, whole, steps)


def _halved(points: np.ndarray, density: np.ndarray, log_density: Function, log_likelihood: Function,
            moved: _Affine, steps: int) -> Matched:
    """Weigh a mixture of moved draws and of those as they are: neither tail is left to the other's."""
    half = len(points) // 2
    x = np.concatenate([moved(points[:half]), points[half:]])
    own = np.concatenate([log_density(x[:half]), density[half:]])
    other = np.concatenate([density[:half], log_density(moved.back(points[half:]))]) - moved.log_volume
    likelihood = log_likelihood(x)
    with np.errstate(invalid="ignore"):
        weights, k = smoothed_weights(own - likelihood - np.logaddexp(own, other))
    return Matched(_log_sum(weights + likelihood), k, steps)


def _proposals(x: np.ndarray, weights: np.ndarray) -> Iterator[_Affine]:
    """Give maps that match the mean, then the variances, then the covariance."""
    mean, wanted = x.mean(0), weights @ x
    identity = np.eye(x.shape[1])
    yield _Affine(identity, wanted - mean)
    spread, target = x.var(0), weights @ np.square(x - wanted)
    if (spread > 0).all() and (target > 0).all():
        matrix = np.diag(np.sqrt(target / spread))
        yield _Affine(matrix, wanted - matrix @ mean)
    if len(x) >= _DRAWS_A_COORDINATE * x.shape[1] > _DRAWS_A_COORDINATE:
        away = x - wanted
        try:
            before = np.linalg.cholesky(np.cov(x.T))
            after = np.linalg.cholesky((away * weights[:, None]).T @ away)
        except np.linalg.LinAlgError:
            return
        matrix = np.linalg.solve(before.T, after.T).T
        yield _Affine(matrix, wanted - matrix @ mean)


def _log_sum(terms: np.ndarray) -> float:
    largest = float(np.max(terms))
    return largest + float(np.log(np.exp(terms - largest).sum()))
