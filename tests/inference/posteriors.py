"""The posteriors of posteriordb that today's language expresses, as models, with their names for our variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import scistan as ss

Data = Mapping[str, np.ndarray]


def eight_schools(d: Data) -> ss.Model:
    m = ss.Model("eight_schools")
    m.sigma = ss.data(d["sigma"].astype(float))
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=len(d["y"]))
    m.y = ss.Normal(m.theta, m.sigma).observe(d["y"].astype(float))
    return m


def regression(name: str, columns: list[np.ndarray], y: np.ndarray, sigma: object) -> ss.Model:
    m = ss.Model(name)
    m.x = ss.data(np.column_stack([np.ones(len(y)), *columns]).astype(float))
    m.beta = ss.Flat(shape=m.x.shape[1])
    m.sigma = sigma
    m.y = ss.Normal(m.x @ m.beta, m.sigma).observe(y.astype(float))
    return m


def kid_scores(d: Data) -> ss.Model:
    columns = [d["mom_hs"], d["mom_iq"], d["mom_hs"] * d["mom_iq"]]
    return regression("kid_scores", columns, d["kid_score"], ss.HalfCauchy(2.5))


def sblrc(d: Data) -> ss.Model:
    m = ss.Model("sblrc")
    m.x = ss.data(d["X"].astype(float))
    m.beta = ss.Normal(0, 10, shape=m.x.shape[1])
    m.sigma = ss.HalfNormal(10)
    m.y = ss.Normal(m.x @ m.beta, m.sigma).observe(d["y"])
    return m


def diamonds(d: Data) -> ss.Model:
    m = ss.Model("diamonds")
    columns = d["X"][:, 1:].astype(float)
    m.x = ss.data(columns - columns.mean(0))
    m.b = ss.Normal(0, 1, shape=m.x.shape[1])
    m.Intercept = ss.StudentT(3, 8, 10)
    m.sigma = ss.HalfStudentT(3, 10)
    m.y = ss.Normal(m.Intercept + m.x @ m.b, m.sigma).observe(d["Y"])
    return m


def mesquite(d: Data) -> ss.Model:
    area, height = d["diam1"] * d["diam2"], d["canopy_height"]
    columns = [
        np.log(area * height),
        np.log(area),
        np.log(d["diam1"] / d["diam2"]),
        np.log(d["total_height"]),
        d["group"],
    ]
    return regression("mesquite", columns, np.log(d["weight"]), ss.Flat(lower=0))


def nes(d: Data) -> ss.Model:
    ages = [(d["age_discrete"] == k).astype(float) for k in (2, 3, 4)]
    columns = [d["real_ideo"], d["race_adj"], *ages, d["educ1"], d["gender"], d["income"]]
    return regression("nes", columns, d["partyid7"], ss.Flat(lower=0))


def autoregression(d: Data) -> ss.Model:
    m = ss.Model("autoregression")
    m.alpha = ss.Normal(0, 10)
    m.beta = ss.Normal(0, 10, shape=int(d["K"]))
    m.sigma = ss.HalfCauchy(2.5)
    m.y = ss.AR(m.beta, m.sigma, m.alpha).observe(d["y"].astype(float))
    return m


def garch(d: Data) -> ss.Model:
    m = ss.Model("garch")
    m.mu = ss.Flat()
    m.alpha0 = ss.Flat(lower=0)
    m.alpha1 = ss.Flat(lower=0, upper=1)
    m.beta1 = ss.Flat(lower=0, upper=1 - m.alpha1)
    m.y = ss.GARCH(m.mu, m.alpha0, m.alpha1, m.beta1, sigma=float(d["sigma1"])).observe(d["y"].astype(float))
    return m


def gaussian_process(d: Data) -> ss.Model:
    x = d["x"].astype(float)
    m = ss.Model("gaussian_process")
    m.distance2 = ss.data((x[:, None] - x[None, :]) ** 2)
    m.identity = ss.data(np.eye(len(x)))
    m.rho = ss.Gamma(25, 4)
    m.alpha = ss.HalfNormal(2)
    m.sigma = ss.HalfNormal(1)
    kernel = m.alpha**2 * ss.exp(-m.distance2 / (2 * m.rho**2)) + m.sigma * m.identity
    m.y = ss.MultivariateNormal(np.zeros(len(x)), cov=kernel).observe(d["y"].astype(float))
    return m


def lotka_volterra(d: Data) -> ss.Model:
    m = ss.Model("lotka_volterra")
    m.theta = ss.Normal([1, 0.05, 1, 0.05], [0.5, 0.05, 0.5, 0.05], lower=0)
    m.z_init = ss.LogNormal(np.log(10.0), 1, shape=2)
    m.sigma = ss.LogNormal(-1, 1, shape=2)

    def slope(t: Any, z: Any) -> Any:
        hare, lynx = z[0], z[1]
        return ss.stack([(m.theta[0] - m.theta[1] * lynx) * hare, (m.theta[3] * hare - m.theta[2]) * lynx])

    m.z = ss.ode(slope, m.z_init, 0, d["ts"].astype(float))
    m.y_init = ss.LogNormal(ss.log(m.z_init), m.sigma).observe(d["y_init"].astype(float))
    m.y = ss.LogNormal(ss.log(m.z), m.sigma).observe(d["y"])
    return m


def gaussian_mixture(d: Data) -> ss.Model:
    m = ss.Model("gaussian_mixture")
    m.mu = ss.Normal(0, 2, shape=2, constraint="ordered")
    m.sigma = ss.HalfNormal(2, shape=2)
    m.theta = ss.Beta(5, 5)
    m.second = ss.Bernoulli(1 - m.theta, shape=len(d["y"]))
    m.y = ss.Normal(m.mu[m.second], m.sigma[m.second]).observe(d["y"])
    return m


def hidden_markov(d: Data) -> ss.Model:
    m = ss.Model("hidden_markov")
    m.theta1, m.theta2 = ss.Dirichlet(np.ones(2)), ss.Dirichlet(np.ones(2))
    m.mu = ss.Normal([3.0, 10.0], 1, constraint="positive_ordered")
    rows = ss.stack([m.theta1, m.theta2])
    m.state = ss.Series(lambda past: ss.Categorical(rows[past[-1]]), start=ss.Categorical([0.5, 0.5]),
                        length=len(d["y"]))
    m.y = ss.Normal(m.mu[m.state], 1).observe(d["y"])
    return m


POSTERIORS: Mapping[str, Callable[[Data], ss.Model]] = {
    "eight_schools-eight_schools_noncentered": eight_schools,
    "kidiq-kidscore_interaction": kid_scores,
    "sblrc-blr": sblrc,
    "diamonds-diamonds": diamonds,
    "mesquite-logmesquite_logvash": mesquite,
    "nes1980-nes": nes,
    "arK-arK": autoregression,
    "garch-garch11": garch,
    "gp_pois_regr-gp_regr": gaussian_process,
    "hudson_lynx_hare-lotka_volterra": lotka_volterra,
    "low_dim_gauss_mix-low_dim_gauss_mix": gaussian_mixture,
    "hmm_example-hmm_example": hidden_markov,
}
