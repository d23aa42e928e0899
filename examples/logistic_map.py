"""Logistic regression: the posterior mode, its uncertainty, and what the likelihood alone says.

    python examples/logistic_map.py
"""

from __future__ import annotations

import numpy as np

import scistan as ss


def make_model(rows: int = 500, seed: int = 0) -> ss.Model:
    """Simulate applicants with two covariates and write the model."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 2))
    chance = 1 / (1 + np.exp(-(-0.5 + x @ [1.2, -0.7])))
    m = ss.Model("admission", coords={"covariate": ["score", "distance"]})
    m.x = ss.data(x, dims=("applicant", "covariate"))
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 1, dims="covariate")
    m.admitted = ss.BernoulliLogit(m.alpha + m.x @ m.beta, dims="applicant").observe(rng.random(rows) < chance)
    m.odds_ratio = ss.exp(m.beta)
    return m


def main() -> None:
    m = make_model()
    mode = m.map(seed=1)
    print(mode)
    print(mode.to_dataframe().round(3))
    print(m.mle(seed=1).profile("beta").round(3))
    draws = mode.idata(draws=1000, seed=2)
    print("share admitted, replicated:", float(draws.posterior_predictive["admitted"].mean().round(3)))


if __name__ == "__main__":
    main()
