"""Centring by the data: exact whatever it is, and learnt as the mathematics of normal hierarchies has it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

import scistan as ss
from scistan.diagnostics.statistics import bulk_ess
from scistan.engines.density import StanDensity
from scistan.engines.encoding import to_json
from scistan.engines.protocol import Request
from scistan.engines.registry import engine_named
from scistan.errors import DataError
from scistan.inference.centring import centring_of, shares, told, with_centring
from scistan.inference.certify import certify
from scistan.inference.fit_of import fit_of
from scistan.inference.prepare import subject_of
from scistan.passes.centring import learnable
from scistan.targets.scipy import joint_log_density
from tests.inference.centred_models import FORMS, GROUP, ROWS, Y, any_centring, grouped

STEP = 1e-5


def centred_by_chance(m: ss.Model, seed: int):
    """Give the model's subject with whatever centring, of every latent that may have one."""
    instance, rng = m.instance(), np.random.default_rng(seed)
    centring = {t.name: any_centring(instance.shape(t.law.shape), rng) for t in learnable(instance.graph)}
    return subject_of(instance, merge=True, centring=centring)


def values_at(subject, density, q):
    drawn = density.constrain(q)
    return {n: drawn[n].reshape(subject.shape(n)) for n in subject.latents}


def volume_at(subject, density, q):
    """Give the logarithm of the Jacobian's determinant by differences: what neither Stan nor the twin has a say in."""
    columns = []
    for k in range(q.size):
        ends = [values_at(subject, density, q + side * STEP * np.eye(q.size)[k]) for side in (1, -1)]
        after, before = (np.concatenate([end[n].ravel() for n in subject.latents]) for end in ends)
        columns.append((after - before) / (2 * STEP))
    return np.linalg.slogdet(np.array(columns))[1]


