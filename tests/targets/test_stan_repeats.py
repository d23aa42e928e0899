"""Arguments of length 1 beside many observations: Stan repeats scalars only, so each has a form of its own."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss

Y = np.array([1.0, 2.0, 0.0, 1.0, 1.5])


def truncated(m):
    m.t, m.l = ss.Normal(0, 1, shape=1), ss.data([-3.0])
    m.y = ss.Normal(m.t, m.s, lower=m.l).observe(Y)


def truncated_on_both_sides(m):
    m.t = ss.Normal(0, 1, shape=(1, 1))
    m.y = ss.Normal(m.t, m.s, lower=-2, upper=5).observe([[1.0, 2, 0], [1, 1, 2]])


def one_vector(m):
    m.t = ss.Normal(0, 1, shape=(1, 2))
    m.y = ss.MultivariateNormal(m.t, chol=m.s * np.eye(2)).observe(np.ones((4, 2)))


def one_vector_for_each_row(m):
    m.t = ss.Normal(0, m.s, shape=(3, 1, 2))
    m.z = ss.MultivariateNormal(m.t, chol=m.s * np.eye(2), shape=(3, 4))
    m.y = ss.Normal(m.z, 1).observe(np.ones((3, 4, 2)))


def one_simplex(m):
    m.t = ss.Dirichlet(np.ones(3), shape=1)
    m.y = ss.Categorical(m.t).observe([1, 2, 0, 1, 1])


def one_total(m):
    m.n, m.p = ss.data([7]), ss.Beta(1, 1)
    m.y = ss.Binomial(m.n, m.p).observe([1, 2, 3, 4, 5])


def one_total_for_each_row(m):
    m.n, m.p = ss.data([[7], [6]]), ss.Beta(1, 1, shape=3)
    m.y = ss.Binomial(m.n, m.p).observe([[1, 2, 3], [2, 3, 4]])


def totals_of_columns(m):
    m.n, m.p = ss.data([7, 8, 9]), ss.Beta(1, 1, shape=3)
    m.y = ss.Binomial(m.n, m.p).observe([[1, 2, 3], [2, 3, 4]])


def a_computed_total(m):
    m.n, m.k, m.p = ss.data([2, 3]), ss.data([2, 1]), ss.Beta(1, 1)
    m.y = ss.Binomial(ss.sum(m.n), m.p).observe([1, 2, 3])
    m.z = ss.Binomial(ss.sum(m.n * m.k), m.p).observe([1, 2, 3])


CASES = (truncated, truncated_on_both_sides, one_vector, one_vector_for_each_row, one_simplex, one_total,
         one_total_for_each_row, totals_of_columns, a_computed_total)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_repeated(case, stanc):
    m = ss.Model("repeated")
    m.s = ss.HalfNormal(1)
    case(m)
    m.rest = ss.Normal(0, m.s).observe(0.4)
    stanc(m.stan_code())
    assert m.verify(points=3).ok
