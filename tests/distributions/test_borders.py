"""A point outside an argument's domain, or on a border that is no part of it, has density zero: never NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import scistan as ss
from scistan import constrained
from scistan.distributions import REGISTRY
from scistan.distributions.declaration import Distribution
from scistan.domains import Domain

from .strategies import cases, examples

pytest.importorskip("torch")


def _outside(domain: Domain, good: np.ndarray) -> list[np.ndarray]:
    """Give members that have been moved onto an excluded border, and beyond the ends."""
    found = []
    for bound, is_open, step in ((domain.lower, domain.lower_open, -1), (domain.upper, domain.upper_open, 1)):
        for number in () if bound is None else ((bound,) if is_open else ()) + (bound + step,):
            moved = np.array(good, float)
            moved[(0,) * moved.ndim] = number
            found.append(moved)
    if domain.event_rank == 2:  # the last variable is gone
        singular = np.array(good, float)
        singular[-1, :] = 0.0
        singular[:, -1] = 0.0
        found.append(singular)
    if domain is constrained.ORDERED:
        found.append(np.array(good)[::-1].copy())
    return [*found, np.full_like(np.array(good, float), np.nan)]


SMOOTH = [
    (name, k)
    for name, d in sorted(REGISTRY.items())
    for k, p in enumerate(d.parameters)
    if d.public and not p.domain.integer
]


@pytest.mark.parametrize(("name", "k"), SMOOTH, ids=[f"{n}-{REGISTRY[n].parameters[k].name}" for n, k in SMOOTH])
@examples(3)
@given(data=st.data())
def test_an_argument_outside_has_no_density(name: str, k: int, data: st.DataObject) -> None:
    d: Distribution = REGISTRY[name]
    value, args = data.draw(cases(d))
    domain = d.parameters[k].domain
    for bad in _outside(domain, np.asarray(args[k])):
        m = ss.Model()
        m.a = ss.Flat(shape=bad.shape) if bad.ndim else ss.Flat()
        # NaN cannot be given, so the model computes it; a bare latent that can be outside would be refused.
        moving: Any = m.a / m.a if np.isnan(bad).any() else 1.0 * m.a
        given_args: list[Any] = [moving if j == k else a for j, a in enumerate(args)]
        made = getattr(ss, d.title)(**{p.name: a for p, a in zip(d.parameters, given_args, strict=True)})
        m.y = made.observe(value)
        point = {"a": np.zeros_like(bad) if np.isnan(bad).any() else bad}
        for target in ("scipy", "torch"):
            assert m.log_density(point, target=target) == -np.inf, (bad, target)


def test_overflown_arguments_have_no_density_where_the_formula_has_none() -> None:
    m = ss.Model()
    m.a = ss.Flat()
    m.y = ss.StudentT(ss.exp(m.a), 0, 1).observe([1.0, 2.0])
    assert m.log_density({"a": 1000.0}) == m.log_density({"a": 1000.0}, target="torch") == -np.inf


def test_infinite_predictors_keep_the_density_that_the_formula_has() -> None:
    m = ss.Model()
    m.a = ss.Flat()
    m.y = ss.BernoulliLogit(ss.exp(m.a)).observe([1])
    assert m.log_density({"a": 1000.0}) == m.log_density({"a": 1000.0}, target="torch") == 0.0


@pytest.mark.parametrize("likelihood", [
    lambda a: ss.Uniform(a, 1),
    lambda a: ss.Normal(0, 1, lower=a, upper=1),
    lambda a: ss.MultivariateNormal(np.zeros(1), cov=ss.stack([ss.stack([a - 1])])),
    lambda a: ss.MultivariateNormal(np.zeros(1), chol=ss.cholesky(ss.stack([ss.stack([a - 1])]))),
])
def test_crossed_bounds_and_matrices_without_a_factor(likelihood: Any) -> None:
    m = ss.Model()
    m.a = ss.Flat()
    m.y = likelihood(1.0 * m.a).observe([1.0])
    for a in (1.0, 0.5) if "MultivariateNormal" in repr(m) else (1.0, 1.5):
        assert m.log_density({"a": a}) == m.log_density({"a": a}, target="torch") == -np.inf
