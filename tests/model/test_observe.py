"""Observed values join the broadcast; a promise is kept later."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.inference.arviz_data import dataset_names


def test_observed_values_give_the_shape():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0, 3.0])
    assert m.y.shape[0].today == 3
    expected = stats.norm(0, 1).logpdf(0.5) + stats.norm(0.5, 1).logpdf([1, 2, 3]).sum()
    assert m.log_density({"mu": 0.5}) == pytest.approx(expected, rel=1e-14)


def test_arguments_broadcast_against_the_values():
    m = ss.Model()
    m.mu = ss.Normal(0, 1, shape=(2, 1))
    values = np.arange(6.0).reshape(2, 3)
    m.y = ss.Normal(m.mu, np.array([1.0, 2.0, 3.0])).observe(values)
    at = np.array([[0.5], [-0.5]])
    expected = stats.norm(0, 1).logpdf(at).sum() + stats.norm(at, [1, 2, 3]).logpdf(values).sum()
    assert m.log_density({"mu": at}) == pytest.approx(expected, rel=1e-14)


def test_one_value_observed():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe(1.5)
    assert m.simulate(seed=0)["y"].shape == ()
    assert m.with_data(y=2.5).log_density({"mu": 2.5}) > m.log_density({"mu": 2.5})


@pytest.mark.parametrize("options", [{"shape": 3}, {"dims": "group"}], ids=["shape", "dims"])
def test_a_promise(options):
    m = ss.Model(coords={"group": list("abc")})
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1, **options).observe()
    assert m.variables["y"] == "observed"
    assert m.simulate(seed=0)["y"].shape == (3,)
    assert "observed_data" not in dataset_names(m.prior(4))
    assert m.prior(4).prior_predictive["y"].shape == (1, 4, 3)
    kept = m.with_data(y=[1.0, 2.0, 3.0])
    assert kept.log_density({"mu": 0.0}) == pytest.approx(
        stats.norm.logpdf(0) + stats.norm.logpdf([1, 2, 3]).sum(), rel=1e-14
    )
    with pytest.raises(ss.DataError, match="observed without values"):
        m.log_density({"mu": 0.0})


def test_a_promise_can_be_kept_by_what_was_simulated():
    m = ss.Model()
    m.x = ss.data(np.linspace(0, 1, 5))
    m.b = ss.Normal(0, 1)
    m.y = ss.Poisson(ss.exp(m.b * m.x)).observe()
    draw = m.simulate(seed=2)
    assert np.isfinite(m.with_data(y=draw["y"]).log_density({"b": draw["b"]}))


def test_what_is_promised_can_be_used():
    m = ss.Model()
    m.y = ss.Normal(0, 1, shape=3).observe()
    m.z = ss.Normal(m.y * 2, 1e-9).observe()
    draw = m.simulate(seed=0)
    assert draw["z"] == pytest.approx(draw["y"] * 2, abs=1e-6)


def test_one_model_many_observations():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    for k in range(3):
        m[f"y_{k}"] = ss.Normal(m.mu, k + 1).observe([float(k)])
    expected = stats.norm.logpdf(0.2) + sum(stats.norm(0.2, k + 1).logpdf(k) for k in range(3))
    assert m.log_density({"mu": 0.2}) == pytest.approx(expected, rel=1e-14)


def test_unused_latents_trouble_only_those_who_need_data():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.idle = ss.Normal(0, 1)
    assert set(m.simulate(seed=0)) == {"mu", "idle"}
    assert m.log_density({"mu": 0.0, "idle": 0.0}) == pytest.approx(2 * stats.norm.logpdf(0))
    m.y = ss.Normal(m.mu, 1).observe([1.0])
    assert "idle" in m.prior(3).prior
    for target in ("scipy", "torch"):
        with pytest.raises(ss.ModelError, match="nothing observed depends on `idle`"):
            m.log_density({"mu": 0.0, "idle": 0.0}, target=target)
    m.used = m.idle * 2  # a named quantity is a use
    assert np.isfinite(m.log_density({"mu": 0.0, "idle": 0.0}))


def test_a_loop_that_observes_one_name_warns_once_at_the_line():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for value in (1.0, 2.0, 3.0):
            m.y = ss.Normal(m.mu, 1).observe(value)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "`y` is observed again" in str(caught[0].message)
    assert "m[f'y_{i}']" in str(caught[0].message)


def test_another_likelihood_on_another_line_is_meant():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m.y = ss.Normal(m.mu, 1).observe(1.0)
        m.y = ss.StudentT(3, m.mu, 1).observe(1.0)
        for _ in range(2):
            m.y = ss.Normal(m.mu, 2).observe(1.0)  # the same definition again changes nothing
