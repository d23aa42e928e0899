"""Models written in SciStan beside Stan programs written by hand for the same data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import scistan as ss

RNG = np.random.default_rng(20)


@dataclass(frozen=True)
class Pair:
    """A model, the program a good Stan programmer would write for it, and that program's data."""

    name: str
    model: Callable[[], ss.Model]
    handwritten: str
    data: Callable[[ss.Model], dict[str, Any]]


def _values(m: ss.Model, *names: str) -> dict[str, np.ndarray]:
    instance = m.instance()
    return {n: np.array(instance.values[m[n]._scistan_node_]) for n in names}


# -- eight schools ----------------------------------------------------------------------------------
def eight_schools() -> ss.Model:
    m = ss.Model("eight_schools")
    m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0])
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


EIGHT = """
data { int<lower=0> J; vector[J] y; vector<lower=0>[J] sigma; }
parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[J] theta; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); }
"""


# -- varying intercepts and slopes ------------------------------------------------------------------
def _groups(rows: int, groups: int) -> np.ndarray:
    return np.concatenate([np.arange(groups), RNG.integers(0, groups, rows - groups)])


def varying_intercepts(rows: int = 919, groups: int = 85) -> ss.Model:
    m = ss.Model("varying_intercepts")
    m.group = ss.data(_groups(rows, groups))
    m.x = ss.data(RNG.normal(size=rows))
    m.mu = ss.Normal(0, 1)
    m.tau = ss.HalfNormal(1)
    m.alpha = ss.Normal(m.mu, m.tau, shape=groups)
    m.beta = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.alpha[m.group] + m.beta * m.x, m.sigma).observe(RNG.normal(size=rows))
    return m


INTERCEPTS = """
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters {
  real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[J] alpha; real beta; real<lower=0> sigma;
}
model {
  mu ~ std_normal(); tau ~ std_normal(); alpha ~ normal(mu, tau); beta ~ std_normal(); sigma ~ std_normal();
  y ~ normal(alpha[g] + beta * x, sigma);
}
"""


def varying_slopes(rows: int = 919, groups: int = 85) -> ss.Model:
    m = ss.Model("varying_slopes")
    m.group = ss.data(_groups(rows, groups))
    m.x = ss.data(RNG.normal(size=rows))
    m.mu_a = ss.Normal(0, 1)
    m.mu_b = ss.Normal(0, 1)
    m.tau_a = ss.HalfNormal(1)
    m.tau_b = ss.HalfNormal(1)
    m.a = ss.Normal(m.mu_a, m.tau_a, shape=groups)
    m.b = ss.Normal(m.mu_b, m.tau_b, shape=groups)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.a[m.group] + m.b[m.group] * m.x, m.sigma).observe(RNG.normal(size=rows))
    return m


SLOPES = """
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters {
  real mu_a; real mu_b; real<lower=0> tau_a; real<lower=0> tau_b;
  vector<offset=mu_a, multiplier=tau_a>[J] a; vector<offset=mu_b, multiplier=tau_b>[J] b; real<lower=0> sigma;
}
model {
  mu_a ~ std_normal(); mu_b ~ std_normal(); tau_a ~ std_normal(); tau_b ~ std_normal();
  a ~ normal(mu_a, tau_a); b ~ normal(mu_b, tau_b); sigma ~ std_normal();
  y ~ normal(a[g] + b[g] .* x, sigma);
}
"""


def _grouped(m: ss.Model) -> dict[str, Any]:
    v = _values(m, "group", "x", "y")
    return {"N": len(v["y"]), "J": int(v["group"].max()) + 1, "g": v["group"] + 1, "x": v["x"], "y": v["y"]}


# -- generalized linear models ----------------------------------------------------------------------
def _design(rows: int, columns: int) -> np.ndarray:
    return RNG.normal(size=(rows, columns)) / np.sqrt(columns)


def logistic(rows: int = 1000, columns: int = 10) -> ss.Model:
    m = ss.Model("logistic")
    m.x = ss.data(_design(rows, columns))
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, shape=columns)
    m.y = ss.Bernoulli(ss.inv_logit(m.alpha + m.x @ m.beta)).observe(RNG.integers(0, 2, rows))
    return m


