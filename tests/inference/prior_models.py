"""Models with sensible priors, of which a prior check must find nothing, and with sick ones, and what it must say."""

from __future__ import annotations

import numpy as np

import scistan as ss


def eight_schools() -> ss.Model:
    m = ss.Model("eight_schools", coords={"school": list("ABCDEFGH")})
    m.sigma = ss.data([15, 10, 16, 11, 9, 11, 10, 18.0], dims="school")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, dims="school")
    m.y = ss.Normal(m.theta, m.sigma).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


def radon(wide: float = 10.0) -> ss.Model:
    """Log radon of 919 houses in 85 counties, as tutorials write it."""
    rng = np.random.default_rng(1)
    county = rng.integers(0, 85, 919)
    floor = (rng.random(919) < 0.17).astype(float)
    level = rng.normal(1.5, 0.35, 85)
    m = ss.Model("radon", coords={"county": list(range(85))})
    m.floor = ss.data(floor, dims="house")
    m.county = ss.data(county, dims="house")
    m.mu_a = ss.Normal(0, wide)
    m.sigma_a = ss.HalfCauchy(5)
    m.a = ss.Normal(m.mu_a, m.sigma_a, dims="county")
    m.b = ss.Normal(0, wide)
    m.sigma = ss.HalfCauchy(5)
    observed = rng.normal(level[county] - 0.7 * floor, 0.75)
    m.y = ss.Normal(m.a[m.county] + m.b * m.floor, m.sigma).observe(observed, dims="house")
    return m


def kid_scores(priors: str = "scaled") -> ss.Model:
    """Test scores of 434 children by their mothers' schooling and IQ; raw predictors."""
    rng = np.random.default_rng(2)
    school = (rng.random(434) < 0.79).astype(float)
    iq = rng.normal(100, 15, 434)
    score = rng.normal(26 + 6 * school + 0.56 * iq, 18)
    m = ss.Model("kid_scores")
    m.mom_hs = ss.data(school, dims="kid")
    m.mom_iq = ss.data(iq, dims="kid")
    if priors == "scaled":  # 2.5 sds of the outcome for each sd of a predictor
        m.alpha = ss.Normal(87, 51)
        m.b_hs, m.b_iq = ss.Normal(0, 124), ss.Normal(0, 3.4)
        m.sigma = ss.Exponential(0.05)
    else:
        m.alpha = ss.Normal(0, 100)
        m.b_hs, m.b_iq = ss.Normal(0, 10), ss.Normal(0, 10)
        m.sigma = ss.HalfCauchy(2.5)
    m.y = ss.Normal(m.alpha + m.b_hs * m.mom_hs + m.b_iq * m.mom_iq, m.sigma).observe(score, dims="kid")
    return m


def kid_scores_by_habit() -> ss.Model:
    return kid_scores("habit")


def logistic(scale: float = 2.5, unscaled: bool = False) -> ss.Model:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 3)) * ([1.0, 15.0, 5.0] if unscaled else 1.0) + ([0, 40, 20] if unscaled else 0)
    m = ss.Model("logistic", coords={"predictor": ["dose", "age", "weight"]})
    m.x = ss.data(x, dims=("patient", "predictor"))
    m.alpha = ss.Normal(0, scale)
    m.beta = ss.Normal(0, scale, dims="predictor")
    m.y = ss.BernoulliLogit(m.alpha + m.x @ m.beta).observe(rng.integers(0, 2, 200), dims="patient")
    return m


def counts(scale: float = 1.0) -> ss.Model:
    rng = np.random.default_rng(4)
    x = rng.normal(size=150)
    m = ss.Model("counts")
    m.x = ss.data(x, dims="plot")
    m.alpha = ss.Normal(1, scale)
    m.beta = ss.Normal(0, scale)
    m.phi = ss.Gamma(2, 0.1)
    m.y = ss.NegBinomial2(ss.exp(m.alpha + m.beta * m.x), m.phi).observe(rng.poisson(np.exp(1 + 0.4 * x)), dims="plot")
    return m


