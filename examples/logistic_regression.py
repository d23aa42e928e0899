"""A logistic regression on simulated data: the truth is known, so the answer can be checked."""

import numpy as np

import scistan as ss

rng = np.random.default_rng(3)
x = rng.normal(size=(200, 3))
truth = np.array([0.8, -1.2, 0.0])
y = rng.random(200) < 1 / (1 + np.exp(-(0.5 + x @ truth)))

m = ss.Model("logistic", coords={"predictor": ["age", "dose", "noise"]})
m.x = ss.data(x, dims=("patient", "predictor"))
m.alpha = ss.Normal(0, 2.5)
m.beta = ss.Normal(0, 2.5, dims="predictor")
m.y = ss.BernoulliLogit(m.alpha + m.x @ m.beta).observe(y)

print(m.stan_code())
print(m.verify(), "\n")
fit = m.mcmc(seed=1)
print(fit.summary(kind="stats"))
print(fit.diagnose())
