"""Sums of states where a probability is exactly 0 or 1: a value that data rule out, and one that has no chance.

The expected densities are written by hand, in probabilities, where a chance of 0 needs no thought.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.domains import integers
from tests.transforms.backends_here import HERE

ROUNDING = 1e-12
SLOPES = 1e-7  # of central differences with a step of 1e-4: its square, and rounding over the step
RATE = 1.7
PATTERNS = {
    "all zeros": [0] * 6, "no zeros": [1, 2, 3, 1, 1, 4], "one": [0], "a run of zeros": [0] * 5 + [2] * 10,
    "zeros at the end": [2] * 7 + [0] * 8, "in turn": [0, 3] * 4,
}
Build = Callable[[Any, Any, np.ndarray], Any]


def _above(rate: Any) -> Any:
    """Give a Poisson count that is not 0, the other half of a hurdle; what a test declares is forgotten after it."""
    declared = ss.declare_distribution(
        "PoissonAboveZeroOfBorders", "Counts above 0.", parameters={"rate": "positive"}, support=integers(1, None),
        log_density=lambda y, rate: ss.Poisson(rate).log_density(y) - ss.log1m_exp(-rate),
    )
    return declared(rate)


def _poisson(y: np.ndarray, rate: Any) -> np.ndarray:
    return np.asarray(stats.poisson(rate).pmf(y))


def _inflated(y: np.ndarray, p: float, rate: float) -> np.ndarray:
    """Give the probability of counts that are there with the chance `p`, and 0 else."""
    return (1 - p) * (y == 0) + p * _poisson(y, rate)


# name -> what observes `y` given the chance `p` and the rate, and the density of each element
FORMS: dict[str, tuple[Build, Callable[[np.ndarray, float, float], np.ndarray]]] = {}


def form(density: Callable[[np.ndarray, float, float], np.ndarray]) -> Callable[[Build], Build]:
    def keep(build: Build) -> Build:
        FORMS[build.__name__] = build, density
        return build

    return keep


@form(_inflated)
def a_latent(m: Any, p: Any, y: np.ndarray) -> None:
    m.on = ss.Bernoulli(p, shape=len(y))
    m.y = ss.Poisson(m.rate * m.on).observe(y)


@form(lambda y, p, rate: _inflated(y, 1 - p, rate))
def a_latent_the_other_way(m: Any, p: Any, y: np.ndarray) -> None:
    m.on = ss.Bernoulli(1 - p, shape=len(y))
    m.y = ss.Poisson(m.rate * m.on).observe(y)


@form(_inflated)
def categories(m: Any, p: Any, y: np.ndarray) -> None:
    m.on = ss.Categorical(ss.stack([1 - p, p]), shape=len(y))
    m.y = ss.Poisson(m.rate * m.on).observe(y)


@form(_inflated)
def a_mixture(m: Any, p: Any, y: np.ndarray) -> None:
    m.y = ss.Mixture(ss.stack([1 - p, p]), [ss.DiscreteRange(0, 0), ss.Poisson(m.rate)]).observe(y)


@form(_inflated)
def a_mixture_the_other_way(m: Any, p: Any, y: np.ndarray) -> None:
    m.y = ss.Mixture(ss.stack([p, 1 - p]), [ss.Poisson(m.rate), ss.DiscreteRange(0, 0)]).observe(y)


@form(lambda y, p, rate: (1 - p) * (y == 0) + p * (y > 0) * _poisson(y, rate) / -np.expm1(-rate))
def a_hurdle(m: Any, p: Any, y: np.ndarray) -> None:
    m.y = ss.Mixture(ss.stack([1 - p, p]), [ss.DiscreteRange(0, 0), _above(m.rate)]).observe(y)


@form(lambda y, p, rate: (1 - p) * _poisson(y, 3.0) + p * _poisson(y, rate))
def two_that_data_do_not_tell_apart(m: Any, p: Any, y: np.ndarray) -> None:
    m.y = ss.Mixture(ss.stack([1 - p, p]), [ss.Poisson(3.0), ss.Poisson(m.rate)]).observe(y)


@form(lambda y, p, rate: (1 - p) * _poisson(y, 2 * rate) + p * _poisson(y, rate))
def along_an_axis(m: Any, p: Any, y: np.ndarray) -> None:
    m.y = ss.Mixture(ss.stack([1 - p, p]), ss.Poisson(ss.stack([2 * m.rate, m.rate]))).observe(y)


@form(lambda y, p, rate: (1 - p) * stats.expon(scale=1 / rate).pdf(y - 0.5) + p * stats.norm(0, rate).pdf(y - 0.5))
def of_real_numbers(m: Any, p: Any, y: np.ndarray) -> None:
    """What is below 0 is nothing that waits."""
    m.y = ss.Mixture(ss.stack([1 - p, p]), [ss.Exponential(m.rate), ss.Normal(0, m.rate)]).observe(y - 0.5)


@form(lambda y, p, rate: (rate * p ** (y > 0) * (1 - p) ** (y == 0) + (y == 0)) / (1 + rate))
def seen_for_certain_or_never(m: Any, p: Any, y: np.ndarray) -> None:
    """The chance is that of being seen where there is something: at 1, a site without any is empty."""
    m.there = ss.Bernoulli(m.rate / (1 + m.rate), shape=len(y))
    m.y = ss.Bernoulli(p * m.there).observe((y > 0).astype(int))


def _paths(y: np.ndarray, p: float, rate: float) -> float:
    """Add over all paths of a chain of two rates that stays where it is with the chance `p`."""
    found = 0.0
    for path in product((0, 1), repeat=len(y)):
        stays = np.diff(path) == 0
        found += 0.5 * np.prod(np.where(stays, p, 1 - p)) * np.prod(_poisson(y, rate * (1 + np.array(path))))
    return found


def _chain(m: Any, p: Any, y: np.ndarray) -> None:
    m.s = ss.Series(lambda past: ss.Bernoulli(p * past[-1] + (1 - p) * (1 - past[-1])), start=ss.Bernoulli(0.5),
                    length=len(y))
    m.y = ss.Poisson(m.rate * (1 + m.s)).observe(y)


def _hidden_markov(m: Any, p: Any, y: np.ndarray) -> None:
    table = ss.stack([ss.stack([p, 1 - p]), ss.stack([1 - p, p])])
    m.s = ss.Series(lambda past: ss.Categorical(table[past[-1]]), start=ss.Categorical([0.5, 0.5]), length=len(y))
    m.y = ss.Poisson(m.rate * (1 + m.s)).observe(y)


def expected(name: str, y: np.ndarray, p: float, rate: float) -> float:
    """Give the log density, prior of the rate included."""
    prior = stats.gamma(2).logpdf(rate)
    with np.errstate(divide="ignore"):
        if name in CHAINS:
            return float(np.log(_paths(y, p, rate)) + prior)
        return float(np.log(FORMS[name][1](y, p, rate)).sum() + prior)


CHAINS: dict[str, Build] = {"a chain that is on or off": _chain, "a hidden Markov model": _hidden_markov}
NAMES = [*FORMS, *CHAINS]


def model(name: str, y: np.ndarray, p: float | None) -> ss.Model:
    """Build a model whose chance is data, or a latent that may be at the ends of its range."""
    m = ss.Model()
    m.rate = ss.Gamma(2, 1)
    if p is None:
        m.p = ss.Uniform(0, 1)
    else:
        m.p = ss.data(p)
    (CHAINS[name] if name in CHAINS else FORMS[name][0])(m, m.p, y)
    return m


def counts(pattern: str, name: str) -> np.ndarray:
    y = PATTERNS[pattern]
    return np.array((y * 2)[:7] if name in CHAINS else y)  # a chain has two elements at least, and 2^7 paths


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", NAMES)
def test_a_latent_chance_of_exactly_0_or_1_has_its_density(name: str, pattern: str) -> None:
    y = counts(pattern, name)
    m = model(name, y, None)
    for p in (0.0, 1.0, 0.3):
        right = expected(name, y, p, RATE)
        for target in ("scipy", "torch"):
            assert m.log_density({"p": p, "rate": RATE}, target=target) == pytest.approx(right, rel=ROUNDING), (target, p)


@pytest.mark.parametrize("p", [0.0, 1.0])
@pytest.mark.parametrize("name", NAMES)
def test_targets_agree_where_data_say_that_a_chance_is_0_or_1(name: str, p: float) -> None:
    for pattern in ("all zeros", "no zeros", "in turn"):
        y = counts(pattern, name)
        m = model(name, y, p)
        right = expected(name, y, p, RATE)
        assert m.log_density({"rate": RATE}) == pytest.approx(right, rel=ROUNDING)
        if np.isfinite(right):
            found = m.verify(points=2)
            assert found.ok, (pattern, found)


COMPILED = ("a_latent", "a_mixture")  # what CI compiles of JAX


@pytest.mark.parametrize(("name", "backend"), [
    pytest.param(name, b, marks=pytest.mark.long if b == "jax" and name not in COMPILED else ())
    for b in HERE for name in NAMES
])
def test_slopes_at_a_chance_of_0_or_1_are_right_or_none(name: str, backend: str) -> None:
    for pattern, p in product(("all zeros", "no zeros", "in turn"), (0.0, 1.0)):
        y = counts(pattern, name)
        if not np.isfinite(expected(name, y, p, RATE)):
            continue
        slopes = ss.grad(model(name, y, None), backend=backend)({"p": p, "rate": RATE})
        found = {name: float(slope) for name, slope in slopes.items()}
        step = 1e-4
        by_rate = (expected(name, y, p, RATE + step) - expected(name, y, p, RATE - step)) / (2 * step)
        assert found["rate"] == pytest.approx(by_rate, rel=SLOPES, abs=SLOPES), (pattern, p)
        assert np.isnan(found["p"]) or found["p"] == pytest.approx(_one_sided(name, y, p), rel=1e-3), (pattern, p)


def _one_sided(name: str, y: np.ndarray, p: float) -> float:
    """Give the slope in the chance at an end of its range, by Richardson's rule from inside."""
    inside = 1.0 if p == 0 else -1.0
    at = [expected(name, y, p + inside * h, RATE) for h in (0.0, 1e-5, 2e-5)]
    return inside * (4 * at[1] - at[2] - 3 * at[0]) / 2e-5


