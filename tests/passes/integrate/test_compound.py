"""Compound forms keep the marginal density: against SciPy's compounds, by quadrature, and by their own draws."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special, stats

import scistan as ss
from scistan.inference.integrate import integrated, told_of_integrals
from scistan.inference.integrated import IntegratedDensity
from scistan.targets.scipy import JointDensity
from tests.passes.integrate.test_integrate import points_of

ROWS, GROUPS = 24, 5
EXPOSURE = np.random.default_rng(9).uniform(0.5, 2, ROWS)
GROUP = np.random.default_rng(8).integers(0, GROUPS, ROWS)


def rates(y: np.ndarray, g: np.ndarray, exposure: np.ndarray, groups: int) -> ss.Model:
    m = ss.Model()
    m.a, m.b = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.lam = ss.Gamma(m.a, m.b, shape=groups)
    m.y = ss.Poisson(m.lam[g] * exposure).observe(y)
    return m


def chances(y: np.ndarray, g: np.ndarray, n: np.ndarray, groups: int) -> ss.Model:
    m = ss.Model()
    m.a, m.b = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.p = ss.Beta(m.a, m.b, shape=groups)
    m.y = ss.Binomial(n, m.p[g]).observe(y)
    return m


def shares(y: np.ndarray, g: np.ndarray, groups: int) -> ss.Model:
    m = ss.Model()
    m.alpha = ss.Gamma(2, 1, shape=y.shape[-1])
    m.theta = ss.Dirichlet(m.alpha, shape=groups)
    m.y = ss.Multinomial(y.sum(-1), m.theta[g]).observe(y)
    return m


# -- against oracles ------------------------------------------------------------------------------------
def marginals(m: ss.Model) -> list[tuple[dict[str, np.ndarray], float]]:
    """Give what is sampled at a few points, and the log density there without its prior."""
    made = integrated(m.instance(), True)
    assert made.integrated
    found = []
    for point in points_of(made, 4):
        (value, _), = JointDensity(made).at_each([point])
        named = {term.name: point[term.value] for term in made.graph.latents}
        prior = sum(np.sum(stats.gamma.logpdf(values, 2)) for values in named.values())
        found.append((named, value - float(prior)))
    return found


COUNTS = {
    "few": np.array([0, 3, 1, 0, 7]), "zeros": np.zeros(4, int), "one row": np.array([2]),
    "large": np.array([10**6, 0, 3 * 10**5]), "the same": np.full(9, 4),
}


@pytest.mark.parametrize("name", COUNTS)
def test_rates_of_single_rows_are_negative_binomial(name: str) -> None:
    y = COUNTS[name]
    exposure = EXPOSURE[: len(y)]
    for at, value in marginals(rates(y, np.arange(len(y)), exposure, len(y))):
        share = at["b"] / (at["b"] + exposure)
        exact = stats.nbinom.logpmf(y, at["a"], share)
        assert abs(value - exact.sum()) < 1e-12 * (1 + special.gammaln(1.0 + y).sum() + np.abs(exact).sum())


@pytest.mark.parametrize("name", COUNTS)
def test_chances_of_single_rows_are_beta_binomial(name: str) -> None:
    y = COUNTS[name]
    n = y + np.arange(len(y)) % 3
    for at, value in marginals(chances(y, np.arange(len(y)), n, len(y))):
        exact = special.betaln(at["a"] + y, at["b"] + n - y) - special.betaln(at["a"], at["b"])
        exact = exact + special.gammaln(n + 1) - special.gammaln(y + 1) - special.gammaln(n - y + 1)
        assert abs(value - exact.sum()) < 1e-12 * (1 + special.gammaln(1.0 + n).sum())
        if n.max() < 100:
            assert abs(value - stats.betabinom.logpmf(y, n, at["a"], at["b"]).sum()) < 1e-11 * (1 + n.sum())


@pytest.mark.parametrize("y", [[[0, 3, 1], [2, 2, 2]], [[0, 0, 0]], [[5, 0, 0], [0, 0, 0], [400, 1, 9]]])
def test_shares_of_single_rows_are_dirichlet_multinomial(y: list[list[int]]) -> None:
    counts = np.array(y)
    for at, value in marginals(shares(counts, np.arange(len(y)), len(y))):
        exact = stats.dirichlet_multinomial.logpmf(counts, at["alpha"], counts.sum(-1)).sum()
        assert abs(value - exact) < 1e-12 * (1 + special.gammaln(1.0 + counts.sum(-1)).sum() + abs(exact))


def shared_rate() -> ss.Model:
    m = ss.Model()
    m.a, m.b = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.u = ss.Gamma(m.a, m.b)
    m.y = ss.Poisson(m.u * np.array([1.0, 2, 0.5, 3, 0])).observe([0, 3, 1, 0, 0])
    m.z = ss.Poisson(m.u).observe([2, 0])
    return m


def shared_chance() -> ss.Model:
    m = ss.Model()
    m.a, m.b = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.u = ss.Beta(m.a, m.b)
    m.y = ss.Bernoulli(m.u).observe([1, 0, 1, 1])
    m.z = ss.Binomial([4, 0, 7], m.u).observe([1, 0, 7])
    return m


@pytest.mark.parametrize("build", [shared_rate, shared_chance])
def test_what_rows_share_is_integrated(build: Callable[[], ss.Model]) -> None:
    """By the trapezoidal rule, where the density as written falls off on both sides: it converges exponentially."""
    written = build().instance()
    made = integrated(written, True)
    (latent,) = made.integrated[0].latents
    t = np.linspace(-45, 30, 1501)
    u, slope = np.exp(t), t
    if build is shared_chance:
        u, slope = special.expit(t), special.log_expit(t) + special.log_expit(-t)
    inside = (u > 0) & (u < (1 if build is shared_chance else 1e4))
    for point in points_of(made, 4):
        joint = [value for value, _ in JointDensity(written).at_each([{**point, latent.value: x} for x in u[inside]])]
        exact = special.logsumexp(np.array(joint) + slope[inside]) + np.log(t[1] - t[0])
        (value, _), = JointDensity(made).at_each([point])
        assert abs(value - exact) < 1e-11 * (1 + abs(exact))


# -- by the draws ---------------------------------------------------------------------------------------
FORMS: dict[str, Callable[[np.random.Generator], ss.Model]] = {}


def form(build: Callable[[np.random.Generator], ss.Model]) -> Callable[[np.random.Generator], ss.Model]:
    FORMS[build.__name__] = build
    return build


@form
def grouped_rates(rng: np.random.Generator) -> ss.Model:
    return rates(rng.poisson(2, ROWS), GROUP, EXPOSURE, GROUPS + 3)  # the last three have no rows


@form
def one_rate(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.a, m.b = ss.Gamma(2, 1), ss.Gamma(2, 1)
    m.lam = ss.Gamma(m.a, m.b)
    m.y = ss.Poisson(m.lam * EXPOSURE / 10).observe(rng.poisson(2, ROWS))
    m.z = ss.Poisson(m.lam).observe(3)
    return m


@form
def rates_in_a_table(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.a, m.b = ss.Gamma(2, 1, shape=(4, 1)), ss.Gamma(2, 1, shape=3)
    m.lam = ss.Gamma(m.a, m.b, shape=(4, 3))
    m.y = ss.Poisson(m.lam).observe(rng.poisson(2, (4, 3)))
    m.z = ss.Poisson(m.lam[GROUP % 4, GROUP % 3]).observe(rng.poisson(2, ROWS))
    return m


@form
def grouped_chances(rng: np.random.Generator) -> ss.Model:
    return chances(rng.integers(0, 4, ROWS), GROUP, np.full(ROWS, 6), GROUPS + 1)


@form
def chances_of_small_parameters(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.a = ss.Uniform(0.001, 0.01, shape=2)
    m.p = ss.Beta(m.a[0], m.a[1], shape=GROUPS)
    m.y = ss.Bernoulli(m.p[GROUP % 2]).observe(np.ones(ROWS, int))
    return m


@form
def one_vector_of_shares(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.alpha = ss.Gamma(2, 1, shape=3)
    m.theta = ss.Dirichlet(m.alpha)
    m.y = ss.Categorical(m.theta).observe(rng.integers(0, 2, ROWS))
    m.z = ss.Multinomial(9, m.theta).observe(rng.multinomial(9, [0.2, 0.3, 0.5], 6))
    return m


@form
def grouped_shares(rng: np.random.Generator) -> ss.Model:
    m = ss.Model()
    m.alpha = ss.Gamma(2, 1, shape=(GROUPS, 3))
    m.theta = ss.Dirichlet(m.alpha, shape=GROUPS)
    m.y = ss.Categorical(m.theta[GROUP]).observe(rng.integers(0, 3, ROWS))
    return m


@form
def with_normal_effects(rng: np.random.Generator) -> ss.Model:
    m = rates(rng.poisson(2, ROWS), GROUP, EXPOSURE, GROUPS)
    m.tau, m.s = ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(m.a, m.tau, shape=GROUPS)
    m.size = ss.Normal(m.u[GROUP], m.s).observe(rng.normal(size=ROWS))
    return m


@pytest.mark.parametrize("name", FORMS)
def test_what_is_left_is_the_joint_density_less_that_of_the_draws(name: str) -> None:
    made = integrated(FORMS[name](np.random.default_rng(1)).instance(), True)
    assert len(made.integrated) == len(told_of_integrals(made)) == 1 + (name == "with_normal_effects")
    points = points_of(made, 3)
    here, there = JointDensity(made).at_each(points), IntegratedDensity(made).at_each(points)
    for (value, _), (other, size) in zip(here, there, strict=True):
        assert abs(value - other) < 1e-12 * max(size, 1.0) * ROWS


# -- what stays -------------------------------------------------------------------------------------------
def _truncated(m: ss.Model) -> None:
    m.lam = ss.Gamma(m.a, 1, upper=5, shape=GROUPS)
    m.y = ss.Poisson(m.lam[GROUP]).observe(np.ones(ROWS, int))


def _by_a_sampled_multiple(m: ss.Model) -> None:
    m.lam = ss.Gamma(2, 1, shape=GROUPS)
    m.y = ss.Poisson(m.lam[GROUP] * m.a).observe(np.ones(ROWS, int))


def _added_to(m: ss.Model) -> None:
    m.lam = ss.Gamma(2, 1, shape=GROUPS)
    m.y = ss.Poisson(m.lam[GROUP] + 1.0).observe(np.ones(ROWS, int))


def _two_in_a_row(m: ss.Model) -> None:
    m.lam = ss.Gamma(m.a, 1, shape=GROUPS)
    m.y = ss.Poisson(m.lam[GROUP] + m.lam[GROUP[::-1]]).observe(np.ones(ROWS, int))


def _used_elsewhere(m: ss.Model) -> None:
    m.lam = ss.Gamma(m.a, 1, shape=GROUPS)
    m.y = ss.Poisson(m.lam[GROUP]).observe(np.ones(ROWS, int))
    m.z = ss.Normal(m.lam, 1).observe(np.ones(GROUPS))


def _half_a_chance(m: ss.Model) -> None:
    m.p = ss.Beta(m.a, 1, shape=GROUPS)
    m.y = ss.Bernoulli(m.p[GROUP] / 2).observe(np.ones(ROWS, int))


def _shares_turned(m: ss.Model) -> None:
    m.theta = ss.Dirichlet(np.ones(3) * m.a)
    m.y = ss.Categorical(m.theta[[2, 1, 0]]).observe([0, 1, 2])


@pytest.mark.parametrize("build", [
    _truncated, _by_a_sampled_multiple, _added_to, _two_in_a_row, _used_elsewhere, _half_a_chance, _shares_turned,
])
def test_other_uses_are_sampled(build: Callable[[ss.Model], None]) -> None:
    m = ss.Model()
    m.a = ss.Gamma(2, 1)
    build(m)
    assert not integrated(m.instance(), True).integrated


def test_something_is_left_to_be_sampled() -> None:
    m = ss.Model()
    m.p, m.q = ss.Beta(1, 1, shape=GROUPS), ss.Beta(1, 1, shape=2)
    m.y = ss.Binomial(9, m.p).observe(np.arange(GROUPS))
    m.z = ss.Binomial(9, m.q).observe([3, 4])
    assert [one.names for one in integrated(m.instance(), "auto").integrated] == [("p",)]
    with pytest.raises(ss.ModelError, match="left to sample"):
        integrated(m.instance(), ("p", "q"))


def test_programs_of_two_sizes_are_one_text() -> None:
    from scistan.targets.stan.program import lower_to_stan

    texts = set()
    for rows, groups in ((30, 4), (50, 9)):
        rng = np.random.default_rng(0)
        m = rates(rng.poisson(2, rows), rng.integers(0, groups, rows), rng.uniform(1, 2, rows), groups)
        texts.add(lower_to_stan(integrated(m.instance(), True).graph).text)
    assert len(texts) == 1


# -- whole runs -------------------------------------------------------------------------------------------
def test_sampled_without_them_the_posterior_is_the_same() -> None:
    m = FORMS["grouped_rates"](np.random.default_rng(1))
    fits = {how: m.mcmc(draws=1000, chains=4, seed=3, integrate=how, progress=False) for how in (True, False)}
    assert fits[True].certificate.ok
    assert any("Gamma distribution" in note for note in fits[True].notes)
    summaries = [np.asarray(fits[how].posterior["lam"]).reshape(-1, GROUPS + 3) for how in (True, False)]
    few = 400  # effective draws, at least: rates of groups mix well either way
    for k in range(GROUPS + 3):
        one, other = (draws[:, k] for draws in summaries)
        assert abs(one.mean() - other.mean()) < 5 * np.sqrt((one.var() + other.var()) / few)
        share = stats.ks_2samp(one, other).statistic
        assert share < 2.2 * np.sqrt(2 / few)
