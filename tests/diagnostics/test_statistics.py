"""R-hat, ESS and E-BFMI equal ArviZ's, and thresholds are applied to unrounded numbers."""

import tracemalloc

import arviz as az
import numpy as np
import pytest

from scistan.diagnostics import check_draws, statistics
from scistan.diagnostics.statistics import bulk_ess, e_bfmi, rhat, tail_ess


def chains(phi: float, shift: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = np.zeros((4, 500))
    for t in range(1, 500):
        x[:, t] = phi * x[:, t - 1] + rng.normal(size=4)
    x[0] += shift
    return x


@pytest.mark.parametrize(("phi", "shift"), [(0.0, 0.0), (0.9, 0.0), (-0.5, 0.0), (0.5, 1.0), (0.99, 3.0)])
def test_statistics_equal_arviz(phi, shift):
    x = chains(phi, shift, seed=1)
    np.testing.assert_allclose(rhat(x), az.rhat(x), rtol=1e-6)
    np.testing.assert_allclose(bulk_ess(x), az.ess(x, method="bulk"), rtol=0.02)
    np.testing.assert_allclose(tail_ess(x), az.ess(x, method="tail", prob=(0.05, 0.95)), rtol=0.02)


@pytest.mark.parametrize("draws", [499, 500])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_odd_draws_and_ties_equal_arviz(draws, digits):
    x = np.round(chains(0.5, 0.3, seed=5), digits)[:, :draws]
    np.testing.assert_allclose(rhat(x), az.rhat(x), rtol=1e-9)
    np.testing.assert_allclose(bulk_ess(x), az.ess(x, method="bulk"), rtol=0.02)
    np.testing.assert_allclose(tail_ess(x), az.ess(x, method="tail", prob=(0.05, 0.95)), rtol=0.02)


def test_chains_that_forget_late_are_followed_to_the_end(monkeypatch):
    """Few lags are looked at first: as many as there are must give the same."""
    stacked = np.stack([chains(phi, 0.0, seed=6) for phi in (-0.9, 0.0, 0.9, 0.99, 0.999)], axis=-1)
    bulk, tail = bulk_ess(stacked), tail_ess(stacked)
    monkeypatch.setattr(statistics, "_FEW_LAGS", 10_000)
    np.testing.assert_allclose(bulk, bulk_ess(stacked), rtol=1e-9)
    np.testing.assert_allclose(tail, tail_ess(stacked), rtol=1e-9)


@pytest.mark.parametrize("draws", [10, 11, 20, 21, 101, 500])
def test_a_tail_is_what_lies_not_above_the_quantile(draws):
    x = chains(0.5, 0.0, seed=7)[:, :draws]
    ends = [statistics._split(1.0 * (x <= np.quantile(x, tail))[None]) for tail in (0.05, 0.95)]
    sizes = [statistics._ess(statistics._Chains.of(end)) for end in ends]
    np.testing.assert_allclose(tail_ess(x), np.fmin(*sizes)[0], rtol=1e-12)


def test_measuring_leaves_the_draws_alone_and_takes_little_memory():
    """60 MB of draws, of which one block at a time is copied."""
    x = np.random.default_rng(8).normal(size=(4, 250, 7500))
    before = x.copy()
    tracemalloc.start()
    check_draws({"x": x}, {})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    np.testing.assert_array_equal(x, before)


def test_one_variable_alone_is_not_written_to():
    """A single column could be measured in place."""
    x = np.random.default_rng(9).normal(size=(4, 100, 1))
    before = x.copy()
    check_draws({"x": x}, {})
    np.testing.assert_array_equal(x, before)


def test_e_bfmi_equals_arviz():
    energy = chains(0.7, 0.0, seed=2)
    np.testing.assert_allclose(e_bfmi(energy), az.bfmi(energy), rtol=1e-9)


def test_statistics_of_many_variables_at_once():
    stacked = np.stack([chains(0.3, 0.0, seed) for seed in range(3)], axis=-1)
    np.testing.assert_allclose(rhat(stacked), [rhat(stacked[..., k]) for k in range(3)])
    np.testing.assert_allclose(bulk_ess(stacked), [bulk_ess(stacked[..., k]) for k in range(3)])


def test_a_constant_is_no_finding():
    x = np.ones((4, 100))
    assert not check_draws({"fixed": x}, {}).hints


def test_findings_name_the_element():
    good = chains(0.0, 0.0, seed=3)
    bad = good.copy()
    bad[0] += 5
    diagnosis = check_draws({"theta": np.stack([good, bad], axis=-1)}, {})
    assert not diagnosis.ok
    assert "theta[1]" in diagnosis.hints[0].variables
    assert "theta[0]" not in diagnosis.hints[0].variables


def test_divergences_are_counted():
    x = chains(0.0, 0.0, seed=4)
    diverging = np.zeros((4, 500), bool)
    diverging[1, :3] = True
    diagnosis = check_draws({"x": x}, {"diverging": diverging})
    assert [h.check for h in diagnosis.hints] == ["divergences"]
    assert diagnosis.hints[0].value == 3
