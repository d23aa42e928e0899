"""The engines draw from one posterior: means and sds agree within Monte-Carlo error on a dozen models."""

import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics.statistics import bulk_ess
from tests.zoo import (
    correlations,
    counts,
    dirichlets,
    eight_schools,
    log_simplex,
    logistic,
    ordinal,
    truncated,
    varying_intercepts,
)


def gamma_regression():
    rng = np.random.default_rng(1)
    m = ss.Model("gamma_regression")
    m.x = ss.data(rng.normal(size=40))
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.shape = ss.Gamma(2, 0.5)
    m.y = ss.Gamma(m.shape, m.shape / ss.exp(m.a + m.b * m.x)).observe(rng.gamma(2, 1, 40))
    return m


def robust_line():
    rng = np.random.default_rng(2)
    x = np.linspace(-1, 1, 30)
    m = ss.Model("robust_line")
    m.x = ss.data(x)
    m.a = ss.Normal(0, 3)
    m.b = ss.Normal(0, 3)
    m.s = ss.HalfNormal(1)
    m.y = ss.StudentT(4, m.a + m.b * m.x, m.s).observe(1 + 2 * x + rng.standard_t(4, 30) * 0.3)
    return m


def overdispersed():
    rng = np.random.default_rng(3)
    m = ss.Model("overdispersed")
    m.log_mu = ss.Normal(0, 2)
    m.phi = ss.Exponential(0.5)
    m.y = ss.NegBinomial2(ss.exp(m.log_mu), m.phi).observe(rng.negative_binomial(3, 0.4, 50))
    return m


MODELS = {
    f.__name__: f
    for f in (
        eight_schools,
        logistic,
        varying_intercepts,
        truncated,
        dirichlets,
        correlations,
        ordinal,
        log_simplex,
        counts,
        gamma_regression,
        robust_line,
        overdispersed,
    )
}
# Each compilation takes half a minute: these three always, the others with --long.
COMPILED = ("eight_schools", "dirichlets", "ordinal")


def fitted(name, engine, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return MODELS[name]().mcmc(draws=1000, warmup=700, seed=seed, engine=engine, adapt_delta=0.95, progress=False)


def agree(one, other):
    """Compare means and mean squares; five standard errors of their difference, over all elements."""
    for name, x in one.posterior.items():
        y = other.posterior[name]
        for power in (1, 2):
            p, q = x**power, y**power
            if np.ptp(p) == 0:
                continue
            error = np.sqrt(p.var((0, 1)) / bulk_ess(p) + q.var((0, 1)) / bulk_ess(q))
            gap = np.abs(p.mean((0, 1)) - q.mean((0, 1)))
            moving = error > 0
            assert (gap[moving] < 5 * error[moving]).all(), (name, power, gap, error)


@pytest.mark.parametrize("name", list(MODELS))
def test_stanli_and_nutpie_agree(name):
    agree(fitted(name, "stanli", 1), fitted(name, "nutpie", 2))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_cmdstan_agrees(name):
    agree(fitted(name, "cmdstan", 3), fitted(name, "stanli", 1))


@pytest.mark.long
@pytest.mark.parametrize("name", [n for n in MODELS if n not in COMPILED])
def test_cmdstan_agrees_on_the_others(name):
    agree(fitted(name, "cmdstan", 3), fitted(name, "stanli", 1))


def test_a_difference_would_be_seen():
    one, other = fitted("counts", "stanli", 1), fitted("counts", "stanli", 2)
    agree(one, other)
    other.posterior["rate"] += 0.2 * other.posterior["rate"].std()
    with pytest.raises(AssertionError):
        agree(one, other)


@pytest.mark.long  # CI has a model's calibration by `m.sbc()`, in judge/test_sbc.py
def test_simulation_based_calibration():
    """Ranks of true values among posterior draws are uniform (Talts et al. 2018)."""
    from scipy import stats

    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(5), 6)

    def model(y):
        m = ss.Model("hierarchy")
        m.group = ss.data(group)
        m.mu = ss.Normal(0, 1)
        m.tau = ss.HalfNormal(1)
        m.alpha = ss.Normal(m.mu, m.tau, shape=5)
        m.s = ss.HalfNormal(1)
        m.y = ss.Normal(m.alpha[m.group], m.s).observe(y)
        return m

    base = model(np.zeros(30))
    ranks = {name: [] for name in ("mu", "tau", "s", "alpha")}
    for k in range(200):
        truth = base.simulate(seed=int(rng.integers(2**31)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = model(truth["y"]).mcmc(
                draws=500, warmup=500, chains=2, seed=k, engine="stanli", adapt_delta=0.95, progress=False
            )
        for name in ranks:
            draws = fit.posterior[name].reshape(1000, -1)[::10, 0]
            ranks[name].append(int((draws < np.ravel(truth[name])[0]).sum()))
    for name, found in ranks.items():
        observed = np.histogram(found, bins=10, range=(0, 101))[0]
        assert stats.chisquare(observed).pvalue > 0.001, (name, observed)
