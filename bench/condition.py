"""How many times more steps an effective draw takes with a diagonal metric, as correlations grow, than with the low-rank one.

Run: python bench/condition.py [--seeds 3] [--coordinates 2 5 10 30]

Normal posteriors whose correlations have a given condition, nutpie with either metric, 4 chains of 1000 draws: steps over the least
bulk ESS. Both are counted, so that a busy machine changes nothing. Up to a condition of 2 both take the same; the last line is the power
of half the condition that fits beyond it. `inference/choose.py` has both, for models whose shape at the mode is known.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

import scistan as ss

ROUND = 2.0
CONDITIONS = (1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0)


def correlated(dimension: int, condition: float, seed: int) -> ss.Model:
    """A normal posterior: its correlation matrix has this condition, one direction is long and the others are alike."""
    rng = np.random.default_rng(seed)
    # Equal correlations r: the largest eigenvalue is 1 + (d - 1) r, the others 1 - r.
    r = (condition - 1) / (condition + dimension - 1)
    signs = rng.choice([-1.0, 1.0], dimension)
    covariance = (np.full((dimension, dimension), r) + (1 - r) * np.eye(dimension)) * np.outer(signs, signs)
    m = ss.Model("correlated")
    m.x = ss.MultivariateNormal(np.zeros(dimension), cov=covariance)
    return m


def steps_for_a_draw(m: ss.Model, metric: str, seed: int) -> float:
    """Give the steps that an effective draw took."""
    fit = m.mcmc(engine="nutpie", metric=metric, warmup=400, seed=seed, progress=False, integrate=False)
    return float(fit.draws.statistics["n_steps"].sum() / fit.summary()["ess_bulk"].min())


def main() -> None:
    """Print a row for each dimension, and the power that fits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--coordinates", type=int, nargs="+", default=[2, 5, 10, 30])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'coordinates':12}" + "".join(f"{c:8g}" for c in CONDITIONS), flush=True)
    logs = []
    for dimension in given.coordinates:
        ratios = []
        for condition in CONDITIONS:
            models = [(seed, correlated(dimension, condition, seed)) for seed in range(given.seeds)]
            found = [steps_for_a_draw(m, "diag", s) / steps_for_a_draw(m, "low_rank", s) for s, m in models]
            ratios.append(float(np.exp(np.mean(np.log(found)))))
        print(f"{dimension:<12}" + "".join(f"{ratio:8.2f}" for ratio in ratios), flush=True)
        logs += [(np.log(c / ROUND), np.log(r)) for c, r in zip(CONDITIONS, ratios, strict=True) if c > ROUND]
    x, y = np.array(logs).T
    print(f"beyond {ROUND:g}, steps grow as the condition to the power {float(x @ y / (x @ x)):.2f}")


if __name__ == "__main__":
    main()
