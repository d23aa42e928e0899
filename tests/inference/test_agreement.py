"""The three targets are one model: for every model of the zoo, easy and hard."""

import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.distributions.user import declare_distribution
from scistan.engines.density import StanDensity
from scistan.ops import declare_op
from scistan.targets.scipy import JointDensity
from tests.zoo import ZOO, varying_intercepts


@pytest.mark.parametrize("name", ZOO)
def test_targets_agree(name):
    agreement = ZOO[name]().verify(points=4)
    assert agreement.ok, agreement


def test_agreement_prints_as_a_table():
    agreement = varying_intercepts().verify(points=2)
    assert "SciPy and Stan" in repr(agreement)
    assert "<table>" in agreement._repr_html_()


def test_a_wrong_program_is_noticed(monkeypatch):
    """The comparison can fail: a density that is off by a factor shows in both errors."""
    right = JointDensity.at_each
    wrong = lambda self, points: [(1.001 * value, 1.0) for value, _ in right(self, points)]
    monkeypatch.setattr(JointDensity, "at_each", wrong)
    assert not varying_intercepts().verify(points=3).ok


def sometimes_impossible():
    m = ss.Model()
    m.x = ss.data(np.r_[np.zeros(20), np.ones(20)])
    m.k = ss.Gamma(2, 1)
    m.b0 = ss.Normal(0, 2)
    m.b1 = ss.Normal(0, 1)
    m.c = ss.Bernoulli(ss.Weibull(m.k, ss.exp(m.b0 + m.b1 * m.x)).ccdf(4.0)).observe(np.ones(40))
    return m


def test_points_where_every_target_says_zero_are_agreement():
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        agreement = sometimes_impossible().verify(points=8, seed=1)
    assert agreement.ok, agreement
    assert agreement.points == 8
    assert agreement.zeros > 0
    assert f"and at {agreement.zeros} where every target says that the density is zero" in repr(agreement)


def test_observations_beyond_a_latent_bound_are_agreement():
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.Uniform(0, m.a).observe([1.0])
    agreement = m.verify()
    assert agreement.ok, agreement
    assert agreement.zeros > 0


def test_a_density_that_is_zero_everywhere_is_not_called_agreement():
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.Bernoulli(0 * m.a).observe([1])
    agreement = m.verify(points=2)
    assert not agreement.ok
    assert "NOT COMPARED" in repr(agreement)


def test_a_target_that_alone_says_zero_disagrees(monkeypatch):
    monkeypatch.setattr(JointDensity, "at_each", lambda self, points: [(-np.inf, 0.0)] * len(points))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        agreement = varying_intercepts().verify(points=3)
    assert not agreement.ok
    assert agreement.max_density_error == np.inf


@pytest.mark.parametrize(
    "family",
    [
        lambda a: ss.Normal(a, 1),
        lambda a: ss.Poisson(ss.exp(a)),
        lambda a: ss.PoissonLog(a),
        lambda a: ss.Exponential(ss.exp(a)),
        lambda a: ss.BernoulliLogit(a),
    ],
    ids=["Normal", "Poisson", "PoissonLog", "Exponential", "BernoulliLogit"],
)
def test_no_observations_at_all(family):
    """The sums that stand for identical observations are right for none of them, too."""
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = family(m.a).observe([])
    assert m.verify(points=3).ok


def on_no_observations() -> ss.Model:
    m = ss.Model("none")
    m.x = ss.data([[0.5, 1.0], [1.0, 2.0]])
    m.b = ss.Normal(0, 1, shape=2)
    m.y = ss.Bernoulli(ss.inv_logit(m.x @ m.b)).observe([0, 1])
    return m.with_data(x=np.zeros((0, 2)), y=np.zeros(0, int))


@pytest.mark.parametrize("verb", ["verify", "mcmc"])
def test_no_observations_are_a_gap_of_stanli_and_no_fault_of_ours(verb):
    m = on_no_observations()
    with pytest.raises(ss.UnsupportedError, match=r"takes no whole numbers of length 0(?s:.*)engine='cmdstan'"):
        m.verify() if verb == "verify" else m.mcmc(engine="stanli", progress=False)


# -- no false alarms --------------------------------------------------------------------------------------
def tobit() -> ss.Model:
    rng = np.random.default_rng(0)

    def log_density(value, mu, sigma):
        seen = ss.Normal(mu, sigma)
        return ss.where(value > 0, seen.log_density(value), seen.log_cdf(0.0))

    family = declare_distribution(
        "TobitForVerify", "A normal number that is not seen below 0.", support="non_negative", log_density=log_density,
        parameters={"mu": "real", "sigma": "positive"},
        draw=lambda rng, size, mu, sigma: np.maximum(0, rng.normal(mu, sigma, size)),
    )  # fmt: skip
    m = ss.Model()
    m.x = ss.data(rng.normal(size=60))
    m.a, m.b, m.sigma = ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = family(m.a + m.b * m.x, m.sigma).observe(np.maximum(0, rng.normal(size=60)))
    return m


def ordered_probit() -> ss.Model:
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=60))
    m.b, m.c = ss.Normal(0, 1), ss.Normal(0, 1, shape=3, constraint="ordered")
    below = ss.Phi(m.c[None, :] - (m.b * m.x)[:, None])
    m.p = ss.concatenate([below[:, :1], below[:, 1:] - below[:, :-1], 1 - below[:, 2:]], axis=1)
    m.y = ss.Categorical(m.p).observe(rng.integers(0, 4, 60))
    return m


