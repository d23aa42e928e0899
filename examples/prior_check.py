"""Are these priors sensible? Look before any fit; `scistan prior examples/prior_check.py` opens the sliders."""

import numpy as np

import scistan as ss

rng = np.random.default_rng(1)
weight = rng.normal(45, 6, 120)

m = ss.Model("heights")
m.weight = ss.data(weight, dims="person")
m.alpha = ss.Normal(0, 100)
m.beta = ss.Normal(0, 100)
m.sigma = ss.HalfCauchy(100)
m.height = ss.Normal(m.alpha + m.beta * m.weight, m.sigma).observe(rng.normal(114 + 0.9 * weight, 5), dims="person")

if __name__ == "__main__":
    check = m.prior_check(seed=1)
    print(check, "\n")

    # People of -7 metres and of 8: the slope is the culprit. It is positive, and near 1 cm for each kg.
    priors = {"alpha.mu": 110, "alpha.sigma": 20, "beta.mu": 1, "beta.sigma": 0.5, "sigma.sigma": 10}
    better = check.with_constants(priors)
    print(better, "\n")
    print("Write:", *better.lines, sep="\n  ")
