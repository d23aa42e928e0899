"""Gradients of models' densities: every distribution and random models, beside torch's autograd."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import scistan as ss
from tests.random_models import Recipe, build, recipes
from tests.targets import stan_cases
from tests.transforms.model_points import agree, point
from tests.zoo import eight_schools

LAWS = {"deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}
CASES = {str(case): case for case in stan_cases.cases()}
EVERY = [name for name, case in CASES.items() if len(case.batch) <= 1]
SAMPLE = [name for name in EVERY if CASES[name].batch and CASES[name].arguments == "latents"
          and CASES[name].truncated in ("", "both")]


def check_case(name: str) -> None:
    m = stan_cases.build(CASES[name])
    if not m.instance().graph.latents:
        return
    try:
        agree(m, point(m), second=True)
    except ss.UnsupportedError:
        pytest.skip("declared as not yet there")


@pytest.mark.parametrize("name", SAMPLE)
def test_every_distribution(name: str):
    check_case(name)


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_every_distribution_in_every_role(name: str):
    check_case(name)


def check(recipe: Recipe) -> None:
    m = build(recipe)
    try:
        agree(m, point(m), rtol=1e-8)
    except ss.UnsupportedError:
        return  # a declared gap; anything else is a fault


@settings(max_examples=10, **LAWS)
@given(recipes())
def test_random_models(recipe):
    check(recipe)


@pytest.mark.long
@settings(max_examples=1000, **LAWS)
@given(recipes())
def test_a_thousand_random_models(recipe):
    check(recipe)


def test_a_model_outside_its_support():
    m = eight_schools()
    values = {"mu": 1.0, "tau": -1.0, "theta": np.zeros(8)}
    value, slopes = ss.value_and_grad(m)(values)
    assert value == -np.inf == m.log_density(values)
    assert all(np.isnan(slope).all() for slope in slopes.values())
    assert np.isnan(ss.hessian(m)(values)["mu"]["theta"]).all()


def test_hessians_of_models_are_torchs():
    m = eight_schools()
    values = point(m, 3)
    ours, theirs = ss.hessian(m)(values), ss.hessian(m, backend="torch")(values)
    for a, row in theirs.items():
        for b, block in row.items():
            np.testing.assert_allclose(ours[a][b], block.numpy(), rtol=1e-10, atol=1e-12)
            assert ours[a][b].shape == np.shape(values[a]) + np.shape(values[b])


def test_many_points_at_once():
    m = eight_schools()
    points = [point(m, seed) for seed in range(3)]
    many = {name: np.stack([p[name] for p in points]) for name in points[0]}
    np.testing.assert_allclose(ss.vmap(m)(many), [m.log_density(p) for p in points], rtol=1e-13)
    assert ss.jit(m)(points[0]) == m.log_density(points[0])


def test_expressions_of_a_model():
    m = eight_schools()
    e = ss.sum(m.theta**2) * m.mu
    at = {"mu": 2.0, "theta": np.arange(8.0)}
    for backend in ("numpy", "torch"):
        slopes = ss.grad(e, backend=backend)(at)
        np.testing.assert_allclose(slopes["theta"], 4 * np.arange(8.0))
        np.testing.assert_allclose(slopes["mu"], np.sum(np.arange(8.0) ** 2))
    np.testing.assert_allclose(ss.jacobian(m.theta * m.mu)(at)["theta"], 2 * np.eye(8))
    np.testing.assert_allclose(ss.hessian(e)(at)["mu"]["theta"], 2 * np.arange(8.0))
    np.testing.assert_allclose(ss.vmap(e)({n: np.stack([x, x]) for n, x in at.items()}), [280.0, 280.0])
    with pytest.raises(ss.ScistanError, match="tau"):
        ss.grad(e)({**at, "tau": 1.0})
    with pytest.raises(ss.ModelError, match="one number"):
        ss.grad(m.theta)({"theta": np.zeros(8)})
