"""What a gradient costs more where latents are centred by their data: processor time a step, by elements and latents.

Run: python bench/centring_cost.py [--repeats 3]

Groups of five rows with an effect each, in one latent or in two; nutpie's diagonal metric on the plain program and on the
one centred by data. A long run less a short one gives the cost of a step. `LATENT_BY_DATA` and `ELEMENT_BY_DATA` of
scistan/inference/work.py are the least-squares line through the differences.
"""

from __future__ import annotations

import argparse

import numpy as np
from metric_cost import cpu_of

import scistan as ss
from scistan.engines.encoding import to_json
from scistan.engines.protocol import Request
from scistan.graph.instance import Instance
from scistan.inference.prepare import subject_of

SIZES = ((1, 5), (1, 40), (1, 200), (2, 5), (2, 40), (2, 200))


def effects(latents: int, groups: int) -> Instance:
    """Give rows with the sum of an effect of each latent."""
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(groups), 5)
    m = ss.Model()
    m.group, m.mu, m.sigma = ss.data(group), ss.Normal(0, 5), ss.HalfNormal(1)
    at = m.mu
    for k in range(latents):
        setattr(m, f"tau{k}", ss.HalfNormal(1))
        setattr(m, f"effect{k}", ss.Normal(0, getattr(m, f"tau{k}"), shape=groups))
        at = at + getattr(m, f"effect{k}")[m.group]
    m.y = ss.Normal(at, m.sigma).observe(rng.normal(rng.normal(0, 1, groups)[group], 1))
    return m.instance()


def step_cost(instance: Instance, centring: dict[str, np.ndarray], repeats: int) -> float:
    """Give the nanoseconds of a step."""
    subject = subject_of(instance, centring=centring)
    request = Request(subject.program.text, to_json(subject.data), 1000, 400, 1, 1)
    found = []
    for _ in range(repeats):
        (short, few), (long, many) = cpu_of("diag", request, 200), cpu_of("diag", request, 2000)
        found.append(1e9 * (long - short) / (many.sum() - few.sum()))
    return float(np.median(found))


def main() -> None:
    """Measure, and fit the line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    more = []
    for latents, groups in SIZES:
        instance = effects(latents, groups)
        by_data = {f"effect{k}": np.stack([np.full(groups, 5.0), np.zeros(groups)]) for k in range(latents)}
        plain, centred = (step_cost(instance, how, given.repeats) for how in ({}, by_data))
        more.append(centred - plain)
        print(f"{latents} x {groups:3}: a step takes {plain:7.0f} ns, centred by data {centred:7.0f} ns", flush=True)
    sizes = np.array([(latents, latents * groups) for latents, groups in SIZES], dtype=float)
    latent, element = np.linalg.lstsq(sizes, np.array(more), rcond=None)[0]
    print(f"more for a latent {latent:.0f} ns, for an element {element:.1f} ns")


if __name__ == "__main__":
    main()
