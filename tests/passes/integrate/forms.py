"""Models whose normal latents can be integrated out, as people write them: what is expected to go, and what stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

import scistan as ss

__all__ = ["FORMS", "Form", "random_form"]

Build = Callable[[np.random.Generator], ss.Model]


@dataclass(frozen=True)
class Form:
    """A model, and the names that are left to be sampled."""

    build: Build
    left: tuple[str, ...]


FORMS: dict[str, Form] = {}
ROWS, GROUPS = 24, 5


def form(*left: str) -> Callable[[Build], Build]:
    """Enter a model under its name."""

    def enter(build: Build) -> Build:
        FORMS[build.__name__] = Form(build, left)
        return build

    return enter


def _data(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
    return {
        "x": rng.normal(size=ROWS), "z": rng.normal(size=ROWS), "y": 1 + rng.normal(size=ROWS),
        "X": rng.normal(size=(ROWS, 3)), "g": rng.integers(0, GROUPS, ROWS), "h": rng.integers(0, 4, ROWS),
    }


# -- regressions -----------------------------------------------------------------------------------------
@form("s")
def regression(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.b, m.s = ss.Normal(0, 5), ss.Normal(0, 1, shape=3), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + d["X"] @ m.b, m.s).observe(d["y"])
    return m


@form("s")
def scalars_times_columns(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.b, m.c, m.s = ss.Normal(1, 5), ss.Normal(0.5, 1), ss.Normal(0, 2), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * d["x"] - m.c * d["z"] / 2 + d["x"] ** 2, m.s).observe(d["y"])
    return m


@form("s")
def flat_regression(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.b, m.s = ss.Flat(), ss.Flat(shape=3), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + d["X"] @ m.b, m.s).observe(d["y"])
    return m


@form("s")
def far_from_zero(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.b, m.s = ss.Normal(1e4, 100), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * d["x"], m.s).observe(1e4 + d["y"])
    return m


@form("s", "lam")
def sampled_prior_scale(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.lam, m.s = ss.HalfCauchy(1), ss.HalfNormal(1)
    m.b = ss.Normal(0, m.lam, shape=3)
    m.y = ss.Normal(d["X"] @ m.b, m.s).observe(d["y"])
    return m


@form("s", "t")
def offset_that_is_sampled(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.t, m.s = ss.Gamma(2, 1), ss.HalfNormal(1)
    m.b = ss.Normal(0, 1, shape=3)
    m.y = ss.Normal(m.t * d["x"] + ss.log(m.t) + d["X"] @ m.b, m.s).observe(d["y"])
    return m


@form("s")
def weights(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.b, m.s = ss.Normal(0, 1, shape=3), ss.HalfNormal(1)
    m.y = ss.Normal(d["X"] @ m.b, m.s * np.exp(d["x"])).observe(d["y"])
    return m


@form("s")
def one_row(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.b, m.s = ss.Normal(0, 1, shape=1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.s, shape=1)
    m.y = ss.Normal(m.b[0] + m.u[[0]], m.s).observe(d["y"][:1])
    return m


@form("s")
def constant_column(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.b, m.s = ss.Normal(0, 1, shape=3), ss.HalfNormal(1)
    X = d["X"].copy()
    X[:, 1], X[:, 2] = 1.0, 0.0
    m.y = ss.Normal(X @ m.b, m.s).observe(np.ones(ROWS))
    return m


@form("c")
def vectors_observed(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.mu, m.c = ss.Normal(0, 1, shape=2), ss.LKJCholesky(2, 2.0)
    m.y = ss.MultivariateNormal(m.mu, chol=m.c).observe(rng.normal(size=(9, 2)))
    return m


# -- groups ------------------------------------------------------------------------------------------------
@form("tau", "s")
def varying_intercepts(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.b, m.tau, m.s = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(m.a, m.tau, shape=GROUPS)
    m.y = ss.Normal(m.u[d["g"]] + m.b * d["x"], m.s).observe(d["y"])
    return m


@form("tau", "s")
def groups_without_rows(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=12)
    m.y = ss.Normal(m.u[d["g"]], m.s).observe(d["y"])
    return m


@form("tau", "s")
def written_noncentred(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.mu, m.tau, m.s = ss.Normal(0, 5), ss.HalfCauchy(2), ss.HalfNormal(1)
    m.z = ss.StdNormal(shape=GROUPS)
    m.u = m.mu + m.tau * m.z
    m.y = ss.Normal(m.u[d["g"]], m.s).observe(d["y"])
    return m


@form("tau")
def eight_schools(_: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 5), ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, np.array([15.0, 10, 16, 11, 9, 11, 10, 18])).observe([28.0, 8, -3, 7, -1, 1, 18, 12])
    return m


@form("tau", "s")
def noise_by_group(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.tau, m.s = ss.Normal(0, 5), ss.HalfNormal(1), ss.HalfNormal(1, shape=GROUPS)
    m.u = ss.Normal(m.a, m.tau, shape=GROUPS)
    m.y = ss.Normal(m.u[d["g"]], m.s[d["g"]]).observe(d["y"])
    return m


@form("tau", "s")
def two_effects_of_a_group(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.tau, m.s = ss.Normal(0, 5), ss.HalfNormal(1, shape=2), ss.HalfNormal(1)
    m.u, m.v = ss.Normal(m.a, m.tau[0], shape=GROUPS), ss.Normal(0, m.tau[1], shape=GROUPS)
    m.y = ss.Normal(m.u[d["g"]] + m.v[d["g"]] * d["x"], m.s).observe(d["y"])
    return m


@form("factor", "sd", "s")
def correlated_slopes(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.b, m.s = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1)
    m.factor, m.sd = ss.LKJCholesky(2, 2.0), ss.HalfNormal(1, shape=2)
    m.v = ss.MultivariateNormal(np.zeros(2), chol=m.sd[:, None] * m.factor, shape=GROUPS)
    m.y = ss.Normal(m.a + m.b * d["x"] + m.v[d["g"], 0] + m.v[d["g"], 1] * d["x"], m.s).observe(d["y"])
    return m


@form("sd", "factor", "s")
def slopes_written_noncentred(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.mean, m.sd, m.factor = ss.Normal(0, 2, shape=2), ss.HalfNormal(1, shape=2), ss.LKJCholesky(2, 2.0)
    m.z = ss.Normal(0, 1, shape=(GROUPS, 2))
    m.effect = m.mean + m.z @ ss.transpose(ss.diagonal_matrix(m.sd) @ m.factor)
    m.s = ss.HalfNormal(1)
    m.y = ss.Normal(m.effect[d["g"], 0] + m.effect[d["g"], 1] * d["x"], m.s).observe(d["y"])
    return m


@form("tau", "s")
def row_products(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.tau, m.s = ss.HalfNormal(1, shape=2), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=(GROUPS, 2))
    m.y = ss.Normal(ss.sum(m.u[d["g"]] * d["X"][:, :2], axis=1), m.s).observe(d["y"])
    return m


@form("t1", "t2", "s")
def crossed(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.t1, m.t2, m.s = ss.Normal(0, 5), ss.HalfNormal(1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u, m.w = ss.Normal(0, m.t1, shape=GROUPS), ss.Normal(0, m.t2, shape=4)
    m.y = ss.Normal(m.a + m.u[d["g"]] + m.w[d["h"]], m.s).observe(d["y"])
    return m


@form("t1", "t2", "s")
def nested(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.t1, m.t2, m.s = ss.Normal(0, 5), ss.HalfNormal(1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.school = ss.Normal(m.a, m.t1, shape=4)
    m.room = ss.Normal(m.school[np.arange(12) % 4], m.t2, shape=12)
    m.y = ss.Normal(m.room[np.arange(ROWS) % 12], m.s).observe(d["y"])
    return m


@form("tau", "s")
def group_predictors(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.c, m.tau, m.s = ss.Normal(0, 1, shape=2), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(rng.normal(size=(GROUPS, 2)) @ m.c, m.tau, shape=GROUPS)
    m.y = ss.Normal(m.u[d["g"]], m.s).observe(d["y"])
    return m


@form("tau", "s")
def sum_to_mean(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=GROUPS)
    m.total = ss.Normal(ss.sum(m.u), 0.1).observe(0.0)
    m.y = ss.Normal(m.u[d["g"]], m.s).observe(d["y"])
    return m


# -- latents that several variables see -------------------------------------------------------------------------
@form("b", "s", "sx")
def measurement_error(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.a, m.b, m.s, m.mu, m.sx = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.x = ss.Normal(m.mu, m.sx, shape=ROWS)
    m.seen = ss.Normal(m.x, 0.3).observe(d["x"])
    m.y = ss.Normal(m.a + m.b * m.x, m.s).observe(d["y"])
    return m


@form("load", "s")
def factor_of_two_outcomes(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.load, m.s = ss.HalfNormal(1), ss.HalfNormal(1, shape=2)
    m.f = ss.Normal(0, 1, shape=ROWS)
    m.y1 = ss.Normal(m.f, m.s[0]).observe(d["y"])
    m.y2 = ss.Normal(m.load * m.f, m.s[1]).observe(d["x"])
    return m


@form("b", "s")
def product_of_normals(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.b, m.s = ss.Normal(0, 1), ss.HalfNormal(1)
    m.f = ss.Normal(0, 1, shape=ROWS)
    m.y = ss.Normal(m.b * m.f, m.s).observe(d["y"])
    return m


@form("c", "tau", "s")
def seen_by_counts_too(rng: np.random.Generator) -> ss.Model:
    d, m = _data(rng), ss.Model()
    m.c, m.tau, m.s = ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(m.c, m.tau, shape=GROUPS)
    m.n = ss.PoissonLog(m.c).observe(rng.poisson(2, 7))
    m.y = ss.Normal(m.u[d["g"]], m.s).observe(d["y"])
    return m


# -- chains ------------------------------------------------------------------------------------------------------
@form("tau", "s")
def local_level(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start=ss.Normal(0, 5), length=12)
    m.y = ss.Normal(m.level, m.s).observe(rng.normal(size=12).cumsum())
    return m


@form("tau", "s")
def walk_with_drift_and_gaps(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.drift, m.tau, m.s = ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.Series(lambda past: ss.Normal(past[-1] + m.drift, m.tau), start=ss.Normal(0, 5), length=12)
    m.y = ss.Normal(m.level[::3] + 1, m.s).observe(rng.normal(size=4))
    return m


@form("phi", "tau", "s")
def autoregression_and_regression(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.phi, m.tau, m.s = ss.Uniform(-1, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.b = ss.Normal(0, 1, shape=2)
    m.level = ss.Series(lambda past: ss.Normal(m.phi * past[-1], m.tau), start=ss.Normal(0, 1), length=12)
    m.y = ss.Normal(m.level + rng.normal(size=(12, 2)) @ m.b, m.s).observe(rng.normal(size=12))
    return m


@form("tau", "tau_slope", "s")
def local_trend(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.tau_slope, m.s = ss.HalfNormal(1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.slope = ss.Series(lambda past: ss.Normal(past[-1], m.tau_slope), start=ss.Normal(0, 2), length=10)
    m.level = ss.Series(
        lambda past, slope: ss.Normal(past[-1] + slope, m.tau), over=m.slope, start=ss.Normal(0, 5), length=10
    )
    m.y = ss.Normal(m.level, m.s).observe(rng.normal(size=10).cumsum())
    return m


@form("tau", "s")
def several_walks(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start=ss.Normal(np.zeros(3), 5), length=8)
    m.y = ss.Normal(m.level, m.s).observe(rng.normal(size=(8, 3)))
    return m


@form("p", "tau", "s")
def two_lags(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.p, m.tau, m.s = ss.Normal(0, 0.5, shape=2), ss.HalfNormal(1), ss.HalfNormal(1)
    m.level = ss.Series(
        lambda past: ss.Normal(m.p[0] * past[-1] + m.p[1] * past[-2], m.tau),
        start=[ss.Normal(0, 5), ss.Normal(0, 5)], length=10,
    )
    m.y = ss.Normal(m.level, m.s).observe(rng.normal(size=10))
    return m


# -- sums of steps -----------------------------------------------------------------------------------------------
@form("drift", "s")
def steps_summed_up(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.drift, m.s, m.start = ss.HalfNormal(0.5), ss.HalfNormal(1), ss.Normal(0, 3)
    m.step = ss.Normal(0, 1, shape=12)
    m.y = ss.Normal(m.start + m.drift * ss.cumsum(m.step), m.s).observe(rng.normal(size=12).cumsum())
    return m


@form("tau", "s")
def scaled_steps_with_gaps_and_columns(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s, m.b = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 1, shape=2)
    m.z = ss.Normal(0, 1, shape=15)
    level = 2.0 + ss.cumsum(m.tau * m.z)
    seen = [0, 3, 4, 9, 13, 13]
    m.y = ss.Normal(level[seen] + rng.normal(size=(6, 2)) @ m.b, m.s).observe(rng.normal(size=6))
    return m


@form("tau", "s")
def steps_with_a_drift(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s, m.drift = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 1)
    m.step = ss.Normal(m.drift, m.tau, shape=12)
    m.y = ss.Normal(ss.cumsum(m.step), m.s).observe(rng.normal(size=12).cumsum())
    return m


@form("tau", "s")
def steps_of_several_series(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s = ss.HalfNormal(1, shape=3), ss.HalfNormal(1)
    m.start, m.z = ss.Normal(0, 2, shape=3), ss.Normal(0, 1, shape=(3, 7))
    m.y = ss.Normal(m.start[:, None] + ss.cumsum(m.tau[:, None] * m.z, axis=1), m.s).observe(rng.normal(size=(3, 7)))
    return m


@form("tau", "s")
def series_with_scales_of_their_own(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s = ss.HalfNormal(1, shape=3), ss.HalfNormal(1)
    m.step = ss.Normal(0, m.tau, shape=(7, 3))
    m.y = ss.Normal(ss.cumsum(m.step, axis=0), m.s).observe(rng.normal(size=(7, 3)))
    return m


@form("tau", "s")
def steps_over_uneven_times(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.z = ss.Normal(0, 1, shape=12)
    m.y = ss.Normal(m.tau * ss.cumsum(np.sqrt(rng.exponential(size=12)) * m.z), m.s).observe(rng.normal(size=12))
    return m


@form("tau", "s", "r")
def steps_seen_by_themselves_too(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s, m.r = ss.HalfNormal(1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.step = ss.Normal(0, m.tau, shape=10)
    m.y = ss.Normal(ss.cumsum(m.step), m.s).observe(rng.normal(size=10))
    m.change = ss.Normal(2 * m.step[::2], m.r).observe(rng.normal(size=5))
    m.all = ss.Normal(ss.sum(m.step), m.r).observe(1.5)
    return m


@form("tau", "s")
def a_start_before_its_steps(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s, m.start = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(1, 3)
    m.z = ss.Normal(0, 1, shape=11)
    level = ss.cumsum(ss.concatenate([m.start[None], m.tau * m.z]))
    m.y = ss.Normal(level, m.s).observe(rng.normal(size=12))
    return m


@form("tau", "s")
def steps_of_a_recurrence(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s, m.start = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(1, 3)
    m.z = ss.Normal(0, 1, shape=12)
    level = ss.scan(lambda level, z: level + m.tau * z, m.start, over=m.z)
    m.y = ss.Normal(level, m.s).observe(rng.normal(size=12))
    return m


@form("tau", "s")
def sums_from_the_end(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.z = ss.Normal(0, 1, shape=12)
    m.y = ss.Normal(m.tau * ss.cumsum(m.z[::-1])[::-1], m.s).observe(rng.normal(size=12))
    return m


# -- processes ---------------------------------------------------------------------------------------------------
@form("rho", "alpha", "s")
def gaussian_process(rng: np.random.Generator) -> ss.Model:
    x, m = np.sort(rng.uniform(0, 3, 12)), ss.Model()
    m.rho, m.alpha, m.s = ss.InvGamma(5, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    distance = (x[:, None] - x[None]) ** 2
    m.f = ss.MultivariateNormal(
        np.zeros(12), cov=m.alpha**2 * ss.exp(-distance / (2 * m.rho**2)) + 0.01 * np.eye(12)
    )
    m.y = ss.Normal(m.f, m.s).observe(np.sin(x) + 0.1 * rng.normal(size=12))
    return m


@form("alpha", "s")
def process_seen_twice_with_a_line(rng: np.random.Generator) -> ss.Model:
    x, m = np.linspace(0, 3, 10), ss.Model()
    m.alpha, m.s, m.a, m.b = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 2), ss.Normal(0, 1)
    distance = np.abs(x[:, None] - x[None])
    m.f = ss.MultivariateNormal(m.a + np.zeros(10), chol=ss.cholesky(m.alpha**2 * ss.exp(-distance) + 0.1 * np.eye(10)))
    m.y = ss.Normal(m.f[np.arange(20) % 10] + m.b * np.tile(x, 2), m.s).observe(rng.normal(size=20))
    return m


# -- several of these together -------------------------------------------------------------------------------------
@form("t", "s")
def effects_in_two_axes(rng: np.random.Generator) -> ss.Model:
    """An effect of each pair of levels."""
    d, m = _data(rng), ss.Model()
    m.t, m.s, m.a = ss.HalfNormal(1), ss.HalfNormal(1), ss.Normal(0, 3)
    m.u = ss.Normal(0, m.t, shape=(GROUPS, 4))
    m.y = ss.Normal(m.a + m.u[d["g"], d["h"]], m.s).observe(d["y"])
    return m


@form("t", "s")
def three_levels(rng: np.random.Generator) -> ss.Model:
    """Pupils in rooms in schools, each level about the one above."""
    m = ss.Model()
    school, room = np.arange(6) % 2, rng.integers(0, 6, ROWS)
    m.t, m.s, m.a = ss.HalfNormal(1, shape=3), ss.HalfNormal(1), ss.Normal(0, 3)
    m.country = ss.Normal(m.a, m.t[0])
    m.school = ss.Normal(m.country, m.t[1], shape=2)
    m.room = ss.Normal(m.school[school], m.t[2], shape=6)
    m.y = ss.Normal(m.room[room], m.s).observe(rng.normal(size=ROWS))
    return m


@form("t", "s")
def two_outcomes_of_groups(rng: np.random.Generator) -> ss.Model:
    """One effect of a group behind two outcomes with noise of their own."""
    d, m = _data(rng), ss.Model()
    m.t, m.s, m.a, m.b = ss.HalfNormal(1), ss.HalfNormal(1, shape=2), ss.Normal(0, 3), ss.Normal(0, 1)
    m.u = ss.Normal(0, m.t, shape=GROUPS)
    m.y = ss.Normal(m.a + m.u[d["g"]], m.s[0]).observe(d["y"])
    m.w = ss.Normal(m.b * d["x"] - 0.5 * m.u[d["g"]], m.s[1]).observe(d["z"])
    return m


@form("tau", "s")
def level_with_seasons(rng: np.random.Generator) -> ss.Model:
    """A level that walks, and an effect of each quarter."""
    m = ss.Model()
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.quarter = ss.Normal(0, 2, shape=4)
    m.level = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start=ss.Normal(0, 5), length=16)
    m.y = ss.Normal(m.level + m.quarter[np.arange(16) % 4], m.s).observe(rng.normal(size=16).cumsum())
    return m


@form("t", "s")
def curve_and_groups(rng: np.random.Generator) -> ss.Model:
    """A smooth curve of shrunken coefficients beside effects of groups."""
    d, m = _data(rng), ss.Model()
    basis = np.exp(-((d["x"][:, None] - np.linspace(-2, 2, 6)) ** 2))
    m.t, m.s, m.a = ss.HalfNormal(1, shape=2), ss.HalfNormal(1), ss.Normal(0, 3)
    m.c, m.u = ss.Normal(0, m.t[0], shape=6), ss.Normal(0, m.t[1], shape=GROUPS)
    m.y = ss.Normal(m.a + basis @ m.c + m.u[d["g"]], m.s).observe(d["y"])
    return m


# -- by chance -----------------------------------------------------------------------------------------------------
def random_form(seed: int) -> ss.Model:
    """Write a linear normal model by chance: predictors, effects of groups, slopes, layers, scales of several kinds."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 20))
    m = ss.Model(f"by_chance_{seed}")
    m.s = ss.HalfNormal(1)
    mean: object = float(rng.normal())
    if rng.random() < 0.8:
        m.a = ss.Normal(float(rng.normal()), 3)
        mean = mean + m.a
    for k in range(int(rng.integers(0, 3))):
        m[f"b{k}"] = ss.Normal(0, float(rng.uniform(0.5, 3)))
        mean = mean + m[f"b{k}"] * (rng.normal(size=rows) * 10.0 ** rng.integers(-2, 3))
    for k in range(int(rng.integers(1, 4))):
        count = int(rng.integers(1, 5))
        group = rng.integers(0, count, rows)
        m[f"t{k}"] = ss.HalfNormal(1)
        location = m.a if "a" in m.variables and rng.random() < 0.3 else 0.0
        scale = m[f"t{k}"] * m.s if rng.random() < 0.2 else m[f"t{k}"]
        m[f"u{k}"] = ss.Normal(location, scale, shape=count)
        effect = m[f"u{k}"][group]
        mean = mean + (effect * rng.normal(size=rows) if rng.random() < 0.4 else effect)
    spread = m.s * rng.uniform(0.5, 2, rows) if rng.random() < 0.3 else m.s
    m.y = ss.Normal(mean, spread).observe(rng.normal(size=rows) * 3)
    return m
