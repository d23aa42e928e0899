"""Within-chain threads: every observed form, summed in slices, keeps its density and gradient."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.engines.density import StanDensity
from tests.targets.stan_cases import build, cases

QUIET = {"log_lik": False, "predictive": False, "log_prior": False}
CASES = {str(case): case for case in cases() if case.role == "observed" and case.batch and case.arguments != "data"}


def group_model(rows: int = 40, **more: object) -> ss.Model:
    """A regression whose every part is cut: groups, a design matrix, a per-row scale, a shared expression."""
    rng = np.random.default_rng(0)
    m = ss.Model("groups")
    m.x, m.group = ss.data(rng.normal(size=(rows, 3))), ss.data(rng.integers(0, 4, rows))
    m.exposure = ss.data(rng.uniform(1, 2, rows))
    m.a, m.beta = ss.Normal(0, 1, shape=4), ss.Normal(0, 1, shape=3)
    m.log_scale = ss.Normal(0, 1)
    m.y = ss.StudentT(4, m.a[m.group] + m.x @ m.beta, ss.exp(m.log_scale) * m.exposure, **more).observe(
        rng.normal(size=rows)
    )
    return m


def softmax_rows() -> ss.Model:
    """Categories from a softmax of each row, and a whole-vector op that no slice can compute."""
    rng = np.random.default_rng(1)
    m = ss.Model("rows")
    m.x = ss.data(rng.normal(size=(12, 2)))
    m.weights = ss.Normal(0, 1, shape=(2, 3))
    m.c = ss.Categorical(ss.softmax(m.x @ m.weights, axis=-1)).observe(rng.integers(0, 3, 12))
    m.step = ss.Normal(0, 1, shape=12)
    m.y = ss.Normal(ss.cumsum(m.step), 1).observe(rng.normal(size=12))
    return m


def check(m: ss.Model, stanc) -> str:
    """Compare both programs at a few points: the same gradients, densities apart by a constant."""
    plain, threaded = m.stan_code(**QUIET), m.stan_code(**QUIET, threads=True)
    stanc(threaded)
    data = m.stan_data()
    one, many = StanDensity(plain, data), StanDensity(threaded, data)
    rng = np.random.default_rng(2)
    gaps = []
    for _ in range(3):
        q = 0.5 * rng.normal(size=one.dimension)
        (value, slope), (sliced, sliced_slope) = one.log_density_gradient(q), many.log_density_gradient(q)
        scale = max(1.0, np.abs(slope).max())
        np.testing.assert_allclose(sliced_slope / scale, slope / scale, rtol=0, atol=1e-9, err_msg=threaded)
        gaps.append(sliced - value)
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-9, atol=1e-8, err_msg=threaded)
    return threaded


@pytest.mark.parametrize("name", CASES)
def test_every_form_in_slices(name, stanc):
    m = build(CASES[name])
    if not m.to_graph().latents:  # a distribution without latent arguments: nothing to compute
        assert m.stan_code(threads=True) == m.stan_code()
        return
    text = check(m, stanc)
    assert ("reduce_sum(" in text) != ("sufficient statistics" in text)


@pytest.mark.parametrize(
    "model",
    [group_model(), group_model(lower=-3.0), softmax_rows()],
    ids=["groups", "truncated", "rows"],
)
def test_models_in_slices(model, stanc):
    text = check(model, stanc)
    assert text.count("reduce_sum(") == len(model.to_graph().observed)


def test_the_text_does_not_depend_on_lengths():
    assert group_model(40).stan_code(threads=True) == group_model(55).stan_code(threads=True)


def test_whole_vectors_are_cut_only_where_they_must_be(golden):
    golden("stan/threads.stan", group_model().stan_code(**QUIET, threads=True))


def test_one_observation_has_no_slices():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe(0.5)
    assert m.stan_code(threads=True) == m.stan_code()


def test_no_observations(stanc):
    m = ss.Model("none")
    m.x = ss.data([1.0, 2.0, 3.0])
    m.b, m.s = ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.b * m.x, m.s, lower=-4).observe([1.0, 2.0, 3.0])
    assert "reduce_sum" in check(m, stanc)
    check(m.with_data(x=[], y=[]), stanc)
