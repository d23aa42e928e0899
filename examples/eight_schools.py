"""Eight schools, from prior to report: the notebook of the same name as a script."""

import tempfile
from pathlib import Path

import arviz as az
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

print("The posterior:")
fit = m.mcmc(seed=1)
print(fit)
print(fit.summary(kind="stats"), "\n")
print("Diagnosis:", fit.diagnose(), "\n")

print("Would the model produce data like these?")
simulated = fit.posterior_predictive["y"]
share = float((simulated.max("school") >= 28).mean())
print(f"  {share:.0%} of simulated data sets have an effect of 28 points or more\n")
print(az.loo(fit.idata))

theta = fit.idata.posterior["theta"]
for school in "AC":
    low, mid, high = theta.sel(school=school).quantile([0.05, 0.5, 0.95], ("chain", "draw")).values
    print(f"School {school}: {mid:.1f} points, 90 % between {low:.1f} and {high:.1f}")

with tempfile.TemporaryDirectory() as folder:
    again = ss.load(fit.save(Path(folder) / "eight_schools.nc"))
print("\nSaved and loaded:", again)
