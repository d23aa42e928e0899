"""Linear predictors as people write them: numbers times columns, added up one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss

from .pair import Pair, values

RNG = np.random.default_rng(24)


def one_predictor(rows: int = 1000) -> ss.Model:
    m = ss.Model("one_predictor")
    m.x = ss.data(RNG.normal(size=rows))
    m.a, m.b, m.sigma = ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * m.x, m.sigma).observe(RNG.normal(size=rows))
    return m


ONE = """
data { int N; matrix[N, 1] x; vector[N] y; }
parameters { real a; real b; real<lower=0> sigma; }
model { a ~ std_normal(); b ~ std_normal(); sigma ~ std_normal(); y ~ normal_id_glm(x, a, [b]', sigma); }
"""


def three_predictors(rows: int = 1000) -> ss.Model:
    m = ss.Model("three_predictors")
    m.x, m.z = ss.data(RNG.normal(size=rows)), ss.data(RNG.normal(size=rows))
    m.a, m.b, m.c, m.d = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * m.x + m.c * m.z - m.d * m.x**2, m.sigma).observe(RNG.normal(size=rows))
    return m


THREE = """
data { int N; vector[N] x; vector[N] z; vector[N] y; }
transformed data { matrix[N, 3] predictors = [x', z', -square(x)']'; }
parameters { real a; real b; real c; real d; real<lower=0> sigma; }
model {
  a ~ std_normal(); b ~ std_normal(); c ~ std_normal(); d ~ std_normal(); sigma ~ std_normal();
  y ~ normal_id_glm(predictors, a, [b, c, d]', sigma);
}
"""


def two_column_logistic(rows: int = 1000) -> ss.Model:
    m = ss.Model("two_column_logistic")
    m.x, m.z = ss.data(RNG.normal(size=rows)), ss.data(RNG.normal(size=rows))
    m.a, m.b, m.c = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1)
    eta = m.a + m.b * m.x + m.c * m.z
    m.y = ss.Bernoulli(ss.inv_logit(eta)).observe(RNG.integers(0, 2, rows))
    return m


TWO = """
data { int N; vector[N] x; vector[N] z; array[N] int y; }
transformed data { matrix[N, 2] predictors = [x', z']'; }
parameters { real a; real b; real c; }
model { a ~ std_normal(); b ~ std_normal(); c ~ std_normal(); y ~ bernoulli_logit_glm(predictors, a, [b, c]'); }
"""


def poisson_groups(rows: int = 1000, groups: int = 50) -> ss.Model:
    m = ss.Model("poisson_groups")
    m.x, m.group = ss.data(RNG.normal(size=rows)), ss.data(np.arange(rows) % groups)
    m.a, m.b, m.tau = ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=groups)
    m.y = ss.Poisson(ss.exp(m.a + m.b * m.x + m.u[m.group])).observe(RNG.poisson(2, rows))
    return m


# Stan's fused form takes longer than the sum for fewer than four columns: `bench/fused.py`.
POISSON_GROUPS = """
data { int N; int J; vector[N] x; array[N] int<lower=1, upper=J> group; array[N] int y; }
parameters { real a; real b; real<lower=0> tau; vector<multiplier=tau>[J] u; }
model {
  a ~ std_normal(); b ~ std_normal(); tau ~ std_normal(); u ~ normal(0, tau);
  y ~ poisson_log(a + b * x + u[group]);
}
"""


def _one_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "x", "y")
    return {"N": len(v["y"]), "x": v["x"][:, None], "y": v["y"]}


def _two_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "x", "z", "y")
    return {"N": len(v["y"]), **v}


def _poisson_groups_data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "x", "group", "y")
    return {"N": len(v["y"]), "J": int(v["group"].max()) + 1, **v, "group": v["group"] + 1}


COLUMNS = (
    Pair("one predictor", one_predictor, ONE, _one_data),
    Pair("three predictors", three_predictors, THREE, _two_data),
    Pair("logistic, two predictors", two_column_logistic, TWO, _two_data),
    Pair("Poisson, groups", poisson_groups, POISSON_GROUPS, _poisson_groups_data),
)
