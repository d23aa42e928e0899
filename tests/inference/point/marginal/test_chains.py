"""Long series are integrated along their paths: the same numbers as by a dense matrix, in time that grows with length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import scistan as ss
from scistan.inference.point.marginal import coordinates, whole
from scistan.inference.point.marginal.bend import Bend
from scistan.targets.torch import to_numpy
from tests.inference.point.marginal.built import gradient_by_differences, objective_of, somewhere

LENGTH = 61
RNG = np.random.default_rng(7)
WALK = 0.5 + np.cumsum(0.2 * RNG.normal(size=LENGTH))
COUNTS = RNG.poisson(np.exp(WALK))
X = np.linspace(-1, 1, LENGTH)


def walk(length: int = LENGTH, y: np.ndarray = COUNTS, drift: bool = False) -> ss.Model:
    m = ss.Model("walk")
    m.step = ss.HalfNormal(1)
    if drift:
        m.drift = ss.Normal(0, 0.1)
    m.level = ss.RandomWalk(m.step, start=ss.Normal(0, 2), drift=m.drift if drift else 0.0, length=length)
    m.y = ss.Poisson(ss.exp(m.level)).observe(y)
    return m


def yes_or_no() -> ss.Model:
    m = ss.Model("yes or no")
    m.phi, m.step = ss.Uniform(-1, 1), ss.HalfNormal(1)
    m.level = ss.AR(m.phi, m.step, constant=0.1, start=ss.Normal(0, 1), length=LENGTH)
    m.y = ss.BernoulliLogit(m.level).observe(RNG.random(LENGTH) < expit(WALK))
    return m


def two_lags() -> ss.Model:
    m = ss.Model("two lags")
    m.a, m.b, m.step = ss.Normal(0.5, 0.2), ss.Normal(0, 0.2), ss.HalfNormal(1)
    m.level = ss.AR([m.a, m.b], m.step, start=ss.Normal(0, 1), length=LENGTH)
    m.y = ss.Poisson(ss.exp(m.level)).observe(COUNTS)
    return m


def volatility() -> ss.Model:
    m = ss.Model("volatility")
    m.mu, m.phi, m.step = ss.Normal(0, 1), ss.Uniform(-1, 1), ss.HalfNormal(1)
    m.h = ss.AR(m.phi, m.step, constant=m.mu, start=ss.Normal(m.mu, m.step), length=LENGTH)
    m.y = ss.Normal(0, ss.exp(m.h / 2)).observe(np.exp(WALK / 4) * RNG.normal(size=LENGTH))
    return m


def side_by_side() -> ss.Model:
    """Two series, an effect of every step, and coefficients: a chain and a corner."""
    m = ss.Model("side by side")
    m.x = ss.data(X)
    m.one, m.two, m.spread = ss.HalfNormal(1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.level = ss.RandomWalk(m.one, start=ss.Normal(0, 1), length=LENGTH)
    m.slope = ss.AR(0.5, m.two, start=ss.Normal(0, 1), length=LENGTH)
    m.extra = ss.Normal(0, m.spread, shape=LENGTH)
    m.y = ss.Poisson(ss.exp(m.a + m.level + m.extra + (m.b + m.slope) * m.x)).observe(COUNTS)
    return m


def seen_often() -> ss.Model:
    m = ss.Model("seen often")
    m.t = ss.data(RNG.integers(0, LENGTH, 300))
    m.step = ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.step, start=ss.Normal(0, 2), length=LENGTH)
    m.y = ss.Poisson(ss.exp(m.level[m.t])).observe(RNG.poisson(2, 300))
    return m


def panel() -> ss.Model:
    m = ss.Model("panel")
    m.step = ss.HalfNormal(1, shape=3)
    m.level = ss.Series(lambda past: ss.Normal(past[-1], m.step), start=ss.Normal(np.zeros(3), 1.0), length=60)
    m.y = ss.Poisson(ss.exp(m.level)).observe(RNG.poisson(2, (60, 3)))
    return m


def seen_late() -> ss.Model:
    """What is seen ties steps that are further apart than the law does."""
    m = ss.Model("seen late")
    m.step = ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.step, start=ss.Normal(0, 1), length=LENGTH)
    m.y = ss.Poisson(ss.exp(0.5 * m.level[3:] + 0.5 * m.level[:-3])).observe(COUNTS[3:])
    return m


MODELS: dict[str, tuple[Callable[[], ss.Model], Any, int]] = {
    "walk": (walk, "auto", 1),
    "drift": (lambda: walk(drift=True), "auto", 1),
    "yes or no": (yes_or_no, "auto", 1),
    "two lags": (two_lags, "auto", 2),
    "volatility": (volatility, "auto", 1),
    "side by side": (side_by_side, True, 1),
    "seen often": (seen_often, "auto", 1),
    "panel": (panel, "auto", 1),
    "seen late": (seen_late, "auto", 4),
}


@pytest.fixture(autouse=True)
def any_lag(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is only too slow to be offered is held to be right."""
    monkeypatch.setattr(coordinates, "_LAGS", 2)


