"""Steps that are summed up are integrated as the walk that they make: for all its scales, whatever is seen of it."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from scistan.graph.instance import Instance
from scistan.graph.node import literal
from scistan.inference.integrate import integrated
from scistan.inference.integrated import IntegratedDensity, draw_integrated
from scistan.passes.integrate.part import Part
from scistan.passes.integrate.sums import cumulated, find_sums, telescoped
from scistan.targets.scipy import JointDensity
from scistan.targets.stan.program import lower_to_stan
from tests.passes.integrate.forms import FORMS

NODE = literal(2.0)  # stands for a latent
SUMMED = [
    "steps_summed_up", "scaled_steps_with_gaps_and_columns", "steps_with_a_drift", "steps_of_several_series",
    "series_with_scales_of_their_own", "steps_over_uneven_times", "a_start_before_its_steps", "steps_of_a_recurrence",
    "sums_from_the_end",
]


def level(values: np.ndarray, seen: np.ndarray | None = None) -> ss.Model:
    length = len(values) if seen is None else int(seen.max()) + 3
    m = ss.Model("level")
    m.drift, m.start, m.s = ss.HalfNormal(0.5), ss.Normal(0, 3), ss.HalfNormal(1)
    m.step = ss.Normal(0, 1, shape=length)
    m.level = m.start + m.drift * ss.cumsum(m.step)
    m.y = ss.Normal(m.level if seen is None else m.level[seen], m.s).observe(values)
    return m


def at(made: Instance, **values: float) -> float:
    point = {term.value: np.array(values[term.name], float) for term in made.graph.latents}
    return JointDensity(made).at_each([point])[0][0]


def by_covariance(drift: float, s: float, values: np.ndarray, seen: np.ndarray) -> float:
    """The density of what is seen, by the covariance of it, and that of the scales."""
    times = np.asarray(seen, float) + 1
    covariance = 9 + drift**2 * np.minimum.outer(times, times) + s**2 * np.eye(len(times))
    prior = np.log(2 / (0.5 * np.sqrt(2 * np.pi))) - drift**2 / 0.5 + np.log(2 / np.sqrt(2 * np.pi)) - s**2 / 2
    size = -0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]
    return float(prior + size - 0.5 * values @ np.linalg.solve(covariance, values))


@pytest.mark.parametrize("name", SUMMED)
def test_it_is_a_chain_of_single_elements(name: str) -> None:
    (made,) = integrated(FORMS[name].build(np.random.default_rng(1)).instance(), "auto").integrated
    assert made.structure.chained
    assert made.structure.slots == 1
    assert made.statistics.walk is not None


@pytest.mark.parametrize("drift", [0.0, 1e-12, 1e-6, 0.3, 1e3])
@pytest.mark.parametrize("seen", [np.arange(30), np.array([1, 1, 4, 20, 21]), np.array([7])], ids=["all", "gaps", "one"])
def test_drifts_of_all_sizes(drift: float, seen: np.ndarray) -> None:
    """Also none at all: then steps are drawn from their own law, and the density is that of the rest."""
    values = np.linspace(-1, 2, len(seen))
    made = integrated(level(values, seen).instance(), True)
    expected = by_covariance(drift, 0.7, values, seen)
    # The covariance that it is held to loses digits itself where the drift is far above the noise.
    assert at(made, drift=drift, s=0.7) == pytest.approx(expected, rel=1e-12 * max(1.0, drift**2))
    points = [{term.value: np.array({"drift": drift, "s": 0.7}[term.name]) for term in made.graph.latents}]
    other, size = IntegratedDensity(made).at_each(points)[0]
    assert abs(other - expected) < 1e-12 * max(1.0, drift**2) * max(size, 1.0)


@pytest.mark.parametrize("values", [np.zeros(12), np.full(12, 1e5), np.r_[np.zeros(6), np.ones(6)]], ids=["0", "far", "jump"])
def test_structured_data(values: np.ndarray) -> None:
    made = integrated(level(values).instance(), True)
    expected = by_covariance(0.2, 0.5, values, np.arange(12))
    assert at(made, drift=0.2, s=0.5) == pytest.approx(expected, rel=1e-11)


def test_steps_are_given_back_from_their_exact_law() -> None:
    """Means and covariances of many draws given one pair of scales, each within Monte Carlo error at a level of 1e-6."""
    rng = np.random.default_rng(3)
    values, drift, s, count = rng.normal(size=6).cumsum(), 0.8, 0.6, 40_000
    made = integrated(level(values).instance(), True)
    drawn = draw_integrated(made, {"drift": np.full((1, count), drift), "s": np.full((1, count), s)}, 1)
    found = np.concatenate([drawn["start"][0][:, None], drawn["step"][0]], axis=1)
    design = np.c_[np.ones(6), drift * np.tril(np.ones((6, 6)))]
    precision = design.T @ design / s**2 + np.diag([1 / 9, *np.ones(6)])
    covariance = np.linalg.inv(precision)
    mean = covariance @ design.T @ values / s**2
    sd = np.sqrt(covariance.diagonal())
    assert np.all(np.abs(found.mean(0) - mean) < 5.5 * sd / np.sqrt(count))
    spread = np.sqrt((covariance**2 + np.outer(sd, sd) ** 2) / count)
    assert np.all(np.abs(np.cov(found.T) - covariance) < 5.5 * spread)


def test_programs_of_two_lengths_are_one_text() -> None:
    texts = {lower_to_stan(integrated(level(np.arange(n) * 1.0).instance(), True).graph).text for n in (20, 50)}
    assert len(texts) == 1


def test_thousands_of_steps_are_read_in_no_time() -> None:
    """A table of all rows and steps would have 4 * 10^8 cells."""
    made = integrated(level(np.zeros(20_000)).instance(), "auto")
    (one,) = made.integrated
    assert one.names == ("start", "step")
    assert one.structure.groups == 20_000


def test_sums_of_sums_are_left() -> None:
    m = ss.Model()
    m.tau, m.s, m.z = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 1, shape=300)
    m.y = ss.Normal(m.tau * ss.cumsum(ss.cumsum(m.z)), m.s).observe(np.zeros(300))
    assert not integrated(m.instance(), True).integrated


def test_few_steps_are_coefficients_where_that_is_cheaper() -> None:
    """Effects of ordered levels, each adding to the one below."""
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.s, m.z = ss.HalfNormal(1), ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(ss.cumsum(m.z)[rng.integers(0, 3, 40)], m.s).observe(rng.normal(size=40))
    (one,) = integrated(m.instance(), True).integrated
    assert not one.sums


# -- parts ---------------------------------------------------------------------------------------------------------
def values_of(part: Part, source: np.ndarray) -> np.ndarray:
    return np.asarray((part.columns * source[part.positions]).sum(-1))


@pytest.mark.parametrize("seed", range(30))
def test_parts_are_summed_as_arrays_are(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 5, rng.integers(1, 4)))
    source, terms = rng.normal(size=6), int(rng.integers(1, 4))
    columns = rng.normal(size=(*shape, terms)) * (rng.random((*shape, terms)) < 0.7)
    part = Part(NODE, None, rng.integers(0, 6, (*shape, terms)), columns)
    for axis in range(len(shape)):
        found = cumulated(part, axis)
        assert found is not None
        np.testing.assert_allclose(values_of(found, source), np.cumsum(values_of(part, source), axis), atol=1e-13)
    np.testing.assert_allclose(values_of(telescoped(part), source), values_of(part, source), atol=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_sums_of_differences_are_single(seed: int) -> None:
    """w = cumsum(a z) for any order and any a, and z from w."""
    rng = np.random.default_rng(seed)
    lines, length = int(rng.integers(1, 4)), int(rng.integers(2, 9))
    size = lines * length + 2
    places = rng.permutation(size)[: lines * length].reshape(lines, length, 1)
    columns = rng.uniform(0.5, 2, size=places.shape) * rng.choice([-1, 1], size=places.shape)
    part = Part(NODE, None, places, columns)
    sums = find_sums(part, 1, size)
    assert sums is not None
    z = rng.normal(size=size)
    w = z.copy()
    for place in sums.order:
        w[place] = sums.weights[place] * z[place] + (w[sums.before[place]] if sums.before[place] >= 0 else 0.0)
    np.testing.assert_allclose(sums.steps(w), z, atol=1e-13)
    read = sums.elements(part)
    np.testing.assert_allclose(values_of(read, w), columns[..., 0] * z[places[..., 0]], atol=1e-12)
    total = cumulated(read, 1)
    assert total is not None
    assert (total.columns != 0).sum() == lines * length
    np.testing.assert_allclose(values_of(total, w), np.cumsum(columns[..., 0] * z[places[..., 0]], 1), atol=1e-12)
