"""The models of bench/race.py: thirty kinds, small; ten were written first and held out of the making of `auto`.

`HELD_OUT` has those ten. Of nine of them nothing was looked at while `auto` was made; `seeds` was run four times, and its
figures led to fewer looks at running candidates and fewer judgements between rounds: it is held out no longer in earnest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import scistan as ss

__all__ = ["HELD_OUT", "MODELS"]

Build = Callable[[], ss.Model]
MODELS: dict[str, Build] = {}


def case(build: Build) -> Build:
    """Enter a model under its name."""
    MODELS[build.__name__] = build
    return build


# -- held out -------------------------------------------------------------------------------------------
@case
def seeds() -> ss.Model:
    """Binomial counts on 21 plates in a crossed design, with an effect for each plate."""
    rng = np.random.default_rng(1)
    seed, extract, of = np.tile([0, 0, 1], 7), np.tile([0, 1, 1, 0, 1], 5)[:21], rng.integers(15, 80, 21)
    p = 1 / (1 + np.exp(-(-0.5 + 0.1 * seed + 1.3 * extract - 0.8 * seed * extract + rng.normal(0, 0.3, 21))))
    m = ss.Model("seeds")
    m.seed, m.extract = ss.data(seed), ss.data(extract)
    m.alpha = ss.Normal(0, 2, shape=4)
    m.tau = ss.HalfNormal(1)
    m.plate = ss.Normal(0, m.tau, shape=21)
    m.eta = m.alpha[0] + m.alpha[1] * m.seed + m.alpha[2] * m.extract + m.alpha[3] * m.seed * m.extract + m.plate
    m.y = ss.BinomialLogit(of, m.eta).observe(rng.binomial(of, p))
    return m


@case
def varying_slopes() -> ss.Model:
    """Intercepts and slopes of 40 groups, correlated, 600 rows."""
    rng = np.random.default_rng(2)
    group, x = rng.integers(0, 40, 600), rng.normal(size=600)
    effects = rng.multivariate_normal([1.0, -0.5], [[0.5, 0.2], [0.2, 0.3]], 40)
    m = ss.Model("varying_slopes")
    m.group, m.x = ss.data(group), ss.data(x)
    m.mean = ss.Normal(0, 2, shape=2)
    m.scale = ss.HalfNormal(1, shape=2)
    m.factor = ss.LKJCholesky(2, 2.0)
    m.z = ss.Normal(0, 1, shape=(40, 2))
    m.effect = m.mean + m.z @ ss.transpose(ss.diagonal_matrix(m.scale) @ m.factor)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.effect[m.group, 0] + m.effect[m.group, 1] * m.x, m.sigma).observe(
        effects[group, 0] + effects[group, 1] * x + rng.normal(0, 0.7, 600)
    )
    return m


@case
def growth_curve() -> ss.Model:
    """Lengths of 27 animals by age, growing towards a limit."""
    rng = np.random.default_rng(3)
    age = np.sort(rng.uniform(1, 30, 27))
    m = ss.Model("growth_curve")
    m.age = ss.data(age)
    m.limit = ss.Normal(2.5, 1)
    m.deficit = ss.HalfNormal(2)
    m.keeps = ss.Beta(8, 2)
    m.sigma = ss.HalfNormal(0.5)
    m.y = ss.Normal(m.limit - m.deficit * m.keeps**m.age, m.sigma).observe(
        2.65 - 0.97 * 0.87**age + rng.normal(0, 0.09, 27)
    )
    return m


@case
def roaches() -> ss.Model:
    """Overdispersed counts in 262 flats, predictors on their own scales."""
    rng = np.random.default_rng(4)
    before, treated, senior = rng.gamma(0.5, 80, 262), rng.integers(0, 2, 262), rng.integers(0, 2, 262)
    mu = np.exp(2.5 + 0.01 * before - 0.7 * treated - 0.3 * senior)
    m = ss.Model("roaches")
    m.x = ss.data(np.column_stack([before, treated, senior]))
    m.alpha = ss.Normal(0, 5)
    m.beta = ss.Normal(0, 2.5, shape=3)
    m.phi = ss.Exponential(1)
    m.y = ss.NegBinomial2Log(m.alpha + m.x @ m.beta, m.phi).observe(rng.negative_binomial(0.5, 0.5 / (0.5 + mu)))
    return m


@case
def ratings() -> ss.Model:
    """Answers in five ordered categories, three predictors, 400 rows."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(400, 3))
    hidden = x @ [1.0, -0.5, 0.2] + rng.logistic(size=400)
    m = ss.Model("ratings")
    m.x = ss.data(x)
    m.beta = ss.Normal(0, 2, shape=3)
    m.cut = ss.Normal(0, 3, shape=4, constraint="ordered")
    m.y = ss.OrderedLogistic(m.x @ m.beta, m.cut).observe(np.digitize(hidden, [-1.5, -0.3, 0.6, 2.0]))
    return m


