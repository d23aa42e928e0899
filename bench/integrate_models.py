"""The models of bench/integrate.py, twenty: those whose latents can be integrated out, and some where none can.

Each gives its arrays too: the same model in NumPyro and PyMC (bench/integrate_numpyro.py, bench/integrate_pymc.py) is on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import scistan as ss

__all__ = ["CASES", "Case"]


@dataclass(frozen=True)
class Case:
    """A model, the name its twins have in the neighbours' files, and the arrays all of them are given."""

    model: ss.Model
    twin: str
    data: dict[str, np.ndarray]


Build = Callable[[], Case]
CASES: dict[str, Build] = {}


def case(build: Build) -> Build:
    """Enter a model under its name."""
    CASES[build.__name__] = build
    return build


def _regression(rows: int, columns: int) -> Case:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, columns))
    y = x @ rng.normal(size=columns) + rng.normal(size=rows)
    m = ss.Model("regression")
    m.x = ss.data(x)
    m.a, m.b, m.s = ss.Normal(0, 5), ss.Normal(0, 1, shape=columns), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.x @ m.b, m.s).observe(y)
    return Case(m, "regression", {"x": x, "y": y})


@case
def regression_small() -> Case:
    """50 rows, 3 predictors."""
    return _regression(50, 3)


@case
def regression_large() -> Case:
    """20,000 rows, 20 predictors."""
    return _regression(20_000, 20)


@case
def regression_far_from_zero() -> Case:
    """A year as predictor, as it is."""
    rng = np.random.default_rng(2)
    year = np.arange(1970, 2020).astype(float)
    y = 0.02 * (year - 1970) + rng.normal(0, 0.3, 50)
    m = ss.Model("years")
    m.a, m.b, m.s = ss.Normal(0, 100), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * year, m.s).observe(y)
    return Case(m, "years", {"year": year, "y": y})


def _mixed(rows: int, groups: int) -> Case:
    rng = np.random.default_rng(3)
    group, x = rng.integers(0, groups, rows), rng.normal(size=rows)
    y = 1 + 0.5 * x + rng.normal(0, 0.7, groups)[group] + rng.normal(size=rows)
    m = ss.Model("mixed")
    m.a, m.b, m.tau, m.s = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=groups)
    m.y = ss.Normal(m.a + m.b * x + m.u[group], m.s).observe(y)
    return Case(m, "mixed", {"group": group, "x": x, "y": y})


@case
def mixed_small() -> Case:
    """200 rows in 20 groups."""
    return _mixed(200, 20)


@case
def mixed_large() -> Case:
    """4,000 rows in 300 groups."""
    return _mixed(4000, 300)


@case
def radon() -> Case:
    """Floors of houses in 85 counties with a predictor of counties, 919 rows."""
    rng = np.random.default_rng(4)
    county, floor, uranium = np.sort(rng.integers(0, 85, 919)), rng.integers(0, 2, 919), rng.normal(size=85)
    effects = 1.4 + 0.7 * uranium + rng.normal(0, 0.3, 85)
    y = effects[county] - 0.7 * floor + rng.normal(0, 0.7, 919)
    m = ss.Model("radon")
    m.g, m.floor, m.tau, m.s = ss.Normal(0, 2, shape=2), ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.county = ss.Normal(m.g[0] + m.g[1] * uranium, m.tau, shape=85)
    m.y = ss.Normal(m.county[county] + m.floor * floor, m.s).observe(y)
    return Case(m, "radon", {"county": county, "floor": floor, "uranium": uranium, "y": y})


@case
def slopes() -> Case:
    """Correlated intercepts and slopes of 100 groups, 2,000 rows."""
    rng = np.random.default_rng(5)
    group, x = rng.integers(0, 100, 2000), rng.normal(size=2000)
    effects = rng.multivariate_normal([1, -0.5], [[0.5, 0.2], [0.2, 0.3]], 100)
    y = effects[group, 0] + effects[group, 1] * x + rng.normal(size=2000)
    m = ss.Model("slopes")
    m.mean, m.sd, m.factor, m.s = (
        ss.Normal(0, 2, shape=2), ss.HalfNormal(1, shape=2), ss.LKJCholesky(2, 2.0), ss.HalfNormal(1)
    )
    m.v = ss.MultivariateNormal(m.mean, chol=m.sd[:, None] * m.factor, shape=100)
    m.y = ss.Normal(m.v[group, 0] + m.v[group, 1] * x, m.s).observe(y)
    return Case(m, "slopes", {"group": group, "x": x, "y": y})


