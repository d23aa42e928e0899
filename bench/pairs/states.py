"""Hidden states: a mixture, zeros in excess, a change point, a hidden Markov model."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss

from .pair import Pair, values

RNG = np.random.default_rng(23)


def mixture(rows: int = 1000) -> ss.Model:
    m = ss.Model("gaussian_mixture")
    m.w = ss.Dirichlet(np.ones(3))
    m.mu = ss.Normal(0, 2, shape=3, constraint="ordered")
    m.sigma = ss.HalfNormal(1, shape=3)
    m.z = ss.Categorical(m.w, shape=rows)
    m.y = ss.Normal(m.mu[m.z], m.sigma[m.z]).observe(RNG.normal(RNG.choice([-2, 0, 3], rows), 1))
    return m


MIXTURE = """
data { int N; int K; vector[N] y; vector[K] a; }
parameters { simplex[K] w; ordered[K] mu; vector<lower=0>[K] sigma; }
model {
  w ~ dirichlet(a); mu ~ normal(0, 2); sigma ~ std_normal();
  vector[K] log_w = log(w);
  for (n in 1:N) {
    vector[K] lps = log_w;
    for (k in 1:K) lps[k] += normal_lpdf(y[n] | mu[k], sigma[k]);
    target += log_sum_exp(lps);
  }
}
"""


def _mixture_data(m: ss.Model) -> dict[str, Any]:
    y = values(m, "y")["y"]
    return {"N": len(y), "K": 3, "y": y, "a": np.ones(3)}


def zero_inflated(rows: int = 1000) -> ss.Model:
    m = ss.Model("zero_inflated")
    m.psi, m.rate = ss.Beta(1, 1), ss.Gamma(2, 1)
    m.some = ss.Bernoulli(m.psi, shape=rows)
    m.y = ss.Poisson(m.rate * m.some).observe(RNG.poisson(2.5, rows) * (RNG.random(rows) < 0.6))
    return m


ZEROS = """
data { int N; array[N] int y; }
parameters { real<lower=0, upper=1> psi; real<lower=0> rate; }
model {
  psi ~ beta(1, 1); rate ~ gamma(2, 1);
  for (n in 1:N) {
    if (y[n] == 0) {
      target += log_sum_exp(log1m(psi), log(psi) + poisson_lpmf(y[n] | rate));
    } else {
      target += log(psi) + poisson_lpmf(y[n] | rate);
    }
  }
}
"""


def _counts(m: ss.Model) -> dict[str, Any]:
    y = values(m, "y")["y"].astype(int)
    return {"N": len(y), "y": y}


def change_point(rows: int = 120) -> ss.Model:
    m = ss.Model("change_point")
    m.t = ss.data(np.arange(rows))
    m.early, m.late = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.when = ss.DiscreteRange(1, rows - 1)
    rate = ss.where(m.t < m.when, m.early, m.late)
    m.y = ss.Poisson(rate).observe(RNG.poisson(np.where(np.arange(rows) < 70, 3.0, 1.0)))
    return m


CHANGE = """
data { int N; array[N] int y; }
parameters { real<lower=0> early; real<lower=0> late; }
model {
  early ~ gamma(2, 1); late ~ gamma(2, 1);
  vector[N - 1] lp = rep_vector(-log(N - 1), N - 1);
  for (when in 1:(N - 1))
    for (t in 1:N)
      lp[when] += poisson_lpmf(y[t] | t <= when ? early : late);
  target += log_sum_exp(lp);
}
"""


def markov(times: int = 300) -> ss.Model:
    m = ss.Model("hidden_markov")
    m.P = ss.Dirichlet(np.ones((3, 3)))
    m.mu = ss.Normal(0, 2, shape=3, constraint="ordered")
    m.s = ss.Series(lambda past: ss.Categorical(m.P[past[-1]]), start=ss.Categorical(np.ones(3) / 3), length=times)
    m.y = ss.Normal(m.mu[m.s], 1).observe(RNG.normal(RNG.choice([-2, 0, 3], times), 1))
    return m


MARKOV = """
data { int T; int K; vector[T] y; vector[K] a; vector[K] start; }
parameters { array[K] simplex[K] P; ordered[K] mu; }
model {
  for (k in 1:K) P[k] ~ dirichlet(a);
  mu ~ normal(0, 2);
  array[T] vector[K] gamma;
  vector[K] acc;
  for (k in 1:K) gamma[1, k] = log(start[k]) + normal_lpdf(y[1] | mu[k], 1);
  for (t in 2:T) {
    for (k in 1:K) {
      for (j in 1:K) acc[j] = gamma[t - 1, j] + log(P[j, k]) + normal_lpdf(y[t] | mu[k], 1);
      gamma[t, k] = log_sum_exp(acc);
    }
  }
  target += log_sum_exp(gamma[T]);
}
"""


def _markov_data(m: ss.Model) -> dict[str, Any]:
    y = values(m, "y")["y"]
    return {"T": len(y), "K": 3, "y": y, "a": np.ones(3), "start": np.ones(3) / 3}


STATES = (
    Pair("Gaussian mixture", mixture, MIXTURE, _mixture_data),
    Pair("zero-inflated counts", zero_inflated, ZEROS, _counts),
    Pair("change point", change_point, CHANGE, _counts),
    Pair("hidden Markov model", markov, MARKOV, _markov_data),
)
