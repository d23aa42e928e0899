"""Probabilities of whole numbers: they sum to 1, cumulate to their cdf, and are right at the ends."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scistan.distributions import REGISTRY

from .evaluation import with_numpy, with_torch
from .strategies import arguments, literals
from .test_densities import quick

DISCRETE = [n for n, d in sorted(REGISTRY.items()) if d.discrete and not d.event_rank]
FINITE = [n for n in DISCRETE if callable(REGISTRY[n].support) or REGISTRY[n].support.upper is not None]


@pytest.mark.parametrize("name", FINITE)
@quick
@given(data=st.data())
def test_probabilities_sum_to_one(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    args = data.draw(arguments(d))
    support = d.domain(literals(d, args))
    outcomes = np.arange(support.lower, support.upper + 1)
    logs = np.broadcast_to(with_numpy(d, d.log_density, outcomes, args), outcomes.shape)
    assert np.exp(logs).sum() == pytest.approx(1, abs=1e-11)


@pytest.mark.parametrize("name", [n for n in DISCRETE if REGISTRY[n].log_cdf is not None])
@quick
@given(data=st.data())
def test_probabilities_cumulate(name: str, data: st.DataObject) -> None:
    d = REGISTRY[name]
    args = data.draw(arguments(d))
    first = int(d.domain(literals(d, args)).lower)
    outcomes = np.arange(first, first + 40)
    inside = ~d.domain(literals(d, args)).violations(outcomes)
    logs = np.broadcast_to(with_numpy(d, d.log_density, np.where(inside, outcomes, first), args), outcomes.shape)
    summed = np.cumsum(np.where(inside, np.exp(logs), 0.0))
    lower, upper = (np.exp(with_numpy(d, f, outcomes, args)) for f in (d.log_cdf, d.log_ccdf))
    np.testing.assert_allclose(lower, summed, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(lower + upper, 1, atol=1e-12)
    assert with_numpy(d, d.log_cdf, first - 1, args) == -np.inf
    assert with_numpy(d, d.log_ccdf, first - 1, args) == 0


EDGES: list[tuple[str, Any, tuple[Any, ...], float]] = [
    ("Bernoulli", 0, (0.0,), 0.0),
    ("Bernoulli", 1, (1.0,), 0.0),
    ("Binomial", 0, (7, 0.0), 0.0),
    ("Binomial", 7, (7, 1.0), 0.0),
    ("Binomial", 0, (0, 0.3), 0.0),
    ("Poisson", 0, (0.0,), 0.0),
    ("Multinomial", np.array([0, 3]), (3, np.array([0.0, 1.0])), 0.0),
    ("Categorical", 1, (np.array([0.0, 1.0]),), 0.0),
    ("DiscreteRange", 4, (4, 4), 0.0),
    ("HyperGeometric", 3, (3, 3, 0), 0.0),
]


@pytest.mark.parametrize(("name", "x", "args", "exact"), EDGES)
def test_what_is_certain_has_probability_one(name: str, x: Any, args: tuple[Any, ...], exact: float) -> None:
    d = REGISTRY[name]
    assert with_numpy(d, d.log_density, x, args) == pytest.approx(exact, abs=1e-14)
    value, gradients = with_torch(d, d.log_density, x, args)
    assert value == pytest.approx(exact, abs=1e-14)
    assert all(g is None or np.isfinite(g).all() for g in gradients)


@pytest.mark.parametrize("name", ["Multinomial", "MultinomialLogit", "MultinomialLogTheta"])
def test_multinomials_sum_to_one(name: str) -> None:
    d = REGISTRY[name]
    vector = {"Multinomial": np.array([0.2, 0.5, 0.3]), "MultinomialLogit": np.array([0.1, -1.0, 2.0])}.get(
        name, np.log([0.2, 0.5, 0.3])
    )
    rows = np.array([c for c in product(range(5), repeat=3) if sum(c) == 4])
    assert np.exp(with_numpy(d, d.log_density, rows, (4, vector))).sum() == pytest.approx(1, abs=1e-12)
