"""The marginal density keeps its digits where spreads vanish and where they are large, and far from zero.

The oracle is the covariance of what is observed, all at once.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.inference.integrate import integrated
from scistan.transforms.rows import lower_to_rows

GROUP = np.repeat(np.arange(5), 4)
X = np.random.default_rng(7).normal(size=20)
MEMBER = np.eye(5)[GROUP]
NOISE = 0.1  # the logarithm of the noise


def intercepts(y: np.ndarray, far: float, centred: bool) -> ss.Model:
    m = ss.Model("intercepts")
    m.a, m.tau, m.s = ss.Normal(far, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    if centred:
        m.u = ss.Normal(m.a, m.tau, shape=5)
        m.y = ss.Normal(m.u[GROUP], m.s).observe(y)
    else:
        m.u = ss.Normal(0, m.tau, shape=5)
        m.y = ss.Normal(m.a + m.u[GROUP], m.s).observe(y)
    return m


def slopes(y: np.ndarray, far: float, centred: bool) -> ss.Model:
    m = ss.Model("slopes")
    m.a, m.tau, m.s = ss.Normal(far, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    m.b = ss.Normal(0, m.tau, shape=5) if not centred else ss.Normal(0, 1, shape=5)
    m.y = ss.Normal(m.a + (m.b if not centred else m.tau * m.b)[GROUP] * X, m.s).observe(y)
    return m


def basis(y: np.ndarray, far: float, centred: bool) -> ss.Model:
    """Coefficients that all rows share, as of a spline."""
    m = ss.Model("basis")
    m.a, m.tau, m.s = ss.Normal(far, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    m.c = ss.Normal(0, m.tau, shape=5) if not centred else ss.Normal(0, 1, shape=5)
    m.y = ss.Normal(m.a + MEMBER * X[:, None] @ (m.c if not centred else m.tau * m.c), m.s).observe(y)
    return m


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize(
    ("build", "spread"), [(intercepts, MEMBER), (slopes, MEMBER * X[:, None]), (basis, MEMBER * X[:, None])]
)
def test_digits_are_kept_from_no_spread_to_a_large_one(build, spread, far, centred):
    rng = np.random.default_rng(3)
    y = far + 1 + (spread @ rng.normal(0, 0.7, 5)) + rng.normal(size=20)
    density = lower_to_rows(integrated(build(y, far, centred).instance(), True))
    assert density.names == ["tau", "s"]
    logs = np.array([-30.0, -20, -15, -10, -5, -1, 0, 1, 3, 6])
    found = density.log_densities(np.column_stack([logs, np.full(len(logs), NOISE)]))
    for log_tau, value in zip(logs, found, strict=True):
        tau, s = np.exp(log_tau), np.exp(NOISE)
        covariance = 25 * np.ones((20, 20)) + tau**2 * spread @ spread.T + s**2 * np.eye(20)
        expected = stats.multivariate_normal(np.full(20, far), covariance).logpdf(y)
        expected += stats.halfnorm.logpdf(tau) + log_tau + stats.halfnorm.logpdf(s) + NOISE
        # Numbers at 1e6 have ten digits behind the point; the oracle's own matrix has a condition of up to 1e8.
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-8 if not far else 1e-4)


@pytest.mark.parametrize("far", [1e6, 1e8])
def test_what_is_far_away_is_measured_by_what_can_be_moved(far):
    """An intercept of a wide prior beside effects that stay around 0, which would take a share of it."""
    rng = np.random.default_rng(3)
    near = MEMBER @ rng.normal(0, 0.7, 5) + rng.normal(size=20)
    found = []
    for start in (0.0, far):
        m = ss.Model("wide")
        m.a, m.tau, m.s = ss.Flat(), ss.HalfNormal(1), ss.HalfNormal(1)
        m.u = ss.Normal(0, m.tau, shape=5)
        m.y = ss.Normal(m.a + m.u[GROUP], m.s).observe(start + near)
        density = lower_to_rows(integrated(m.instance(), True))
        found.append(density.log_densities(np.array([[log_tau, NOISE] for log_tau in (-10.0, -1, 0, 1, 3)])))
    assert found[1] == pytest.approx(found[0], abs=20 * 1e-15 * far * 10)  # the rows' own last digits


@pytest.mark.parametrize("far", [0.0, 1e3])
def test_digits_are_kept_where_effects_explain_all_that_is_seen(far):
    """One row for each effect, as in eight schools: least squares would measure every effect from its own row."""
    y, error = far + np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    m = ss.Model("schools")
    m.mu, m.tau = ss.Normal(far, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, error).observe(y)
    density = lower_to_rows(integrated(m.instance(), True))
    logs = np.array([-50.0, -30, -17, -10, -3, 0, 2, 4, 8])
    found = density.log_densities(logs[:, None])
    for log_tau, value in zip(logs, found, strict=True):
        covariance = 25 * np.ones((8, 8)) + np.diag(error**2 + np.exp(2 * log_tau))
        expected = stats.multivariate_normal(np.full(8, far), covariance).logpdf(y)
        expected += stats.halfcauchy(scale=5).logpdf(np.exp(log_tau)) + log_tau
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-8)
