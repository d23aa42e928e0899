"""Seeds: each variable has a stream of its own, keyed by the seed and its name and by nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.inference.arviz_data import dataset_names
from scistan.targets.scipy.streams import stream
from tests.zoo import ZOO


def arrays(idata) -> dict[str, np.ndarray]:
    groups = [idata[name] for name in dataset_names(idata) if name in ("prior", "prior_predictive")]
    return {name: group[name].values for group in groups for name in group.data_vars}


@pytest.mark.parametrize("build", ZOO.values(), ids=ZOO)
def test_one_seed_gives_the_same_draws_every_time(build):
    one, other = arrays(build().prior(20, seed=7)), arrays(build().prior(20, seed=7))
    for name, array in one.items():
        assert np.array_equal(array, other[name])
    third = arrays(build().prior(20, seed=8))
    assert any(not np.array_equal(array, third[name]) for name, array in one.items())


def test_without_a_seed_draws_differ_and_the_seed_is_told():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    one, other = m.prior(5), m.prior(5)
    assert not np.array_equal(one.prior["mu"], other.prior["mu"])
    again = m.prior(5, seed=one.prior.attrs["seed"])
    assert np.array_equal(one.prior["mu"], again.prior["mu"])


def test_numpys_global_seed_is_left_alone():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    np.random.seed(0)
    before = np.random.get_state()[1].copy()
    m.prior(5, seed=1)
    assert np.array_equal(before, np.random.get_state()[1])


def test_variables_of_one_distribution_are_independent():
    m = ss.Model()
    for k in range(20):
        m[f"x_{k}"] = ss.Normal(0, 1)
    draws = np.array([array[0] for array in arrays(m.prior(4000, seed=0)).values()])
    correlations = np.corrcoef(draws)[np.triu_indices(20, 1)]
    assert np.abs(correlations).max() < 5 / np.sqrt(4000)  # five standard errors; 190 pairs


def test_names_that_share_a_beginning_or_an_end_have_streams_of_their_own():
    names = ["x", "x_1", "x_10", "x_11", "effect_of_site", "effect_of_site_2", "the_effect_of_site", "y_x", "X"]
    names += ["a_long_name_of_thirty_two_letters_", "a_long_name_of_thirty_two_letters_too"]
    m = ss.Model()
    for name in names:
        m[name] = ss.Normal(0, 1, shape=5)
    drawn = m.simulate(seed=3)
    assert len(np.unique([drawn[name] for name in names])) == 5 * len(names)
    assert len({stream(seed, name).integers(2**62) for name in names for seed in (0, 1, 2**33)}) == 3 * len(names)


def test_a_further_variable_changes_no_other():
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(m.a, 1).observe(np.zeros(3))
    before = arrays(m.prior(10, seed=3))
    m.between = ss.Gamma(1, 1)
    m.z = ss.Normal(m.between, 1).observe([1.0])
    after = arrays(m.prior(10, seed=3))
    for name, array in before.items():
        assert np.array_equal(array, after[name])


def test_order_does_not_matter():
    one, other = ss.Model("one"), ss.Model("other")
    one.a = ss.Normal(0, 1)
    one.b = ss.Gamma(1, 1)
    other.b = ss.Gamma(1, 1)
    other.a = ss.Normal(0, 1)
    assert one.simulate(seed=5) == other.simulate(seed=5)


def test_simulate_is_a_first_draw():
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=2)
    assert np.array_equal(m.simulate(seed=1)["a"], m.prior(1, seed=1).prior["a"].values[0, 0])


@pytest.mark.parametrize("seed", [0, 1, 2**31, 2**63, np.int64(4)])
def test_seeds_are_whole_numbers_of_any_size(seed):
    assert np.isfinite(stream(int(seed), "x").random())
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    assert m.simulate(seed=seed)["a"] == m.simulate(seed=int(seed))["a"]


def test_streams_are_those_of_this_version_for_ever():
    """Same seed, same draws, on every machine: SHA-256 of the name and PCG64DXSM, both fixed by definition."""
    assert stream(0, "mu").integers(0, 2**32, 3).tolist() == STREAM_OF_MU


STREAM_OF_MU = [3201523270, 3660319919, 503491993]
