"""Chains of independent tries leave a density as it is, whatever the proposal; climbs find its modes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from scistan.diagnostics.statistics import measure
from scistan.engines.climbs import climb
from scistan.engines.proposal import Offered, Proposal
from scistan.engines.tries import ROUND, Walk, acceptance, log_weights


def proposal(shift: float, width: float) -> Proposal:
    return Proposal(np.array([shift]), np.array([[width]]), np.array([1.5]), np.array([0.7]))


def walked(heights, drawn_from, tries, steps, number=0):
    walk = Walk(drawn_from, tries, np.random.default_rng([5, number]))

    def go(rounds):
        images = walk.pick(heights(walk.offer(rounds)))
        walk.go(images, heights(images))

    go(0)
    go(5)
    walk.forget()
    rounds = steps // ROUND
    for count in (rounds // 3, 0, rounds - rounds // 3):  # in stretches, as engines ask for them
        go(count)
    return walk


@pytest.mark.parametrize("tries", [1, 2, 4, 8])
@pytest.mark.parametrize(("shift", "width"), [(0.3, 1.2), (1.5, 1.0), (-1.0, 3.0)])
def test_a_chain_has_the_density_whatever_it_proposes(tries, shift, width):
    """Every decile, within four standard errors by effective draws: forty-eight chains, fixed seeds."""
    target = stats.skewnorm(4, loc=-0.5, scale=1.3)
    walks = [walked(lambda q: target.logpdf(q[:, 0]), proposal(shift, width), tries, 4000, n) for n in range(4)]
    drawn = np.stack([walk.points[:, 0] for walk in walks])
    for level in np.arange(0.1, 1.0, 0.1):
        below = (drawn < target.ppf(level)).astype(float)
        effective = float(measure({"x": below})["x"].bulk_ess)
        assert abs(below.mean() - level) < 4 * np.sqrt(level * (1 - level) / effective)


def test_a_second_try_moves_more_often():
    target = stats.norm(0.5, 1.4)
    one, four = (walked(lambda q: target.logpdf(q[:, 0]), proposal(0, 1), k, 3000).chances.mean() for k in (1, 4))
    assert four > one


def test_places_without_density_are_never_visited():
    walk = walked(lambda q: np.where(q[:, 0] > 0, -q[:, 0], -np.inf), proposal(0.5, 1.0), 2, 3000)
    assert (walk.points > 0).all()
    assert np.isfinite(walk.heights).all()
    assert abs(walk.points.mean() - 1) < 0.15


def test_weights_are_those_of_the_places():
    heights = stats.norm(0, 1).logpdf
    drawn_from = proposal(0.2, 1.1)
    walk = walked(lambda q: heights(q[:, 0]), drawn_from, 2, 500)
    expected = log_weights(heights(walk.points[:, 0]), walk.points, drawn_from)
    np.testing.assert_allclose(walk.weights, expected)
    np.testing.assert_allclose(walk.heights, heights(walk.points[:, 0]))


def test_the_expected_acceptance_is_the_seen_one():
    target, drawn_from, rng = stats.t(5, 0.3, 1.0), proposal(0, 1.2), np.random.default_rng(4)
    rows = drawn_from.draw(rng, 20_000)
    weights = np.exp(log_weights(target.logpdf(rows[:, 0]), rows, drawn_from))
    for tries in (1, 4):
        seen = walked(lambda q: target.logpdf(q[:, 0]), drawn_from, tries, 80_000).chances[::ROUND]
        effective = float(measure({"x": seen[None]})["x"].bulk_ess)
        error = seen.std() * np.sqrt(1 / effective + 1 / len(weights))
        assert abs(acceptance(weights, tries, rng) - seen.mean()) < 4 * error


def test_a_proposal_is_a_density_without_a_step():
    drawn_from = Proposal(np.array([1.0]), np.array([[0.8]]), np.array([2.0]), np.array([0.5]))
    x = np.linspace(-80, 60, 400_001)
    assert np.trapezoid(np.exp(drawn_from.log_density(x[:, None])), x) == pytest.approx(1, abs=1e-6)
    near = drawn_from.log_density(np.array([[1 - 1e-9], [1 + 1e-9]]))
    assert near[0] == pytest.approx(near[1], abs=1e-6)
    drawn = drawn_from.draw(np.random.default_rng(2), 40_000)[:, 0]
    assert abs((drawn < 1).mean() - 0.8) < 4 * np.sqrt(0.8 * 0.2 / 40_000)  # a side is as probable as it is wide


@pytest.mark.parametrize("d", [1, 3])
def test_images_of_a_proposal_are_of_the_proposal_each_in_another_quarter(d):
    rng = np.random.default_rng(d)
    root = np.linalg.cholesky(np.cov(rng.normal(size=(d, 20))).reshape(d, d))
    drawn_from = Proposal(rng.normal(size=d), root, rng.uniform(0.5, 3, d), rng.uniform(0.5, 3, d))
    offered = drawn_from.offer(rng, 4000)
    images = drawn_from.images(offered, np.arange(4000))
    stretches = drawn_from._stretches(offered.stretch)
    four = [np.linalg.solve(root, (rows - drawn_from.centre).T) for rows in (offered.rows, *np.moveaxis(images, 1, 0))]
    for axis in range(d):
        for one in four[1:]:
            assert stats.ks_2samp(one[axis], four[0][axis]).pvalue > 1e-4
        plain = [one[axis] / stretch for one, stretch in zip(four, (offered.stretch[:, 0], *stretches[..., 0].T), strict=True)]
        below, above = drawn_from.below[axis], drawn_from.above[axis]
        sides = [(2 * below * stats.norm.cdf(x / below), above + below - 2 * above * stats.norm.sf(x / above)) for x in plain]
        share = [np.where(x < 0, *both) / (below + above) for x, both in zip(plain, sides, strict=True)]
        quarters = np.sort(np.floor(4 * np.array(share)), axis=0)
        np.testing.assert_array_equal(quarters, np.repeat(np.arange(4.0)[:, None], 4000, 1))


@pytest.mark.parametrize(("below", "above"), [(1.0, 1.0), (3.0, 0.5), (0.6, 2.5)])
def test_an_image_of_an_image_is_a_place_of_the_same_four(below, above):
    drawn_from = Proposal(np.zeros(2), np.eye(2), np.array([below, 1.0]), np.array([above, 1.7]))
    offered = drawn_from.offer(np.random.default_rng(1), 500)
    images = drawn_from.images(offered, np.arange(500))
    stretches = drawn_from._stretches(offered.stretch)
    for kind in range(3):
        wide = images[:, kind]
        out = np.abs(wide / np.where(wide < 0, drawn_from.below, drawn_from.above)) / stretches[:, kind]
        again = drawn_from.images(Offered(wide, wide < 0, out, stretches[:, kind]), np.arange(500))
        four = [offered.rows, *np.moveaxis(images, 1, 0)]
        for other in range(3):
            np.testing.assert_allclose(again[:, other], four[(kind + 1) ^ (other + 1)], rtol=1e-7, atol=1e-7)


def test_a_round_tells_more_of_the_mean_than_four_draws_and_no_less_of_the_rest():
    """Of two hundred chains that propose what they are about: standard errors beside those of independent draws."""
    target, drawn_from = stats.norm(), proposal(0.0, 1.0)
    drawn_from = Proposal(drawn_from.centre, drawn_from.root)
    drawn = np.stack([walked(lambda q: target.logpdf(q[:, 0]), drawn_from, 1, 400, n).points[:, 0] for n in range(200)])
    errors = [found.std() * np.sqrt(400) for found in (drawn.mean(1), np.median(drawn, 1), (drawn**2).mean(1))]
    independent = (1.0, np.sqrt(np.pi / 2), np.sqrt(2.0))
    chance = 3 / np.sqrt(2 * 200)  # of a standard deviation of two hundred
    assert errors[0] < 0.85 * independent[0] * (1 + chance)
    assert errors[1] < 0.85 * independent[1] * (1 + chance)
    assert errors[2] < 1.15 * independent[2] * (1 + chance)


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 50.0])
def test_a_climb_ends_at_the_mode_with_its_curvature(d, scale):
    rng = np.random.default_rng(d)
    root = scale * np.linalg.cholesky(np.cov(rng.normal(size=(d, 3 * d + 5))).reshape(d, d))
    mean = rng.normal(size=d)
    normal = stats.multivariate_normal(mean, root @ root.T)
    modes = climb(lambda q: np.atleast_1d(normal.logpdf(q)), rng.uniform(-2, 2, (3, d)))
    assert len(modes) == 3
    found = modes[0].root @ modes[0].root.T
    np.testing.assert_allclose(np.linalg.solve(root, modes[0].centre - mean), 0, atol=0.05)
    np.testing.assert_allclose(found, root @ root.T, rtol=1e-3, atol=1e-6 * scale**2)
    assert modes[0].mass == pytest.approx(-0.5 * d * np.log(2 * np.pi), abs=1e-2)


def test_climbs_find_two_modes_and_edges():
    def heights(q):
        two = np.logaddexp(stats.norm(-3, 0.5).logpdf(q[:, 0]), stats.norm(3, 0.4).logpdf(q[:, 0]))
        return np.where(np.abs(q[:, 0]) < 6, two, -np.inf)

    modes = climb(heights, np.array([[-5.9], [-1.0], [2.0]]))
    assert sorted(round(float(mode.centre[0])) for mode in modes) == [-3, -3, 3]
    assert modes[0].apart(modes[-1]) > 3
    assert climb(lambda q: np.zeros(len(q)), np.zeros((1, 2))) == []  # flat: nowhere to arrive
