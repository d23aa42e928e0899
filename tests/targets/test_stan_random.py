"""Random models: the program passes stanc and agrees with SciPy and torch."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

import scistan as ss
from scistan.inference.tolerance import DENSITY_TOLERANCE
from tests.random_models import Recipe, build, recipes

LAWS = {"deadline": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}


def check(recipe: Recipe, stanc) -> None:
    m = build(recipe)
    try:
        stanc(m.stan_code())
        agreement = m.verify(points=2)
    except ss.UnsupportedError:
        return  # a declared gap; anything else is a fault
    # Gradients of truncated terms are Stan's own approximations; densities must be right always.
    assert agreement.max_density_error < DENSITY_TOLERANCE, f"{agreement}\n{m.stan_code()}"
    assert agreement.ok or agreement.gradient_tolerance > 1e-5, f"{agreement}\n{m.stan_code()}"


@settings(max_examples=40, **LAWS)
@given(recipes())
def test_random_models(stanc, recipe):
    check(recipe, stanc)


@pytest.mark.long
@settings(max_examples=2000, **LAWS)
@given(recipes())
def test_thousands_of_random_models(stanc, recipe):
    check(recipe, stanc)