@pytest.mark.parametrize("name", MODELS)
def test_values_slopes_and_modes_are_those_of_the_dense_matrix(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, integrate, steps = MODELS[name]
    m = make()
    chain = objective_of(m, "map", integrate)
    monkeypatch.setattr(coordinates, "_SHORT", 10**9)
    dense = objective_of(m, "map", integrate)
    assert (chain.structure.layout.steps, dense.structure.layout.steps) == (steps, 0)
    assert len(chain.structure.probes) < len(dense.structure.probes)
    for seed in (1, 2):
        q, _ = somewhere(chain, seed)
        (value, slope), (expected, expected_slope) = (each.value_and_gradient(q[None]) for each in (chain, dense))
        np.testing.assert_allclose(float(value), float(expected), rtol=1e-11)
        size = 1 + np.abs(to_numpy(expected_slope)).max()
        np.testing.assert_allclose(to_numpy(slope), to_numpy(expected_slope), atol=1e-8 * size)
        for one, other in zip(*(modes(each, q) for each in (chain, dense)), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-8 * (1 + np.abs(other).max()))


def modes(objective: Any, q: Any) -> list[np.ndarray]:
    """Give the integrated latents, as users know them, where they are highest."""
    objective.peak(q)
    known, _, _ = objective.density.constrain(q)
    return [to_numpy(known[block.term.value].array) for block in objective.split.blocks]


def test_slopes_are_those_of_the_values() -> None:
    objective = objective_of(two_lags(), "map")
    q, _ = somewhere(objective, 1)
    slope = to_numpy(objective.value_and_gradient(q[None])[1][0])
    np.testing.assert_allclose(slope, gradient_by_differences(objective, q), atol=1e-6 * (1 + np.abs(slope).max()))


def kalman(y: np.ndarray, step: float, noise: float, start: float) -> tuple[float, float, float]:
    """Give the log likelihood of a level that walks, and mean and sd of its last element."""
    mean, variance, total = 0.0, start**2, 0.0
    for k, seen in enumerate(y):
        variance += step**2 if k else 0.0
        spread = variance + noise**2
        total -= 0.5 * (np.log(2 * np.pi * spread) + (seen - mean) ** 2 / spread)
        gain = variance / spread
        mean, variance = mean + gain * (seen - mean), variance * (1 - gain)
    return total, mean, float(np.sqrt(variance))


@pytest.mark.parametrize("length", [300, 2501])
def test_a_local_level_is_kalmans_filter(length: int) -> None:
    rng = np.random.default_rng(length)
    y = np.cumsum(0.3 * rng.normal(size=length)) + rng.normal(size=length)
    m = ss.Model("level")
    m.step, m.noise = ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.step, start=ss.Normal(0, 2), length=length)
    m.y = ss.Normal(m.level, m.noise).observe(y)
    objective = objective_of(m)
    assert objective.structure.constant
    for seed in (1, 2):
        q, v = somewhere(objective, seed)
        expected, last, _ = kalman(y, float(v["step"]), float(v["noise"]), 2.0)
        np.testing.assert_allclose(float(objective.value(q)), expected, rtol=1e-11)
        np.testing.assert_allclose(modes(objective, q)[0][-1], last, rtol=1e-8)
    found = m.mle(seed=1, starts=1)
    assert found.exact
    assert found.converged
    best, last, sd = kalman(y, float(found["step"]), float(found["noise"]), 2.0)
    np.testing.assert_allclose(found.log_density, best, rtol=1e-11)
    np.testing.assert_allclose(found["level"][-1], last, rtol=1e-7)
    assert sd < found.std_errors["level"][-1] < 1.1 * sd  # that of the scales comes on top


