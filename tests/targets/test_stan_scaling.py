"""Matrices scaled more than once, or by a length of 1: no factor is lost on the way to Stan's own functions."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss

FORMS = {
    "both sides, then rows": lambda m: ss.outer(m.x, m.x) * (m.w[:, None] * m.a),
    "rows, then both sides of the same": lambda m: m.x[:, None] * (ss.outer(m.x, m.x) * m.a) * m.w,
    "both sides twice": lambda m: ss.outer(m.x, m.x) * (ss.outer(m.w, m.w) * m.a),
    "one column": lambda m: m.one[:, None] * m.a * m.x * m.w,
    "one row": lambda m: m.one[None, :] * m.a * m.x * m.w,
    "one on both sides": lambda m: ss.outer(m.one, m.one) * m.a * m.x * m.w,
    "a diagonal of one": lambda m: ss.diagonal_matrix(m.one) + m.a * m.x * m.w,
}


@pytest.mark.parametrize("form", FORMS)
def test_scaled(form, stanc):
    rng = np.random.default_rng(0)
    m = ss.Model("scaled")
    m.x, m.w, m.one = ss.HalfNormal(1, shape=3), ss.HalfNormal(1, shape=3), ss.HalfNormal(1, shape=1)
    m.a = ss.data(rng.normal(size=(3, 3)))
    m.y = ss.Normal(FORMS[form](m), 1).observe(rng.normal(size=(3, 3)))
    m.z = ss.Normal(m.one, 1).observe([0.3])
    m.all = ss.Normal(ss.sum(m.x) + ss.sum(m.w), 1).observe(0.3)
    stanc(m.stan_code())
    assert m.verify(points=3).ok


def test_the_same_on_both_sides_is_one_function():
    m = ss.Model("sides")
    m.x, m.a = ss.HalfNormal(1, shape=3), ss.data(np.eye(3))
    m.y = ss.Normal(m.x[:, None] * (m.a * m.x), 1).observe(np.ones((3, 3)))
    assert "quad_form_diag(a, x)" in m.stan_code()
    assert m.verify(points=3).ok
