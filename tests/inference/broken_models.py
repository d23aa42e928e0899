"""Models as a scientist might write them, each with a mistake that shows when it runs or is written."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

import scistan as ss

__all__ = ["BROKEN"]

X = np.linspace(-1, 2, 12)
COUNTS = np.array([2, 1, 3, 0, 2, 4, 1, 2, 3, 5, 2, 1])


def poisson_linear() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(X)
    m.b = ss.Normal(0, 1)
    m.y = ss.Poisson(m.b * m.x).observe(COUNTS)
    return m


def normal_negative_scale() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(X)
    m.s = ss.Normal(0, 1)
    m.y = ss.Normal(0, m.s * m.x).observe(X)
    return m


def normal_scale_latent() -> ss.Model:
    m = ss.Model()
    m.s = ss.Normal(-50, 1)
    m.y = ss.Normal(0, m.s).observe(X)
    return m


def binomial_linear() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(10 * X)
    m.b = ss.Normal(0, 1)
    m.y = ss.Binomial(10, m.b * m.x).observe(COUNTS)
    return m


def log_negative() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(X)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(ss.log(m.b * m.x), 1).observe(X)
    return m


def sqrt_negative() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(X)
    m.b = ss.HalfNormal(1)
    m.y = ss.Normal(0, ss.sqrt(m.b * m.x)).observe(X)
    return m


def not_pd() -> ss.Model:
    m = ss.Model()
    m.t = ss.data(np.array([0., 0., 1., 1., 2.]))
    m.l = ss.HalfNormal(1)
    m.y = ss.MultivariateNormal(np.zeros(5), cov=ss.exp(-((m.t[:, None] - m.t[None, :]) / m.l) ** 2)).observe(np.arange(5.))
    return m


def uniform_data_outside() -> ss.Model:
    m = ss.Model()
    m.a = ss.Uniform(0, 1)
    m.y = ss.Uniform(0, m.a).observe(np.array([0.2, 0.5, 3.0]))
    return m


def beta_data_edge() -> ss.Model:
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.Beta(m.a, 2).observe(np.array([0.2, 1.0]))
    return m


def exponential_negative_rate() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(X)
    m.b = ss.Normal(0, 1)
    m.y = ss.Exponential(m.b * m.x).observe(np.abs(X) + 1)
    return m


def gamma_negative() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(X)
    m.b = ss.Normal(0, 1)
    m.y = ss.Gamma(2, m.b * m.x).observe(np.abs(X) + 1)
    return m


def negbin_linear() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(X)
    m.b = ss.Normal(0, 1)
    m.phi = ss.HalfNormal(1)
    m.y = ss.NegBinomial2(m.b * m.x, m.phi).observe(COUNTS)
    return m


def categorical_not_simplex() -> ss.Model:
    m = ss.Model()
    m.p = ss.Normal(0, 1, shape=3)
    m.y = ss.Categorical(m.p).observe(COUNTS % 3)
    return m


def division_by_zero() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(np.array([0., 1., 2.]))
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b / m.x, 1).observe(np.array([1., 2., 3.]))
    return m


def poisson_zero_rate() -> ss.Model:
    m = ss.Model()
    m.x = ss.data(np.array([0., 1., 2.]))
    m.b = ss.HalfNormal(1)
    m.y = ss.Poisson(m.b * m.x).observe(np.array([1, 2, 3]))
    return m


def labelled() -> ss.Model:
    d = pd.DataFrame({"dose": [1., 2., -3.], "y": [1, 2, 3]}, index=pd.Index(["Ann", "Bob", "Cid"], name="patient"))
    m = ss.Model()
    m.b = ss.HalfNormal(1)
    m.x = ss.data(d["dose"])
    m.y = ss.Poisson(m.b * m.x).observe(d["y"])
    return m


def bounds_cross() -> ss.Model:
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1, lower=m.a, upper=0)
    m.y = ss.Normal(m.b, 1).observe(X)
    return m


def studentt_nu() -> ss.Model:
    m = ss.Model()
    m.nu = ss.Normal(-30, 1)
    m.y = ss.StudentT(m.nu, 0, 1).observe(X)
    return m


def index_out() -> ss.Model:
    m = ss.Model()
    m.b = ss.Normal(0, 1, shape=3)
    m.g = ss.data(np.array([0, 1, 5]))
    m.y = ss.Normal(m.b[m.g], 1).observe(np.zeros(3))
    return m


def lognormal_nonpos() -> ss.Model:
    m = ss.Model()
    m.b = ss.Normal(0, 1)
    m.y = ss.LogNormal(m.b, 1).observe(np.array([1., 0., 2.]))
    return m


BROKEN: dict[str, Callable[[], ss.Model]] = {
    build.__name__: build
    for build in (
        poisson_linear,
        normal_negative_scale,
        normal_scale_latent,
        binomial_linear,
        log_negative,
        sqrt_negative,
        not_pd,
        uniform_data_outside,
        beta_data_edge,
        exponential_negative_rate,
        gamma_negative,
        negbin_linear,
        categorical_not_simplex,
        division_by_zero,
        poisson_zero_rate,
        labelled,
        bounds_cross,
        studentt_nu,
        index_out,
        lognormal_nonpos,
    )
}
