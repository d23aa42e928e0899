"""Yes or no in many small groups: the posterior without a single chain, with its certificate.

    python examples/binary_groups.py

Sixty clinics with four patients each. The clinics' effects are approximated by a normal given their scale, each is then
integrated by quadrature, and every draw is weighed against the exact joint density: where the weights can be trusted,
the draws are those of the posterior.
"""

import numpy as np

import scistan as ss

rng = np.random.default_rng(3)
clinic, dose = np.arange(240) % 60, rng.normal(size=240)
chance = 1 / (1 + np.exp(-(0.5 + 0.8 * dose + rng.normal(0, 1.2, 60)[clinic])))
cured = (rng.random(240) < chance).astype(int)

m = ss.Model("clinics", coords={"clinic": [f"clinic {k + 1}" for k in range(60)]})
m.dose, m.clinic = ss.data(dose), ss.data(clinic)
m.start, m.slope, m.spread = ss.Normal(0, 2), ss.Normal(0, 1), ss.HalfNormal(1)
m.effect = ss.Normal(0, m.spread, dims="clinic")
m.cured = ss.BernoulliLogit(m.start + m.slope * m.dose + m.effect[m.clinic]).observe(cured)

fit = m.laplace(seed=1)
print(fit.why)
print(fit.certificate)
print(fit.summary(var_names=["start", "slope", "spread"], kind="stats"))

sampled = m.mcmc(seed=1)
for name in ("start", "slope", "spread"):
    ours, chains = fit.posterior[name], sampled.posterior[name]
    print(f"{name:7s} laplace {ours.mean():.2f} ± {ours.std():.2f}   NUTS {chains.mean():.2f} ± {chains.std():.2f}")
