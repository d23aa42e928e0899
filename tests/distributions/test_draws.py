"""Draws follow their own densities: whole distributions are compared, not only moments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scistan.distributions import REGISTRY
from scistan.distributions.declaration import Distribution
from scistan.targets.scipy.truncated import draw_truncated

from .evaluation import with_numpy
from .strategies import arguments, examples, literals, seeds

DRAWS = 3000
# With some four hundred comparisons at fixed seeds, one in a million is no accident.
SUSPICIOUS = 1e-6

quick = examples(3)

CONTINUOUS = [n for n, d in sorted(REGISTRY.items()) if d.log_cdf is not None and not d.discrete]
DISCRETE = [n for n, d in sorted(REGISTRY.items()) if d.discrete and not d.event_rank]


def _direction(k: int) -> np.ndarray:
    return np.cos(1.0 + np.arange(k))


def _along(x: np.ndarray, matrix: np.ndarray) -> tuple[np.ndarray, float]:
    a = _direction(matrix.shape[-1])
    return x @ a, float(a @ matrix @ a)


def _spread(matrix: Callable[[np.ndarray], np.ndarray], law: Any) -> Any:
    """Check a projection of an elliptical distribution: location, scale and shape at once."""

    def statistic(x: np.ndarray, args: tuple[Any, ...]) -> tuple[np.ndarray, Any]:
        mu, scale = args[-2], matrix(args[-1])
        z, variance = _along(x - mu, scale)
        return z / np.sqrt(variance), law(*args)

    return statistic


def _quadratic(x: np.ndarray, matrix: np.ndarray) -> tuple[np.ndarray, float]:
    a = _direction(matrix.shape[-1])
    return np.einsum("i,nij,j->n", a, x, a), float(a @ matrix @ a)


def _wishart(x: np.ndarray, args: tuple[Any, ...]) -> tuple[np.ndarray, Any]:
    form, scale = _quadratic(x, args[1])
    return form / scale, stats.chi2(args[0])


def _inv_wishart(x: np.ndarray, args: tuple[Any, ...]) -> tuple[np.ndarray, Any]:
    form, scale = _quadratic(x, args[1])
    return scale / form, stats.chi2(args[0] - len(args[1]) + 1)


def _lkj(x: np.ndarray, args: tuple[Any, ...]) -> tuple[np.ndarray, Any]:
    shape = args[1] + args[0] / 2 - 1
    return (x[:, -1, 0] + 1) / 2, stats.beta(shape, shape)


MARGINALS: dict[str, Callable[..., tuple[np.ndarray, Any]]] = {
    "Dirichlet": lambda x, args: (x[:, 0], stats.beta(args[0][0], args[0][1:].sum())),
    "ExpDirichlet": lambda x, args: (np.exp(x[:, 0]), stats.beta(args[0][0], args[0][1:].sum())),
    "MultivariateNormalCov": _spread(lambda S: S, lambda *_: stats.norm()),
    "MultivariateNormalPrec": _spread(np.linalg.inv, lambda *_: stats.norm()),
    "MultivariateNormalChol": _spread(lambda L: L @ L.T, lambda *_: stats.norm()),
    "MultivariateStudentT": _spread(lambda S: S, lambda nu, *_: stats.t(nu)),
    "Wishart": _wishart,
    "InvWishart": _inv_wishart,
    "LKJCorr": _lkj,
    "LKJCholesky": lambda x, args: _lkj(x @ np.swapaxes(x, -1, -2), args),
}
COUNTED: dict[str, Callable[..., np.ndarray]] = {
    "Multinomial": lambda theta: theta,
    "MultinomialLogit": lambda gamma: np.exp(gamma - np.logaddexp.reduce(gamma)),
    "MultinomialLogTheta": np.exp,
}


def _drawn(d: Distribution, seed: int, args: tuple[Any, ...]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(d.draw(np.random.default_rng(seed), (DRAWS,), *map(np.asarray, args)))


def _uniform(u: np.ndarray) -> None:
    assert stats.kstest(u, "uniform").pvalue > SUSPICIOUS


def _counts_match(x: np.ndarray, outcomes: np.ndarray, chances: np.ndarray) -> None:
    """Compare frequencies with probabilities, rare outcomes pooled."""
    seen = (x[:, None] == outcomes).sum(0)
    often = chances * len(x) >= 5
    if not often.any():
        return
    observed = np.append(seen[often], len(x) - seen[often].sum())
    expected = np.append(chances[often] * len(x), max(1e-3, (1 - chances[often].sum()) * len(x)))
    score = ((observed - expected) ** 2 / expected)[: None if expected[-1] >= 5 else -1].sum()
    assert stats.chi2.sf(score, max(1, often.sum() - (expected[-1] < 5))) > SUSPICIOUS


def test_everything_is_drawn_somewhere() -> None:
    assert {*CONTINUOUS, *DISCRETE, *MARGINALS, *COUNTED, "Flat"} == set(REGISTRY)


@pytest.mark.parametrize("name", CONTINUOUS)
@quick
@given(data=st.data(), seed=seeds)
def test_continuous_draws(name: str, data: st.DataObject, seed: int) -> None:
    d = REGISTRY[name]
    args = data.draw(arguments(d, moderate=True))
    x = _drawn(d, seed, args)
    assert x.shape == (DRAWS,)
    assert not d.domain(literals(d, args)).violations(x).any()
    _uniform(np.exp(with_numpy(d, d.log_cdf, x, args)))


@pytest.mark.parametrize("name", DISCRETE)
@quick
@given(data=st.data(), seed=seeds)
def test_discrete_draws(name: str, data: st.DataObject, seed: int) -> None:
    d = REGISTRY[name]
    args = data.draw(arguments(d))
    x = _drawn(d, seed, args)
    assert x.dtype.kind == "i"
    assert not d.domain(literals(d, args)).violations(x).any()
    outcomes = np.arange(x.min(), min(x.max(), x.min() + 2000) + 1)
    chances = np.exp(with_numpy(d, d.log_density, outcomes, args))
    _counts_match(x, outcomes, np.broadcast_to(chances, outcomes.shape))


@pytest.mark.parametrize("name", sorted(MARGINALS))
@quick
@given(data=st.data(), seed=seeds)
def test_multivariate_draws(name: str, data: st.DataObject, seed: int) -> None:
    d = REGISTRY[name]
    args = data.draw(arguments(d, moderate=True))
    if name.endswith("Wishart"):
        args = (args[0] + len(args[1]), args[1])  # with fewer, rounding leaves some matrices singular
    x = _drawn(d, seed, args)
    assert not d.domain(literals(d, args)).violations(x).any()
    statistic, law = MARGINALS[name](x, args)
    _uniform(law.cdf(statistic))


@pytest.mark.parametrize("name", sorted(COUNTED))
@quick
@given(data=st.data(), seed=seeds)
def test_multinomial_draws(name: str, data: st.DataObject, seed: int) -> None:
    d = REGISTRY[name]
    N, vector = data.draw(arguments(d))
    x = _drawn(d, seed, (N, vector))
    assert x.dtype.kind == "i"
    assert (x.sum(-1) == N).all()
    theta = COUNTED[name](vector)
    for k in (0, -1):
        outcomes = np.arange(N + 1)
        _counts_match(x[:, k], outcomes, stats.binom(N, theta[k]).pmf(outcomes))


TRUNCATED = [n for n in CONTINUOUS if REGISTRY[n].scipy is not None]


@pytest.mark.parametrize(("low", "high"), [(0.2, 0.7), (None, 0.05), (0.995, None)])
@pytest.mark.parametrize("name", TRUNCATED)
def test_truncated_draws(name: str, low: float | None, high: float | None) -> None:
    d = REGISTRY[name]
    typical = tuple(0.4 if p.domain.upper == 1 else 0.9 + 0.6 * k for k, p in enumerate(d.parameters))
    args = {"Uniform": (-1.0, 2.5)}.get(name, typical)
    frozen = d.scipy(*args)
    lower, upper = (None if q is None else float(frozen.ppf(q)) for q in (low, high))
    x = draw_truncated(np.random.default_rng(5), (1500,), d, list(args), lower, upper)
    assert lower is None or (x >= lower).all()
    assert upper is None or (x <= upper).all()
    below = 0.0 if lower is None else float(np.exp(with_numpy(d, d.log_cdf, lower, args)))
    mass = (1.0 if upper is None else float(np.exp(with_numpy(d, d.log_cdf, upper, args)))) - below
    _uniform((np.exp(with_numpy(d, d.log_cdf, x, args)) - below) / mass)


def test_every_continuous_univariate_can_be_truncated() -> None:
    assert TRUNCATED == CONTINUOUS
