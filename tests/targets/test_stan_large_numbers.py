"""Whole numbers beyond Stan's 32 bits: real in the text, and told where only a whole number will do."""

import numpy as np
import pytest

import scistan as ss

LARGE = 2**31

LITERALS = {
    "a scale": lambda m: ss.Normal(m.a, 10**10),
    "a negative location": lambda m: ss.Normal(m.a - LARGE, LARGE),
    "a bound": lambda m: ss.Normal(m.a, 10**10, upper=3 * LARGE),
    "a product": lambda m: ss.Normal(LARGE * m.a, 10**10),
    "a quotient": lambda m: ss.Normal(m.a / LARGE, 1),
    "two of them": lambda m: ss.Normal(m.a + LARGE * 3 / (LARGE + 1), 1),
}


@pytest.mark.parametrize("name", LITERALS)
def test_large_literals_are_real(name, stanc):
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = LITERALS[name](m).observe([0.3, 1.2])
    stanc(m.stan_code())
    assert m.verify(points=2).ok


def test_bounds_of_latents(stanc):
    m = ss.Model()
    m.a = ss.Uniform(-LARGE, 4 * LARGE)
    m.y = ss.Normal(m.a, 1.0).observe([0.3, 1.2])
    stanc(m.stan_code())
    assert m.verify(points=2).ok


def test_the_largest_whole_number_stays_one():
    m = ss.Model()
    m.a = ss.Normal(0, LARGE - 1)
    assert "normal(0, 2147483647)" in m.stan_code()


COUNTS = {
    "observed": lambda m: ss.Poisson(m.p).observe([3, LARGE]),
    "totals": lambda m: ss.Binomial(np.array([5, LARGE]), m.p).observe([3, 2]),
    "a literal total": lambda m: ss.Binomial(LARGE, m.p).observe([3, 2]),
}


@pytest.mark.parametrize("name", COUNTS)
def test_large_counts_are_told_and_serve_the_other_targets(name):
    m = ss.Model()
    m.p = ss.Beta(2, 2)
    m.y = COUNTS[name](m)
    with pytest.raises(ss.DataError, match="holds 2147483648, and Stan's whole numbers end at 2147483647"):
        m.stan_data()
    at = {"p": 0.5}
    assert np.isfinite(m.log_density(at))
    assert m.log_density(at, target="torch") == pytest.approx(m.log_density(at), rel=1e-12)