@case
def autoregression() -> ss.Model:
    """200 steps of a series that remembers two."""
    rng = np.random.default_rng(6)
    y = np.zeros(202)
    for t in range(2, 202):
        y[t] = 0.4 + 1.1 * y[t - 1] - 0.3 * y[t - 2] + rng.normal(0, 0.5)
    m = ss.Model("autoregression")
    m.one, m.two = ss.data(y[1:-1]), ss.data(y[:-2])
    m.alpha = ss.Normal(0, 10)
    m.beta = ss.Normal(0, 10, shape=2)
    m.sigma = ss.HalfCauchy(2.5)
    m.y = ss.Normal(m.alpha + m.beta[0] * m.one + m.beta[1] * m.two, m.sigma).observe(y[2:])
    return m


@case
def sparse() -> ss.Model:
    """30 coefficients, most of them near 0, with scales of their own; 100 rows."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(100, 30))
    m = ss.Model("sparse")
    m.x = ss.data(x)
    m.overall = ss.HalfNormal(0.5)
    m.local = ss.HalfStudentT(3, 1, shape=30)
    m.beta = ss.Normal(0, m.overall * m.local)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.x @ m.beta, m.sigma).observe(2 * x[:, 0] - 1.5 * x[:, 1] + rng.normal(size=100))
    return m


@case
def robust() -> ss.Model:
    """A line through 200 points, some of them far off."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=200)
    m = ss.Model("robust")
    m.x = ss.data(x)
    m.alpha = ss.Normal(0, 5)
    m.beta = ss.Normal(0, 5)
    m.sigma = ss.HalfNormal(2)
    m.nu = ss.Gamma(2, 0.1)
    m.y = ss.StudentT(m.nu, m.alpha + m.beta * m.x, m.sigma).observe(1 - 2 * x + rng.standard_t(3, 200))
    return m


@case
def shares() -> ss.Model:
    """Shares of four kinds in 20 places, the places' shares drawn from one law."""
    rng = np.random.default_rng(9)
    p = rng.dirichlet([4.0, 2.0, 1.0, 1.0], 20)
    counts = np.array([rng.multinomial(50, row) for row in p])
    m = ss.Model("shares")
    m.concentration = ss.Gamma(2, 0.5, shape=4)
    m.p = ss.Dirichlet(m.concentration, shape=20)
    m.y = ss.Multinomial(counts.sum(1), m.p).observe(counts)
    return m


@case
def rasch() -> ss.Model:
    """100 persons answer 20 items, each of its own difficulty."""
    rng = np.random.default_rng(10)
    person, item = np.repeat(np.arange(100), 20), np.tile(np.arange(20), 100)
    p = 1 / (1 + np.exp(-(rng.normal(size=100)[person] - rng.normal(size=20)[item])))
    m = ss.Model("rasch")
    m.person, m.item = ss.data(person), ss.data(item)
    m.spread = ss.HalfNormal(1)
    m.ability = ss.Normal(0, m.spread, shape=100)
    m.difficulty = ss.Normal(0, 1.5, shape=20)
    m.y = ss.BernoulliLogit(m.ability[m.person] - m.difficulty[m.item]).observe(rng.random(2000) < p)
    return m


HELD_OUT = tuple(MODELS)


# -- open -----------------------------------------------------------------------------------------------
@case
def eight_schools() -> ss.Model:
    m = ss.Model("eight_schools")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8)
    m.y = ss.Normal(m.theta, np.array([15, 10, 16, 11, 9, 11, 10, 18.0])).observe([28, 8, -3, 7, -1, 1, 18, 12.0])
    return m


