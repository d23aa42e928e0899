"""Constraints are normalized: densities integrate to 1, depend on latent arguments as they must, and say what is missing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import scistan as ss
from scistan.inference.generated import log_prior
from scistan.messages.sampling import ChainWarning

UP = np.array([-0.4, 0.1, 0.9, 2.0])
FLAT = np.array([0.5, -1.2, 0.3, 0.4])


def hyper(name: str = "tied") -> ss.Model:
    m = ss.Model(name)
    m.mu = ss.Normal(0, 1)
    m.t = ss.Weibull(2, 0.727)
    return m


def given(m: ss.Model, **values: object) -> float:
    """Give the log density of `x` alone, the same by SciPy and by torch."""
    found = [m.log_density(values, target=target) - m.given(x=values["x"]).log_density(
        {k: v for k, v in values.items() if k != "x"}, target=target) for target in ("scipy", "torch")]
    assert found == pytest.approx([0.0, 0.0], abs=1e-12)  # a latent that is given keeps its density
    rest = m.do(x=values["x"]).log_density({k: v for k, v in values.items() if k != "x"})
    whole = [m.log_density(values, target=target) for target in ("scipy", "torch")]
    assert whole[0] == pytest.approx(whole[1], rel=1e-13)
    return whole[0] - rest


# -- the formulas --------------------------------------------------------------------------------
def test_order_of_equal_arguments_counts_the_orders():
    m = hyper()
    m.x = ss.Normal(m.mu, m.t, shape=4, constraint="ordered")
    expected = stats.norm(0.3, 0.7).logpdf(UP).sum() + math.log(24)
    assert given(m, mu=0.3, t=0.7, x=UP) == pytest.approx(expected, rel=1e-13)


def test_positive_order_divides_by_the_probability_of_being_positive():
    m = hyper()
    m.x = ss.Normal(m.mu, m.t, shape=4, constraint="positive_ordered")
    x, law = np.cumsum(np.abs(UP)), stats.norm(-0.8, 0.7)
    expected = law.logpdf(x).sum() + math.log(24) - 4 * law.logsf(0)
    assert given(m, mu=-0.8, t=0.7, x=x) == pytest.approx(expected, rel=1e-12)


def test_positive_families_in_order_need_no_more_than_the_orders():
    m = hyper()
    m.x = ss.Gamma(2, m.t, shape=4, constraint="ordered")
    x = np.cumsum(np.abs(UP))
    expected = stats.gamma(2, scale=1 / 0.7).logpdf(x).sum() + math.log(24)
    assert given(m, mu=0.0, t=0.7, x=x) == pytest.approx(expected, rel=1e-13)


def test_a_common_mean_drops_out_of_a_sum_to_zero():
    m = hyper()
    m.x = ss.Normal(m.mu, m.t, shape=4, constraint="sum_to_zero")
    expected = -3 * math.log(0.7 * math.sqrt(2 * math.pi)) - FLAT @ FLAT / (2 * 0.49)
    for mu in (0.0, -1.3, 4.0):
        assert given(m, mu=mu, t=0.7, x=FLAT) == pytest.approx(expected, rel=1e-12)


def test_a_sum_to_zero_of_different_normals_is_divided_by_the_density_of_their_sum():
    m = hyper()
    m.loc = ss.Normal(0, 1, shape=4)
    m.sd = ss.HalfNormal(1, shape=4)
    m.x = ss.Normal(m.loc, m.sd, constraint="sum_to_zero")
    loc, sd = np.array([0.3, -1.0, 0.2, 0.8]), np.array([0.5, 1.0, 2.0, 0.7])
    of_sum = stats.norm(loc.sum(), math.sqrt((sd**2).sum())).logpdf(0) + 0.5 * math.log(4)
    expected = stats.norm(loc, sd).logpdf(FLAT).sum() - of_sum
    assert given(m, mu=0.0, t=1.0, loc=loc, sd=sd, x=FLAT) == pytest.approx(expected, rel=1e-12)


def test_every_vector_of_a_batch_has_its_own():
    m, single = hyper(), hyper()
    m.loc = ss.Normal(0, 1, shape=(2, 1))
    m.x = ss.Normal(m.loc, m.t, shape=(2, 4), constraint="positive_ordered")
    single.x = ss.Normal(single.mu, single.t, shape=4, constraint="positive_ordered")
    x = np.stack([np.cumsum(np.abs(UP)), np.cumsum(np.abs(FLAT))])
    expected = sum(given(single, mu=mu, t=0.7, x=row) for mu, row in zip((-0.8, 0.4), x, strict=True))
    assert given(m, mu=0.0, t=0.7, loc=[[-0.8], [0.4]], x=x) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("family", [
    lambda **o: ss.Normal(0.4, 1.3, **o),
    lambda **o: ss.StdNormal(**o),
    lambda **o: ss.Normal(np.array([0.4, -1.0]), np.array([0.5, 1.3]), **o),
    lambda **o: ss.Normal(0.4, np.array([0.5, 1.3]), **o),
    lambda **o: ss.Normal(np.array([0.4, -1.0]), 1.3, **o),
])
def test_densities_of_a_sum_to_zero_integrate_to_one(family):
    m = ss.Model("plane")
    m.x = family(shape=2, constraint="sum_to_zero")
    along = np.array([1, -1]) / math.sqrt(2)
    assert quad(lambda u: math.exp(m.log_density({"x": u * along})), -12, 12)[0] == pytest.approx(1, rel=1e-8)


@pytest.mark.parametrize(("family", "constraint"), [
    (lambda **o: ss.Normal(0.4, 1.3, **o), "ordered"),
    (lambda **o: ss.Normal(0.4, 1.3, **o), "positive_ordered"),
    (lambda **o: ss.Gumbel(0.4, 0.8, **o), "positive_ordered"),
    (lambda **o: ss.Gamma(2.0, 1.5, **o), "ordered"),
])
def test_densities_in_order_integrate_to_one(family, constraint):
    m = ss.Model("order")
    m.x = family(shape=2, constraint=constraint)
    low = 0.0 if m.instance().graph.latents[0].value.domain.structure == "positive_ordered" else -9.0
    # Below the diagonal there is nothing: a = low + w·r, b = low + w·s with r < s, by Gauss–Legendre on the triangle.
    nodes, weights = (np.polynomial.legendre.leggauss(60)[k] for k in (0, 1))
    s, w = 0.5 * (nodes + 1), 0.5 * weights
    b, a = np.meshgrid(low + 24 * s, s, indexing="ij")
    points = np.stack([low + (b - low) * a, b], -1).reshape(-1, 2)
    area = (24 * w[:, None] * (b - low) * w).ravel()
    log_densities = log_prior(m.instance(), {"x": points[None]})[0]
    assert np.exp(log_densities) @ area == pytest.approx(1, abs=1e-6)


# -- three targets ------------------------------------------------------------------------------
def batches() -> ss.Model:
    m = hyper()
    m.loc = ss.Normal(0, 1, shape=(2, 1))
    m.own = ss.HalfNormal(1, shape=4)
    m.a = ss.Normal(m.loc, m.t, shape=(2, 4), constraint="sum_to_zero")
    m.b = ss.Normal(m.mu, m.own, constraint="sum_to_zero")
    m.c = ss.Normal(m.loc, m.t, shape=(3, 2, 4), constraint="positive_ordered")
    m.d = ss.Gumbel(m.mu, m.t, shape=3, constraint="positive_ordered")
    m.e = ss.SkewNormal(m.mu, m.t, 2.0, shape=3, constraint="ordered")
    m.f = ss.Lomax(m.t, 2.0, shape=3, constraint="ordered")
    return m


def test_targets_agree():
    assert batches().verify(points=4).ok


@pytest.mark.filterwarnings("ignore")
def test_log_prior_is_the_log_density(stanc):
    m = batches()
    stanc(m.stan_code())
    fit = m.mcmc(draws=20, warmup=50, chains=1, seed=1, progress=False, engine="stanli")
    at = {name: draws[0, -1] for name, draws in fit.posterior.items()}
    assert fit.idata.log_prior["log_prior"].values[0, -1] == pytest.approx(m.log_density(at), rel=1e-12)


def test_given_vectors_count_once_and_are_drawn_as_they_are_tied():
    m = hyper()
    m.x = ss.Normal(m.mu, m.t, shape=(2, 4), constraint="sum_to_zero")
    seen = m.given(x=np.stack([FLAT, -FLAT]))
    assert seen.verify(points=2).ok
    fit = seen.mcmc(draws=50, warmup=100, seed=1, progress=False, engine="stanli")
    assert fit.log_likelihood["x"].shape == (4, 50, 2)  # elements that are tied have one density
    np.testing.assert_allclose(fit.posterior_predictive["x"].values.sum(-1), 0, atol=1e-9)
    # The scale is learnt from three free numbers of each vector, as many as the likelihood has powers of it.
    squares = 2 * FLAT @ FLAT
    assert seen.mle(seed=1, progress=False, data=None).values["t"] == pytest.approx(math.sqrt(squares / 6), rel=1e-4)


# -- the numbers of the issue ---------------------------------------------------------------------
@pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
def test_chains_keep_the_priors_of_arguments():
    m = hyper()
    m.one = ss.Normal(0, m.t, shape=4, constraint="sum_to_zero")
    m.two = ss.Normal(m.mu, 1, shape=4, constraint="sum_to_zero")
    m.nu = ss.Normal(0, 1)
    m.three = ss.Normal(m.nu, 1, shape=3, constraint="positive_ordered")
    fit = m.mcmc(draws=4000, warmup=1000, seed=1, progress=False, engine="stanli")
    t, mu, nu = (fit.posterior[name] for name in ("t", "mu", "nu"))
    error = {name: row["mcse_mean"] for name, row in fit.summary(var_names=["t", "mu", "nu"]).iterrows()}
    assert t.mean() == pytest.approx(0.644, abs=5 * error["t"])  # was 0.407
    assert mu.std() == pytest.approx(1.0, abs=5 * error["mu"])  # was 0.441
    assert nu.mean() == pytest.approx(0.0, abs=5 * error["nu"])  # was 0.84


# -- what has no exact form ---------------------------------------------------------------------
def test_a_constant_without_latents_may_be_missing_and_is_told():
    m = ss.Model("constants")
    m.mu = ss.Normal(0, 1)
    m.a = ss.Normal(np.array([0.0, 1.0, 2.0]), 1, constraint="ordered")
    m.b = ss.StudentT(4, 0, 1, shape=3, constraint="sum_to_zero")
    m.c = ss.Normal(m.mu, np.array([1.0, 2.0, 3.0]), constraint="ordered")  # moved together they stay in order
    m.d = ss.Normal(m.mu, 1, shape=3, constraint="ordered")
    told = [hint for hint in m.explain().hints if "lacks a constant" in hint]
    assert [name in hint for name, hint in zip("abc", told, strict=True)] == [True] * 3
    assert m.verify(points=2).ok


def test_a_flat_prior_in_order_is_improper_and_lacks_nothing():
    m = ss.Model("flat")
    m.c = ss.Flat(shape=3, constraint="ordered")
    assert not any("lacks" in hint for hint in m.explain().hints)
    assert m.log_density({"c": [0.0, 1.0, 2.0]}) == 0.0


def test_a_probability_that_underflows_is_no_infinite_density():
    """Stan's gamma_lccdf is log(0) far out; subtracted it held chains where no draw of the prior ever is."""
    m = ss.Model("far")
    m.rate = ss.LogNormal(0, 3)
    m.x = ss.Gamma(2, m.rate, lower=3)
    with pytest.warns(ChainWarning, match="nothing is observed"):
        fit = m.mcmc(draws=1000, warmup=700, seed=1, progress=False, engine="stanli")
    assert np.isfinite(fit.posterior["rate"]).all()
    assert np.isfinite(fit.draws.statistics["lp"]).all()
