"""The skew double exponential distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from scistan.distributions.declaration import Parameter, StanForm, declare
from scistan.distributions.formulas import Quantity, functions
from scistan.distributions.scipy_forms import stats
from scistan.domains import OPEN_UNIT, POSITIVE, REAL

log, log1m, log1m_exp, maximum, where = functions("log", "log1m", "log1m_exp", "maximum", "where")


def _away(x: Any, mu: Any) -> tuple[Quantity, Quantity]:
    """Give the distances below and above `mu`; the tails are smooth at `mu` itself, where a maximum would not be."""
    return where(x < mu, mu - x, 0), where(x < mu, 0, x - mu)


def _log_density(x: Any, mu: Any, sigma: Any, tau: Any) -> Quantity:
    below, above = maximum(mu - x, 0), maximum(x - mu, 0)
    return log(2 * tau) + log1m(tau) - log(sigma) - 2 * ((1 - tau) * below + tau * above) / sigma


def _tail(rate: Any, beyond: Any, share: Any, sigma: Any) -> Quantity:
    """Give the log probability of being more than `beyond` away on the side that has this share of the mass."""
    return log(share) - 2 * rate * beyond / sigma


def _log_cdf(x: Any, mu: Any, sigma: Any, tau: Any) -> Quantity:
    below, above = _away(x, mu)
    return where(x < mu, _tail(1 - tau, below, tau, sigma), log1m_exp(_tail(tau, above, 1 - tau, sigma)))


def _log_ccdf(x: Any, mu: Any, sigma: Any, tau: Any) -> Quantity:
    below, above = _away(x, mu)
    return where(x < mu, log1m_exp(_tail(1 - tau, below, tau, sigma)), _tail(tau, above, 1 - tau, sigma))


def _draw(rng: np.random.Generator, size: tuple[int, ...], mu: Any, sigma: Any, tau: Any) -> np.ndarray:
    away = rng.standard_exponential(size) * sigma / 2
    return np.asarray(mu + np.where(rng.random(size) < tau, -away / (1 - tau), away / tau))


def _scipy(mu: Any, sigma: Any, tau: Any) -> Any:
    kappa = np.sqrt(tau / (1 - tau))
    return stats().laplace_asymmetric(kappa, mu, kappa * sigma / (2 * tau))


declare(
    "SkewDoubleExponential",
    "Two exponentials back to back at `mu` with scale `sigma`; a share `tau` of the mass lies below `mu`.",
    parameters=(Parameter("mu", REAL), Parameter("sigma", POSITIVE), Parameter("tau", OPEN_UNIT)),
    support=REAL,
    log_density=_log_density,
    draw=_draw,
    scipy=_scipy,
    stan=StanForm("skew_double_exponential"),
    log_cdf=_log_cdf,
    log_ccdf=_log_ccdf,
    location_scale=("mu", "sigma"),
)