LOGISTIC = """
data { int N; int K; matrix[N, K] x; array[N] int y; }
parameters { real alpha; vector[K] beta; }
model { alpha ~ normal(0, 2.5); beta ~ std_normal(); y ~ bernoulli_logit_glm(x, alpha, beta); }
"""


def poisson(rows: int = 1000, columns: int = 10) -> ss.Model:
    m = ss.Model("poisson")
    m.x = ss.data(_design(rows, columns))
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, shape=columns)
    m.y = ss.Poisson(ss.exp(m.alpha + m.x @ m.beta)).observe(RNG.poisson(2, rows))
    return m


POISSON = LOGISTIC.replace("bernoulli_logit_glm", "poisson_log_glm")


def ordinal(rows: int = 1000, columns: int = 10) -> ss.Model:
    m = ss.Model("ordinal")
    m.x = ss.data(_design(rows, columns))
    m.beta = ss.Normal(0, 1, shape=columns)
    m.cut = ss.Normal(0, 3, shape=4, constraint="ordered")
    m.y = ss.OrderedLogistic(m.x @ m.beta, m.cut).observe(RNG.integers(0, 5, rows))
    return m


ORDINAL = """
data { int N; int K; int C; matrix[N, K] x; array[N] int<lower=1> y; }
parameters { vector[K] beta; ordered[C] cut; }
model { beta ~ std_normal(); cut ~ normal(0, 3); y ~ ordered_logistic_glm(x, beta, cut); }
"""


def _regression(m: ss.Model) -> dict[str, Any]:
    v = _values(m, "x", "y")
    return {"N": v["x"].shape[0], "K": v["x"].shape[1], **v}


def _ordinal_data(m: ss.Model) -> dict[str, Any]:
    found = _regression(m)
    return {**found, "y": found["y"] + 1, "C": 4}


def negative_binomial(rows: int = 1000, columns: int = 5) -> ss.Model:
    m = ss.Model("negative_binomial")
    m.x = ss.data(_design(rows, columns))
    m.log_exposure = ss.data(RNG.normal(size=rows) * 0.3)
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, shape=columns)
    m.phi = ss.Gamma(2, 0.5)
    m.y = ss.NegBinomial2Log(m.alpha + m.log_exposure + m.x @ m.beta, m.phi).observe(RNG.poisson(2, rows))
    return m


NEGATIVE = """
data { int N; int K; matrix[N, K] x; vector[N] log_exposure; array[N] int y; }
parameters { real alpha; vector[K] beta; real<lower=0> phi; }
model {
  alpha ~ normal(0, 2.5); beta ~ std_normal(); phi ~ gamma(2, 0.5);
  y ~ neg_binomial_2_log_glm(x, alpha + log_exposure, beta, phi);
}
"""


# -- a Gaussian process, item response, counts in categories -----------------------------------------
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
    v = _values(m, "person", "item", "y")
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
    y = _values(m, "y")["y"]
    return {"N": y.shape[0], "K": y.shape[1], "y": y, "a": np.ones(y.shape[1])}


def _gp_data(m: ss.Model) -> dict[str, Any]:
    v = _values(m, "x", "y")
    return {"N": len(v["x"]), **v}


def _eight_data(m: ss.Model) -> dict[str, Any]:
    return {"J": 8, **_values(m, "y", "sigma")}


def _negative_data(m: ss.Model) -> dict[str, Any]:
    return {**_regression(m), **_values(m, "log_exposure")}


PAIRS = (
    Pair("eight schools", eight_schools, EIGHT, _eight_data),
    Pair("varying intercepts", varying_intercepts, INTERCEPTS, _grouped),
    Pair("varying slopes", varying_slopes, SLOPES, _grouped),
    Pair("logistic", logistic, LOGISTIC, _regression),
    Pair("Poisson", poisson, POISSON, _regression),
    Pair("ordinal", ordinal, ORDINAL, _ordinal_data),
    Pair("negative binomial, offset", negative_binomial, NEGATIVE, _negative_data),
    Pair("Gaussian process", gaussian_process, GP, _gp_data),
    Pair("item response (2PL)", item_response, IRT, _irt_data),
    Pair("multinomial", multinomial, MULTINOMIAL, _multinomial_data),
)
