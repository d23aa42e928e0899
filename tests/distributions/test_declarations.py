"""What the declarations say of each other, and what their constructors refuse."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import scistan as ss
from scistan.distributions import CONSTRUCTORS, REGISTRY
from scistan.distributions.resolve import resolve
from scistan.ops import FUNCTIONS

EVERY = sorted(REGISTRY)
COV = np.array([[2.0, 0.3], [0.3, 1.0]])


@pytest.mark.parametrize("name", EVERY)
def test_links_lead_to_the_same_distribution_with_a_predictor(name: str) -> None:
    d = REGISTRY[name]
    assert bool(d.link) == bool(d.link_form) == bool(d.linked_parameter)
    if not d.link:
        return
    other = REGISTRY[d.link_form]
    assert d.link in FUNCTIONS
    at = [p.name for p in d.parameters].index(d.linked_parameter)
    assert [p.name for k, p in enumerate(d.parameters) if k != at] == [
        p.name for k, p in enumerate(other.parameters) if k != at
    ]


@pytest.mark.parametrize("name", EVERY)
def test_traits_name_parameters(name: str) -> None:
    d = REGISTRY[name]
    names = {p.name for p in d.parameters}
    assert set(d.location_scale or ()) <= names
    assert {d.linked_parameter, d.glm.predictor if d.glm else ""} - {""} <= names
    assert set(d.stan.containers or ()) <= names
    assert d.relation is None or d.relation.parameter in names
    assert (d.log_cdf is None) == (d.log_ccdf is None)
    assert d.doc.endswith(".")


@pytest.mark.parametrize("name", [n for n in EVERY if REGISTRY[n].location_scale and not REGISTRY[n].event_rank])
def test_location_and_scale_shift_and_stretch(name: str) -> None:
    from .evaluation import with_numpy

    d = REGISTRY[name]
    names = [p.name for p in d.parameters]
    args = [0.7] * len(names)
    location, scale = (names.index(n) for n in d.location_scale or ())
    args[location], args[scale] = 0.0, 1.0
    standard = with_numpy(d, d.log_density, 0.4, tuple(args))
    args[location], args[scale] = -2.0, 3.0
    moved = with_numpy(d, d.log_density, -2.0 + 3.0 * 0.4, tuple(args))
    assert moved == pytest.approx(standard - np.log(3.0))


@pytest.mark.parametrize("name", [n for n in EVERY if REGISTRY[n].location_scale and REGISTRY[n].event_rank])
def test_location_and_factor_shift_and_stretch_vectors(name: str) -> None:
    from .evaluation import with_numpy

    d = REGISTRY[name]
    z, location, factor = np.array([0.4, -1.1]), np.array([2.0, -1.0]), np.array([[3.0, 0.0], [-0.5, 0.7]])
    standard = with_numpy(d, d.log_density, z, (np.zeros(2), np.eye(2)))
    moved = with_numpy(d, d.log_density, location + factor @ z, (location, factor))
    assert moved == pytest.approx(standard - np.log(3.0 * 0.7))


@pytest.mark.parametrize("name", sorted(CONSTRUCTORS))
def test_every_public_name_is_documented(name: str) -> None:
    constructor = getattr(ss, name)
    assert constructor.__name__ == name
    assert inspect.getdoc(constructor) or constructor.__doc__
    assert repr(constructor).startswith(f"ss.{name}(")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ss.Uniform(2, 1), "above `alpha`"),
        (lambda: ss.DiscreteRange(3, 1), "at least `lower`"),
        (lambda: ss.HyperGeometric(9, 3, 4), "at most `a"),
        (lambda: ss.Wishart(0.5, COV), "above the number of rows"),
        (lambda: ss.InvWishart(1.0, COV), "above the number of rows"),
        (lambda: ss.MultivariateNormal([0, 0.0]), "one of cov, prec, chol"),
        (lambda: ss.MultivariateNormal([0, 0.0], cov=COV, chol=COV), "one of cov, prec, chol"),
        (lambda: ss.MultivariateNormal([0, 0.0], cov=-COV), "positive-definite"),
        (lambda: ss.MultivariateNormal([0, 0.0], chol=COV), "Cholesky factor"),
        (lambda: ss.MultivariateNormal([0, 0.0], sigma=COV), "one of cov, prec, chol"),
        (lambda: ss.BetaProportion(1.0, 2.0), "strictly between 0 and 1"),
    ],
)
def test_illegal_constants_are_refused(call: object, words: str) -> None:
    with pytest.raises(ss.ModelError, match=words):
        call()


def test_multivariate_normal_in_three_ways() -> None:
    chol = np.linalg.cholesky(COV)
    made = [
        ss.MultivariateNormal([0.5, 1.0], cov=COV),
        ss.MultivariateNormal([0.5, 1.0], COV),
        ss.MultivariateNormal([0.5, 1.0], prec=np.linalg.inv(COV)),
        ss.MultivariateNormal(mu=[0.5, 1.0], chol=chol),
    ]
    assert [m.distribution.stan.name for m in made] == [
        "multi_normal", "multi_normal", "multi_normal_prec", "multi_normal_cholesky"
    ]


def test_lengths_that_differ_are_told() -> None:
    with pytest.raises(ss.ModelError, match="differ in length"):
        resolve("x", ss.MultivariateNormal([0.0, 1, 2], cov=COV), None, None)