@case
def kid_scores() -> ss.Model:
    """An interaction of predictors that are not centred: strong correlations, 434 rows."""
    rng = np.random.default_rng(1)
    school, iq = (rng.random(434) < 0.8) * 1.0, rng.normal(100, 15, 434)
    x = np.column_stack([np.ones(434), school, iq, school * iq])
    m = ss.Model("kid_scores")
    m.x = ss.data(x)
    m.beta = ss.Normal(0, 100, shape=4)
    m.sigma = ss.HalfCauchy(2.5)
    m.y = ss.Normal(m.x @ m.beta, m.sigma).observe(x @ [-11, 51, 1.0, -0.5] + rng.normal(0, 18, 434))
    return m


@case
def radon() -> ss.Model:
    """85 counties of very different sizes, 919 rows."""
    rng = np.random.default_rng(12)
    county, floor = np.concatenate([np.arange(85), rng.geometric(0.05, 834) % 85]), rng.random(919) < 0.2
    m = ss.Model("radon")
    m.county, m.floor = ss.data(county), ss.data(floor * 1.0)
    m.mu = ss.Normal(0, 10)
    m.tau = ss.HalfNormal(1)
    m.alpha = ss.Normal(m.mu, m.tau, shape=85)
    m.beta = ss.Normal(0, 10)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.alpha[m.county] + m.beta * m.floor, m.sigma).observe(
        1.5 + rng.normal(0, 0.3, 85)[county] - 0.7 * floor + rng.normal(0, 0.75, 919)
    )
    return m


