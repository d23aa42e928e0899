"""Many fits on an executor: here a pool of processes; a Dask client's `get_executor()` takes its place on a cluster."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import scistan as ss


def build(counts: np.ndarray) -> ss.Model:
    """Give the model of one site's counts."""
    m = ss.Model("site")
    m.rate = ss.Gamma(2, 0.2)
    m.y = ss.Poisson(m.rate).observe(counts)
    return m


def main() -> None:
    rng = np.random.default_rng(4)
    truth = {f"site {k}": rate for k, rate in enumerate((3.0, 8.0, 15.0))}
    models = {site: build(rng.poisson(rate, 40)) for site, rate in truth.items()}
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        fits = ss.sample_models(models, executor=executor, engine="stanli", seed=1)
    for site, fit in fits.items():
        drawn = fit.posterior["rate"]
        print(f"{site}: rate {drawn.mean():.2f} ± {drawn.std():.2f} (truth {truth[site]:g}), ok: {fit.diagnose().ok}")


if __name__ == "__main__":
    main()
