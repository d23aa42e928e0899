"""Eight schools: from a prior check to a diagnosed posterior."""

import numpy as np

import scistan as ss

m = ss.Model("eight_schools", coords={"school": list("ABCDEFGH")})
m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0], dims="school")
m.mu = ss.Normal(0, 5)
m.tau = ss.HalfCauchy(5)
m.theta = ss.Normal(m.mu, m.tau, dims="school")
m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
print(m, "\n")

print("The prior: what effects does the model think possible, before it sees data?")
prior = m.prior(draws=1000, seed=1)
low, high = np.quantile(prior.prior_predictive["y"], [0.05, 0.95])
print(f"  90 % of simulated effects lie between {low:.0f} and {high:.0f} points\n")

print("The Stan program:")
print("\n".join(f"  {line}" for line in m.stan_code().splitlines()), "\n")

print("Do SciPy, torch and Stan agree on it?")
print(m.verify(), "\n")

print("The posterior mode (PyTorch):")
print(m.map(seed=1), "\n")

print("The posterior (Stan's NUTS):")
fit = m.mcmc(seed=1)
print(fit)
print(fit.summary(kind="stats"), "\n")
print("Diagnosis:", fit.diagnose())
