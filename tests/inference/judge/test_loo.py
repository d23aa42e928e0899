"""`fit.loo()` with moment matching, beside the exact densities of refits and closed forms."""

import warnings

import arviz as az
import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import halfnorm, multivariate_normal, norm

import scistan as ss
from scistan.importance import smoothed_weights
from scistan.inference.arviz_data import loo_numbers
from scistan.inference.judge.moment_match import match
from scistan.messages.judge import JudgeWarning
from tests.inference.judge.test_kfold import exact

RUN = {"draws": 500, "warmup": 500, "chains": 4, "seed": 1, "engine": "stanli", "progress": False}
OUTLIER = np.array([0.2, -0.4, 0.1, 0.7, -0.9, 0.3, 9.0])


def normal(y):
    m = ss.Model("normal", coords={"who": [f"p{k}" for k in range(len(y))]})
    m.mu = ss.Normal(0, 2)
    m.y = ss.Normal(m.mu, 1, dims="who").observe(y)
    return m


@pytest.mark.skipif(not az.__version__.startswith("0."), reason="ArviZ 1.x smooths elsewhere")
@pytest.mark.parametrize("tail", [1.2, 2.0, 5.0])
def test_weights_are_smoothed_as_arviz_does(tail):
    ratios = np.log(np.random.default_rng(1).pareto(tail, 2000))
    weights, k = smoothed_weights(ratios)
    expected, shape = az.psislw(ratios, 1.0)
    np.testing.assert_allclose(weights, expected, rtol=1e-12)
    assert k == pytest.approx(float(shape), rel=1e-12)


def test_an_outlier_is_matched_to_its_exact_density():
    """One of 7 observations lies 9 sds off: importance sampling fails there, and moment matching does not."""
    fit = normal(OUTLIER).mcmc(**{**RUN, "seed": 2})
    with pytest.warns(JudgeWarning, match=r"for y\[p6\]: their densities are not reliable"):
        plain = fit.loo(moment_match=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fit.loo()
    expected = np.array([exact(OUTLIER, [k])[0] for k in range(7)])
    off = np.abs(loo_numbers(plain)[0] - expected)
    assert off[6] > 0.3  # so that there is something to mend
    elpd, k, good = loo_numbers(found)
    assert np.abs(elpd - expected).max() < 0.1
    assert (k <= good).all()
    assert not found.warning
    assert "estimated anew by moment matching" in " ".join(fit.notes)
    assert "y[p6]" in " ".join(fit.notes)


def test_latents_with_constraints_and_correlations_are_matched():
    """A regression with an outlier at the end of the line: beside exact densities, by a sum over the noise's scale."""
    x = np.linspace(-1, 1, 10)
    y = np.append(0.5 * x[:-1] + np.random.default_rng(3).normal(0, 0.3, 9), 6.0)
    m = ss.Model("line")
    m.a, m.b, m.s = ss.Normal(0, 2), ss.Normal(0, 2), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * x, m.s).observe(y)
    fit = m.mcmc(**{**RUN, "draws": 1000, "seed": 2})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        elpd, k, good = loo_numbers(fit.loo())
        before, _, _ = loo_numbers(fit.loo(moment_match=False))
    scales = np.linspace(0.05, 6, 400)

    def log_marginal(kept):
        own = 4 + 4 * np.outer(x[kept], x[kept])
        each = [
            multivariate_normal(np.zeros(len(kept)), own + s * s * np.eye(len(kept))).logpdf(y[kept])
            + halfnorm.logpdf(s)
            for s in scales
        ]
        return logsumexp(each)

    rows = np.arange(10)
    exact_values = np.array([log_marginal(rows) - log_marginal(np.delete(rows, k)) for k in rows])
    assert abs(before[-1] - exact_values[-1]) > 1  # so that there is something to mend
    assert k[-1] <= good
    # A density of exp(-13) is the mean of a few large ones.
    assert abs(elpd[-1] - exact_values[-1]) < 0.3
    np.testing.assert_allclose(elpd[:-1], exact_values[:-1], atol=0.1)


