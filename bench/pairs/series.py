"""Series and recurrences: what is carried from step to step, and latent series by their innovations."""

from __future__ import annotations

from typing import Any

import numpy as np

import scistan as ss

from .pair import Pair, values

RNG = np.random.default_rng(29)


def _walk(length: int, spread: float = 0.3) -> np.ndarray:
    return RNG.normal(size=length) + RNG.normal(0, spread, size=length).cumsum()


# -- observed -------------------------------------------------------------------------------------
def arma(length: int = 200) -> ss.Model:
    m = ss.Model("arma")
    m.y = ss.data(_walk(length))
    m.mu, m.phi, m.theta, m.sigma = ss.Normal(0, 10), ss.Normal(0, 2), ss.Normal(0, 2), ss.HalfCauchy(2.5)

    def step(error: Any, y: Any, before: Any) -> Any:
        return y - m.mu - m.phi * before - m.theta * error

    m.error = ss.scan(step, init=m.y[0] - m.mu, over=(m.y[1:], m.y[:-1]))
    m.zero = ss.Normal(m.error, m.sigma).observe(np.zeros(length - 1))
    return m


ARMA = """
data { int N; vector[N] y; }
parameters { real mu; real phi; real theta; real<lower=0> sigma; }
model {
  vector[N - 1] error;
  real now = y[1] - mu;
  for (t in 2:N) {
    now = y[t] - mu - phi * y[t - 1] - theta * now;
    error[t - 1] = now;
  }
  mu ~ normal(0, 10); phi ~ normal(0, 2); theta ~ normal(0, 2); sigma ~ cauchy(0, 2.5);
  error ~ normal(0, sigma);
}
"""


def garch(length: int = 200) -> ss.Model:
    m = ss.Model("garch")
    m.mu, m.omega = ss.Normal(0, 5), ss.HalfNormal(2)
    m.alpha, m.beta = ss.Uniform(0, 1), ss.Uniform(0, 1)
    m.y = ss.GARCH(m.mu, m.omega, m.alpha, m.beta, sigma=1.0).observe(_walk(length))
    return m


GARCH = """
data { int N; vector[N] y; }
parameters { real mu; real<lower=0> omega; real<lower=0, upper=1> alpha; real<lower=0, upper=1> beta; }
model {
  vector[N] sigma;
  sigma[1] = 1;
  for (t in 2:N) sigma[t] = sqrt(omega + alpha * square(y[t - 1] - mu) + beta * square(sigma[t - 1]));
  mu ~ normal(0, 5); omega ~ normal(0, 2);
  y ~ normal(mu, sigma);
}
"""


def two_lags(length: int = 200) -> ss.Model:
    m = ss.Model("ar2")
    m.a, m.phi, m.sigma = ss.Normal(0, 1), ss.Normal(0, 1, shape=2), ss.HalfNormal(1)
    m.y = ss.AR(m.phi, m.sigma, m.a).observe(_walk(length))
    return m


TWO_LAGS = """
data { int N; vector[N] y; }
parameters { real a; vector[2] phi; real<lower=0> sigma; }
model {
  a ~ normal(0, 1); phi ~ normal(0, 1); sigma ~ normal(0, 1);
  y[3:N] ~ normal(a + phi[1] * y[2:N - 1] + phi[2] * y[1:N - 2], sigma);
}
"""


# -- latent ---------------------------------------------------------------------------------------
def local_level(length: int = 200) -> ss.Model:
    m = ss.Model("local_level")
    m.tau, m.sigma = ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 5), length=length)
    m.y = ss.Normal(m.level, m.sigma).observe(_walk(length))
    return m


LOCAL_LEVEL = """
data { int N; vector[N] y; }
parameters { real<lower=0> tau; real<lower=0> sigma; vector[N] z; }
transformed parameters {
  vector[N] level = cumulative_sum(append_row(5 * z[1], tau * z[2:N]));
}
model {
  tau ~ normal(0, 1); sigma ~ normal(0, 1); z ~ std_normal();
  y ~ normal(level, sigma);
}
"""


def stochastic_volatility(length: int = 200) -> ss.Model:
    m = ss.Model("stochastic_volatility")
    m.mu, m.phi, m.sigma = ss.Normal(0, 3), ss.Uniform(-1, 1), ss.HalfNormal(1)
    start = ss.Normal(m.mu, m.sigma / ss.sqrt(1 - m.phi**2))
    m.h = ss.Series(lambda past: ss.Normal(m.mu + m.phi * (past[-1] - m.mu), m.sigma), start=start, length=length)
    m.y = ss.Normal(0, ss.exp(m.h / 2)).observe(_walk(length))
    return m


STOCHASTIC_VOLATILITY = """
data { int N; vector[N] y; }
parameters { real mu; real<lower=-1, upper=1> phi; real<lower=0> sigma; vector[N] z; }
transformed parameters {
  vector[N] h;
  h[1] = mu + sigma / sqrt(1 - square(phi)) * z[1];
  for (t in 2:N) h[t] = mu + phi * (h[t - 1] - mu) + sigma * z[t];
}
model {
  mu ~ normal(0, 3); sigma ~ normal(0, 1); z ~ std_normal();
  y ~ normal(0, exp(h / 2));
}
"""


def _data(m: ss.Model) -> dict[str, Any]:
    y = values(m, "y")["y"]
    return {"N": len(y), "y": y}


SERIES = (
    Pair("arma", arma, ARMA, _data),
    Pair("garch", garch, GARCH, _data),
    Pair("ar2", two_lags, TWO_LAGS, _data),
    Pair("local_level", local_level, LOCAL_LEVEL, _data),
    Pair("stochastic_volatility", stochastic_volatility, STOCHASTIC_VOLATILITY, _data),
)
