"""Marginal estimates of linear mixed models beside statsmodels' MixedLM."""

import warnings

import numpy as np
import pytest

import scistan as ss

pytest.importorskip("torch")
lm = pytest.importorskip("statsmodels.api")

RNG = np.random.default_rng(11)
GROUP = np.repeat(np.arange(25), [3, 4, 5, 6, 7] * 5)
X = RNG.normal(size=len(GROUP))
EFFECTS = RNG.multivariate_normal([1.0, -0.5], [[0.8, 0.2], [0.2, 0.4]], 25)
Y = EFFECTS[GROUP, 0] + EFFECTS[GROUP, 1] * X + RNG.normal(0, 0.6, len(GROUP))


def intercepts() -> ss.Model:
    m = ss.Model("intercepts")
    m.a, m.b, m.tau, m.sigma = ss.Flat(), ss.Flat(), ss.Flat(lower=0), ss.Flat(lower=0)
    m.u = ss.Normal(0, m.tau, shape=25)
    m.y = ss.Normal(m.a + m.b * X + m.u[GROUP], m.sigma).observe(Y)
    return m


def slopes() -> ss.Model:
    m = ss.Model("slopes")
    m.mean, m.sd, m.sigma = ss.Flat(shape=2), ss.Flat(lower=0, shape=2), ss.Flat(lower=0)
    m.factor = ss.LKJCholesky(2, 1.0)
    m.v = ss.MultivariateNormal(m.mean, chol=m.sd[:, None] * m.factor, shape=25)
    m.y = ss.Normal(m.v[GROUP, 0] + m.v[GROUP, 1] * X, m.sigma).observe(Y)
    return m


def theirs(random: np.ndarray, reml: bool):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lm.MixedLM(Y, np.column_stack([np.ones(len(Y)), X]), GROUP, exog_re=random)
        return model.fit(reml=reml, method="bfgs", gtol=1e-10)


def check(found, other, coefficients: np.ndarray, covariance: np.ndarray) -> None:
    """Hold a maximum to another's: as high at least, and no further than the height of the gap allows.

    A maximum that is lower by `g` is within `sqrt(2 g)` standard errors of ours.
    """
    gap = found.log_density - other.llf
    assert -1e-7 * abs(other.llf) <= gap <= 1e-4
    near = np.sqrt(2 * max(gap, 1e-9))
    assert np.abs(coefficients - other.fe_params).max() <= 10 * near * max(other.bse_fe)
    np.testing.assert_allclose(found["sigma"] ** 2, other.scale, rtol=10 * near)
    np.testing.assert_allclose(covariance, np.atleast_2d(other.cov_re), atol=10 * near * np.abs(covariance).max())


@pytest.mark.parametrize("integrate", ["auto", "reml"])
def test_varying_intercepts(integrate):
    found = intercepts().mle(seed=1, progress=False, integrate=integrate)
    other = theirs(np.ones((len(Y), 1)), integrate == "reml")
    check(found, other, np.array([found["a"], found["b"]]), np.array([[found["tau"] ** 2]]))


def test_varying_slopes():
    found = slopes().mle(seed=1, progress=False)
    factor = found["sd"][:, None] * found["factor"]
    check(found, theirs(np.column_stack([np.ones(len(Y)), X]), False), found["mean"], factor @ factor.T)
