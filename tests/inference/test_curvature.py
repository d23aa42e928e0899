"""The shape at the mode: exact on normal densities, and nothing where there is no mode."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.engines.embedded import EmbeddedDensity, open_density
from scistan.engines.encoding import to_json
from scistan.inference.choose import choose
from scistan.inference.curvature import shape_at_mode
from scistan.inference.plan import Plan
from tests.inference.test_mcmc_auto import correlated


class Normal:
    """A normal density with its gradient, by its mean and precision."""

    def __init__(self, mean: np.ndarray, precision: np.ndarray) -> None:
        self.mean, self.precision, self.dimension = mean, precision, mean.size

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        slope = -self.precision @ (q - self.mean)
        return float(slope @ (q - self.mean)) / 2, slope


class Exponential:
    """A density that rises without end."""

    dimension = 2

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        return float(q.sum()), np.ones(2)


class Nowhere:
    """A density that cannot be evaluated."""

    dimension = 1

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        raise RuntimeError(f"no density at {q}")


def condition(covariance: np.ndarray) -> float:
    """What nutpie's diagonal metric leaves: draws' variance over gradients', each the square of a scale's square."""
    precision = np.linalg.inv(covariance)
    fourth = np.diag(covariance) / np.diag(precision)
    whitened = np.diag(fourth**-0.25) @ covariance @ np.diag(fourth**-0.25)
    sizes = np.linalg.svd(whitened, compute_uv=False)
    return float(sizes[0] / sizes[-1])


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 8), st.floats(0.0, 0.95), st.integers(0, 2**16))
def test_on_a_normal_density_it_is_exact(size: int, together: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scales = np.exp(rng.normal(0, 2, size).clip(-4, 4))  # curvatures 1e9 apart are noise to each other: no shape then
    correlation = together * np.ones((size, size)) + (1 - together) * np.eye(size)
    covariance = correlation * np.outer(scales, scales)
    found = shape_at_mode(Normal(rng.normal(0, 3, size), np.linalg.inv(covariance)))
    # Differences of gradients over 1e-5 of a coordinate keep about 1e-10 of a curvature, against the smallest of them.
    assert found.condition == pytest.approx(condition(covariance), rel=1e-3)
    assert found.gradients <= 3 * (size + 1) + 1  # one step of Newton's is the mode


def test_one_coordinate_and_independent_ones_are_round() -> None:
    assert shape_at_mode(Normal(np.array([40.0]), np.array([[1e-4]]))).condition == pytest.approx(1)
    assert shape_at_mode(Normal(np.zeros(3), np.diag([1e4, 1.0, 1e-4]))).condition == pytest.approx(1)


@pytest.mark.parametrize("density", [Exponential(), Nowhere()])
def test_without_a_mode_there_is_no_shape(density: object) -> None:
    assert shape_at_mode(density) is None


def test_a_regression_on_a_predictor_far_from_0_is_slanted() -> None:
    subject = correlated()._subject()
    density = open_density(subject.program.text, to_json(subject.data), 1)
    assert isinstance(density, EmbeddedDensity)
    found = shape_at_mode(density)
    x = correlated()._subject().instance.values
    design = np.column_stack([np.ones(200), next(v for v in x.values() if v.size == 200 and v.std() > 10)])
    # The coefficients' covariance, up to a factor; the scale of the noise is independent of them at the mode.
    assert found.condition == pytest.approx(condition(np.linalg.inv(design.T @ design)), rel=0.1)


def test_auto_takes_the_metric_by_the_shape_without_a_race() -> None:
    fit = correlated().mcmc(seed=1, draws=100, warmup=200, chains=2, progress=False, integrate=False)
    assert fit.settings["metric"] == "low_rank"
    assert "at the mode, a diagonal metric leaves a condition of" in fit.why
    rng = np.random.default_rng(1)
    m = ss.Model("round")
    m.x = ss.data(rng.normal(size=(200, 2)))
    m.b = ss.Normal(0, 1, shape=2)
    m.y = ss.Normal(m.x @ m.b, 1).observe(rng.normal(size=200))
    short, long = (
        chosen_for(m, draws, chains=2, fitting=["nutpie", "stanli"]) for draws in (100, 100_000)
    )
    assert short.engine == "stanli"
    assert (long.engine, long.metric) == ("nutpie", "diag")


def chosen_for(model: ss.Model, draws: int, chains: int, fitting: list[str]) -> Plan:
    """Choose as `auto` does, by the shape at the mode."""
    subject = model._subject()
    density = open_density(subject.program.text, to_json(subject.data), 1)

    def race(plans: object) -> None:
        raise AssertionError(f"no race was needed between {plans}")

    return choose(subject.instance, fitting, {}, 1000, 1000, race, lambda: shape_at_mode(density), draws, chains)
