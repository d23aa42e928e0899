"""A trial at several sites: what to expect at a site that was never seen, with a contrast that a report can rest on."""

import numpy as np
import pandas as pd

import scistan as ss

rng = np.random.default_rng(7)
sites = ["Aarhus", "Bergen", "Cork", "Delft", "Evora", "Faro"]
visits = pd.DataFrame({"site": rng.choice(sites, 240), "arm": rng.choice(["placebo", "low", "high"], 240)})
visits["age"] = rng.normal(55, 9, 240).round()
site_effect = dict(zip(sites, rng.normal(0, 1.5, 6), strict=True))
arm_effect = {"placebo": 0.0, "low": 0.8, "high": 2.0}
visits["score"] = (
    10 + visits.site.map(site_effect) + visits.arm.map(arm_effect) - 0.05 * (visits.age - 55) + rng.normal(0, 1, 240)
)

m = ss.Model("trial")
m.site = ss.factor(visits.site)  # labels go in, labels come out
m.arm = ss.factor(visits.arm, levels=["placebo", "low", "high"])
m.age = ss.standardize(visits.age)  # remembers centre and scale
m.grand, m.tau = ss.Normal(10, 5), ss.HalfNormal(2)
m.level = ss.Normal(m.grand, m.tau, dims="site")
m.effect = ss.Normal(0, 2, dims="arm")
m.slope, m.sigma = ss.Normal(0, 1), ss.HalfNormal(2)
m.mean = m.level[m.site] + m.effect[m.arm] + m.slope * m.age
m.score = ss.Normal(m.mean, m.sigma).observe(visits.score)

fit = m.mcmc(seed=1)
print(fit)
print(fit.certificate)

patient = {"site": ["Gent"], "age": [60.0]}
treated = fit.predict({**patient, "arm": ["high"]}, new_levels="draw").predictions["score"]
control = fit.predict({**patient, "arm": ["placebo"]}, new_levels="draw").predictions["score"]
low, high = np.quantile(treated, [0.05, 0.95])
print(f"\nA patient of 60 in Gent, where nobody was treated yet: 90 % between {low:.1f} and {high:.1f}")
low, high = np.quantile(treated - control, [0.05, 0.95])
print(f"High dose against placebo, two such patients: 90 % between {low:.1f} and {high:.1f}")

here = fit.predict(visits[["site", "arm", "age"]], do={"arm": "high"}, var_names=["mean"]).predictions["mean"]
there = fit.predict(visits[["site", "arm", "age"]], do={"arm": "placebo"}, var_names=["mean"]).predictions["mean"]
gain = (here - there).mean("mean_dim_0")
print(f"Average effect in these patients: {gain.mean().item():.2f} ± {gain.std().item():.2f} (true: 2.00)")
