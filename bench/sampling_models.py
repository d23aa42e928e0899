"""The models of bench/sampling.py: data, SciStan's form, a Stan program written by hand, PyMC's and NumPyro's forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import scistan as ss

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A model in every language; `latents` are the names whose effective draws are counted."""

    data: Callable[[], dict[str, Any]]
    scistan: Callable[[Data], ss.Model]
    stan: str
    pymc: Callable[[Any, Data], None]
    numpyro: Callable[[Any, Any, Data], None]


# -- eight schools ------------------------------------------------------------------------------------
def eight_data() -> dict[str, Any]:
    y = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
    return {"J": 8, "y": y, "sigma": np.array([15, 10, 16, 11, 9, 11, 10, 18.0])}


def eight_scistan(d: Data) -> ss.Model:
    m = ss.Model("eight_schools")
    m.sigma = ss.data(d["sigma"])
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, m.sigma).observe(d["y"])
    return m


EIGHT_STAN = """
data { int J; vector[J] y; vector[J] sigma; }
parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[J] theta; }
model { mu ~ normal(0, 5); tau ~ cauchy(0, 5); theta ~ normal(mu, tau); y ~ normal(theta, sigma); }
"""


def eight_pymc(pm: Any, d: Data) -> None:
    mu, tau = pm.Normal("mu", 0, 5), pm.HalfCauchy("tau", 5)
    z = pm.Normal("z", 0, 1, shape=8)
    pm.Normal("y", mu + tau * z, d["sigma"], observed=d["y"])


def eight_numpyro(npr: Any, dist: Any, d: Data) -> None:
    mu, tau = npr.sample("mu", dist.Normal(0, 5)), npr.sample("tau", dist.HalfCauchy(5))
    z = npr.sample("z", dist.Normal(0, 1).expand([8]).to_event(1))
    npr.sample("y", dist.Normal(mu + tau * z, d["sigma"]), obs=d["y"])


# -- linear and logistic regressions --------------------------------------------------------------------
def kid_data() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    hs, iq = (rng.random(434) < 0.8) * 1.0, rng.normal(100, 15, 434)
    x = np.column_stack([np.ones(434), hs, iq, hs * iq])
    return {"N": 434, "K": 4, "x": x, "y": x @ [-11, 51, 1.0, -0.5] + rng.normal(0, 18, 434)}


def kid_scistan(d: Data) -> ss.Model:
    m = ss.Model("kid_scores")
    m.x = ss.data(d["x"])
    m.beta = ss.Normal(0, 100, shape=m.x.shape[1])
    m.sigma = ss.HalfCauchy(2.5)
    m.y = ss.Normal(m.x @ m.beta, m.sigma).observe(d["y"])
    return m


KID_STAN = """
data { int N; int K; matrix[N, K] x; vector[N] y; }
parameters { vector[K] beta; real<lower=0> sigma; }
model { beta ~ normal(0, 100); sigma ~ cauchy(0, 2.5); y ~ normal_id_glm(x, 0, beta, sigma); }
"""


def kid_pymc(pm: Any, d: Data) -> None:
    beta, sigma = pm.Normal("beta", 0, 100, shape=d["K"]), pm.HalfCauchy("sigma", 2.5)
    pm.Normal("y", pm.math.dot(d["x"], beta), sigma, observed=d["y"])


def kid_numpyro(npr: Any, dist: Any, d: Data) -> None:
    beta = npr.sample("beta", dist.Normal(0, 100).expand([d["K"]]).to_event(1))
    sigma = npr.sample("sigma", dist.HalfCauchy(2.5))
    npr.sample("y", dist.Normal(d["x"] @ beta, sigma), obs=d["y"])


def diamonds_data() -> dict[str, Any]:
    """Make 24 columns that are strongly correlated, as powers and products of a few are."""
    rng = np.random.default_rng(2)
    base = rng.normal(size=(5000, 4))
    x = base @ rng.normal(size=(4, 24)) + 0.05 * rng.normal(size=(5000, 24))
    x -= x.mean(0)
    return {"N": 5000, "K": 24, "x": x, "y": 8 + x @ rng.normal(0, 0.3, 24) + rng.normal(0, 0.2, 5000)}


def diamonds_scistan(d: Data) -> ss.Model:
    m = ss.Model("diamonds")
    m.x = ss.data(d["x"])
    m.beta = ss.Normal(0, 1, shape=m.x.shape[1])
    m.alpha = ss.StudentT(3, 8, 10)
    m.sigma = ss.HalfStudentT(3, 10)
    m.y = ss.Normal(m.alpha + m.x @ m.beta, m.sigma).observe(d["y"])
    return m


