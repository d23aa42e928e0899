"""The models of `pairs.py` written one observation at a time, as a loop in Python would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from pairs import PAIRS

import scistan as ss

__all__ = ["TWINS", "Twin"]


@dataclass(frozen=True)
class Twin:
    """A model of a pair, and the same model on the same data with a statement for each observation."""

    name: str
    vectorized: ss.Model
    elementwise: ss.Model


def _numbers(m: ss.Model, name: str) -> np.ndarray:
    return np.array(m.instance().values[m[name]._scistan_node_])


def _twin(name: str, write: Callable[[ss.Model, ss.Model], None]) -> Twin:
    vectorized = next(pair for pair in PAIRS if pair.name == name).model()
    elementwise = ss.Model(vectorized.name)
    write(vectorized, elementwise)
    return Twin(name, vectorized, elementwise)


def eight_schools(of: ss.Model, m: ss.Model) -> None:
    sigma, y = _numbers(of, "sigma"), _numbers(of, "y")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=len(y))
    for j in range(len(y)):
        m[f"y_{j}"] = ss.Normal(m.theta[j], sigma[j]).observe(y[j])


def varying_intercepts(of: ss.Model, m: ss.Model) -> None:
    group, x, y = (_numbers(of, n) for n in ("group", "x", "y"))
    m.mu = ss.Normal(0, 1)
    m.tau = ss.HalfNormal(1)
    m.alpha = ss.Normal(m.mu, m.tau, shape=group.max() + 1)
    m.beta = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    for i in range(len(y)):
        m[f"y_{i}"] = ss.Normal(m.alpha[int(group[i])] + m.beta * x[i], m.sigma).observe(y[i])


def varying_slopes(of: ss.Model, m: ss.Model) -> None:
    group, x, y = (_numbers(of, n) for n in ("group", "x", "y"))
    m.mu_a = ss.Normal(0, 1)
    m.mu_b = ss.Normal(0, 1)
    m.tau_a = ss.HalfNormal(1)
    m.tau_b = ss.HalfNormal(1)
    m.a = ss.Normal(m.mu_a, m.tau_a, shape=group.max() + 1)
    m.b = ss.Normal(m.mu_b, m.tau_b, shape=group.max() + 1)
    m.sigma = ss.HalfNormal(1)
    for i in range(len(y)):
        m[f"y_{i}"] = ss.Normal(m.a[group[i]] + m.b[group[i]] * x[i], m.sigma).observe(y[i])


def _regression(of: ss.Model, m: ss.Model, outcome: Callable[[Any], Any]) -> None:
    x, y = _numbers(of, "x"), _numbers(of, "y")
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, shape=x.shape[1])
    for i in range(len(y)):
        m[f"y_{i}"] = outcome(m.alpha + x[i] @ m.beta).observe(y[i])


def logistic(of: ss.Model, m: ss.Model) -> None:
    _regression(of, m, lambda eta: ss.Bernoulli(ss.inv_logit(eta)))


def poisson(of: ss.Model, m: ss.Model) -> None:
    _regression(of, m, lambda eta: ss.Poisson(ss.exp(eta)))


def ordinal(of: ss.Model, m: ss.Model) -> None:
    x, y = _numbers(of, "x"), _numbers(of, "y")
    m.beta = ss.Normal(0, 1, shape=x.shape[1])
    m.cut = ss.Normal(0, 3, shape=4, constraint="ordered")
    for i in range(len(y)):
        m[f"y_{i}"] = ss.OrderedLogistic(x[i] @ m.beta, m.cut).observe(y[i])


def negative_binomial(of: ss.Model, m: ss.Model) -> None:
    x, offset, y = (_numbers(of, n) for n in ("x", "log_exposure", "y"))
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, shape=x.shape[1])
    m.phi = ss.Gamma(2, 0.5)
    for i in range(len(y)):
        m[f"y_{i}"] = ss.NegBinomial2Log(m.alpha + offset[i] + ss.sum(x[i] * m.beta), m.phi).observe(y[i])


def item_response(of: ss.Model, m: ss.Model) -> None:
    person, item, y = (_numbers(of, n) for n in ("person", "item", "y"))
    m.ability = ss.Normal(0, 1, shape=person.max() + 1)
    m.difficulty = ss.Normal(0, 2, shape=item.max() + 1)
    m.discrimination = ss.LogNormal(0, 0.5, shape=item.max() + 1)
    for n in range(len(y)):
        i, j = int(person[n]), int(item[n])
        eta = m.discrimination[j] * (m.ability[i] - m.difficulty[j])
        m[f"y_{n}"] = ss.BernoulliLogit(eta).observe(y[n])


def multinomial(of: ss.Model, m: ss.Model) -> None:
    y = _numbers(of, "y")
    m.theta = ss.Dirichlet(np.ones(y.shape[1]))
    for i in range(len(y)):
        m[f"y_{i}"] = ss.Multinomial(y[i].sum(), m.theta).observe(y[i])


TWINS: dict[str, Callable[[ss.Model, ss.Model], None]] = {
    "eight schools": eight_schools,
    "varying intercepts": varying_intercepts,
    "varying slopes": varying_slopes,
    "logistic": logistic,
    "Poisson": poisson,
    "ordinal": ordinal,
    "negative binomial, offset": negative_binomial,
    "item response (2PL)": item_response,
    "multinomial": multinomial,
}


def twin(name: str) -> Twin:
    """Write both forms of a model."""
    return _twin(name, TWINS[name])
