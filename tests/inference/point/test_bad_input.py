"""Wrong calls and impossible models, each told in the user's terms."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.inference.point.objective import Objective
from tests.zoo import counts, logistic


def test_options_that_do_not_exist():
    with pytest.raises(TypeError, match="did you mean `learning_rate`"):
        counts().map(learning_rat=0.1)
    with pytest.raises(ss.ModelError, match="`optimizer` must be"):
        counts().map(optimizer="sgd")
    with pytest.raises(ss.ModelError, match="`learning_rate` must be a positive number"):
        counts().map(learning_rate=-1)


@pytest.mark.parametrize("option", ["starts", "max_iterations", "batch_size", "epochs"])
@pytest.mark.parametrize("given", [0, -3, 2.5, True, "many"])
def test_counts_that_are_none(option, given):
    with pytest.raises(ss.ModelError, match=f"`{option}` must be a whole number of at least 1"):
        counts().map(**{option: given})


def test_a_likelihood_needs_observations():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    with pytest.raises(ss.ModelError, match="no observations"):
        m.mle()


def test_nothing_to_estimate():
    m = ss.Model()
    m.y = ss.Normal(0, 1).observe([1.0])
    with pytest.raises(ss.ModelError, match="no latents"):
        m.map()


def test_promised_data_that_never_came():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1, shape=3).observe()
    with pytest.raises(ss.ScistanError, match="y"):
        m.map()


def test_data_of_another_shape():
    with pytest.raises(ss.ScistanError):
        logistic().map(data={"x": np.zeros((4, 3))})


def test_a_density_that_is_not_finite_names_term_and_variable():
    m = ss.Model()
    m.rate = ss.Normal(0, 1)
    m.scale = ss.HalfNormal(1)
    m.y = ss.Normal(ss.log(m.rate - 100.0), m.scale).observe([1.0, 2.0])
    with pytest.raises(ss.ModelError, match=r"`mu` of Normal is nan for `y\[0\]`, observed as 1, where rate = .*, scale = .*: `ss.log` needs") as error:
        m.map(seed=0)
    assert "none of 8 starts has a density" in str(error.value)
    assert "rate = " in str(error.value)
    assert "test_bad_input.py" in str(error.value)


def test_a_gradient_that_is_not_finite_names_term_and_variable():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(ss.sqrt(ss.abs(m.a * 0.0)) + m.b, 1).observe([1.0])
    with pytest.raises(ss.ModelError, match=r"gradient of the log density of `y` \(Normal\) in `a`"):
        m.map(seed=0)


def test_some_starts_may_fail():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(ss.log(m.a), 1).observe([0.0])
    found = m.map(seed=0, starts=8)
    assert found.converged
    assert any("left out" in finding for finding in found.findings)


def test_unknown_inits():
    with pytest.raises(ss.ModelError, match="not understood"):
        counts().map(inits="near")
    with pytest.raises(ss.ModelError, match="no latent `rat`"):
        counts().map(inits={"rat": 1.0})


def test_running_out_of_memory_says_which_batch_to_try(monkeypatch):
    torch = pytest.importorskip("torch")

    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(Objective, "_parts", full)
    with pytest.raises(ss.SamplingError, match="ran out of memory") as error:
        logistic(rows=400).map(seed=0)
    assert "batch_size=100" in str(error.value)


@pytest.mark.parametrize("seed", [-1, 2.5, "a", True])
def test_a_seed_that_is_none(seed):
    with pytest.raises(ss.ModelError, match="a seed is a whole number"):
        counts().map(seed=seed)


@pytest.mark.parametrize("option", ["compile", "polish", "progress"])
def test_switches_are_on_or_off(option):
    with pytest.raises(ss.ModelError, match=f"`{option}` must be True or False"):
        counts().map(**{option: 3})


def test_starting_values_outside_their_domain_and_for_some_latents_only():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.a, m.s).observe([1.0, 2.0, 0.5])
    with pytest.raises(ss.ModelError, match="the starting value of `s` must be not negative"):
        m.map(inits={"a": 0.0, "s": -1.0})
    with pytest.raises(ss.ModelError, match="give a dict of values or a point estimate"):
        m.map(inits="prior")
    assert m.map(inits={"a": 1.0}, seed=0).converged


def test_an_impossible_likelihood_names_its_term():
    m = ss.Model()
    m.a = ss.Uniform(0, 1)
    m.y = ss.Uniform(0, m.a).observe([2.0, 3.0])
    with pytest.raises(ss.ModelError, match=r"`y\[0\]`, observed as 2, is outside the support of Uniform, which is between 0 and"):
        m.map(seed=0)


def test_files_that_are_no_estimates(tmp_path):
    with pytest.raises(ss.DataError, match="there is no such file"):
        ss.load(tmp_path / "none.npz")
    other = tmp_path / "other.npz"
    other.write_text("something else")
    with pytest.raises(ss.DataError, match="not a saved estimate"):
        ss.load(other)
    np.savez(other, x=np.zeros(3))
    with pytest.raises(ss.DataError, match="not a saved estimate"):
        ss.load(other)
    found = counts().map(seed=0)
    assert ss.load(found.save(tmp_path / "mine")).log_density == found.log_density


def test_a_matrix_without_a_factor_names_its_term():
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.MultivariateNormal(np.zeros(2), cov=m.a * np.array([[0.0, 0.0], [0.0, 1.0]])).observe([1.0, 2.0])
    with pytest.raises(ss.ModelError, match=r"`cov` of MultivariateNormal must be a positive-definite matrix"):
        m.map(progress=False)