@case
def logistic() -> ss.Model:
    """Ten correlated predictors, 1000 rows."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1000, 10)) @ (0.5 * rng.normal(size=(10, 10)) + np.eye(10))
    p = 1 / (1 + np.exp(-(0.3 + x @ rng.normal(0, 0.5, 10))))
    m = ss.Model("logistic")
    m.x = ss.data(x)
    m.alpha = ss.Normal(0, 2.5)
    m.beta = ss.Normal(0, 2.5, shape=10)
    m.y = ss.BernoulliLogit(m.alpha + m.x @ m.beta).observe(rng.random(1000) < p)
    return m


@case
def rats() -> ss.Model:
    """Weights of 30 rats on five days, a line for each; days not centred."""
    rng = np.random.default_rng(14)
    days = np.array([8.0, 15, 22, 29, 36])
    lines = np.column_stack([rng.normal(106, 11, 30), rng.normal(6.2, 0.5, 30)])
    m = ss.Model("rats")
    m.rat, m.day = ss.data(np.repeat(np.arange(30), 5)), ss.data(np.tile(days, 30))
    m.mu_alpha = ss.Normal(0, 100)
    m.mu_beta = ss.Normal(0, 100)
    m.sd_alpha = ss.HalfCauchy(20)
    m.sd_beta = ss.HalfCauchy(5)
    m.alpha = ss.Normal(m.mu_alpha, m.sd_alpha, shape=30)
    m.beta = ss.Normal(m.mu_beta, m.sd_beta, shape=30)
    m.sigma = ss.HalfCauchy(10)
    m.y = ss.Normal(m.alpha[m.rat] + m.beta[m.rat] * m.day, m.sigma).observe(
        (lines[:, :1] + lines[:, 1:] * days + rng.normal(0, 6, (30, 5))).ravel()
    )
    return m


@case
def gp_counts() -> ss.Model:
    """Counts at 11 points on a hidden Gaussian process."""
    rng = np.random.default_rng(15)
    x = np.linspace(-10, 10, 11)
    m = ss.Model("gp_counts")
    m.x = ss.data(x)
    m.rho = ss.Gamma(25, 4)
    m.alpha = ss.HalfNormal(2)
    m.z = ss.Normal(0, 1, shape=11)
    m.f = ss.cholesky(ss.gp_exp_quad_cov(m.x, m.alpha, m.rho) + 1e-8 * np.eye(11)) @ m.z
    m.y = ss.PoissonLog(m.f).observe(rng.poisson(np.exp(2 + np.sin(x / 3))))
    return m


@case
def wells() -> ss.Model:
    """One predictor on a scale of 50, 3020 rows."""
    rng = np.random.default_rng(16)
    distance = rng.gamma(1.6, 30, 3020)
    m = ss.Model("wells")
    m.distance = ss.data(distance)
    m.alpha = ss.Normal(0, 5)
    m.beta = ss.Normal(0, 5)
    m.y = ss.BernoulliLogit(m.alpha + m.beta * m.distance).observe(
        rng.random(3020) < 1 / (1 + np.exp(-(0.6 - 0.006 * distance)))
    )
    return m


@case
def pilots() -> ss.Model:
    """Five groups crossed with eight scenarios, 40 rows."""
    rng = np.random.default_rng(17)
    group, scenario = np.tile(np.arange(5), 8), np.repeat(np.arange(8), 5)
    m = ss.Model("pilots")
    m.group, m.scenario = ss.data(group), ss.data(scenario)
    m.mu = ss.Normal(0, 1)
    m.sd_group = ss.HalfNormal(1)
    m.sd_scenario = ss.HalfNormal(1)
    m.of_group = ss.Normal(0, m.sd_group, shape=5)
    m.of_scenario = ss.Normal(0, m.sd_scenario, shape=8)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.mu + m.of_group[m.group] + m.of_scenario[m.scenario], m.sigma).observe(
        0.4 + rng.normal(0, 0.1, 5)[group] + rng.normal(0, 0.35, 8)[scenario] + rng.normal(0, 0.2, 40)
    )
    return m


@case
def two_parameter_items() -> ss.Model:
    """80 persons answer 20 items, each of its own difficulty and discrimination."""
    rng = np.random.default_rng(18)
    person, item = np.repeat(np.arange(80), 20), np.tile(np.arange(20), 80)
    slope, ability, difficulty = rng.lognormal(0, 0.4, 20), rng.normal(size=80), rng.normal(size=20)
    m = ss.Model("two_parameter_items")
    m.person, m.item = ss.data(person), ss.data(item)
    m.ability = ss.Normal(0, 1, shape=80)
    m.mu = ss.Normal(0, 2)
    m.spread = ss.HalfCauchy(2)
    m.difficulty = ss.Normal(m.mu, m.spread, shape=20)
    m.sd_slope = ss.HalfCauchy(2)
    m.slope = ss.LogNormal(0, m.sd_slope, shape=20)
    m.y = ss.BernoulliLogit(m.slope[m.item] * (m.ability[m.person] - m.difficulty[m.item])).observe(
        rng.random(1600) < 1 / (1 + np.exp(-slope[item] * (ability[person] - difficulty[item])))
    )
    return m


@case
def mixed() -> ss.Model:
    """A linear mixed model: 300 groups, 4000 rows."""
    rng = np.random.default_rng(19)
    group, x = rng.integers(0, 300, 4000), rng.normal(size=4000)
    m = ss.Model("mixed")
    m.group, m.x = ss.data(group), ss.data(x)
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfNormal(2)
    m.alpha = ss.Normal(m.mu, m.tau, shape=300)
    m.beta = ss.Normal(0, 2)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.alpha[m.group] + m.beta * m.x, m.sigma).observe(
        1 + rng.normal(0, 0.8, 300)[group] + 0.5 * x + rng.normal(size=4000)
    )
    return m


@case
def many_scales() -> ss.Model:
    """300 scales, each of five numbers."""
    rng = np.random.default_rng(20)
    m = ss.Model("many_scales")
    m.scale = ss.HalfNormal(2, shape=300)
    m.y = ss.Normal(0, m.scale[:, None]).observe(rng.gamma(2, 0.5, 300)[:, None] * rng.normal(size=(300, 5)))
    return m


@case
def gp_regression() -> ss.Model:
    """A Gaussian process through 25 points, integrated out."""
    rng = np.random.default_rng(21)
    x = np.linspace(-5, 5, 25)
    m = ss.Model("gp_regression")
    m.x = ss.data(x)
    m.rho = ss.Gamma(5, 4)
    m.alpha = ss.HalfNormal(2)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.MultivariateNormal(
        np.zeros(25), cov=ss.gp_exp_quad_cov(m.x, m.alpha, m.rho) + ss.diagonal_matrix(ss.square(m.sigma) * np.ones(25))
    ).observe(np.sin(x) + rng.normal(0, 0.3, 25))
    return m


@case
def mesquite() -> ss.Model:
    """Six logarithms of sizes that go together, 46 rows."""
    rng = np.random.default_rng(22)
    x = rng.normal(0, 0.5, (46, 1)) + rng.normal(0, 0.2, (46, 6)) + [0.5, 0.3, 0.4, 0.2, 1.0, 0.0]
    m = ss.Model("mesquite")
    m.x = ss.data(x)
    m.alpha = ss.Normal(0, 10)
    m.beta = ss.Normal(0, 10, shape=6)
    m.sigma = ss.HalfCauchy(2.5)
    m.y = ss.Normal(m.alpha + m.x @ m.beta, m.sigma).observe(5 + x @ rng.normal(0.3, 0.3, 6) + rng.normal(0, 0.3, 46))
    return m


@case
def diamonds() -> ss.Model:
    """Twelve columns that are nearly products of three, 600 rows."""
    rng = np.random.default_rng(23)
    x = rng.normal(size=(600, 3)) @ rng.normal(size=(3, 12)) + 0.1 * rng.normal(size=(600, 12))
    m = ss.Model("diamonds")
    m.x = ss.data(x)
    m.beta = ss.Normal(0, 1, shape=12)
    m.alpha = ss.StudentT(3, 8, 10)
    m.sigma = ss.HalfStudentT(3, 10)
    m.y = ss.Normal(m.alpha + m.x @ m.beta, m.sigma).observe(8 + x @ rng.normal(0, 0.3, 12) + rng.normal(0, 0.2, 600))
    return m


@case
def local_level() -> ss.Model:
    """A level that drifts for 100 steps, seen through noise."""
    rng = np.random.default_rng(24)
    m = ss.Model("local_level")
    m.drift = ss.HalfNormal(0.5)
    m.start = ss.Normal(0, 3)
    m.step = ss.Normal(0, 1, shape=100)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.start + m.drift * ss.cumsum(m.step), m.sigma).observe(
        np.cumsum(rng.normal(0, 0.3, 100)) + rng.normal(0, 0.5, 100)
    )
    return m


@case
def poisson() -> ss.Model:
    """Counts with four predictors, 200 rows."""
    rng = np.random.default_rng(25)
    x = rng.normal(size=(200, 4))
    m = ss.Model("poisson")
    m.x = ss.data(x)
    m.alpha = ss.Normal(0, 2)
    m.beta = ss.Normal(0, 1, shape=4)
    m.y = ss.PoissonLog(m.alpha + m.x @ m.beta).observe(rng.poisson(np.exp(1 + x @ [0.3, -0.2, 0.1, 0.4])))
    return m


@case
def tumours() -> ss.Model:
    """Rates in 71 groups of rats, drawn from one Beta law."""
    rng = np.random.default_rng(26)
    of = rng.integers(10, 50, 71)
    m = ss.Model("tumours")
    m.mean = ss.Uniform(0, 1)
    m.size = ss.Pareto(1, 1.5)
    m.rate = ss.Beta(m.mean * m.size, (1 - m.mean) * m.size, shape=71)
    m.y = ss.Binomial(of, m.rate).observe(rng.binomial(of, rng.beta(2.4, 14, 71)))
    return m


@case
def centred_groups() -> ss.Model:
    """20 groups of 50 rows each, written centred, as much data ask for."""
    rng = np.random.default_rng(27)
    group = np.repeat(np.arange(20), 50)
    m = ss.Model("centred_groups")
    m.group = ss.data(group)
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfNormal(2)
    m.alpha = ss.Normal(m.mu, m.tau, shape=20, centred=True)
    m.y = ss.PoissonLog(m.alpha[m.group]).observe(rng.poisson(np.exp(rng.normal(1, 0.6, 20)[group])))
    return m


@case
def survival() -> ss.Model:
    """Times until failure of 150 parts, two predictors."""
    rng = np.random.default_rng(28)
    x = rng.normal(size=(150, 2))
    m = ss.Model("survival")
    m.x = ss.data(x)
    m.shape_ = ss.Gamma(2, 1)
    m.alpha = ss.Normal(0, 3)
    m.beta = ss.Normal(0, 1, shape=2)
    m.y = ss.Weibull(m.shape_, ss.exp(m.alpha + m.x @ m.beta)).observe(
        np.exp(1 + x @ [0.4, -0.3]) * rng.weibull(1.6, 150)
    )
    return m


@case
def covariance() -> ss.Model:
    """Scales and correlations of four columns, 100 rows."""
    rng = np.random.default_rng(29)
    y = rng.normal(size=(100, 4)) @ rng.normal(size=(4, 4))
    m = ss.Model("covariance")
    m.mean = ss.Normal(0, 2, shape=4)
    m.scale = ss.HalfNormal(2, shape=4)
    m.factor = ss.LKJCholesky(4, 1.0)
    m.y = ss.MultivariateNormal(m.mean, chol=ss.diagonal_matrix(m.scale) @ m.factor).observe(y)
    return m
