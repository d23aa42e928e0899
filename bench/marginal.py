"""Seconds of the processor that marginal estimates take, by the number of groups: `python bench/marginal.py`.

The usual eight starts unless `--starts` says otherwise; `--verb map` has the priors of hyperparameters in it.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import scistan as ss

KINDS = ("intercepts", "slopes", "counts", "binomial")


def mixed(kind: str, groups: int, rows: int) -> ss.Model:
    """Make a mixed model: normal with intercepts, with intercepts and slopes, counts, or successes out of five."""
    rng = np.random.default_rng(groups)
    g = np.repeat(np.arange(groups), rows)
    x = rng.normal(size=len(g))
    m = ss.Model(kind)
    m.g, m.x = ss.data(g), ss.data(x)
    m.a, m.b = ss.Normal(0, 5), ss.Normal(0, 5)
    level = 0.8 * rng.normal(size=groups)[g]
    if kind == "slopes":
        m.sd, m.factor = ss.HalfNormal(2, shape=2), ss.LKJCholesky(2, 2.0)
        m.u = ss.MultivariateNormal(np.zeros(2), chol=m.sd[:, None] * m.factor, shape=groups)
        eta, truth = m.a + m.u[m.g, 0] + (m.b + m.u[m.g, 1]) * m.x, 1 + level + (0.5 + level / 2) * x
    else:
        m.tau = ss.HalfNormal(2)
        m.u = ss.Normal(0, m.tau, shape=groups)
        eta, truth = m.a + m.u[m.g] + m.b * m.x, 1 + level + 0.5 * x
    if kind == "counts":
        m.y = ss.Poisson(ss.exp(eta)).observe(rng.poisson(np.exp(truth)))
    elif kind == "binomial":
        m.y = ss.BinomialLogit(5, eta).observe(rng.binomial(5, 1 / (1 + np.exp(-truth))))
    else:
        m.sigma = ss.HalfNormal(2)
        m.y = ss.Normal(eta, m.sigma).observe(truth + rng.normal(size=len(g)))
    return m


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--rows", type=int, default=10)
    parser.add_argument("--starts", type=int, default=8)
    parser.add_argument("--verb", choices=["mle", "map"], default="mle")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    given = parser.parse_args()
    mixed("intercepts", 5, 5).mle(seed=1, starts=1, progress=False)  # torch itself
    print(f"{'':<12}{'groups':>8}{'CPU s':>8}{'evaluations':>13}  converged  starts")
    for kind in given.kinds:
        for groups in given.groups:
            model = mixed(kind, groups, given.rows)
            begun = time.process_time()
            found = getattr(model, given.verb)(seed=1, starts=given.starts, progress=False)
            seconds = time.process_time() - begun
            print(f"{kind:<12}{groups:>8}{seconds:>8.2f}{found.evaluations:>13}  {found.converged!s:<9}  {found.starts}", flush=True)


if __name__ == "__main__":
    main()