@case
def crossed() -> Case:
    """60 raters of 12 items, 600 rows."""
    rng = np.random.default_rng(6)
    rater, item = rng.integers(0, 60, 600), rng.integers(0, 12, 600)
    y = rng.normal(0, 0.8, 60)[rater] + rng.normal(0, 0.5, 12)[item] + rng.normal(size=600)
    m = ss.Model("crossed")
    m.a, m.t, m.s = ss.Normal(0, 5), ss.HalfNormal(1, shape=2), ss.HalfNormal(1)
    m.u, m.w = ss.Normal(0, m.t[0], shape=60), ss.Normal(0, m.t[1], shape=12)
    m.y = ss.Normal(m.a + m.u[rater] + m.w[item], m.s).observe(y)
    return Case(m, "crossed", {"rater": rater, "item": item, "y": y})


@case
def nested() -> Case:
    """Rooms in 20 schools, 60 of them, 1,200 rows."""
    rng = np.random.default_rng(7)
    school, room = np.arange(60) % 20, rng.integers(0, 60, 1200)
    effects = rng.normal(0, 0.7, 20)[school] + rng.normal(0, 0.4, 60)
    y = effects[room] + rng.normal(size=1200)
    m = ss.Model("nested")
    m.a, m.t, m.s = ss.Normal(0, 5), ss.HalfNormal(1, shape=2), ss.HalfNormal(1)
    m.school = ss.Normal(m.a, m.t[0], shape=20)
    m.room = ss.Normal(m.school[school], m.t[1], shape=60)
    m.y = ss.Normal(m.room[room], m.s).observe(y)
    return Case(m, "nested", {"school": school, "room": room, "y": y})


@case
def eight_schools() -> Case:
    """Eight means with known errors."""
    y, error = np.array([28.0, 8, -3, 7, -1, 1, 18, 12]), np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    m = ss.Model("eight_schools")
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, error).observe(y)
    return Case(m, "eight_schools", {"error": error, "y": y})


@case
def measurement_error() -> Case:
    """200 predictors that were measured with an error."""
    rng = np.random.default_rng(8)
    x = rng.normal(1, 1, 200)
    seen, y = x + rng.normal(0, 0.5, 200), 1 + 0.7 * x + rng.normal(0, 0.5, 200)
    m = ss.Model("measurement_error")
    m.a, m.b, m.s, m.mu, m.sx = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.x = ss.Normal(m.mu, m.sx, shape=200)
    m.seen = ss.Normal(m.x, 0.5).observe(seen)
    m.y = ss.Normal(m.a + m.b * m.x, m.s).observe(y)
    return Case(m, "measurement_error", {"seen": seen, "y": y})


def _level(steps: int) -> Case:
    rng = np.random.default_rng(9)
    y = rng.normal(0, 0.5, steps).cumsum() + rng.normal(size=steps)
    m = ss.Model("local_level")
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start=ss.Normal(0, 5), length=steps)
    m.y = ss.Normal(m.level, m.s).observe(y)
    return Case(m, "local_level", {"y": y})


@case
def local_level_short() -> Case:
    """A level of 50 steps."""
    return _level(50)


@case
def local_level() -> Case:
    """A level of 400 steps."""
    return _level(400)


@case
def autoregression() -> Case:
    """A hidden autoregression of 200 steps."""
    rng = np.random.default_rng(10)
    hidden = np.zeros(200)
    for t in range(1, 200):
        hidden[t] = 0.8 * hidden[t - 1] + rng.normal(0, 0.5)
    y = 1 + hidden + rng.normal(0, 0.5, 200)
    m = ss.Model("autoregression")
    m.phi, m.tau, m.s, m.a = ss.Uniform(-1, 1), ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 2)
    m.h = ss.Series(lambda past: ss.Normal(m.phi * past[-1], m.tau), start=ss.Normal(0, 1), length=200)
    m.y = ss.Normal(m.a + m.h, m.s).observe(y)
    return Case(m, "autoregression", {"y": y})


