"""How many times the effective share of a diagonal metric's draws the low-rank metric has, where that is below a half.

Run: python bench/mixing.py [--seeds 2] [models of bench/race_models.py or of this file]

Each program runs with both metrics of nutpie: as it is written, and with every latent centred whose centring is open; nothing is
integrated out. A row has the shares (the least bulk ESS over the draws), steps and processor seconds of both, and what the race saw
after 150 draws of two chains. The last line is the geometric mean that `engines/registry.py` declares as `mixes`.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import scistan as ss

BELOW, LOOKED = 0.5, slice(75, 150)


def crossed() -> ss.Model:
    """1500 answers of 60 persons to 25 items."""
    rng = np.random.default_rng(3)
    person, item = rng.integers(0, 60, 1500), rng.integers(0, 25, 1500)
    m = ss.Model("crossed")
    m.i, m.j = ss.data(person), ss.data(item)
    m.mu, m.sa, m.sb = ss.Normal(0, 2), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u, m.v = ss.Normal(0, m.sa, shape=60), ss.Normal(0, m.sb, shape=25)
    odds = rng.normal(0, 0.8, 60)[person] + rng.normal(0, 0.6, 25)[item]
    m.y = ss.BernoulliLogit(m.mu + m.u[m.i] + m.v[m.j]).observe(rng.random(1500) < 1 / (1 + np.exp(-odds)))
    return m


def slopes_of_counts() -> ss.Model:
    """Counts of 40 groups, each with its own level and slope."""
    rng = np.random.default_rng(4)
    group, x = np.repeat(np.arange(40), 12), rng.normal(size=480)
    m = ss.Model("slopes_of_counts")
    m.g, m.x = ss.data(group), ss.data(x)
    m.ma, m.mb, m.ta, m.tb = ss.Normal(0, 2), ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.a, m.b = ss.Normal(m.ma, m.ta, shape=40), ss.Normal(m.mb, m.tb, shape=40)
    rate = np.exp(1 + rng.normal(0, 0.4, 40)[group] + rng.normal(0.2, 0.2, 40)[group] * x)
    m.y = ss.PoissonLog(m.a[m.g] + m.b[m.g] * m.x).observe(rng.poisson(rate))
    return m


def scattered_counts() -> ss.Model:
    """Overdispersed counts of 50 groups."""
    rng = np.random.default_rng(8)
    group = np.repeat(np.arange(50), 8)
    m = ss.Model("scattered_counts")
    m.g = ss.data(group)
    m.mu, m.tau, m.phi = ss.Normal(0, 2), ss.HalfNormal(1), ss.Gamma(2, 0.5)
    m.u = ss.Normal(m.mu, m.tau, shape=50)
    m.y = ss.NegBinomial2Log(m.u[m.g], m.phi).observe(rng.negative_binomial(3, 0.3, 400))
    return m


def heavy_tails() -> ss.Model:
    """70 groups of six with Student's errors."""
    rng = np.random.default_rng(6)
    group = np.repeat(np.arange(70), 6)
    m = ss.Model("heavy_tails")
    m.g = ss.data(group)
    m.mu, m.tau, m.s, m.nu = ss.Normal(0, 3), ss.HalfNormal(2), ss.HalfNormal(2), ss.Gamma(2, 0.1)
    m.u = ss.Normal(m.mu, m.tau, shape=70)
    m.y = ss.StudentT(m.nu, m.u[m.g], m.s).observe(rng.normal(0, 1, 70)[group] + rng.standard_t(4, 420))
    return m


OWN: dict[str, Callable[[], ss.Model]] = {f.__name__: f for f in (crossed, slopes_of_counts, scattered_counts, heavy_tails)}
USUAL = ("two_parameter_items", "rasch", "seeds", *OWN)


def programs(m: ss.Model) -> dict[str, Any]:
    """Give the model as it is written, and centred where that is open."""
    from scistan.model.fitted import FittedModel
    from scistan.passes.centring import learnable

    names = [term.name for term in learnable(m.instance().graph)]
    centred = {"centred": FittedModel(m).changed({name: {"centred": True} for name in names}).model} if names else {}
    return {"written": m, **centred}


def share(draws: dict[str, np.ndarray]) -> float:
    """Give the least effective share of all elements."""
    from scistan.diagnostics.statistics import measure

    size = np.prod(next(iter(draws.values())).shape[:2])
    return float(min(np.nanmin(health.bulk_ess) for health in measure(draws).values()) / size)


def run(m: Any, metric: str, seed: int) -> dict[str, float]:
    """Run one metric; give its share, steps, processor time, and the share that a race would have seen."""
    from scistan.inference.choose import CAREFUL_DELTA, scales_are_estimated

    delta = CAREFUL_DELTA if scales_are_estimated(m.instance()) else 0.8
    started = time.process_time()
    fit = m.mcmc(
        seed=seed, engine="nutpie", metric=metric, warmup=400, adapt_delta=delta, save_warmup=True, integrate=False,
        progress=False,
    )  # fmt: skip
    names = fit.subject.latents
    return {
        "cpu": time.process_time() - started,
        "share": share({name: np.asarray(fit.draws.values[name]) for name in names}),
        "seen": share({name: np.asarray(fit.draws.warmup.values[name])[:2, LOOKED] for name in names}),
        "steps": float(np.mean(fit.draws.statistics["n_steps"])),
    }


def main() -> None:
    """Run all, and give the mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=USUAL)
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from race_models import MODELS

    warnings.simplefilter("ignore")
    found = []
    print(f"{'diagonal, low rank':34} {'share':>11} {'seen':>11} {'steps':>9} {'CPU s':>11}  share  rate")
    for name in given.models:
        for how, m in programs((MODELS | OWN)[name]()).items():
            for seed in range(1, 1 + given.seeds):
                one, other = (run(m, metric, seed) for metric in ("diag", "low_rank"))
                ratio = other["share"] / one["share"]
                pairs = [f"{one[k]:{w}} {other[k]:{w}}" for k, w in (("share", "5.2f"), ("seen", "5.2f"), ("steps", "4.0f"), ("cpu", "5.1f"))]
                print(f"{name:22} {how:8} {seed:2d} {'  '.join(pairs)}  {ratio:5.2f} {ratio * one['cpu'] / other['cpu']:5.2f}", flush=True)
                found += [ratio] if one["share"] < BELOW else []
    if found:
        print(f"{len(found)} with a diagonal metric's share below {BELOW:g}: {np.exp(np.mean(np.log(found))):.2f} times that in the geometric mean, "
              f"{np.median(found):.2f} in the median")


if __name__ == "__main__":
    main()
