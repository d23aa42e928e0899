"""Gradients of models' densities: every distribution and random models, beside torch's autograd."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

import scistan as ss
from tests.random_models import Recipe, build, recipes
from tests.targets import stan_cases
from tests.transforms.model_points import agree, point

LAWS = {"deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}
CASES = {str(case): case for case in stan_cases.cases()}
SMALL = [name for name, case in CASES.items() if len(case.batch) <= 1]


@pytest.mark.parametrize("name", SMALL)
def test_every_distribution(name: str):
    m = stan_cases.build(CASES[name])
    try:
        agree(m, point(m), second=True)
    except ss.UnsupportedError:
        pytest.skip("declared as not yet there")


def check(recipe: Recipe) -> None:
    m = build(recipe)
    try:
        agree(m, point(m), rtol=1e-8)
    except ss.UnsupportedError:
        return  # a declared gap; anything else is a fault


@settings(max_examples=40, **LAWS)
@given(recipes())
def test_random_models(recipe):
    check(recipe)


@pytest.mark.long
@settings(max_examples=1000, **LAWS)
@given(recipes())
def test_a_thousand_random_models(recipe):
    check(recipe)