def heights() -> ss.Model:
    rng = np.random.default_rng(5)
    m = ss.Model("heights")
    m.weight = ss.standardize(rng.normal(45, 6, 350))
    m.alpha = ss.Normal(178, 20)
    m.beta = ss.LogNormal(0, 1)
    m.sigma = ss.Uniform(0, 50)
    m.height = ss.Normal(m.alpha + m.beta * m.weight, m.sigma).observe(rng.normal(155, 8, 350))
    return m


def proportions() -> ss.Model:
    m = ss.Model("proportions")
    m.alpha = ss.Exponential(0.1)
    m.beta = ss.Exponential(0.1)
    m.p = ss.Beta(m.alpha, m.beta, shape=12)
    m.y = ss.Binomial(20, m.p).observe([3, 5, 2, 8, 4, 6, 5, 1, 7, 4, 3, 5])
    return m


def growth() -> ss.Model:
    """A nonlinear curve with positive parameters."""
    rng = np.random.default_rng(6)
    t = np.linspace(0, 10, 40)
    m = ss.Model("growth")
    m.t = ss.data(t)
    m.top = ss.LogNormal(2, 0.5)
    m.rate = ss.LogNormal(0, 0.5)
    m.middle = ss.Normal(5, 2)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.top * ss.inv_logit(m.rate * (m.t - m.middle)), m.sigma).observe(8 / (1 + np.exp(5 - t)) + rng.normal(0, 0.4, 40))
    return m


def species() -> ss.Model:
    rng = np.random.default_rng(7)
    m = ss.Model("species")
    m.x = ss.data(rng.normal(size=(120, 2)))
    m.beta = ss.Normal(0, 1, shape=(2, 3))
    m.y = ss.CategoricalLogit(m.x @ m.beta).observe(rng.integers(0, 3, 120))
    return m


def waiting() -> ss.Model:
    m = ss.Model("waiting")
    m.rate = ss.Gamma(2, 2)
    m.y = ss.Exponential(m.rate).observe(np.random.default_rng(8).exponential(1.3, 60))
    return m


SENSIBLE = {
    f.__name__: f
    for f in (eight_schools, radon, kid_scores, kid_scores_by_habit, logistic, counts, heights, proportions, growth, species, waiting)
}


# -- sick ones ------------------------------------------------------------------------------------------
def wide_logistic() -> ss.Model:
    return logistic(10.0, unscaled=True)


def exploding_counts() -> ss.Model:
    return counts(10.0)


def wrong_units() -> ss.Model:
    """Heights in centimetres, priors in metres."""
    m = ss.Model("wrong_units")
    m.mu = ss.Normal(1.7, 0.2)
    m.sigma = ss.HalfNormal(0.1)
    m.y = ss.Normal(m.mu, m.sigma).observe(np.random.default_rng(1).normal(170, 8, 80))
    return m


def narrow_noise() -> ss.Model:
    m = ss.Model("narrow_noise")
    m.mu = ss.Normal(0, 10)
    m.sigma = ss.HalfNormal(0.1)
    m.y = ss.Normal(m.mu, m.sigma).observe(np.random.default_rng(1).normal(0, 8, 80))
    return m


def vague() -> ss.Model:
    m = ss.Model("vague")
    m.mu = ss.Normal(0, 1e4)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.mu, m.sigma).observe(np.random.default_rng(1).normal(0, 1, 80))
    return m


def mixed_scales() -> ss.Model:
    rng = np.random.default_rng(1)
    m = ss.Model("mixed_scales")
    m.income = ss.data(rng.normal(40_000, 12_000, 100), dims="person")
    m.age = ss.data(rng.normal(4, 1, 100), dims="person")
    m.a, m.b, m.c = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.a + m.b * m.income + m.c * m.age, m.sigma).observe(rng.normal(0, 30_000, 100))
    return m


SICK = {
    wide_logistic: "saturated probabilities",
    exploding_counts: "impossible values",
    wrong_units: "mean of the data in the tail",
    narrow_noise: "sd of the data in the tail",
    vague: "far outside the data",
    mixed_scales: "scales that disagree",
}