def almost_singular() -> ss.Model:
    x = np.linspace(0, 1, 25)
    m = ss.Model()
    m.rho, m.alpha = ss.Gamma(2, 2), ss.HalfNormal(1)
    covariance = m.alpha**2 * ss.exp(-((x[:, None] - x) ** 2) / (2 * m.rho**2)) + 1e-8 * np.eye(25)
    m.f = ss.MultivariateNormal(np.zeros(25), cov=covariance)
    m.y = ss.Normal(m.f, 1).observe(np.sin(9 * x))
    return m


@pytest.mark.parametrize("build", [tobit, ordered_probit, almost_singular])
def test_what_stan_approximates_and_rounding_are_no_disagreement(build):
    m = build()
    for seed in range(3):
        agreement = m.verify(seed=seed)
        assert agreement.ok, agreement
        assert agreement.points == 8


def structured(kind: str, size: int) -> ss.Model:
    m = ss.Model()
    if kind == "cholesky_corr":
        m.v = ss.LKJCholesky(size, 2.0)
        m.y = ss.MultivariateNormal(np.zeros(size), chol=m.v).observe(np.ones(size))
    elif kind == "corr":
        m.v = ss.LKJCorr(size, 2.0)
    elif kind == "cov":
        m.v = ss.Wishart(size + 3.0, np.eye(size))
    elif kind == "inverse":
        m.v = ss.InvWishart(size + 3.0, np.eye(size))
    elif kind == "simplex":
        m.v = ss.Dirichlet(np.full(size, 2.0))
    else:
        m.v = ss.Exponential(1.0, shape=size, constraint=kind) if kind == "positive_ordered" else (
            ss.Normal(0, 1, shape=size, constraint=kind))
    return m


SIZES = [(kind, n) for kind in ("cholesky_corr", "corr", "cov", "inverse") for n in (2, 5, 10, 30, 45, 60)]
SIZES += [(kind, 100) for kind in ("simplex", "ordered", "positive_ordered", "sum_to_zero")]


@pytest.mark.parametrize(("kind", "size"), SIZES)
def test_large_structures_agree(kind, size):
    agreement = structured(kind, size).verify()
    assert agreement.ok, agreement
    assert agreement.points == 8


# -- faults are caught, and told ----------------------------------------------------------------------------
def many_coordinates(n: int = 400) -> ss.Model:
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 1), ss.HalfNormal(1)
    m.b = ss.Normal(m.mu, m.tau, shape=n)
    m.y = ss.Normal(m.b, 1).observe(np.arange(n) / n)
    return m


def many_variables(n: int = 60) -> ss.Model:
    m = ss.Model()
    total = 0.0
    for i in range(n):
        m[f"b{i}"] = ss.Normal(0, 1) if i % 2 else ss.HalfNormal(1)
        total = total + m[f"b{i}"] * (i % 7)
    m.y = ss.Normal(total, 10).observe(np.arange(5.0))
    return m


@pytest.mark.parametrize(("build", "at", "name"), [(many_coordinates, 200, "b"), (many_variables, 31, "b31")])
def test_a_wrong_derivative_of_one_of_many_is_caught_and_named(build, at, name, monkeypatch):
    m = build()
    assert m.verify(points=3).ok
    right = StanDensity.log_density_gradient

    def wrong(self, q):
        value, gradient = right(self, q)
        gradient[at : at + 1] *= 1.01
        return value, gradient

    monkeypatch.setattr(StanDensity, "log_density_gradient", wrong)
    agreement = m.verify(points=3)
    assert not agreement.ok
    assert agreement.max_density_error < 1e-8
    (told,) = agreement.findings
    assert f"`{name}" in told


def test_a_wrong_density_is_told_with_its_term_and_point():
    """The operation in the second of three likelihoods is another one in Stan."""
    doubled = declare_op("doubled_for_verify", "Twice `x`.", numpy=lambda xp, x: 2 * x, torch=lambda xp, x: 2 * x,
                         stan="2.001 * {0}")  # fmt: skip
    m = ss.Model()
    m.a = ss.Normal(0, 1, shape=3)
    m.x = ss.Normal(m.a, 1).observe(np.arange(3.0))
    m.y = ss.Normal(doubled(m.a), 1).observe(np.arange(3.0))
    m.z = ss.Normal(m.a, 1).observe(np.arange(3.0))
    agreement = m.verify()
    assert not agreement.ok
    density, gradient = agreement.findings
    for told in (density, gradient):
        assert "in the term `y` (Normal)" in told
        assert "at point " in told
        assert "a = [" in told
        assert __file__ in told
    assert "in SciPy and " in density
    assert "in torch and " in gradient


def test_a_derivative_that_one_target_lacks_is_told():
    m = ss.Model()
    m.x = ss.Normal(0, 1)
    m.y = ss.Normal(ss.sqrt(ss.exp(-1000 * m.x**2)), 1).observe([0.3])
    agreement = m.verify(points=16)
    assert not agreement.ok
    (told,) = agreement.findings
    assert "the derivative over `x` is nan in torch and " in told
    assert "in the term `y` (Normal)" in told
    assert "where x = " in told
    assert told in repr(agreement)
    assert "the derivative over" in agreement._repr_html_()
