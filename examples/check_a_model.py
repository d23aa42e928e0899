"""Is the model right? Calibration, cross-validation by group, and predictive checks of counts at sites."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd

import scistan as ss


def build(table: pd.DataFrame, *, overdispersed: bool) -> ss.Model:
    """Give the model of counts: Poisson, or with a dispersion of its own."""
    m = ss.Model("overdispersed" if overdispersed else "poisson")
    m.site = ss.factor(table["site"])
    m.mu, m.tau = ss.Normal(1, 1), ss.Gamma(3, 6)
    m.effect = ss.Normal(m.mu, m.tau, dims="site", centred=True)  # each site has many counts
    if overdispersed:
        m.phi = ss.Gamma(4, 2)
        m.count = ss.NegBinomial2Log(m.effect[m.site], m.phi).observe(table["count"])
    else:
        m.count = ss.PoissonLog(m.effect[m.site]).observe(table["count"])
    return m


def main() -> None:
    rng = np.random.default_rng(7)
    sites = np.repeat([f"site {k}" for k in range(8)], 15)
    rate = np.repeat(rng.lognormal(1.5, 0.4, 8), 15)
    table = pd.DataFrame({"site": sites, "count": rng.negative_binomial(1.5, 1.5 / (1.5 + rate))})

    for overdispersed in (False, True):
        m = build(table, overdispersed=overdispersed)
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            print(m.sbc(replications=20, seed=1, adapt_delta=0.95, executor=executor))
        fit = m.mcmc(seed=1, engine="stanli", adapt_delta=0.99, progress=False)
        print(fit.check_model())
        print(fit.kfold(by="site", seed=1, progress=False))
        print()


if __name__ == "__main__":
    main()
