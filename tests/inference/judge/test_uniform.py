"""The test of uniformity: exact for few numbers, and sharp."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from scistan.inference.judge.uniform import band, p_value, points_of


def rarity(counts, n):
    """The smallest two-sided chance of a count at its point."""
    points = points_of(n)
    return 2 * np.minimum(binom.cdf(counts, n, points), binom.sf(np.asarray(counts) - 1, n, points)).min()


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_chance_of_every_outcome_adds_up(n):
    """Every way to put n numbers into n equal cells, with its chance: the p-value is the share of those as rare."""
    outcomes = []
    for cells in itertools.product(range(n), repeat=n):
        counts = [sum(cell <= k for cell in cells) for k in range(n - 1)]
        outcomes.append((rarity(counts, n), cells))
    for rare, cells in outcomes[:: max(1, len(outcomes) // 40)]:
        expected = np.mean([other <= rare * (1 + 1e-7) for other, _ in outcomes])
        places = (np.asarray(cells) + 0.5) / n
        assert p_value(places) == pytest.approx(expected, abs=1e-9)


def test_uniform_numbers_are_found_uneven_as_often_as_promised():
    rng = np.random.default_rng(3)
    found = np.mean([p_value(rng.random(60)) < 0.05 for _ in range(600)])
    assert binom.ppf(1e-6, 600, 0.03) / 600 <= found <= binom.ppf(1 - 1e-6, 600, 0.05) / 600


def test_the_band_holds_all_points_at_once():
    rng = np.random.default_rng(4)
    points, low, high = band(80, 0.1)
    shares = [np.searchsorted(np.sort(rng.random(80)), points, side="right") / 80 for _ in range(2000)]
    outside = np.mean([((s < low) | (s > high)).any() for s in shares])
    assert abs(outside - 0.1) < 5 * np.sqrt(0.1 * 0.9 / 2000) + 0.01  # counts are whole: the level is met from below
    assert (low < points).all()
    assert (high > points).all()


@pytest.mark.parametrize("other", [(2, 2), (0.5, 0.5), (1, 1.7)])
def test_other_shapes_are_found(other):
    assert p_value(np.random.default_rng(5).beta(*other, 300)) < 1e-4


def test_nothing_is_no_evidence():
    assert np.isnan(p_value(np.array([])))
    assert p_value(np.array([0.4])) > 0.05
