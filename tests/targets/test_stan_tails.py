"""Bounds on either side of the middle: what they leave is taken in the tail that they lie in, and keeps its digits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import scistan as ss

FAR = [-60.0, 58.0]  # where a probability rounds to 1 in the other tail


# Stan's logistic_lccdf is log(0) beyond 37: a density of zero there, where SciPy has one.
TAILS = [(family, low) for family in (ss.Normal, ss.Logistic) for low in (-11.0, -1.0, 9.0)]


@pytest.mark.parametrize(("family", "low"), [*TAILS, *((ss.Normal, low) for low in FAR)])
def test_two_bounds_in_a_tail(family, low):
    m = ss.Model()
    m.mu = ss.Normal(0, 0.1, shape=2)
    m.y = family(m.mu, 1, lower=low, upper=low + 2).observe(np.array([low + 0.5, low + 1]))
    agreement = m.verify(points=3)
    assert agreement.ok, f"{agreement}\n{m.stan_code()}"
    assert agreement.zeros == 0


@pytest.mark.parametrize("target", ["scipy", "torch"])
@pytest.mark.parametrize("low", FAR)
def test_what_two_far_bounds_leave(low, target):
    at = low + 0.5
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1, lower=low, upper=low + 2).observe(at)
    with mpmath.workdps(60):
        below = [mpmath.ncdf(-abs(end)) for end in (low, low + 2)]
        expected = mpmath.log(mpmath.npdf(at)) - mpmath.log(abs(below[0] - below[1])) + mpmath.log(mpmath.npdf(0))
    assert m.log_density({"mu": 0.0}, target) == pytest.approx(float(expected), rel=1e-10)