DIAMONDS_STAN = """
data { int N; int K; matrix[N, K] x; vector[N] y; }
parameters { vector[K] beta; real alpha; real<lower=0> sigma; }
model { beta ~ std_normal(); alpha ~ student_t(3, 8, 10); sigma ~ student_t(3, 0, 10);
  y ~ normal_id_glm(x, alpha, beta, sigma); }
"""


def diamonds_pymc(pm: Any, d: Data) -> None:
    beta, alpha = pm.Normal("beta", 0, 1, shape=d["K"]), pm.StudentT("alpha", nu=3, mu=8, sigma=10)
    pm.Normal("y", alpha + pm.math.dot(d["x"], beta), pm.HalfStudentT("sigma", nu=3, sigma=10), observed=d["y"])


def diamonds_numpyro(npr: Any, dist: Any, d: Data) -> None:
    beta = npr.sample("beta", dist.Normal(0, 1).expand([d["K"]]).to_event(1))
    alpha, scale = npr.sample("alpha", dist.StudentT(3, 8, 10)), npr.sample("sigma", dist.HalfCauchy(10))
    npr.sample("y", dist.Normal(alpha + d["x"] @ beta, scale), obs=d["y"])


def logistic_data() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1000, 10)) @ (0.5 * rng.normal(size=(10, 10)) + np.eye(10))
    p = 1 / (1 + np.exp(-(0.3 + x @ rng.normal(0, 0.5, 10))))
    return {"N": 1000, "K": 10, "x": x, "y": (rng.random(1000) < p).astype(int)}


def logistic_scistan(d: Data) -> ss.Model:
    m = ss.Model("logistic")
    m.x = ss.data(d["x"])
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 2.5, shape=m.x.shape[1])
    m.y = ss.BernoulliLogit(m.alpha + m.x @ m.beta).observe(d["y"])
    return m


LOGISTIC_STAN = """
data { int N; int K; matrix[N, K] x; array[N] int y; }
parameters { real alpha; vector[K] beta; }
model { alpha ~ normal(0, 2.5); beta ~ normal(0, 2.5); y ~ bernoulli_logit_glm(x, alpha, beta); }
"""


def logistic_pymc(pm: Any, d: Data) -> None:
    alpha, beta = pm.Normal("alpha", 0, 2.5), pm.Normal("beta", 0, 2.5, shape=d["K"])
    pm.Bernoulli("y", logit_p=alpha + pm.math.dot(d["x"], beta), observed=d["y"])


def logistic_numpyro(npr: Any, dist: Any, d: Data) -> None:
    alpha = npr.sample("alpha", dist.Normal(0, 2.5))
    beta = npr.sample("beta", dist.Normal(0, 2.5).expand([d["K"]]).to_event(1))
    npr.sample("y", dist.Bernoulli(logits=alpha + d["x"] @ beta), obs=d["y"])


# -- varying intercepts ---------------------------------------------------------------------------------
def radon_data() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    sizes = rng.dirichlet(np.ones(85))
    county = np.concatenate([np.arange(85), rng.choice(85, 919 - 85, p=sizes)])
    floor = (rng.random(919) < 0.2) * 1.0
    y = rng.normal(1.5, 0.35, 85)[county] - 0.7 * floor + rng.normal(0, 0.75, 919)
    return {"N": 919, "J": 85, "county": county, "floor_": floor, "y": y}


def radon_scistan(d: Data) -> ss.Model:
    m = ss.Model("radon")
    m.county, m.floor_ = ss.data(d["county"]), ss.data(d["floor_"])
    m.mu, m.tau = ss.Normal(0, 10), ss.HalfNormal(1)
    m.alpha = ss.Normal(m.mu, m.tau, shape=85)
    m.beta, m.sigma = ss.Normal(0, 10), ss.HalfNormal(1)
    m.y = ss.Normal(m.alpha[m.county] + m.beta * m.floor_, m.sigma).observe(d["y"])
    return m


RADON_STAN = """
data { int N; int J; array[N] int county; vector[N] floor_; vector[N] y; }
parameters { real mu; real<lower=0> tau; vector<offset=mu, multiplier=tau>[J] alpha; real beta; real<lower=0> sigma; }
model { mu ~ normal(0, 10); tau ~ normal(0, 1); alpha ~ normal(mu, tau); beta ~ normal(0, 10); sigma ~ normal(0, 1);
  vector[N] a; for (n in 1:N) a[n] = alpha[county[n] + 1]; y ~ normal(a + beta * floor_, sigma); }
"""


