"""Gaussian processes, item response, counts in categories, series and survival."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss

from .pair import Pair, values

RNG = np.random.default_rng(22)


def gaussian_process(rows: int = 40) -> ss.Model:
    m = ss.Model("gp")
    m.x = ss.data(np.linspace(0, 5, rows))
    m.rho = ss.InvGamma(5, 5)
    m.height = ss.HalfNormal(1)
    m.sigma = ss.HalfNormal(1)
    distance = ss.square(m.x[:, None] - m.x[None, :])
    kernel = ss.square(m.height) * ss.exp(-0.5 * distance / ss.square(m.rho))
    cov = kernel + ss.diagonal_matrix(0.0 * m.x + ss.square(m.sigma))
    m.y = ss.MultivariateNormal(np.zeros(rows), chol=ss.cholesky(cov)).observe(RNG.normal(size=rows))
    return m


GP = """
data { int N; array[N] real x; vector[N] y; }
transformed data { vector[N] mu = rep_vector(0, N); }
parameters { real<lower=0> rho; real<lower=0> height; real<lower=0> sigma; }
model {
  matrix[N, N] L;
  {
    matrix[N, N] K = gp_exp_quad_cov(x, height, rho);
    for (n in 1:N) K[n, n] += square(sigma);
    L = cholesky_decompose(K);
  }
  rho ~ inv_gamma(5, 5); height ~ std_normal(); sigma ~ std_normal();
  y ~ multi_normal_cholesky(mu, L);
}
"""


def _gp_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "x", "y")
    return {"N": len(v["x"]), **v}


def item_response(persons: int = 100, items: int = 20) -> ss.Model:
    person, item = (a.ravel() for a in np.meshgrid(np.arange(persons), np.arange(items), indexing="ij"))
    m = ss.Model("two_parameter_logistic")
    m.person = ss.data(person)
    m.item = ss.data(item)
    m.ability = ss.Normal(0, 1, shape=persons)
    m.difficulty = ss.Normal(0, 2, shape=items)
    m.discrimination = ss.LogNormal(0, 0.5, shape=items)
    eta = m.discrimination[m.item] * (m.ability[m.person] - m.difficulty[m.item])
    m.y = ss.BernoulliLogit(eta).observe(RNG.integers(0, 2, person.size))
    return m


IRT = """
data {
  int N; int I; int J; array[N] int<lower=1, upper=I> person; array[N] int<lower=1, upper=J> item;
  array[N] int<lower=0, upper=1> y;
}
parameters { vector[I] ability; vector[J] difficulty; vector<lower=0>[J] discrimination; }
model {
  ability ~ std_normal(); difficulty ~ normal(0, 2); discrimination ~ lognormal(0, 0.5);
  y ~ bernoulli_logit(discrimination[item] .* (ability[person] - difficulty[item]));
}
"""


def _irt_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "person", "item", "y")
    sizes = {"N": len(v["y"]), "I": int(v["person"].max()) + 1, "J": int(v["item"].max()) + 1}
    return {**sizes, "person": v["person"] + 1, "item": v["item"] + 1, "y": v["y"]}


def multinomial(rows: int = 30, categories: int = 8) -> ss.Model:
    counts = RNG.multinomial(100, np.ones(categories) / categories, size=rows)
    m = ss.Model("multinomial")
    m.theta = ss.Dirichlet(np.ones(categories))
    m.y = ss.Multinomial(counts.sum(1), m.theta).observe(counts)
    return m


MULTINOMIAL = """
data { int N; int K; array[N, K] int y; vector[K] a; }
parameters { simplex[K] theta; }
model { theta ~ dirichlet(a); for (n in 1:N) y[n] ~ multinomial(theta); }
"""


def _multinomial_data(m: ss.Model) -> dict[str, Any]:
    y = values(m, "y")["y"]
    return {"N": y.shape[0], "K": y.shape[1], "y": y, "a": np.ones(y.shape[1])}


# -- series and survival --------------------------------------------------------------------------------
def autoregression(length: int = 300) -> ss.Model:
    m = ss.Model("autoregression")
    series = np.cumsum(RNG.normal(size=length)) * 0.1
    m.past = ss.data(series[:-1])
    m.alpha = ss.Normal(0, 1)
    m.beta = ss.Normal(0, 1, shape=2)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.alpha + m.beta[0] * m.past[1:] + m.beta[1] * m.past[:-1], m.sigma).observe(series[2:])
    return m


AUTOREGRESSION = """
data { int N; vector[N - 1] past; vector[N - 2] y; }
parameters { real alpha; vector[2] beta; real<lower=0> sigma; }
model {
  alpha ~ std_normal(); beta ~ std_normal(); sigma ~ std_normal();
  y ~ normal(alpha + beta[1] * past[2:] + beta[2] * past[:N - 2], sigma);
}
"""


def _series_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "past", "y")
    return {"N": len(v["past"]) + 1, **v}


def survival(rows: int = 200) -> ss.Model:
    m = ss.Model("survival")
    m.x = ss.data(RNG.normal(size=rows))
    m.shape_ = ss.Gamma(2, 1)
    m.alpha = ss.Normal(0, 1)
    m.beta = ss.Normal(0, 1)
    m.t = ss.Weibull(m.shape_, ss.exp(-(m.alpha + m.beta * m.x) / m.shape_)).observe(RNG.weibull(1.5, rows))
    return m


SURVIVAL = """
data { int N; vector[N] x; vector<lower=0>[N] t; }
parameters { real<lower=0> k; real alpha; real beta; }
model {
  k ~ gamma(2, 1); alpha ~ std_normal(); beta ~ std_normal();
  t ~ weibull(k, exp(-(alpha + beta * x) / k));
}
"""


def _survival_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "x", "t")
    return {"N": len(v["t"]), **v}


OTHER = (
    Pair("Gaussian process", gaussian_process, GP, _gp_data),
    Pair("item response (2PL)", item_response, IRT, _irt_data),
    Pair("multinomial", multinomial, MULTINOMIAL, _multinomial_data),
    Pair("autoregression", autoregression, AUTOREGRESSION, _series_data),
    Pair("Weibull survival", survival, SURVIVAL, _survival_data),
)
