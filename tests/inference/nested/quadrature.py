"""Models of groups whose posterior can be had by quadrature: one outer number, one number for each group."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy import stats

import scistan as ss

__all__ = ["GROUPED", "Exact", "exact", "grouped"]

GROUPED = ("poisson", "bernoulli", "normal")
_COUNT, _EACH, _LOCATION = 12, 4, 0.3


@dataclass(frozen=True)
class Exact:
    """Posterior mean and sd of the scale, and of each group's effect."""

    tau: tuple[float, float]
    effects: tuple[np.ndarray, np.ndarray]


def _data(family: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    group = np.repeat(np.arange(_COUNT), _EACH)
    eta = _LOCATION + rng.normal(0, 1.0, _COUNT)[group]
    drawn = {
        "poisson": lambda: rng.poisson(np.exp(eta)),
        "bernoulli": lambda: (rng.random(len(eta)) < 1 / (1 + np.exp(-eta))).astype(int),
        "normal": lambda: rng.normal(eta, 0.8),
    }
    return group, drawn[family]()


def grouped(family: str) -> ss.Model:
    """Write the model."""
    group, y = _data(family)
    m = ss.Model(family)
    m.tau = ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=_COUNT)
    eta = _LOCATION + m.u[group]
    seen = {"poisson": lambda: ss.PoissonLog(eta), "bernoulli": lambda: ss.BernoulliLogit(eta),
            "normal": lambda: ss.Normal(eta, 0.8)}
    m.y = seen[family]().observe(y)
    return m


def exact(family: str) -> Exact:
    """Integrate each group's effect by Gauss-Hermite points of its prior, and the scale over a grid."""
    group, y = _data(family)
    z, weights = hermegauss(120)
    weights = weights / weights.sum()
    taus = np.linspace(1e-3, 5, 1200)
    density = {
        "poisson": lambda eta: stats.poisson.logpmf(y[:, None], np.exp(eta)),
        "bernoulli": lambda eta: np.where(y[:, None] == 1, -np.logaddexp(0, -eta), -np.logaddexp(0, eta)),
        "normal": lambda eta: stats.norm.logpdf(y[:, None], eta, 0.8),
    }[family]
    log_marginal, first, second = [], [], []
    for tau in taus:
        rows = density(_LOCATION + tau * z[None])
        inside = np.exp(np.array([rows[group == g].sum(0) for g in range(_COUNT)])) * weights
        total = inside.sum(1)
        log_marginal.append(np.log(total).sum() + stats.halfnorm.logpdf(tau))
        first.append((inside * tau * z).sum(1) / total)
        second.append((inside * (tau * z) ** 2).sum(1) / total)
    p = np.exp(np.array(log_marginal) - np.max(log_marginal))
    p /= p.sum()
    mean = float(p @ taus)
    effect = p @ np.array(first)
    return Exact((mean, float(np.sqrt(p @ taus**2 - mean**2))), (effect, np.sqrt(p @ np.array(second) - effect**2)))
