"""Generalized linear models."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss

from .pair import Pair, values

RNG = np.random.default_rng(21)


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
    v = values(m, "x", "y")
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


def _negative_data(m: ss.Model) -> dict[str, Any]:
    return {**_regression(m), **values(m, "log_exposure")}


# -- doses and deaths (Racine et al. 1986) --------------------------------------------------------------
def bioassay() -> ss.Model:
    m = ss.Model("bioassay")
    m.dose = ss.data([-0.86, -0.30, -0.05, 0.73])
    m.animals = ss.data([5, 5, 5, 5])
    m.alpha = ss.Normal(0, 2)
    m.beta = ss.Normal(10, 10)
    m.deaths = ss.Binomial(m.animals, ss.inv_logit(m.alpha + m.beta * m.dose)).observe([0, 1, 3, 5])
    return m


BIOASSAY = """
data { int K; vector[K] dose; array[K] int animals; array[K] int deaths; }
parameters { real alpha; real beta; }
model { alpha ~ normal(0, 2); beta ~ normal(10, 10); deaths ~ binomial_logit(animals, alpha + beta * dose); }
"""


def _bioassay_data(m: ss.Model) -> dict[str, Any]:
    return {"K": 4, **values(m, "dose", "animals", "deaths")}


# -- regressions with heavy tails, with shrinkage, of classes, and with errors in x ----------------------
def robust(rows: int = 500, columns: int = 5) -> ss.Model:
    m = ss.Model("robust")
    m.x = ss.data(_design(rows, columns))
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, shape=columns)
    m.sigma = ss.HalfNormal(1)
    m.nu = ss.Gamma(2, 0.1)
    m.y = ss.StudentT(m.nu, m.alpha + m.x @ m.beta, m.sigma).observe(RNG.standard_t(4, rows))
    return m


ROBUST = """
data { int N; int K; matrix[N, K] x; vector[N] y; }
parameters { real alpha; vector[K] beta; real<lower=0> sigma; real<lower=0> nu; }
model {
  alpha ~ normal(0, 2.5); beta ~ std_normal(); sigma ~ std_normal(); nu ~ gamma(2, 0.1);
  y ~ student_t(nu, alpha + x * beta, sigma);
}
"""


def horseshoe(rows: int = 200, columns: int = 50) -> ss.Model:
    m = ss.Model("horseshoe")
    m.x = ss.data(_design(rows, columns))
    m.tau = ss.HalfCauchy(0.1)
    m.lambda_ = ss.HalfCauchy(1, shape=columns)
    m.beta = ss.Normal(0, m.tau * m.lambda_)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.x @ m.beta, m.sigma).observe(RNG.normal(size=rows))
    return m


HORSESHOE = """
data { int N; int K; matrix[N, K] x; vector[N] y; }
parameters {
  real<lower=0> tau; vector<lower=0>[K] lambda; vector<multiplier=tau * lambda>[K] beta; real<lower=0> sigma;
}
model {
  tau ~ cauchy(0, 0.1); lambda ~ cauchy(0, 1); beta ~ normal(0, tau * lambda); sigma ~ std_normal();
  y ~ normal_id_glm(x, 0.0, beta, sigma);
}
"""


def softmax_regression(rows: int = 500, columns: int = 5, classes: int = 4) -> ss.Model:
    m = ss.Model("softmax")
    m.x = ss.data(_design(rows, columns))
    m.alpha = ss.Normal(0, 1, shape=classes)
    m.beta = ss.Normal(0, 1, shape=(columns, classes))
    m.y = ss.Categorical(ss.softmax(m.alpha + m.x @ m.beta)).observe(RNG.integers(0, classes, rows))
    return m


SOFTMAX = """
data { int N; int K; int C; matrix[N, K] x; array[N] int<lower=1, upper=C> y; }
parameters { vector[C] alpha; matrix[K, C] beta; }
model { alpha ~ std_normal(); to_vector(beta) ~ std_normal(); y ~ categorical_logit_glm(x, alpha, beta); }
"""


def measurement_error(rows: int = 200) -> ss.Model:
    m = ss.Model("measurement_error")
    m.mu = ss.Normal(0, 1)
    m.tau = ss.HalfNormal(1)
    m.x = ss.Normal(m.mu, m.tau, shape=rows)
    m.alpha = ss.Normal(0, 1)
    m.beta = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.measured = ss.Normal(m.x, 0.5).observe(RNG.normal(size=rows))
    m.y = ss.Normal(m.alpha + m.beta * m.x, m.sigma).observe(RNG.normal(size=rows))
    return m


MEASUREMENT = """
data { int N; vector[N] measured; vector[N] y; }
parameters {
  real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[N] x; real alpha; real beta; real<lower=0> sigma;
}
model {
  mu ~ std_normal(); tau ~ std_normal(); x ~ normal(mu, tau); alpha ~ std_normal(); beta ~ std_normal();
  sigma ~ std_normal(); measured ~ normal(x, 0.5); y ~ normal(alpha + beta * x, sigma);
}
"""


def _measured_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "measured", "y")
    return {"N": len(v["y"]), **v}


def _classes_data(m: ss.Model) -> dict[str, Any]:
    found = _regression(m)
    return {**found, "y": found["y"] + 1, "C": int(found["y"].max()) + 1}


REGRESSIONS = (
    Pair("logistic", logistic, LOGISTIC, _regression),
    Pair("Poisson", poisson, POISSON, _regression),
    Pair("ordinal", ordinal, ORDINAL, _ordinal_data),
    Pair("negative binomial, offset", negative_binomial, NEGATIVE, _negative_data),
    Pair("bioassay", bioassay, BIOASSAY, _bioassay_data),
    Pair("robust regression", robust, ROBUST, _regression),
    Pair("horseshoe", horseshoe, HORSESHOE, _regression),
    Pair("softmax regression", softmax_regression, SOFTMAX, _classes_data),
    Pair("measurement error", measurement_error, MEASUREMENT, _measured_data),
)
