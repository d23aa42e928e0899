"""Conjugate families: the sums by which observations enter, the parameters that they make, and the density left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scistan.distributions.scipy_forms import special
from scistan.ops import FUNCTIONS
from scistan.ops.expression import Expression

__all__ = ["CONJUGATES", "Conjugate", "Likelihood", "Sums"]

lbeta, lgamma, log, log1p, total = (FUNCTIONS[n] for n in ("lbeta", "lgamma", "log", "log1p", "sum"))

Several = Sequence[Expression]


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """What observations add to each sum of a latent: at which of its elements, and how much.

    `constant` is the part of their log density that is of data alone.
    """

    positions: np.ndarray
    added: tuple[np.ndarray, ...]
    constant: float


@dataclass(frozen=True, slots=True, eq=False)
class Likelihood:
    """How observations depend on a latent: by which parameter, and with which sums.

    `sums(y, others, positions, multiples)` takes the numbers of its other parameters, which element each observation
    reads, and the multiple of it; None where they are impossible whatever the latent is.
    """

    parameter: str
    sums: Callable[..., Sums | None]
    multiples: bool = False  # the parameter may be a multiple of the latent
    axis: bool = False  # the parameter has an axis that observations do not have: over categories


@dataclass(frozen=True, slots=True, eq=False)
class Conjugate:
    """A family of latents: `given` less `alone` is the log density of what depends on one, but for a constant.

    Both are row by row: of each element or, of vectors whose elements belong together, of each vector. `most` is the
    largest number that a draw may be rounded to.
    """

    likelihoods: Mapping[str, Likelihood]
    posterior: Callable[[Several, Several], tuple[Expression, ...]]  # of the prior's parameters and sums
    given: Callable[[Several, Several], Expression]
    alone: Callable[[Several], Expression]
    sums: str  # in words
    most: float = np.inf


# -- what observations add --------------------------------------------------------------------------
def _poisson(y: np.ndarray, _: Mapping[str, np.ndarray], positions: np.ndarray, multiples: np.ndarray) -> Sums | None:
    if np.any(multiples < 0) or not np.all(np.isfinite(multiples)) or np.any((multiples == 0) & (y > 0)):
        return None
    constant = special().xlogy(y, multiples) - special().gammaln(y + 1.0)
    return Sums(positions, (y, multiples), float(np.sum(constant)))


def _bernoulli(y: np.ndarray, _: Mapping[str, np.ndarray], positions: np.ndarray, __: Any) -> Sums:
    return Sums(positions, (y, 1.0 - y), 0.0)


def _binomial(y: np.ndarray, others: Mapping[str, np.ndarray], positions: np.ndarray, _: Any) -> Sums | None:
    trials = np.broadcast_to(others["N"], y.shape)
    if np.any(trials < y):
        return None
    ways = _log_factorial(trials) - _log_factorial(y) - _log_factorial(trials - y)
    return Sums(positions, (y, trials - y), float(np.sum(ways)))


def _categorical(y: np.ndarray, _: Mapping[str, np.ndarray], positions: np.ndarray, __: Any) -> Sums:
    picked = np.take_along_axis(positions, y[..., None].astype(int), -1)[..., 0]
    return Sums(picked, (np.ones(y.shape),), 0.0)


def _multinomial(y: np.ndarray, others: Mapping[str, np.ndarray], positions: np.ndarray, _: Any) -> Sums | None:
    trials = np.broadcast_to(others["N"], y.shape[:-1])
    if np.any(y.sum(-1) != trials):
        return None
    ways = np.sum(_log_factorial(trials)) - np.sum(_log_factorial(y))
    return Sums(positions, (y,), float(ways))


def _log_factorial(count: np.ndarray) -> np.ndarray:
    return np.asarray(special().gammaln(count + 1.0))


# -- families ---------------------------------------------------------------------------------------
def _gamma_given(prior: Several, sums: Several) -> Expression:
    (shape, rate), (events, exposure) = prior, sums
    # Of `shape * log(rate / (rate + exposure))` nothing cancels where the rate is large.
    return lgamma(shape + events) - shape * log1p(exposure / rate) - events * log(rate + exposure)


def _dirichlet_alone(prior: Several) -> Expression:
    (alpha,) = prior
    return total(lgamma(alpha), -1) - lgamma(total(alpha, -1))


def _added(prior: Several, sums: Several) -> tuple[Expression, ...]:
    return tuple(own + more for own, more in zip(prior, sums, strict=True))


CONJUGATES: dict[str, Conjugate] = {
    "Gamma": Conjugate(
        {"Poisson": Likelihood("lambda_", _poisson, multiples=True)},
        _added,
        _gamma_given,
        lambda prior: lgamma(prior[0]),
        "by its counts and exposures",
    ),
    "Beta": Conjugate(
        {"Bernoulli": Likelihood("theta", _bernoulli), "Binomial": Likelihood("theta", _binomial)},
        _added,
        lambda prior, sums: lbeta(*_added(prior, sums)),
        lambda prior: lbeta(*prior),
        "by its successes and failures",
        most=1 - 2.0**-53,
    ),
    "Dirichlet": Conjugate(
        {"Categorical": Likelihood("theta", _categorical, axis=True), "Multinomial": Likelihood("theta", _multinomial)},
        _added,
        lambda prior, sums: _dirichlet_alone(_added(prior, sums)),
        _dirichlet_alone,
        "by its counts in categories",
    ),
}
