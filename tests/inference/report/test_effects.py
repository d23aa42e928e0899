"""Coefficients are read off the model: which latent multiplies which data, with which sign, through what."""

import numpy as np
import pytest

import scistan as ss
from scistan.inference.report.effects import coefficients

X = np.arange(6.0).reshape(3, 2)


def model(predictor, family=ss.Normal):
    m = ss.Model()
    m.x = ss.data(X[:, 0], dims="row")
    m.X = ss.data(X, dims=("row", "column"))
    m.g = ss.data([0, 1, 1], dims="row")
    m.a, m.b = ss.Normal(0, 1), ss.Normal(0, 1)
    m.v = ss.Normal(0, 1, dims="column")
    m.u = ss.Normal(0, 1, shape=2)
    values = [1.0, 2.0, 3.0] if family is ss.Normal else [1, 2, 3]
    m.y = (family(predictor(m), 1.0) if family is ss.Normal else family(predictor(m))).observe(values, dims="row")
    return m.to_graph()


CASES = {
    "a slope": (lambda m: m.a + m.b * m.x, [("b", ("x",), (), False, True)]),
    "a minus": (lambda m: m.a - m.b * m.x, [("b", ("x",), (), True, True)]),
    "two minuses": (lambda m: m.a - -(m.b * m.x), [("b", ("x",), (), False, True)]),
    "standardized": (lambda m: m.b * (m.x - 1.0) / 2.0, [("b", ("x",), (), False, False)]),
    "a matrix": (lambda m: m.X @ m.v, [("v", ("X",), (), False, True)]),
    "a sum of products": (lambda m: ss.sum(m.X * m.v, axis=1), [("v", ("X",), (), False, True)]),
    "slopes of groups": (lambda m: m.u[m.g] * m.x, [("u", ("x",), (), False, True)]),
    "intercepts of groups": (lambda m: m.u[m.g] + m.a, []),
    "through a function": (lambda m: ss.tanh(m.b * m.x), [("b", ("x",), ("tanh",), False, True)]),
    "two latents in a product": (lambda m: m.a * m.b * m.x, []),
    "a function of a latent": (lambda m: ss.exp(m.b) * m.x, []),
    "numbers alone": (lambda m: 2.0 * m.b + m.a, []),
    "an interaction": (lambda m: m.b * m.x * m.g, [("b", ("g", "x"), (), False, False)]),
}


@pytest.mark.parametrize("name", CASES)
def test_coefficients(name):
    predictor, wanted = CASES[name]
    found = coefficients(model(predictor))
    assert [(c.latent, tuple(sorted(c.data)), c.through, c.negative, c.exact) for c in found] == wanted
    assert all(c.observed == "y" and c.argument == "mu" for c in found)


def test_a_derived_predictor_is_seen_through():
    m = ss.Model()
    m.x = ss.data([1.0, 2.0])
    m.b = ss.Normal(0, 1)
    m.eta = m.b * m.x
    m.n = ss.Poisson(ss.exp(m.eta)).observe([1, 2])
    (found,) = coefficients(m.to_graph())
    assert (found.latent, found.data, found.through, found.argument) == ("b", ("x",), ("exp",), "lambda_")
