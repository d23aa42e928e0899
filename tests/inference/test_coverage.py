"""Simulate, fit, recover: over fifty data sets, intervals of series, sums and recurrences hold as often as they claim.

Equations have theirs in `tests/ops/test_ode.py`, hidden Markov models and zero-inflated counts in `test_hidden_states.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest

import scistan as ss
from tests.distributions.series_models import FORMS, series_values

pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
LEVEL, COMPARISONS = 1e-6, 2_000
DATA_SETS = 50
STEPS = 25
BETWEEN = (0.1, 0.9)  # the true value lies between these quantiles of its posterior in four of five data sets


def recurrence() -> ss.Model:
    m = ss.Model("recurrence")
    m.x = ss.data(np.sin(np.arange(STEPS) * 0.7))
    m.keep, m.b, m.s = ss.Beta(2, 2), ss.Normal(0, 1), ss.Gamma(4, 8)
    m.stock = ss.scan(lambda stock, x: m.keep * stock + x, init=0.0, over=m.x)
    m.y = ss.Normal(m.b * m.stock, m.s, shape=STEPS).observe()
    return m


def mixture() -> ss.Model:
    m = ss.Model("mixture")
    m.w, m.mu = ss.Beta(4, 4), ss.Normal([-1.0, 1.0], 0.7, constraint="ordered")
    m.y = ss.Mixture([m.w, 1 - m.w], [ss.Normal(m.mu[0], 0.5), ss.Normal(m.mu[1], 0.8)], shape=30).observe()
    return m


def change_point() -> ss.Model:
    m = ss.Model("change_point")
    m.t = ss.data(np.arange(STEPS))
    m.early, m.late = ss.Gamma(3, 1), ss.Gamma(3, 1)
    m.when = ss.DiscreteRange(1, STEPS - 1)
    m.y = ss.Poisson(ss.where(m.t < m.when, m.early, m.late)).observe()
    return m


def volatility() -> ss.Model:
    m = ss.Model("volatility")
    m.mu, m.phi, m.tau = ss.Normal(-1, 1), ss.Uniform(-0.9, 0.9), ss.Gamma(4, 8)
    m.h = ss.Series(lambda past: ss.Normal(m.mu + m.phi * (past[-1] - m.mu), m.tau), start=ss.Normal(m.mu, m.tau), length=STEPS)
    m.y = ss.Normal(0, ss.exp(m.h / 2)).observe()
    return m


KINDS: dict[str, Callable[[], ss.Model]] = {
    **{f"series {f.name}": lambda f=f: f.build(series_values(f, 8 if f.name == "vectors" else STEPS, "random"), 0) for f in FORMS},  # type: ignore[misc]
    **{f.__name__: f for f in (recurrence, mixture, change_point, volatility)},
}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_hold_as_often_as_they_claim(kind: str) -> None:
    m = KINDS[kind]()
    found = m.sbc(DATA_SETS, draws=300, warmup=300, chains=2, seed=1, engine="stanli", adapt_delta=0.9, progress=False)
    assert not found.failed
    assert {element: p for element, p in found.p_values.items() if p < LEVEL / COMPARISONS} == {}
    for name, places in found.places.items():
        flat = places.reshape(DATA_SETS, -1)
        flat = flat[:, np.isfinite(flat).all(0)]  # what is constant, as in a Cholesky factor, has no place
        held = ((flat > BETWEEN[0]) & (flat < BETWEEN[1])).sum(0)
        for count in held:
            assert binomtest(int(count), DATA_SETS, BETWEEN[1] - BETWEEN[0]).pvalue > LEVEL / COMPARISONS, (name, held)
