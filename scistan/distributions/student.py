"""Student's t distribution and its half."""

from __future__ import annotations

import math
from typing import Any

from scistan.distributions.declaration import Parameter, StanForm, declare
from scistan.distributions.formulas import Quantity, functions
from scistan.distributions.scipy_forms import Folded, stats
from scistan.domains import NON_NEGATIVE, POSITIVE, REAL

exp, log, log1p, log1m_exp, square = functions("exp", "log", "log1p", "log1m_exp", "square")
lbeta, inc_beta, log_inc_beta = functions("lbeta", "inc_beta", "log_inc_beta")
where, minimum, maximum = functions("where", "minimum", "maximum")

NU, MU, SIGMA = Parameter("nu", POSITIVE), Parameter("mu", REAL), Parameter("sigma", POSITIVE)


def _log_peak(nu: Any) -> Quantity:
    """Give the log density of the standard t at 0."""
    return -lbeta(0.5 * nu, 0.5) - 0.5 * log(nu)


def _density(x: Any, nu: Any, mu: Any, sigma: Any) -> Quantity:
    return _log_peak(nu) - log(sigma) - 0.5 * (nu + 1.0) * log1p(square((x - mu) / sigma) / nu)


def _log_cdf(t: Any, nu: Any) -> Quantity:
    # About 0 from the middle outwards, with the series where the incomplete beta has no gradient; beyond
    # 1 from the tail inwards: each is exact where it is used, and finite where it is not.
    t2 = square(t)
    near, tiny, below = t2 < 1.0, t2 < 1e-10 * minimum(nu, 1.0), t < 0
    series = t * exp(_log_peak(nu)) * (1.0 - (nu + 1.0) / (6.0 * nu) * t2)
    share = where(tiny, 0.5, t2 / (nu + t2))
    middle = 0.5 * inc_beta(0.5, 0.5 * nu, where(near, share, 0.5))
    centre = log(0.5 + where(tiny, where(tiny, series, 0.0), where(below, -middle, middle)))
    log_tail = log_inc_beta(0.5 * nu, 0.5, where(near, 0.5, nu / (nu + t2))) - math.log(2)
    return where(near, centre, where(below, log_tail, log1m_exp(log_tail)))


declare(
    "StudentT",
    "Student's t with `nu` degrees of freedom, location `mu` and scale `sigma`.",
    parameters=(NU, MU, SIGMA),
    support=REAL,
    log_density=_density,
    draw=lambda rng, size, nu, mu, sigma: mu + sigma * rng.standard_t(nu, size),
    scipy=lambda nu, mu, sigma: stats().t(nu, mu, sigma),
    stan=StanForm("student_t"),
    log_cdf=lambda x, nu, mu, sigma: _log_cdf((x - mu) / sigma, nu),
    log_ccdf=lambda x, nu, mu, sigma: _log_cdf((mu - x) / sigma, nu),
    location_scale=("mu", "sigma"),
)


def _half_tails(x: Any, nu: Any, sigma: Any) -> tuple[Quantity, Quantity, Quantity]:
    """Give where `x` is below `sigma`, the log of what is below `x` there, and of what is above it elsewhere."""
    t2 = square(maximum(x, 0.0) / sigma)
    near = t2 < 1.0
    below = log_inc_beta(0.5, 0.5 * nu, where(near, t2 / (nu + t2), 0.5))
    return near, below, log_inc_beta(0.5 * nu, 0.5, where(near, 0.5, nu / (nu + t2)))


def _half_log_cdf(x: Any, nu: Any, sigma: Any) -> Quantity:
    near, below, above = _half_tails(x, nu, sigma)
    return where(near, below, log1m_exp(above))


def _half_log_ccdf(x: Any, nu: Any, sigma: Any) -> Quantity:
    near, below, above = _half_tails(x, nu, sigma)
    return where(near, log1m_exp(below), above)


declare(
    "HalfStudentT",
    "Student's t about 0, folded to the positive side.",
    parameters=(NU, SIGMA),
    support=NON_NEGATIVE,
    log_density=lambda x, nu, sigma: _density(x, nu, 0.0, sigma) + math.log(2),
    draw=lambda rng, size, nu, sigma: abs(sigma * rng.standard_t(nu, size)),
    scipy=lambda nu, sigma: Folded(stats().t(nu, 0.0, sigma)),
    stan=StanForm(
        "student_t", ("{nu}", "0", "{sigma}"), rng="abs(student_t_rng({nu}, 0, {sigma}))", constant="log2()"
    ),
    log_cdf=_half_log_cdf,
    log_ccdf=_half_log_ccdf,
)
