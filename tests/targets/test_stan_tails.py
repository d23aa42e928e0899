"""Bounds on either side of the middle: what they leave is taken in the tail that they lie in, and keeps its digits."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss


@pytest.mark.parametrize("low", [-11.0, -1.0, 9.0])
@pytest.mark.parametrize("family", [ss.Normal, ss.Logistic])
def test_two_bounds_in_a_tail(family, low):
    m = ss.Model()
    m.mu = ss.Normal(0, 0.1, shape=2)
    m.y = family(m.mu, 1, lower=low, upper=low + 2).observe(np.array([low + 0.5, low + 1]))
    agreement = m.verify(points=3)
    assert agreement.ok, f"{agreement}\n{m.stan_code()}"
    assert agreement.zeros == 0
