"""Gradients for each effective draw: latents centred nowhere, everywhere, and as far as their data ask for.

Run: python bench/centring.py [model …]. Counted gradients of the kept draws, and the processor's seconds of whole runs,
per 1,000 effective draws of the latent that has the fewest; 4 chains of 1,000 + 1,000; the trial's gradients and those
that curvatures take are shown apart.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import scistan as ss
from scistan.diagnostics.statistics import bulk_ess
from scistan.engines.encoding import to_json
from scistan.engines.protocol import Request
from scistan.engines.registry import engine_named
from scistan.graph.instance import Instance
from scistan.inference.centring import Centring, centring_of, shares
from scistan.inference.changed import changed_instance
from scistan.inference.prepare import subject_of
from scistan.passes.centring import learnable

SEED = 2026
RUNS: dict[str, tuple[str, dict[str, object]]] = {
    "Stan's NUTS": ("stanli", {}), "nutpie, diagonal": ("nutpie", {"metric": "diag"}),
}
TRIAL = {"draws": 75, "warmup": 150, "chains": 2}
WHOLE = {"draws": 1000, "warmup": 1000, "chains": 4}


def radon(rng: np.random.Generator) -> ss.Model:
    """85 counties: a third with one row, a third with ten, a third with a hundred."""
    rows = np.repeat([1, 10, 100], [29, 28, 28])
    return _intercepts(rng, rows, mean=1.3, tau=0.35, sigma=0.75)


def mixed(rng: np.random.Generator) -> ss.Model:
    """300 groups of 13 rows, and a slope."""
    return _intercepts(rng, np.full(300, 13), mean=0.0, tau=1.0, sigma=1.0)


def little(rng: np.random.Generator) -> ss.Model:
    """40 groups of 2 noisy rows."""
    return _intercepts(rng, np.full(40, 2), mean=0.0, tau=0.3, sigma=1.0)


def _intercepts(rng: np.random.Generator, rows: np.ndarray, mean: float, tau: float, sigma: float) -> ss.Model:
    group = np.repeat(np.arange(len(rows)), rows)
    x = rng.normal(size=len(group))
    y = rng.normal(rng.normal(mean, tau, len(rows))[group] - 0.7 * x, sigma)
    m = ss.Model()
    m.x, m.group = ss.data(x), ss.data(group)
    m.mu, m.beta = ss.Normal(0, 5), ss.Normal(0, 5)
    m.tau, m.sigma = ss.HalfNormal(2), ss.HalfNormal(2)
    m.theta = ss.Normal(m.mu, m.tau, shape=len(rows))
    m.y = ss.Normal(m.theta[m.group] + m.beta * m.x, m.sigma).observe(y)
    return m


def eight_schools(_: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0])
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def rats(rng: np.random.Generator) -> ss.Model:
    """30 rats weighed five times, each with an intercept and a slope of its own."""
    rat, day = np.divmod(np.arange(150), 5)
    age = np.array([8.0, 15, 22, 29, 36])[day] - 22
    y = rng.normal(rng.normal(242, 14, 30)[rat] + rng.normal(6.2, 0.5, 30)[rat] * age, 6)
    m = ss.Model()
    m.age, m.rat = ss.data(age), ss.data(rat)
    m.mu_a, m.mu_b = ss.Normal(250, 50), ss.Normal(0, 10)
    m.tau_a, m.tau_b, m.sigma = ss.HalfNormal(50), ss.HalfNormal(5), ss.HalfNormal(20)
    m.a = ss.Normal(m.mu_a, m.tau_a, shape=30)
    m.b = ss.Normal(m.mu_b, m.tau_b, shape=30)
    m.y = ss.Normal(m.a[m.rat] + m.b[m.rat] * m.age, m.sigma).observe(y)
    return m


def items_persons(rng: np.random.Generator) -> ss.Model:
    """100 persons answer 20 items."""
    person, item = np.divmod(np.arange(2000), 20)
    ability, difficulty = rng.normal(0, 1, 100), rng.normal(0.5, 1.5, 20)
    y = rng.random(2000) < 1 / (1 + np.exp(difficulty[item] - ability[person]))
    m = ss.Model()
    m.person, m.item = ss.data(person), ss.data(item)
    m.mean, m.sd_item, m.sd_person = ss.Normal(0, 2), ss.HalfNormal(2), ss.HalfNormal(2)
    m.ability = ss.Normal(0, m.sd_person, shape=100)
    m.difficulty = ss.Normal(m.mean, m.sd_item, shape=20)
    m.y = ss.BernoulliLogit(m.ability[m.person] - m.difficulty[m.item]).observe(y.astype(int))
    return m


def nested(rng: np.random.Generator) -> ss.Model:
    """12 districts of 2 to 14 schools of 1 to 60 pupils."""
    schools = rng.integers(2, 15, 12)
    district = np.repeat(np.arange(12), schools)
    pupils = np.where(rng.random(len(district)) < 0.5, 2, 60)
    school = np.repeat(np.arange(len(district)), pupils)
    level = rng.normal(rng.normal(0, 1, 12)[district], 0.5)
    m = ss.Model()
    m.district, m.school = ss.data(district), ss.data(school)
    m.mu, m.tau_d, m.tau_s, m.sigma = ss.Normal(0, 2), ss.HalfNormal(1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.d = ss.Normal(m.mu, m.tau_d, shape=12)
    m.s = ss.Normal(m.d[m.district], m.tau_s, shape=len(district))
    m.y = ss.Normal(m.s[m.school], m.sigma).observe(rng.normal(level[school], 1))
    return m


MODELS: dict[str, Callable[[np.random.Generator], ss.Model]] = {
    f.__name__: f for f in (radon, mixed, eight_schools, rats, items_persons, nested, little)
}


def request_of(instance: Instance, centring: Centring, run: dict[str, int], options: dict[str, object]) -> Request:
    subject = subject_of(instance, merge=True, centring=centring)
    return Request(subject.program.text, to_json(subject.data), seed=SEED, progress=False, options=options, **run)


def measured(instance: Instance, centring: Centring, engine: str, options: dict[str, object]) -> tuple[float, ...]:
    """Give gradients and seconds per 1,000 effective draws, and divergences."""
    request = request_of(instance, centring, WHOLE, options)
    started = time.process_time()
    draws = engine_named(engine).sample(request)
    seconds = time.process_time() - started
    fewest = min(float(np.min(bulk_ess(draws.values[t.name]))) for t in instance.graph.latents)
    gradients = float(draws.statistics["n_steps"].sum())
    return 1000 * gradients / fewest, 1000 * seconds / fewest, float(draws.statistics["diverging"].sum())


def learnt(instance: Instance) -> tuple[dict[str, np.ndarray], str]:
    """Learn from a short run; say how much of what is known of elements their data have, and what it took."""
    subject = subject_of(instance, merge=True)
    draws = engine_named("nutpie").sample(request_of(instance, {}, TRIAL, {"metric": "diag", "max_treedepth": 4}))
    flat = {name: array.reshape(-1, *array.shape[2:]) for name, array in draws.values.items()}
    started = time.process_time()
    found = centring_of(subject, flat, SEED)
    took = 1000 * (time.process_time() - started)
    parts = [f"{n} {s.min():.2f} to {s.max():.2f}" for n, s in shares(subject, found, flat).items()]
    return found, f"shares {', '.join(parts) or 'none'}; learnt in {took:.0f} ms"


def main() -> None:
    for name in sys.argv[1:] or MODELS:
        instance = MODELS[name](np.random.default_rng(1)).instance()
        everywhere = changed_instance(instance, {t.name: {"centred": True} for t in learnable(instance.graph)})
        found, said = learnt(instance)
        print(f"{name}: {said}")
        for run, (engine, options) in RUNS.items():
            cases = {"nowhere": (instance, {}), "everywhere": (everywhere, {}), "learnt": (instance, found)}
            rows = {case: measured(*how, engine, options) for case, how in cases.items()}
            best = min(rows["nowhere"][0], rows["everywhere"][0])
            told = "; ".join(f"{case} {g:,.0f} ({s:.2f} s, {d:.0f} div)" for case, (g, s, d) in rows.items())
            print(f"  {run}: {told}; learnt / better: {rows['learnt'][0] / best:.2f}", flush=True)


if __name__ == "__main__":
    main()