@pytest.mark.parametrize("form", FORMS)
def test_the_density_is_scipys_whatever_the_centring(form):
    subject = centred_by_chance(FORMS[form](), seed=3)
    density = StanDensity(subject.program.text, subject.data)
    terms = {t.name: t.value for t in subject.instance.graph.latents}
    off = []
    for q in np.random.default_rng(5).uniform(-1, 1, (3, density.dimension)):
        here = values_at(subject, density, q)
        scipy = joint_log_density(subject.instance, {terms[n]: array for n, array in here.items()})
        off.append(density.log_density_gradient(q)[0] - scipy - volume_at(subject, density, q))
        np.testing.assert_allclose(density.unconstrain(subject.program.inits(here, subject.instance)), q, atol=1e-8)
    # Differences of second order: the step's square times third derivatives of order 10 and more.
    np.testing.assert_allclose(off, off[0], atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_it_is_certified(form):
    subject = centred_by_chance(FORMS[form](), seed=4)
    data = subject.data
    assert certify(subject, data, StanDensity(subject.program.text, data), seed=2).ok
    assert set(subject.centring) == {t.name for t in learnable(subject.instance.graph)}


def test_the_program_that_users_see_stays_as_it_is():
    m = grouped()
    plain, centred = subject_of(m.instance()), centred_by_chance(m, 1)
    assert centred.hash == plain.hash
    assert "information" in centred.program.text
    assert "information" not in m.stan_code()


# -- what is learnt ---------------------------------------------------------------------------------------
def draws_of(m: ss.Model, count: int = 40, seed: int = 0) -> dict[str, np.ndarray]:
    """Give draws of the prior: where curvatures are taken matters to no formula."""
    prior = m.prior(draws=count, seed=seed).prior
    return {t.name: prior[t.name].values[0] for t in m.instance().graph.latents}


def one_draw(**values: object) -> dict[str, np.ndarray]:
    return {name: np.asarray(value, dtype=float)[None] for name, value in values.items()}


def test_normal_data_inform_by_their_number():
    m = grouped()
    at = one_draw(mu=1.0, tau=0.3, sigma=0.5, theta=[0.1, 0.2, 0.3])
    (information, pull), = centring_of(subject_of(m.instance(), merge=True), at).values()
    np.testing.assert_allclose(information, ROWS / 0.25, rtol=1e-6)
    np.testing.assert_allclose(pull, np.bincount(GROUP, Y) / 0.25, rtol=1e-6)


def test_elements_of_a_matrix_keep_their_places():
    m = FORMS["table"]()
    m2 = ss.Model()
    m2.tau = ss.HalfNormal(1)
    m2.theta = ss.Normal(0, m2.tau, shape=(2, 3))
    m2.sigma = ss.data(np.arange(1.0, 7).reshape(2, 3))
    m2.y = ss.Normal(m2.theta, m2.sigma).observe(np.arange(6.0).reshape(2, 3))
    at = one_draw(tau=1.0, theta=np.zeros((2, 3)))
    (information, pull), = centring_of(subject_of(m2.instance()), at).values()
    np.testing.assert_allclose(information, 1 / np.arange(1.0, 7).reshape(2, 3) ** 2, rtol=1e-6)
    np.testing.assert_allclose(pull, np.arange(6.0).reshape(2, 3) * information, rtol=1e-6, atol=1e-9)
    assert centring_of(subject_of(m.instance()), draws_of(m))["theta"].shape == (2, 2, 3)


def test_counts_inform_by_their_mean():
    m = FORMS["at_zero"]()
    theta, x = np.array([0.2, -0.5, 1.0]), np.array([1.0, 2.0, 0.5])
    (information, pull), = centring_of(subject_of(m.instance()), one_draw(tau=0.6, theta=theta)).values()
    np.testing.assert_allclose(information, x**2 * np.exp(theta * x), rtol=1e-6)
    slope = x * (np.array([0, 3, 1]) - np.exp(theta * x))
    np.testing.assert_allclose(pull, slope + information * theta, rtol=1e-6)


def test_parents_are_informed_through_their_children():
    m = FORMS["nested"]()
    at = one_draw(mu=0.0, tau=0.7, kappa=0.3, parent=[0.2, 1.0], theta=[0.0, 0.5, 1.0])
    found = centring_of(subject_of(m.instance()), at)
    own = ROWS / 0.25
    through = own / (1 + own * 0.49)  # the information of data with the children summed out
    np.testing.assert_allclose(found["theta"][0], own, rtol=1e-6)
    np.testing.assert_allclose(found["parent"][0], [through[0] + through[1], through[2]], rtol=1e-5)


def test_elements_that_meet_are_told_without_bias():
    x = np.array([[1.0, 0.5], [0.5, 1.0], [1.0, 1.0]])
    m = ss.Model()
    m.tau = ss.HalfNormal(1)
    m.b = ss.Normal(0, m.tau, shape=2)
    m.y = ss.Normal(ss.data(x) @ m.b, 1).observe([1.0, 2.0, 3.0])
    subject, at = subject_of(m.instance()), {"tau": np.full(40, 0.5), "b": np.zeros((40, 2))}
    found = np.mean([centring_of(subject, at, seed)["b"][0] for seed in range(40)], axis=0)
    # Off by the mean of 40 · 16 signs times what the elements share.
    np.testing.assert_allclose(found, np.diag(x.T @ x), atol=5 * (x.T @ x)[0, 1] / np.sqrt(40 * 16))


def test_what_data_say_nearly_all_of_is_centred_wholly():
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 2), ss.HalfNormal(1)
    m.theta = ss.Normal(m.mu, m.tau, shape=3)
    m.y = ss.Normal(m.theta[GROUP], 0.01).observe(Y)
    subject = subject_of(m.instance())
    at = {"mu": np.zeros(20), "tau": np.linspace(0.5, 1, 20), "theta": np.zeros((20, 3))}
    found = centring_of(subject, at)
    assert np.isinf(found["theta"][0]).all()
    centred = with_centring(subject, found)
    assert "offset" not in centred.program.text
    assert "offset" in subject.program.text
    np.testing.assert_array_equal(centred.centring["theta"], found["theta"])
    assert told(subject, shares(subject, found, at))[0].startswith("theta: 3 of 3 elements are sampled centred")


def test_it_follows_from_draws_and_seed():
    m = FORMS["crossed"]()
    subject, at = subject_of(m.instance()), draws_of(m)
    first, again = centring_of(subject, at, 7), centring_of(subject, at, 7)
    assert first.keys() == again.keys() == {"person", "item"}
    for name in first:
        np.testing.assert_array_equal(first[name], again[name])


@pytest.mark.parametrize("said", [True, False])
def test_what_the_user_says_is_kept(said):
    m = grouped(centred=said)
    assert not learnable(m.instance().graph)
    assert centring_of(subject_of(m.instance()), draws_of(m)) == {}


def test_vectors_of_a_cholesky_factor_stay_as_they_are():
    m = ss.Model()
    m.tau, m.corr = ss.HalfNormal(1, shape=2), ss.LKJCholesky(2, 2)
    m.theta = ss.MultivariateNormal(np.zeros(2), chol=m.tau[:, None] * m.corr, shape=4)
    m.y = ss.Normal(m.theta, 1).observe(np.ones((4, 2)))
    assert not learnable(m.instance().graph)