def radon_pymc(pm: Any, d: Data) -> None:
    mu, tau, z = pm.Normal("mu", 0, 10), pm.HalfNormal("tau", 1), pm.Normal("z", 0, 1, shape=85)
    mean = (mu + tau * z)[d["county"]] + pm.Normal("beta", 0, 10) * d["floor_"]
    pm.Normal("y", mean, pm.HalfNormal("sigma", 1), observed=d["y"])


def radon_numpyro(npr: Any, dist: Any, d: Data) -> None:
    mu, tau = npr.sample("mu", dist.Normal(0, 10)), npr.sample("tau", dist.HalfNormal(1))
    z = npr.sample("z", dist.Normal(0, 1).expand([85]).to_event(1))
    beta, sigma = npr.sample("beta", dist.Normal(0, 10)), npr.sample("sigma", dist.HalfNormal(1))
    npr.sample("y", dist.Normal((mu + tau * z)[d["county"]] + beta * d["floor_"], sigma), obs=d["y"])


# -- a Gaussian process -----------------------------------------------------------------------------------
def gp_data() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    x = np.linspace(-10, 10, 25)
    return {"N": 25, "distance2": (x[:, None] - x) ** 2, "y": np.sin(x / 3) + rng.normal(0, 0.3, 25)}


def gp_scistan(d: Data) -> ss.Model:
    m = ss.Model("gp")
    m.distance2, m.identity = ss.data(d["distance2"]), ss.data(np.eye(d["N"]))
    m.rho, m.alpha, m.sigma = ss.Gamma(25, 4), ss.HalfNormal(2), ss.HalfNormal(1)
    kernel = m.alpha**2 * ss.exp(-m.distance2 / (2 * m.rho**2)) + m.sigma * m.identity
    m.y = ss.MultivariateNormal(np.zeros(d["N"]), cov=kernel).observe(d["y"])
    return m


GP_STAN = """
data { int N; matrix[N, N] distance2; vector[N] y; }
parameters { real<lower=0> rho; real<lower=0> alpha; real<lower=0> sigma; }
model { rho ~ gamma(25, 4); alpha ~ normal(0, 2); sigma ~ normal(0, 1);
  matrix[N, N] K = add_diag(square(alpha) * exp(-distance2 / (2 * square(rho))), sigma);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K)); }
"""


def gp_pymc(pm: Any, d: Data) -> None:
    rho, alpha, sigma = pm.Gamma("rho", 25, 4), pm.HalfNormal("alpha", 2), pm.HalfNormal("sigma", 1)
    kernel = alpha**2 * pm.math.exp(-d["distance2"] / (2 * rho**2)) + sigma * np.eye(d["N"])
    pm.MvNormal("y", np.zeros(d["N"]), cov=kernel, observed=d["y"])


def gp_numpyro(npr: Any, dist: Any, d: Data) -> None:
    import jax.numpy as jnp

    rho, alpha = npr.sample("rho", dist.Gamma(25, 4)), npr.sample("alpha", dist.HalfNormal(2))
    sigma = npr.sample("sigma", dist.HalfNormal(1))
    kernel = alpha**2 * jnp.exp(-d["distance2"] / (2 * rho**2)) + sigma * jnp.eye(d["N"])
    npr.sample("y", dist.MultivariateNormal(jnp.zeros(d["N"]), covariance_matrix=kernel), obs=d["y"])


CASES: Mapping[str, Case] = {
    "eight schools": Case(eight_data, eight_scistan, EIGHT_STAN, eight_pymc, eight_numpyro),
    "kid scores": Case(kid_data, kid_scistan, KID_STAN, kid_pymc, kid_numpyro),
    "radon-like": Case(radon_data, radon_scistan, RADON_STAN, radon_pymc, radon_numpyro),
    "logistic": Case(logistic_data, logistic_scistan, LOGISTIC_STAN, logistic_pymc, logistic_numpyro),
    "diamonds-like": Case(diamonds_data, diamonds_scistan, DIAMONDS_STAN, diamonds_pymc, diamonds_numpyro),
    "GP": Case(gp_data, gp_scistan, GP_STAN, gp_pymc, gp_numpyro),
}
