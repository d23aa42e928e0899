"""Differential equations."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss

from .pair import Pair, values

RNG = np.random.default_rng(23)


def lotka_volterra(times: int = 20) -> ss.Model:
    m = ss.Model("lotka_volterra")
    m.ts = ss.data(np.arange(1.0, times + 1))
    m.theta = ss.LogNormal(-1, 1, shape=4)
    m.z_init = ss.LogNormal(2, 1, shape=2)
    m.sigma = ss.LogNormal(-1, 1, shape=2)

    def slope(t: Any, z: Any) -> Any:
        hare, lynx = z[0], z[1]
        return ss.stack([(m.theta[0] - m.theta[1] * lynx) * hare, (m.theta[3] * hare - m.theta[2]) * lynx])

    m.z = ss.ode(slope, m.z_init, 0, m.ts)
    m.y = ss.LogNormal(ss.log(m.z), m.sigma).observe(np.exp(RNG.normal(2.5, 0.5, size=(times, 2))))
    return m


LOTKA_VOLTERRA = """
functions {
  vector dz_dt(real t, vector z, vector theta) {
    return [(theta[1] - theta[2] * z[2]) * z[1], (theta[4] * z[1] - theta[3]) * z[2]]';
  }
}
data { int N; array[N] real ts; array[N] vector[2] y; }
parameters { vector<lower=0>[4] theta; vector<lower=0>[2] z_init; vector<lower=0>[2] sigma; }
transformed parameters {
  array[N] vector[2] z = ode_rk45_tol(dz_dt, z_init, 0, ts, 1e-6, 1e-6, 10000, theta);
}
model {
  theta ~ lognormal(-1, 1); z_init ~ lognormal(2, 1); sigma ~ lognormal(-1, 1);
  for (k in 1:2) y[, k] ~ lognormal(log(z[, k]), sigma[k]);
}
"""


def _data(m: ss.Model) -> dict[str, Any]:
    v = values(m, "ts", "y")
    return {"N": len(v["ts"]), **v}


EQUATIONS = (Pair("lotka_volterra", lotka_volterra, LOTKA_VOLTERRA, _data),)
