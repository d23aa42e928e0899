"""Observations of equal rows, merged: the same density up to a constant, the same gradient, and nothing else changed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scistan as ss
from scistan.engines.density import StanDensity
from scistan.errors import ModelError
from scistan.graph.instance import Instance
from scistan.inference.prepare import subject_of
from scistan.passes.equal_rows import LEAST_GAIN, merge_equal_rows
from scistan.targets.evaluate import Evaluator
from scistan.targets.scipy import ancestral_draws
from scistan.targets.scipy.evaluate import NUMPY, joint_log_density
from scistan.targets.stan.program import lower_to_stan

N, GROUPS, POINTS = 120, 7, 4


def base(seed: int = 0) -> tuple[ss.Model, np.random.Generator]:
    """Give a model with a group and a few discrete predictors for each row, and latents to combine them with."""
    rng = np.random.default_rng(seed)
    m = ss.Model()
    m.g = ss.data(rng.integers(0, GROUPS, N))
    m.h = ss.data(rng.integers(0, 3, N))
    m.x = ss.data(rng.integers(0, 2, N) * 1.0)
    m.X = ss.data(np.column_stack([rng.integers(0, 2, N), rng.integers(-1, 1, N)]) * 1.0)
    m.fine = ss.data(rng.normal(size=N))
    m.mu, m.tau, m.sigma = ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.a = ss.Normal(m.mu, m.tau, shape=GROUPS)
    m.b = ss.Normal(0, 1)
    m.beta = ss.Normal(0, 1, shape=2)
    m.table = ss.Normal(0, 0.5, shape=(GROUPS, 3))
    m.slopes = ss.Normal(0, 0.5, shape=(GROUPS, 2))
    m.scales = ss.HalfNormal(1, shape=GROUPS)
    return m, rng


PREDICTORS: dict[str, Callable[[ss.Model], object]] = {
    "varying intercepts": lambda m: m.a[m.g],
    "intercepts and slope": lambda m: m.a[m.g] + m.b * m.x,
    "two factors": lambda m: m.a[m.g] + m.table[m.g, m.h],
    "one column of a table": lambda m: m.table[m.g, 1] - 0.5 * m.x,
    "design matrix": lambda m: m.mu + m.X @ m.beta,
    "varying slopes": lambda m: ss.sum(m.slopes[m.g] * m.X, axis=1),
    "slopes shared": lambda m: ss.sum(m.beta * m.X, axis=-1) + m.a[m.g],
    "computed data": lambda m: m.a[m.g] * (m.x - ss.mean(m.x)) + m.X[:, 1],
    "nonlinear": lambda m: ss.tanh(m.a[m.g]) * ss.exp(-m.tau * m.x),
    "rows of others": lambda m: m.a[m.g] + 0.5 * m.a[m.g][m.h],
    # Bounded: beyond log odds of 20 Stan's bernoulli_logit takes its limit, 2e-9 away from binomial_logit.
    "rows of others, squared": lambda m: m.a[m.g] + ss.tanh(m.a[m.g] * m.a[m.g])[m.h + 1],
    "chosen by data": lambda m: ss.where(m.x > 0, m.a[m.g], m.b),
}
FAMILIES: dict[str, tuple[Callable[[ss.Model, object], object], Callable[..., np.ndarray]]] = {
    "Normal": (lambda m, eta: ss.Normal(eta, m.sigma), lambda r: r.normal(size=N)),
    "Normal, sigma by group": (lambda m, eta: ss.Normal(eta, m.scales[m.g]), lambda r: r.normal(size=N)),
    "Normal, sigma alone": (lambda m, eta: ss.Normal(m.mu, 0.1 + ss.exp(eta)), lambda r: r.normal(size=N)),
    "BernoulliLogit": (lambda m, eta: ss.BernoulliLogit(eta), lambda r: r.integers(0, 2, N)),
    "Bernoulli": (lambda m, eta: ss.Bernoulli(0.1 + 0.8 * ss.inv_logit(eta)), lambda r: r.integers(0, 2, N)),
    "PoissonLog": (lambda m, eta: ss.PoissonLog(eta), lambda r: r.poisson(2.0, N)),
    "Poisson": (lambda m, eta: ss.Poisson(ss.exp(eta)), lambda r: r.poisson(2.0, N)),
    "Exponential": (lambda m, eta: ss.Exponential(ss.exp(eta)), lambda r: r.exponential(size=N)),
}


def written(predictor: str, family: str, seed: int = 0) -> ss.Model:
    m, rng = base(seed)
    distribution, draw = FAMILIES[family]
    m.y = distribution(m, PREDICTORS[predictor](m)).observe(draw(rng))  # type: ignore[attr-defined]
    return m


def merged(instance: Instance) -> Instance:
    return merge_equal_rows(instance, lambda node: Evaluator(instance, NUMPY)[node].array)


def points_of(instance: Instance) -> list[dict[object, np.ndarray]]:
    drawn = ancestral_draws(instance, POINTS, 3)[0]
    return [{t.value: drawn[t.name][k] for t in instance.graph.latents} for k in range(POINTS)]


def check_same_density(instance: Instance) -> Instance:
    """Compare the merged form with the plain one: SciPy's densities, Stan's densities and gradients."""
    other = merged(instance)
    assert other is not instance
    points = points_of(instance)
    both = np.array([[joint_log_density(i, p) for i in (instance, other)] for p in points], float).reshape(POINTS, 2)
    gaps = both[:, 0] - both[:, 1]
    # A sum of N terms and one of N others, each rounded: N roundings of numbers as large as the sums.
    rounding = 4 * N * np.finfo(float).eps * (np.abs(both).max() + np.abs(gaps).max())
    assert np.ptp(gaps) <= rounding
    plain, short = (lower_to_stan(i.graph, log_lik=False, predictive=False, log_prior=False) for i in (instance, other))
    first, second = StanDensity(plain.text, plain.data(instance)), StanDensity(short.text, short.data(other))
    rng = np.random.default_rng(1)
    for _ in range(POINTS):
        q = rng.uniform(-1, 1, first.dimension)
        (_, g), (_, h) = first.log_density_gradient(q), second.log_density_gradient(q)
        assert np.abs(g - h).max() <= 40 * N * np.finfo(float).eps * (1 + np.abs(g).max())
    return other


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("predictor", PREDICTORS)
def test_the_density_stays_the_same(predictor, family):
    other = check_same_density(written(predictor, family).instance())
    (term,) = other.graph.observed
    assert other.length(term.law.shape[0]) <= N // LEAST_GAIN


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(list(PREDICTORS)), st.sampled_from(list(FAMILIES)))
def test_on_any_data(seed, predictor, family):
    check_same_density(written(predictor, family, seed).instance())


EXTREMES: dict[str, tuple[str, np.ndarray]] = {
    "nothing waited for": ("Exponential", np.zeros(N)),
    "no counts": ("Poisson", np.zeros(N, int)),
    "no counts, by logarithm": ("PoissonLog", np.zeros(N, int)),
    "no successes": ("Bernoulli", np.zeros(N, int)),
    "only successes": ("BernoulliLogit", np.ones(N, int)),
    "no spread": ("Normal", np.zeros(N)),
}


@pytest.mark.parametrize("case", EXTREMES)
def test_sums_at_the_ends_of_their_range(case):
    family, y = EXTREMES[case]
    m, _ = base()
    m.y = FAMILIES[family][0](m, m.a[m.g]).observe(y)  # type: ignore[attr-defined]
    check_same_density(m.instance())


BEYOND: dict[str, tuple[str, np.ndarray]] = {
    "counts": ("Poisson", np.full(N, 10**9)),
    "counts, by logarithm": ("PoissonLog", np.full(N, 10**9)),
    "squares": ("Normal", np.full(N, 1e160)),
    "sums of waiting": ("Exponential", np.full(N, 1e308)),
}


@pytest.mark.parametrize("case", BEYOND)
def test_sums_beyond_what_a_program_holds_are_left_alone(case):
    family, y = BEYOND[case]
    m, _ = base()
    m.y = FAMILIES[family][0](m, m.a[m.g]).observe(y)  # type: ignore[attr-defined]
    instance = m.instance()
    assert merged(instance) is instance


def _rows_meet(m: ss.Model) -> object:
    return m.a[m.g] + ss.cumsum(m.b * m.x)


def _latent_for_each_row(m: ss.Model) -> object:
    m.z = ss.Normal(0, 1, shape=N)
    return m.z + m.a[m.g]


LEFT_ALONE: dict[str, Callable[[ss.Model], object]] = {
    "a continuous predictor": lambda m: m.a[m.g] + m.b * m.fine,
    "rows that meet": _rows_meet,
    "a latent for each row": _latent_for_each_row,
    "the same for all": lambda m: m.mu,
    "reversed rows of latents": lambda m: (m.b * m.x)[::-1],
}


@pytest.mark.parametrize("why", LEFT_ALONE)
def test_left_alone(why):
    m, rng = base()
    m.y = ss.Normal(LEFT_ALONE[why](m), m.sigma).observe(rng.normal(size=N))
    instance = m.instance()
    assert merged(instance) is instance


def test_bounded_observations_and_few_rows_are_left_alone():
    m, rng = base()
    m.y = ss.Normal(m.a[m.g], m.sigma, lower=-1).observe(np.abs(rng.normal(size=N)))
    bounded = m.instance()
    assert merged(bounded) is bounded
    few = ss.Model()
    few.g = ss.data(np.arange(20) % 2)
    few.a, few.sigma = ss.Normal(0, 1, shape=2), ss.HalfNormal(1)
    few.y = ss.Normal(few.a[few.g], few.sigma).observe(rng.normal(size=20))
    instance = few.instance()
    assert merged(instance) is instance


def test_two_observations_of_the_same_predictors():
    m, rng = base()
    m.y = ss.Normal(m.a[m.g] + m.b * m.x, m.sigma).observe(rng.normal(size=N))
    m.k = ss.PoissonLog(m.a[m.g]).observe(rng.poisson(2.0, N))
    m.y_mean = ss.Normal(0, 1)  # the user's own names stay theirs
    other = check_same_density(m.instance())
    names = [t.name for t in other.graph.terms]
    assert names.count("y_mean") == 1
    assert {"g_cell", "g_cell_k"} <= set(other.graph.data_names.values())


def test_lengths_that_only_merged_rows_gave_are_kept():
    """A dim of latents gets its length from data that the merged program no longer reads."""
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.g = ss.data(np.arange(60) % 6)
    m.w = ss.data(np.ones(60))
    m.a = ss.Normal(0, 1, shape=6)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.a[m.g] * m.w, m.sigma).observe(rng.normal(size=60))
    bigger = m.with_data(g=np.arange(120) % 6, w=np.ones(120), y=rng.normal(size=120))
    check_same_density(bigger.instance())


BY_ARITHMETIC: dict[str, Callable[[ss.Model, object, object], object]] = {
    "in an expression": lambda m, g, h: ss.Normal(m.a[g] * m.b[h], m.sigma),
    "in an argument each": lambda m, g, h: ss.Normal(m.a[g], 0.1 + m.b[h]),
}


@pytest.mark.parametrize("where", BY_ARITHMETIC)
def test_lengths_that_are_equal_by_arithmetic_alone(where):
    """Twice one length and twice another, of which no equality makes one symbol: rows are rows, whatever their name."""
    m = ss.Model()
    m.g, m.h = ss.data(np.arange(N // 2) % 3), ss.data(np.arange(N // 2) % 2)
    m.a, m.b, m.sigma = ss.Normal(0, 1, shape=3), ss.HalfNormal(1, shape=2), ss.HalfNormal(1)
    observed = BY_ARITHMETIC[where](m, ss.concatenate([m.g, m.g]), ss.concatenate([m.h, m.h]))
    m.y = observed.observe(np.random.default_rng(0).normal(size=N))  # type: ignore[attr-defined]
    check_same_density(m.instance())


def few_latents() -> ss.Model:
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.g, m.x = ss.data(np.arange(N) % GROUPS), ss.data(np.arange(N) % 2 * 1.0)
    m.a, m.b, m.sigma = ss.Normal(0, 1, shape=GROUPS), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a[m.g] + m.b * m.x, m.sigma).observe(rng.normal(size=N))
    return m


def test_a_fit_says_so_and_keeps_everything_else():
    m = few_latents()
    short = {"seed": 1, "progress": False, "engine": "stanli", "draws": 300, "warmup": 300, "integrate": False}
    fit = m.mcmc(**short)
    assert any("y: 120 observations in 14 groups" in note for note in fit.notes)
    assert fit.idata.log_likelihood["y"].shape == (4, 300, N)
    assert fit.idata.posterior_predictive["y"].shape == (4, 300, N)
    other = m.with_data(x=np.linspace(0, 1, N)).mcmc(**short)
    assert not any("groups" in note for note in other.notes)
    assert fit.subject.hash == other.subject.hash  # equal models have equal ones, whatever their data


def test_what_is_compiled_serves_any_data():
    """`m.compile()` and CmdStan's methods look at no data, which may only be promised."""
    m = written("varying intercepts", "Normal")
    subject = m._subject()
    assert subject.sampled is subject.instance
    assert not subject.merged
    promised = ss.Model()
    promised.g = ss.data(np.arange(N) % GROUPS)
    promised.a, promised.sigma = ss.Normal(0, 1, shape=GROUPS), ss.HalfNormal(1)
    promised.y = ss.Normal(promised.a[promised.g], promised.sigma).observe()
    filled = promised.with_data(y=np.zeros(N))
    assert promised._subject().program.text == filled._subject().program.text
    assert subject_of(filled.instance(), merge=True).merged


def test_threads_and_cmdstan_sum_over_the_rows_as_they_are(monkeypatch):
    from scistan.inference import prepare as module

    asked = []

    def seen(instance, *args, **options):
        asked.append(options["merge"])
        raise ModelError("enough")

    monkeypatch.setattr(module, "subject_of", seen)
    m = few_latents()
    for options in ({"engine": "cmdstan"}, {"threads_per_chain": 2}, {"engine": "stanli"}, {}):
        with pytest.raises(ModelError, match="enough"):
            m.mcmc(**options)
    assert asked == [False, False, True, True]
