"""Simulation-based calibration: the latents that made the data are draws of their own posterior (Talts et al. 2018).

Models go through `m.sbc`, whose own tests are in `judge/`; every distribution has a simulation for each of many groups.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from scipy.stats import kstest

import scistan as ss
from scistan.distributions.declaration import REGISTRY
from tests.inference.calibrated_models import KINDS
from tests.inference.test_prior_agreement import steps
from tests.targets.stan_cases import LATENT, NEVER_LATENT, Case, argument, bounds_of, constructor

pytestmark = pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
LEVEL, COMPARISONS = 1e-6, 2_000
SIMULATIONS = 60  # of each kind of model
GROUPS = 100  # in the one model of a distribution: as many simulations at once


def place(truth: float, draws: np.ndarray, rng: np.random.Generator) -> float:
    """Give where a true value lies among independent draws, between 0 and 1; ties are broken by chance."""
    below, equal = (draws < truth).sum(), (draws == truth).sum()
    return float((below + rng.integers(0, equal + 1) + rng.random()) / (len(draws) + 1))


def uneven(places: dict[str, list[float]]) -> dict[str, float]:
    """List the quantities whose places are not uniform."""
    tested = {name: kstest(found, "uniform").pvalue for name, found in places.items()}
    return {name: p for name, p in tested.items() if p < LEVEL / COMPARISONS}


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_models_are_calibrated(kind):
    found = KINDS[kind]().sbc(SIMULATIONS, draws=400, warmup=400, seed=1, adapt_delta=0.95, progress=False)
    assert {element: p for element, p in found.p_values.items() if p < LEVEL / COMPARISONS} == {}
    assert not found.failed


# -- every distribution as a likelihood ------------------------------------------------------------
def likelihoods() -> list[tuple[str, str]]:
    """Every distribution that can have a latent argument; the continuous ones cut as well."""
    found = []
    for name, d in REGISTRY.items():
        if any(p.domain in LATENT and (name, p.name) not in NEVER_LATENT for p in d.parameters):
            found.append((name, ""))
            found += [(name, "both")] if d.truncatable else []
    return found


ALWAYS = {("Poisson", "")}
LIKELIHOODS = [pytest.param(*one, marks=() if one in ALWAYS else pytest.mark.long) for one in likelihoods()]


@pytest.mark.parametrize(("name", "cut"), LIKELIHOODS)
def test_likelihoods_are_calibrated(name, cut):
    """Fit groups that share nothing, each with latents and an observation of its own: a simulation for each."""
    m, d = ss.Model(f"{name}_{cut}"), REGISTRY[name]
    case = Case(name, "observed", (GROUPS,), "latents", cut)
    given = {p.name: argument(m, d, p, case, "") for p in d.parameters}
    m.y = constructor(name)(**given, shape=GROUPS, **bounds_of(d, cut)).observe()
    made = m.simulate(seed=1)
    fit = m.with_data(y=made["y"]).mcmc(draws=500, warmup=500, seed=1, engine="stanli", progress=False, adapt_delta=0.95)
    places, rng = defaultdict(list), np.random.default_rng(1)
    for latent, draws in fit.posterior.items():
        flat = draws.reshape(*draws.shape[:2], -1)
        events = flat.shape[-1] // GROUPS
        for k, (truth, step) in enumerate(zip(np.ravel(made[latent]), steps(flat), strict=True)):
            places[f"{latent}[{k % events}]"].append(place(truth, flat[:, ::step, k].ravel(), rng))
    assert uneven(places) == {}