@pytest.mark.parametrize("make", [walk, two_lags, side_by_side])
def test_standard_errors_are_those_of_the_dense_matrix(
    make: Callable[[], ss.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    m = make()
    dense = m.map(seed=1, starts=1)
    monkeypatch.setattr(whole, "DENSE", 10)
    chain = m.map(seed=1, starts=1)
    assert chain.source.whole.curvature.kind == "arrow"
    assert dense.source.whole.curvature.kind == "dense"
    for name, error in dense.std_errors.items():
        np.testing.assert_allclose(chain.std_errors[name], error, rtol=1e-6)


def test_a_scale_of_nothing_is_a_boundary_like_any_other() -> None:
    m = walk(300, np.random.default_rng(2).poisson(3.0, 300))
    found = m.map(seed=1, starts=2)
    assert found.converged
    assert found.boundary == ("step",)
    rate = np.log(np.random.default_rng(2).poisson(3.0, 300).mean())
    np.testing.assert_allclose(found["level"], rate, atol=1e-3)  # but for the prior of where it starts


def test_thousands_of_steps_take_as_many_products_as_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    """One vector for the start and three for all steps; counted are products and evaluations of a whole search."""
    counted = {"products": 0, "made": 0}
    made, rows = Bend.__init__, Bend._rows

    def begun(self: Bend, *given: Any) -> None:
        counted["made"] += 1
        made(self, *given)

    def multiplied(self: Bend, vectors: Any, create_graph: bool = False) -> Any:
        counted["products"] += len(vectors)
        return rows(self, vectors, create_graph)

    monkeypatch.setattr(Bend, "__init__", begun)
    monkeypatch.setattr(Bend, "_rows", multiplied)
    work = {}
    for length in (150, 4000):
        counted.update(products=0, made=0)
        y = np.random.default_rng(1).poisson(np.exp(np.sin(np.arange(length) / 20)))
        found = walk(length, y).map(seed=1, starts=1)
        assert found.converged
        assert np.isfinite(found.std_errors["level"]).all()
        work[length] = counted["products"], counted["made"]
    assert work[4000][0] < 2 * work[150][0]
    assert work[4000][1] < 2 * work[150][1]


def test_there_and_back_through_a_file_with_draws(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole, "DENSE", 10)
    found = walk().map(seed=1, starts=1)
    again = ss.load(found.save(tmp_path / "walk"))
    drawn, read = (each.idata(50, seed=2).posterior["level"].to_numpy() for each in (found, again))
    assert drawn.shape == (1, 50, LENGTH)
    np.testing.assert_allclose(read, drawn, rtol=1e-6)


def test_inits_are_the_series_itself() -> None:
    """Where a search begins is told in the user's own numbers, and brought to the path and back."""
    m = side_by_side()
    density = objective_of(m, "map").joint.density
    given = {t.value: RNG.normal(size=density.instance.shape(t.law.shape)) for t in density.instance.graph.latents}
    given = {leaf: np.exp(x) if leaf.name in ("one", "two", "spread") else x for leaf, x in given.items()}
    known, _, _ = density.constrain(density.unconstrain(given))
    for leaf, value in given.items():
        np.testing.assert_allclose(to_numpy(known[leaf].array), value, rtol=1e-10, atol=1e-12)


def test_what_does_not_look_back_in_a_line_keeps_its_innovations() -> None:
    """A step that is no multiple of what came before, or of another scale each time, has no path."""
    m = ss.Model("bent")
    m.step = ss.HalfNormal(1)
    m.level = ss.Series(lambda past: ss.Normal(ss.sin(past[-1]), m.step), start=ss.Normal(0, 1), length=80)
    m.y = ss.Poisson(ss.exp(m.level)).observe(RNG.poisson(2, 80))
    objective = objective_of(m)
    assert not objective.structure.layout.steps
    assert len(objective.structure.probes) == 80
