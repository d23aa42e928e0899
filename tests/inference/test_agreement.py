"""The three targets are one model: for every model of the zoo, easy and hard."""

import warnings

import numpy as np
import pytest

import scistan as ss
from tests.zoo import ZOO, varying_intercepts


@pytest.mark.parametrize("name", ZOO)
def test_targets_agree(name):
    agreement = ZOO[name]().verify(points=4)
    assert agreement.ok, agreement


def test_agreement_prints_as_a_table():
    agreement = varying_intercepts().verify(points=2)
    assert "SciPy and Stan" in repr(agreement)
    assert "<table>" in agreement._repr_html_()


def test_a_wrong_program_is_noticed(monkeypatch):
    """The comparison can fail: a density that is off by a factor shows in both errors."""
    from scistan.inference import agreement as module

    right = module.joint_log_density
    monkeypatch.setattr(module, "joint_log_density", lambda instance, values: 1.001 * right(instance, values))
    assert not varying_intercepts().verify(points=3).ok


def sometimes_impossible():
    m = ss.Model()
    m.x = ss.data(np.r_[np.zeros(20), np.ones(20)])
    m.k = ss.Gamma(2, 1)
    m.b0 = ss.Normal(0, 2)
    m.b1 = ss.Normal(0, 1)
    m.c = ss.Bernoulli(ss.Weibull(m.k, ss.exp(m.b0 + m.b1 * m.x)).ccdf(4.0)).observe(np.ones(40))
    return m


def test_points_where_every_target_says_zero_are_agreement():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        agreement = sometimes_impossible().verify(points=8)
    assert agreement.ok, agreement
    assert agreement.points == 8
    assert agreement.zeros > 0
    assert f"and at {agreement.zeros} where every target says that the density is zero" in repr(agreement)


def test_observations_beyond_a_latent_bound_are_agreement():
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.Uniform(0, m.a).observe([1.0])
    agreement = m.verify()
    assert agreement.ok, agreement
    assert agreement.zeros > 0


def test_a_density_that_is_zero_everywhere_is_not_called_agreement():
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.Bernoulli(0 * m.a).observe([1])
    agreement = m.verify(points=2)
    assert not agreement.ok
    assert "NOT COMPARED" in repr(agreement)


def test_a_target_that_alone_says_zero_disagrees(monkeypatch):
    from scistan.inference import agreement as module

    monkeypatch.setattr(module, "joint_log_density", lambda instance, values: -np.inf)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        agreement = varying_intercepts().verify(points=3)
    assert not agreement.ok
    assert agreement.max_density_error == np.inf


@pytest.mark.parametrize(
    "family",
    [
        lambda a: ss.Normal(a, 1),
        lambda a: ss.Poisson(ss.exp(a)),
        lambda a: ss.PoissonLog(a),
        lambda a: ss.Exponential(ss.exp(a)),
        lambda a: ss.BernoulliLogit(a),
    ],
    ids=["Normal", "Poisson", "PoissonLog", "Exponential", "BernoulliLogit"],
)
def test_no_observations_at_all(family):
    """The sums that stand for identical observations are right for none of them, too."""
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = family(m.a).observe([])
    assert m.verify(points=3).ok


def on_no_observations() -> ss.Model:
    m = ss.Model("none")
    m.x = ss.data([[0.5, 1.0], [1.0, 2.0]])
    m.b = ss.Normal(0, 1, shape=2)
    m.y = ss.Bernoulli(ss.inv_logit(m.x @ m.b)).observe([0, 1])
    return m.with_data(x=np.zeros((0, 2)), y=np.zeros(0, int))


@pytest.mark.parametrize("verb", ["verify", "mcmc"])
def test_no_observations_are_a_gap_of_stanli_and_no_fault_of_ours(verb):
    m = on_no_observations()
    with pytest.raises(ss.UnsupportedError, match=r"takes no whole numbers of length 0(?s:.*)engine='cmdstan'"):
        m.verify() if verb == "verify" else m.mcmc(engine="stanli", progress=False)