def test_without_observations_there_is_nothing_to_learn():
    m = ss.Model()
    m.tau = ss.HalfNormal(1)
    m.theta = ss.Normal(0, m.tau, shape=3)
    at = draws_of(m)
    assert centring_of(subject_of(m.instance()), at) == {}


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("tau", np.zeros((2, 3)), "is not learnt"),
        ("theta", np.zeros((2, 4)), r"shape \(4,\)"),
        ("theta", np.full((2, 3), np.nan), "not finite"),
        ("theta", np.full((2, 3), -1.0), "below 0"),
        ("theta", np.stack([[np.inf, 1.0, 1.0], np.zeros(3)]), "not finite"),
    ],
)
def test_a_centring_of_another_model_is_refused(name, given, words):
    with pytest.raises(DataError, match=words):
        subject_of(grouped().instance(), centring={name: given})


# -- what is sampled --------------------------------------------------------------------------------------
def sampled(subject, **options: object):
    settings = {"draws": 1500, "warmup": 700, "chains": 2, "seed": 11, "progress": False, **options}
    return engine_named("stanli").sample(Request(subject.program.text, to_json(subject.data), **settings))


def test_moments_do_not_depend_on_it():
    m = grouped()
    plain = subject_of(m.instance(), merge=True)
    first = sampled(plain, options={"adapt_delta": 0.95})
    flat = {name: array.reshape(-1, *array.shape[2:]) for name, array in first.values.items()}
    learnt = with_centring(plain, centring_of(plain, flat))
    for subject in (learnt, centred_by_chance(m, 8)):
        other = sampled(subject, options={"adapt_delta": 0.95})
        for name in plain.latents:
            for power in (1, 2):
                a, b = (run.values[name].reshape(2, 1500, -1) ** power for run in (first, other))
                error = np.hypot(*(x.std((0, 1)) / np.sqrt(bulk_ess(x)) for x in (a, b)))
                assert (np.abs(a.mean((0, 1)) - b.mean((0, 1))) < 5 * error).all(), (name, power)


def test_the_prior_is_sampled_whatever_the_centring():
    m = ss.Model()
    m.mu, m.tau = ss.Normal(0, 2), ss.LogNormal(0, 0.5)
    m.theta = ss.Normal(m.mu, m.tau, shape=2)
    subject = subject_of(m.instance(), centring={"theta": np.array([[0.0, 2.0], [0.5, -1.0]])})
    drawn = sampled(subject, draws=4000)
    prior = m.prior(draws=4000, seed=1).prior["theta"].values[0]
    for k in range(2):
        own = drawn.values["theta"][..., k]
        step = int(np.ceil(own.size / bulk_ess(own[..., None])[0]))
        assert ks_2samp(own[:, ::step].ravel(), prior[:, k]).pvalue > 1e-6


def test_a_fit_tells_of_it_and_is_not_told_to_centre():
    m = grouped()
    plain = subject_of(m.instance(), merge=True)
    subject = with_centring(plain, {"theta": np.stack([ROWS / 0.25, np.zeros(3)])})
    fit = fit_of(subject, sampled(subject, draws=200), {"draws": 200, "seed": 1}, "", ())
    assert any(note.startswith("theta: ") and "`centred=False`" in note for note in fit.notes)
    assert "theta" in plain.context.noncentred
    assert "theta" not in subject.context.noncentred
    assert subject.context.facts.latents["theta"].noncentred


def test_data_inform_of_the_sum_with_what_stands_beside():
    """In `a + theta[group]` with normal noise they have its mean, whatever `a` is at the draws."""
    m = ss.Model("beside")
    m.a, m.tau = ss.Normal(0, 2), ss.HalfNormal(1)
    m.theta = ss.Normal(0, m.tau, shape=3)
    m.y = ss.Normal(m.a + m.theta[GROUP], 0.5).observe(Y)
    subject = subject_of(m.instance(), merge=True)
    found = centring_of(subject, draws_of(m))
    means = np.bincount(GROUP, Y) / ROWS
    np.testing.assert_allclose(found["theta"], [ROWS / 0.25, ROWS / 0.25 * means], rtol=1e-5)
    fit = fit_of(with_centring(subject, found), sampled(with_centring(subject, found), draws=200), {"seed": 1}, "", ())
    assert any("as sums with a" in note for note in fit.notes)
