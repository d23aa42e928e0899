"""Two groups that nobody marked: which row belongs to which, and how far apart they are."""

import numpy as np

import scistan as ss


def main() -> None:
    rng = np.random.default_rng(4)
    group = rng.random(120) < 0.35
    height = np.where(group, rng.normal(158, 6, 120), rng.normal(176, 7, 120))

    m = ss.Model("heights", coords={"person": [f"person {k}" for k in range(120)]})
    m.weights = ss.Dirichlet([2.0, 2.0])
    m.mu = ss.Normal(167, 15, shape=2, constraint="ordered")  # which group is which
    m.sigma = ss.Gamma(4, 0.6, shape=2)
    m.group = ss.Categorical(m.weights, dims="person")
    m.height = ss.Normal(m.mu[m.group], m.sigma[m.group]).observe(height, dims="person")
    print(m.explain())

    fit = m.mcmc(seed=1, progress=False)
    print(fit.summary(["weights", "mu", "sigma"]))
    print(fit.diagnose())
    probability = fit.posterior_of("group")
    unsure = probability.max("group_value").argsort().values[:5]
    print(probability[unsure].to_pandas().round(2))
    right = (probability.argmax("group_value").values == ~group).mean()
    print(f"{right:.0%} of the people are put into their group")


if __name__ == "__main__":
    main()