@pytest.mark.parametrize(("chance", "exposure", "form"), [
    (lambda: ss.Beta(1, 1), [1.0, 1.0, 1.0], "log1p_exp"),
    (lambda: ss.Uniform(0, 1), [1.0, 1.0, 1.0], "log_sum_exp"),
    (lambda: ss.Normal(0.5, 1, lower=0, upper=1), [1.0, 1.0, 1.0], "log_sum_exp"),
    (lambda: ss.data([0.0, 0.5, 0.5]), [1.0, 1.0, 1.0], "log_sum_exp"),
    (lambda: ss.data([0.2, 0.5, 0.5]), [1.0, 1.0, 1.0], "log1p_exp"),
    (lambda: ss.Beta(1, 1), [0.0, 1.0, 1.0], "log_sum_exp"),
], ids=["never 0", "uniform", "bounded", "data that are 0", "data", "an exposure of 0"])
def test_what_is_added_to_a_total_is_written_only_where_the_total_is_never_0(
    chance: Callable[[], Any], exposure: list[float], form: str
) -> None:
    m = ss.Model()
    m.rate, m.p, m.exposure = ss.Gamma(2, 1), chance(), ss.data(exposure)
    m.on = ss.Bernoulli(m.p, shape=3)
    m.y = ss.Poisson(m.rate * m.exposure * m.on).observe([0, 2, 0])
    written = [one for one in ("log1p_exp", "log_sum_exp") if f"!= 0 ? {one}(" in m.stan_code()]
    assert written == [form]
