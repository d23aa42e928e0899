"""Hierarchical models: groups that share what they know."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss

from .pair import Pair, values

RNG = np.random.default_rng(20)


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


def _eight_data(m: ss.Model) -> dict[str, Any]:
    return {"J": 8, **values(m, "y", "sigma")}


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
    v = values(m, "group", "x", "y")
    return {"N": len(v["y"]), "J": int(v["group"].max()) + 1, "g": v["group"] + 1, "x": v["x"], "y": v["y"]}


# -- rat tumours (Gelman et al., Bayesian Data Analysis, chapter 5) ------------------------------------
def rat_tumours(groups: int = 71) -> ss.Model:
    totals = RNG.integers(10, 50, groups)
    m = ss.Model("rats")
    m.n = ss.data(totals)
    m.mean = ss.Beta(1, 1)
    m.strength = ss.Pareto(1, 1.5)
    m.theta = ss.Beta(m.mean * m.strength, (1 - m.mean) * m.strength, shape=groups)
    m.y = ss.Binomial(m.n, m.theta).observe(RNG.binomial(totals, 0.15))
    return m


RATS = """
data { int J; array[J] int y; array[J] int n; }
parameters { real<lower=0, upper=1> mean_; real<lower=1> strength; vector<lower=0, upper=1>[J] theta; }
model {
  mean_ ~ beta(1, 1); strength ~ pareto(1, 1.5);
  theta ~ beta(mean_ * strength, (1 - mean_) * strength);
  y ~ binomial(n, theta);
}
"""


def _rats_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "y", "n")
    return {"J": len(v["y"]), **v}


# -- dyes: one-way random effects (Davies 1967; the BUGS examples) --------------------------------------
def dyes(batches: int = 6, samples: int = 5) -> ss.Model:
    m = ss.Model("dyes")
    m.theta = ss.Normal(1500, 100)
    m.between = ss.HalfNormal(50)
    m.within = ss.HalfNormal(50)
    m.mu = ss.Normal(m.theta, m.between, shape=batches)
    m.y = ss.Normal(m.mu[:, None], m.within).observe(RNG.normal(1520, 60, size=(batches, samples)))
    return m


DYES = """
data { int B; int S; matrix[B, S] y; }
parameters {
  real theta; real<lower=0> between; real<lower=0> within; vector<offset=theta, multiplier=between>[B] mu;
}
model {
  theta ~ normal(1500, 100); between ~ normal(0, 50); within ~ normal(0, 50);
  mu ~ normal(theta, between);
  to_vector(y) ~ normal(to_vector(rep_matrix(mu, S)), within);
}
"""


def _dyes_data(m: ss.Model) -> dict[str, Any]:
    y = values(m, "y")["y"]
    return {"B": y.shape[0], "S": y.shape[1], "y": y}


# -- varying intercepts and slopes that are correlated --------------------------------------------------
def correlated_slopes(rows: int = 919, groups: int = 85) -> ss.Model:
    m = ss.Model("correlated_slopes")
    m.group = ss.data(_groups(rows, groups))
    m.x = ss.data(RNG.normal(size=rows))
    m.mu = ss.Normal(0, 1, shape=2)
    m.tau = ss.HalfNormal(1, shape=2)
    m.L = ss.LKJCholesky(2, 2.0)
    m.ab = ss.MultivariateNormal(m.mu, chol=m.tau[:, None] * m.L, shape=groups)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.ab[m.group, 0] + m.ab[m.group, 1] * m.x, m.sigma).observe(RNG.normal(size=rows))
    return m


CORRELATED = """
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters {
  vector[2] mu; vector<lower=0>[2] tau; cholesky_factor_corr[2] L; matrix[J, 2] z; real<lower=0> sigma;
}
transformed parameters { matrix[J, 2] ab = rep_matrix(mu', J) + z * diag_pre_multiply(tau, L)'; }
model {
  mu ~ std_normal(); tau ~ std_normal(); L ~ lkj_corr_cholesky(2); to_vector(z) ~ std_normal();
  sigma ~ std_normal();
  y ~ normal(ab[g, 1] + ab[g, 2] .* x, sigma);
}
"""


# -- paired comparisons (Bradley and Terry 1952) --------------------------------------------------------
def bradley_terry(players: int = 20, games: int = 400) -> ss.Model:
    m = ss.Model("bradley_terry")
    m.first = ss.data(RNG.permutation(np.arange(games) % players))
    m.second = ss.data(RNG.permutation(np.arange(games) % players))
    m.spread = ss.HalfNormal(1)
    m.ability = ss.Normal(0, m.spread, shape=players)
    m.won = ss.BernoulliLogit(m.ability[m.first] - m.ability[m.second]).observe(RNG.integers(0, 2, games))
    return m


BRADLEY = """
data { int N; int P; array[N] int<lower=1, upper=P> first; array[N] int<lower=1, upper=P> second; array[N] int won; }
parameters { real<lower=0> spread; vector<multiplier=spread>[P] ability; }
model {
  spread ~ std_normal(); ability ~ normal(0, spread);
  won ~ bernoulli_logit(ability[first] - ability[second]);
}
"""


def _games_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "first", "second", "won")
    players = int(max(v["first"].max(), v["second"].max())) + 1
    return {"N": len(v["won"]), "P": players, "first": v["first"] + 1, "second": v["second"] + 1, "won": v["won"]}


GROUPS = (
    Pair("eight schools", eight_schools, EIGHT, _eight_data),
    Pair("varying intercepts", varying_intercepts, INTERCEPTS, _grouped),
    Pair("varying slopes", varying_slopes, SLOPES, _grouped),
    Pair("correlated slopes", correlated_slopes, CORRELATED, _grouped),
    Pair("rat tumours", rat_tumours, RATS, _rats_data),
    Pair("dyes", dyes, DYES, _dyes_data),
    Pair("Bradley-Terry", bradley_terry, BRADLEY, _games_data),
)
