"""Stan programs: golden text, stanc's verdict, and text that does not depend on data."""

import numpy as np
import pytest

import scistan as ss
from tests.targets.test_stan_distributions import remarks
from tests.zoo import ZOO, eight_schools, logistic, varying_intercepts


@pytest.mark.parametrize("name", ZOO)
def test_programs_are_kept(name, golden):
    golden(f"stan/{name}.stan", ZOO[name]().stan_code())


@pytest.mark.parametrize("name", ZOO)
def test_stanc_accepts_without_remarks(name, stanc):
    assert remarks(stanc(ZOO[name]().stan_code())) == []


@pytest.mark.parametrize("build", [logistic, varying_intercepts])
def test_two_sizes_give_one_text(build):
    assert build(30, 4, seed=0).stan_code() == build(77, 7, seed=1).stan_code()


def test_a_square_design_keeps_two_sizes():
    square, wide = logistic(3, 3), logistic(9, 4)
    assert square.stan_code() == wide.stan_code()


def test_other_data_on_the_same_program():
    m = varying_intercepts(40, 5)
    other = m.with_data(x=np.zeros(12), group=np.zeros(12, int), y=np.ones(12))
    assert other.stan_code() == m.stan_code()
    assert other.stan_data()["N"] == 12
    assert other.verify(points=2).ok


def test_indices_count_from_one_in_stan_only():
    m = varying_intercepts(40, 5)
    assert m.stan_data()["group"].min() == 1
    assert m.instance().values[m.group._scistan_node_].min() == 0


def test_no_length_is_written_in_the_text():
    text = eight_schools().stan_code()
    assert "8" not in text


def test_array_left_of_a_scalar_parent():
    """The nearest neighbour emits a program that stanc rejects for i.i.d. data with scalar parents."""
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0, 3.0])
    assert "y ~ normal(mu, 1);" in m.stan_code(sufficient_statistics=False)
    assert m.verify(points=2).ok


def test_reuse_is_linear(stanc):
    sizes = []
    for levels in (50, 100):
        m = ss.Model()
        m.a = ss.Normal(0, 1)
        x = m.a
        for _ in range(levels):
            x = 0.5 * (x * x + x)
        m.y = ss.Normal(x, 1).observe(0.0)
        sizes.append(len(m.stan_code()))
    assert sizes[1] < 2.2 * sizes[0]


def test_source_map_points_at_the_users_line():
    m = eight_schools()
    from scistan.targets.stan.program import lower_to_stan

    program = lower_to_stan(m.to_graph())
    lines = program.text.splitlines()
    places = program.source_map()
    at = next(k for k, line in enumerate(lines, 1) if "theta ~ normal" in line)
    assert "m.theta = ss.Normal(m.mu, m.tau" in places[at].place.text


def test_user_names_win_over_generated_ones(stanc):
    m = ss.Model()
    m.N = ss.Normal(0, 1)
    m.beta = ss.Normal(m.N, 1, shape=3)
    m.mean = ss.Normal(0, 1)
    m.y = ss.Normal(m.beta + m.mean, 1).observe(np.zeros(3))
    stanc(m.stan_code())
    assert m.verify(points=2).ok