@case
def spline() -> Case:
    """A smooth curve of 30 coefficients, 500 rows."""
    from scipy.interpolate import BSpline

    rng = np.random.default_rng(11)
    x = np.sort(rng.uniform(0, 1, 500))
    knots = np.concatenate([[0] * 3, np.linspace(0, 1, 28), [1] * 3])
    basis = BSpline.design_matrix(x, knots, 3).toarray()
    y = np.sin(6 * x) + rng.normal(0, 0.3, 500)
    m = ss.Model("spline")
    m.tau, m.s, m.a = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 2)
    m.c = ss.Normal(0, m.tau, shape=basis.shape[1])
    m.y = ss.Normal(m.a + basis @ m.c, m.s).observe(y)
    return Case(m, "spline", {"basis": basis, "y": y})


@case
def gaussian_process() -> Case:
    """A smooth function at 60 points, with noise."""
    rng = np.random.default_rng(14)
    x = np.sort(rng.uniform(0, 5, 60))
    y = np.sin(x) + 0.2 * rng.normal(size=60)
    m = ss.Model("gaussian_process")
    m.rho, m.alpha, m.s = ss.InvGamma(5, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    distance = (x[:, None] - x[None]) ** 2
    m.f = ss.MultivariateNormal(
        np.zeros(60), cov=m.alpha**2 * ss.exp(-distance / (2 * m.rho**2)) + 1e-6 * np.eye(60)
    )
    m.y = ss.Normal(m.f, m.s).observe(y)
    return Case(m, "gaussian_process", {"x": x, "y": y})


@case
def rates() -> Case:
    """Gamma rates of 40 groups under Poisson counts with exposures, 400 rows."""
    rng = np.random.default_rng(15)
    group, exposure = rng.integers(0, 40, 400), rng.uniform(0.5, 2, 400)
    y = rng.poisson(rng.gamma(2, 1, 40)[group] * exposure)
    m = ss.Model("rates")
    m.shape, m.mean = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.rate = ss.Gamma(m.shape, m.shape / m.mean, shape=40)
    m.y = ss.Poisson(m.rate[group] * exposure).observe(y)
    return Case(m, "rates", {"group": group, "exposure": exposure, "y": y})


# -- none can be integrated exactly -----------------------------------------------------------------------
@case
def counts() -> Case:
    """Poisson counts in 50 groups."""
    rng = np.random.default_rng(12)
    group = rng.integers(0, 50, 500)
    y = rng.poisson(np.exp(0.5 + rng.normal(0, 0.6, 50)[group]))
    m = ss.Model("counts")
    m.a, m.tau = ss.Normal(0, 2), ss.HalfNormal(1)
    m.u = ss.Normal(m.a, m.tau, shape=50)
    m.y = ss.PoissonLog(m.u[group]).observe(y)
    return Case(m, "counts", {"group": group, "y": y})


@case
def binomial() -> Case:
    """Successes out of 5 to 20 in 60 groups with one predictor, 300 rows."""
    rng = np.random.default_rng(16)
    group, x, trials = rng.integers(0, 60, 300), rng.normal(size=300), rng.integers(5, 21, 300)
    y = rng.binomial(trials, 1 / (1 + np.exp(0.3 - 0.5 * x - rng.normal(0, 0.8, 60)[group])))
    m = ss.Model("binomial")
    m.a, m.b, m.tau = ss.Normal(0, 2), ss.Normal(0, 1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=60)
    m.y = ss.BinomialLogit(trials, m.a + m.b * x + m.u[group]).observe(y)
    return Case(m, "binomial", {"group": group, "x": x, "trials": trials, "y": y})


@case
def heavy_tails() -> Case:
    """A regression with noise of Student's t."""
    rng = np.random.default_rng(13)
    x = rng.normal(size=(300, 4))
    y = x @ rng.normal(size=4) + rng.standard_t(4, 300)
    m = ss.Model("heavy_tails")
    m.a, m.b, m.s = ss.Normal(0, 5), ss.Normal(0, 1, shape=4), ss.HalfNormal(1)
    m.y = ss.StudentT(4, m.a + x @ m.b, m.s).observe(y)
    return Case(m, "heavy_tails", {"x": x, "y": y})
