"""Normal scores equal SciPy's ranks and quantiles, whatever the ties and tails."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import rankdata

from scistan.diagnostics.ranks import rank


def expected(x):
    return ndtri((rankdata(x, axis=1) - 0.375) / (x.shape[1] + 0.25))


def check(x):
    found = rank(x)
    np.testing.assert_array_equal(found.rising, np.sort(x, axis=1))
    np.testing.assert_allclose(found.bulk, expected(x), rtol=1e-12, atol=1e-14)
    folded = np.abs(x - np.median(x, axis=1, keepdims=True))
    np.testing.assert_allclose(found.folded, expected(folded), rtol=1e-12, atol=1e-14)


def made(count):
    rng = np.random.default_rng(1)
    normal = rng.normal(size=(5, count))
    return {
        "normal": normal,
        "heavy tails": rng.standard_cauchy(size=normal.shape) ** 3,
        "one far out": np.where(np.arange(count) == 3, 1e300, normal),
        "whole numbers": np.round(normal),
        "mostly one value": np.where(normal > 2, normal, 0.5),
        "constant": np.full(normal.shape, 0.1),
        "rising": np.sort(normal, axis=1),
        "far from zero": 1e9 + normal,
        "largest there are": normal * 1e307,
        "smallest there are": normal * 1e-310,
    }


@pytest.mark.parametrize("count", [4, 63, 64, 65, 1000, 1001])
@pytest.mark.parametrize("kind", list(made(4)))
def test_scores_are_those_of_scipy(kind, count):
    check(made(count)[kind])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(-4, 4), min_size=9, max_size=9), min_size=1, max_size=4))
def test_ties_share_the_middle_of_their_ranks_in_each_row(rows):
    check(np.array(rows, dtype=float))