def test_the_result_is_arviz_own():
    fit = normal(np.random.default_rng(1).normal(size=9)).mcmc(**RUN)
    found = fit.loo()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own = az.loo(fit.idata, pointwise=True)
    np.testing.assert_array_equal(loo_numbers(found)[0], loo_numbers(own)[0])
    assert type(found) is type(own)
    assert "loo" in str(found)
    if az.__version__.startswith("0."):
        assert found.elpd_loo == own.elpd_loo
        assert "loo_i" not in fit.loo(pointwise=False)
        deviance = fit.loo(scale="deviance")
        assert deviance.elpd_loo == pytest.approx(-2 * own.elpd_loo)
    assert fit.notes == ()


def test_totals_follow_the_parts():
    fit = normal(OUTLIER).mcmc(**RUN)
    found = fit.loo(scale="deviance")
    elpd, _, _ = loo_numbers(found)
    total, p = (found.elpd_loo, found.p_loo) if hasattr(found, "elpd_loo") else (found.elpd, found.p)
    assert total == pytest.approx(-2 * elpd.sum())
    assert found.se == pytest.approx(2 * np.sqrt(7 * np.var(elpd)))
    inside = np.log(np.exp(fit.log_likelihood["y"].values).mean((0, 1))).sum()
    assert p == pytest.approx(inside - elpd.sum())


def test_a_scale_that_there_is_not_is_told():
    with pytest.raises(ss.ModelError, match="scale|deviance"):
        normal(OUTLIER).mcmc(**RUN).loo(scale="deviant")


def test_a_series_is_matched_whole():
    """Where rows cannot be looked at alone, the density of one is computed among all."""
    m = ss.Model("walk")
    m.step = ss.Normal(0, 1, shape=6)
    m.y = ss.Normal(ss.cumsum(m.step), 1).observe([0.1, 0.4, 6.0, 0.2, 0.5, 0.3])
    fit = m.mcmc(**RUN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        elpd, _, _ = loo_numbers(fit.loo())
    # y is normal: its covariance is that of the walk, and 1 on the diagonal.
    y, cov = np.array([0.1, 0.4, 6.0, 0.2, 0.5, 0.3]), np.minimum.outer(np.arange(1, 7), np.arange(1, 7)) + np.eye(6)
    for k in range(6):
        rest = np.delete(np.arange(6), k)
        gain = np.linalg.solve(cov[np.ix_(rest, rest)], cov[rest, k])
        expected = norm(gain @ y[rest], np.sqrt(cov[k, k] - gain @ cov[rest, k])).logpdf(y[k])
        assert elpd[k] == pytest.approx(expected, abs=0.35)


def test_without_the_latents_nothing_can_be_moved():
    fit = normal(OUTLIER).mcmc(**RUN, keep=["log_likelihood"])
    with pytest.warns(JudgeWarning, match="moment matching could not be done: moment matching needs latents"):
        found = fit.loo()
    assert found.warning
    assert fit.notes == ()


@pytest.mark.parametrize("mean", [[1.5], [1.0, -1.0]])
def test_wider_targets_are_matched_exactly(mean):
    """Draws of N(0, 1); without the observation the posterior is N(mean, cov), and the observation's density 1."""
    mean, size = np.array(mean), len(mean)
    cov = np.array([[9.0]]) if size == 1 else np.array([[6.0, 4.0], [4.0, 5.0]])
    points = np.random.default_rng(1).normal(size=(4000, size))
    ours, without = multivariate_normal(np.zeros(size)), multivariate_normal(mean, cov)

    def density(x):
        return np.atleast_1d(ours.logpdf(x)) + 7.0  # known up to a constant

    def likelihood(x):
        return np.atleast_1d(ours.logpdf(x) - without.logpdf(x))

    found = match(points, density(points), density, likelihood, 0.7)
    assert smoothed_weights(-likelihood(points))[1] > 0.7
    assert found.k < 0.7
    assert found.steps > 0
    assert abs(found.elpd) < 0.1  # 4000 draws of a mixture half of which is the target
