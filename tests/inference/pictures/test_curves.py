"""The arithmetic behind pictures: densities, importance weights, bands and reliability."""

import numpy as np
import pytest
from scipy import stats

from scistan.inference.pictures.calibration import (
    ecdf_band,
    left_out_chances,
    left_out_means,
    left_out_weights,
    reliability,
)
from scistan.inference.pictures.density import density
from scistan.inference.pictures.elements import share

RNG = np.random.default_rng(3)
# A curve of 20,000 draws has a standard error near 0.007 where a normal density is highest: of some hundred points,
# 0.025 are more than three of them. Corners and humps may be lower by a tenth, which smoothing takes.
LAWS = {
    "normal": (stats.norm(), 0.025),
    "exponential": (stats.expon(), 0.1),
    "uniform": (stats.uniform(), 0.1),
    "two humps": (None, 0.04),
}


@pytest.mark.parametrize("name", LAWS)
def test_a_density_is_near_the_true_one_and_has_mass_one(name):
    law, most = LAWS[name]
    if law is None:
        values = np.concatenate([RNG.normal(-4, 0.5, 10_000), RNG.normal(4, 0.5, 10_000)])
        true = lambda x: (stats.norm(-4, 0.5).pdf(x) + stats.norm(4, 0.5).pdf(x)) / 2
    else:
        values, true = law.rvs(20_000, random_state=RNG), law.pdf
    x, y = density(values)
    assert np.trapezoid(y, x) == pytest.approx(1, abs=0.01)
    inner = (x > np.quantile(values, 0.001)) & (x < np.quantile(values, 0.999))
    assert np.abs(y - true(x))[inner].max() < most


def test_positive_numbers_have_no_density_below_zero():
    x, _ = density(RNG.gamma(2.0, size=2000))
    assert x[0] >= 0
    x, _ = density(RNG.beta(2.0, 2.0, size=2000))
    assert x[0] >= 0
    assert x[-1] <= 1


@pytest.mark.parametrize("values", [np.ones(50), np.array([1.0, 2.0]), np.array([3.0])])
def test_what_has_no_density_is_flat(values):
    _, y = density(values)
    assert not y.any()


def test_left_out_chances_of_a_normal_mean_are_those_of_the_exact_fit():
    seen = RNG.normal(1.0, 1.0, 40)
    mean = RNG.normal(seen.mean(), 1 / np.sqrt(40), 20_000)[:, None]
    drawn = mean + RNG.normal(size=(20_000, 40))
    weights = left_out_weights(stats.norm(mean, 1).logpdf(seen))
    found = left_out_chances(drawn, seen, weights, seed=1)
    others = (seen.sum() - seen) / 39
    exact = stats.norm(others, np.sqrt(1 + 1 / 39)).cdf(seen)
    # 20,000 draws, nearly equal weights: a standard error of 0.0035 at most, forty of them.
    np.testing.assert_allclose(found, exact, atol=0.0035 * 4)


def test_ties_are_split():
    seen = np.zeros(1000)
    chances = left_out_chances(np.zeros((10, 1000)), seen, np.full((10, 1000), 0.1), seed=1)
    assert stats.kstest(chances, "uniform").pvalue > 1e-3


def test_the_band_holds_as_often_as_it_says():
    count, runs = 50, 2000
    band = ecdf_band(count)
    values = np.sort(np.random.default_rng(11).uniform(size=(runs, count)), axis=1)
    shares = np.stack([np.searchsorted(row, band.points, side="right") for row in values]) / count - band.points
    inside = ((shares >= band.lower - 1e-12) & (shares <= band.upper + 1e-12)).all(1).mean()
    # Counts are whole, so that the band holds a little more than 95 %; four standard errors below that.
    assert inside > 0.95 - 4 * np.sqrt(0.05 * 0.95 / runs) - 0.005
    assert inside < 0.985


def test_reliability_rises_and_lies_in_its_band_where_predictions_are_right():
    predicted = RNG.uniform(size=2000)
    right = reliability(predicted, RNG.uniform(size=2000) < predicted, seed=1)
    assert (np.diff(right.came_true) >= 0).all()
    assert ((right.came_true >= right.lower) & (right.came_true <= right.upper)).mean() > 0.6
    wrong = reliability(predicted, RNG.uniform(size=2000) < predicted**4, seed=1)
    assert ((wrong.came_true >= wrong.lower) & (wrong.came_true <= wrong.upper)).mean() < 0.4
    assert left_out_means(np.ones((4, 2)), np.full((4, 2), 0.25)).tolist() == [1.0, 1.0]


def test_places_are_shared():
    assert share({"a": 1, "b": 100}, 5) == {"a": 1, "b": 4}
    assert share({"a": 10, "b": 10}, 4) == {"a": 2, "b": 2}
    assert share({"a": 2}, 100) == {"a": 2}
    assert sum(share({f"v{k}": 1 for k in range(50)}, 7).values()) == 7
