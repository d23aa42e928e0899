"""The models of bench/integrate.py: those whose normal latents can be integrated out, and some where none can."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scistan as ss

__all__ = ["MODELS"]

Build = Callable[[], ss.Model]
MODELS: dict[str, Build] = {}


def case(build: Build) -> Build:
    """Enter a model under its name."""
    MODELS[build.__name__] = build
    return build


def _regression(rows: int, columns: int) -> ss.Model:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, columns))
    m = ss.Model("regression")
    m.x = ss.data(x)
    m.a, m.b, m.s = ss.Normal(0, 5), ss.Normal(0, 1, shape=columns), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.x @ m.b, m.s).observe(x @ rng.normal(size=columns) + rng.normal(size=rows))
    return m


@case
def regression_small() -> ss.Model:
    """50 rows, 3 predictors."""
    return _regression(50, 3)


@case
def regression_large() -> ss.Model:
    """20,000 rows, 20 predictors."""
    return _regression(20_000, 20)


@case
def regression_far_from_zero() -> ss.Model:
    """A year as predictor, as it is."""
    rng = np.random.default_rng(2)
    year = np.arange(1970, 2020).astype(float)
    m = ss.Model("years")
    m.a, m.b, m.s = ss.Normal(0, 100), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * year, m.s).observe(0.02 * (year - 1970) + rng.normal(0, 0.3, 50))
    return m


def _mixed(rows: int, groups: int) -> ss.Model:
    rng = np.random.default_rng(3)
    group, x = rng.integers(0, groups, rows), rng.normal(size=rows)
    m = ss.Model("mixed")
    m.a, m.b, m.tau, m.s = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=groups)
    m.y = ss.Normal(m.a + m.b * x + m.u[group], m.s).observe(
        1 + 0.5 * x + rng.normal(0, 0.7, groups)[group] + rng.normal(size=rows)
    )
    return m


@case
def mixed_small() -> ss.Model:
    """200 rows in 20 groups."""
    return _mixed(200, 20)


@case
def mixed_large() -> ss.Model:
    """4,000 rows in 300 groups."""
    return _mixed(4000, 300)


@case
def radon() -> ss.Model:
    """Floors of houses in 85 counties with a predictor of counties, 919 rows."""
    rng = np.random.default_rng(4)
    county, floor, uranium = np.sort(rng.integers(0, 85, 919)), rng.integers(0, 2, 919), rng.normal(size=85)
    m = ss.Model("radon")
    m.g, m.floor, m.tau, m.s = ss.Normal(0, 2, shape=2), ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.county = ss.Normal(m.g[0] + m.g[1] * uranium, m.tau, shape=85)
    effects = 1.4 + 0.7 * uranium + rng.normal(0, 0.3, 85)
    m.y = ss.Normal(m.county[county] + m.floor * floor, m.s).observe(
        effects[county] - 0.7 * floor + rng.normal(0, 0.7, 919)
    )
    return m


@case
def slopes() -> ss.Model:
    """Correlated intercepts and slopes of 100 groups, 2,000 rows."""
    rng = np.random.default_rng(5)
    group, x = rng.integers(0, 100, 2000), rng.normal(size=2000)
    effects = rng.multivariate_normal([1, -0.5], [[0.5, 0.2], [0.2, 0.3]], 100)
    m = ss.Model("slopes")
    m.mean, m.sd, m.factor, m.s = (
        ss.Normal(0, 2, shape=2), ss.HalfNormal(1, shape=2), ss.LKJCholesky(2, 2.0), ss.HalfNormal(1)
    )
    m.v = ss.MultivariateNormal(m.mean, chol=m.sd[:, None] * m.factor, shape=100)
    m.y = ss.Normal(m.v[group, 0] + m.v[group, 1] * x, m.s).observe(
        effects[group, 0] + effects[group, 1] * x + rng.normal(size=2000)
    )
    return m


@case
def crossed() -> ss.Model:
    """60 raters of 12 items, 600 rows."""
    rng = np.random.default_rng(6)
    rater, item = rng.integers(0, 60, 600), rng.integers(0, 12, 600)
    m = ss.Model("crossed")
    m.a, m.t, m.s = ss.Normal(0, 5), ss.HalfNormal(1, shape=2), ss.HalfNormal(1)
    m.u, m.w = ss.Normal(0, m.t[0], shape=60), ss.Normal(0, m.t[1], shape=12)
    m.y = ss.Normal(m.a + m.u[rater] + m.w[item], m.s).observe(
        rng.normal(0, 0.8, 60)[rater] + rng.normal(0, 0.5, 12)[item] + rng.normal(size=600)
    )
    return m


@case
def nested() -> ss.Model:
    """Rooms in 20 schools, 60 of them, 1,200 rows."""
    rng = np.random.default_rng(7)
    school, room = np.arange(60) % 20, rng.integers(0, 60, 1200)
    m = ss.Model("nested")
    m.a, m.t, m.s = ss.Normal(0, 5), ss.HalfNormal(1, shape=2), ss.HalfNormal(1)
    m.school = ss.Normal(m.a, m.t[0], shape=20)
    m.room = ss.Normal(m.school[school], m.t[1], shape=60)
    effects = rng.normal(0, 0.7, 20)[school] + rng.normal(0, 0.4, 60)
    m.y = ss.Normal(m.room[room], m.s).observe(effects[room] + rng.normal(size=1200))
    return m


@case
def eight_schools() -> ss.Model:
    """Eight means with known errors."""
    m = ss.Model("eight_schools")
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, np.array([15.0, 10, 16, 11, 9, 11, 10, 18])).observe([28.0, 8, -3, 7, -1, 1, 18, 12])
    return m


@case
def measurement_error() -> ss.Model:
    """200 predictors that were measured with an error."""
    rng = np.random.default_rng(8)
    x = rng.normal(1, 1, 200)
    m = ss.Model("measurement_error")
    m.a, m.b, m.s, m.mu, m.sx = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.x = ss.Normal(m.mu, m.sx, shape=200)
    m.seen = ss.Normal(m.x, 0.5).observe(x + rng.normal(0, 0.5, 200))
    m.y = ss.Normal(m.a + m.b * m.x, m.s).observe(1 + 0.7 * x + rng.normal(0, 0.5, 200))
    return m


def _level(steps: int) -> ss.Model:
    rng = np.random.default_rng(9)
    m = ss.Model("local_level")
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start=ss.Normal(0, 5), length=steps)
    m.y = ss.Normal(m.level, m.s).observe(rng.normal(0, 0.5, steps).cumsum() + rng.normal(size=steps))
    return m


@case
def local_level_short() -> ss.Model:
    """A level of 50 steps."""
    return _level(50)


@case
def local_level() -> ss.Model:
    """A level of 400 steps."""
    return _level(400)


@case
def autoregression() -> ss.Model:
    """A hidden autoregression of 200 steps."""
    rng = np.random.default_rng(10)
    hidden = np.zeros(200)
    for t in range(1, 200):
        hidden[t] = 0.8 * hidden[t - 1] + rng.normal(0, 0.5)
    m = ss.Model("autoregression")
    m.phi, m.tau, m.s, m.a = ss.Uniform(-1, 1), ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 2)
    m.h = ss.Series(lambda past: ss.Normal(m.phi * past[-1], m.tau), start=ss.Normal(0, 1), length=200)
    m.y = ss.Normal(m.a + m.h, m.s).observe(1 + hidden + rng.normal(0, 0.5, 200))
    return m


@case
def spline() -> ss.Model:
    """A smooth curve of 30 coefficients, 500 rows."""
    from scipy.interpolate import BSpline

    rng = np.random.default_rng(11)
    x = np.sort(rng.uniform(0, 1, 500))
    knots = np.concatenate([[0] * 3, np.linspace(0, 1, 28), [1] * 3])
    basis = BSpline.design_matrix(x, knots, 3).toarray()
    m = ss.Model("spline")
    m.tau, m.s, m.a = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 2)
    m.c = ss.Normal(0, m.tau, shape=basis.shape[1])
    m.y = ss.Normal(m.a + basis @ m.c, m.s).observe(np.sin(6 * x) + rng.normal(0, 0.3, 500))
    return m


@case
def gaussian_process() -> ss.Model:
    """A smooth function at 60 points, with noise."""
    rng = np.random.default_rng(14)
    x = np.sort(rng.uniform(0, 5, 60))
    m = ss.Model("gaussian_process")
    m.rho, m.alpha, m.s = ss.InvGamma(5, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    distance = (x[:, None] - x[None]) ** 2
    m.f = ss.MultivariateNormal(
        np.zeros(60), cov=m.alpha**2 * ss.exp(-distance / (2 * m.rho**2)) + 1e-6 * np.eye(60)
    )
    m.y = ss.Normal(m.f, m.s).observe(np.sin(x) + 0.2 * rng.normal(size=60))
    return m


# -- none can be integrated exactly -----------------------------------------------------------------------
@case
def counts() -> ss.Model:
    """Poisson counts in 50 groups."""
    rng = np.random.default_rng(12)
    group = rng.integers(0, 50, 500)
    m = ss.Model("counts")
    m.a, m.tau = ss.Normal(0, 2), ss.HalfNormal(1)
    m.u = ss.Normal(m.a, m.tau, shape=50)
    m.y = ss.PoissonLog(m.u[group]).observe(rng.poisson(np.exp(0.5 + rng.normal(0, 0.6, 50)[group])))
    return m


@case
def heavy_tails() -> ss.Model:
    """A regression with noise of Student's t."""
    rng = np.random.default_rng(13)
    x = rng.normal(size=(300, 4))
    m = ss.Model("heavy_tails")
    m.a, m.b, m.s = ss.Normal(0, 5), ss.Normal(0, 1, shape=4), ss.HalfNormal(1)
    m.y = ss.StudentT(4, m.a + x @ m.b, m.s).observe(x @ rng.normal(size=4) + rng.standard_t(4, 300))
    return m
