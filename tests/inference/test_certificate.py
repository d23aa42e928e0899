"""Every run of an embedded engine is certified: an engine that is wrong is noticed, one that is right never refused."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import scistan as ss
from scistan.engines.density import StanDensity
from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.engines.protocol import Chains, Draws
from scistan.inference import asked, certified
from scistan.inference import certify as certifying
from scistan.inference import run as running
from scistan.inference.certificate import Certificate, point_of
from scistan.inference.certify import certify
from scistan.inference.prepare import subject_of
from scistan.targets.scipy import JointDensity
from scistan.targets.stan.program import StanProgram
from tests.targets.stan_cases import build, cases
from tests.zoo import EFFECTS, ERRORS, ZOO, counts, eight_schools, logistic, varying_intercepts

SETTINGS = {"draws": 20, "warmup": 20, "chains": 1, "seed": 3, "progress": False}
FAMILIES = [c for c in cases() if c.arguments == "latents" and c.batch == (4,)]


def certificate_of(m: ss.Model, seed: int = 1, merge: bool = True) -> Certificate:
    subject = subject_of(m.instance(), merge=merge)
    data = subject.data
    return certify(subject, data, open_density(subject.program.text, to_json(data), seed), seed)


# -- no false alarms ------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ZOO)
def test_right_engines_are_certified(name):
    for seed in range(5):
        found = certificate_of(ZOO[name](), seed)
        assert found.ok, found
        assert len(found.numbers) == 3
        assert found.slopes is not None


@pytest.mark.parametrize("case", FAMILIES, ids=str)
def test_right_families_are_certified(case):
    for seed in range(3):
        m = build(case)
        found = certificate_of(m, seed)
        assert found.ok, found
        assert found.numbers or not m.instance().graph.latents  # without latents there is nothing to sample


def almost_singular() -> ss.Model:
    """A Gaussian process whose covariance has a condition number of 4e9: both sides lose half of their digits."""
    m = ss.Model()
    x = np.linspace(0, 1, 40)
    m.rho = ss.Gamma(2, 2)
    m.alpha = ss.HalfNormal(1)
    covariance = m.alpha**2 * ss.exp(-((x[:, None] - x) ** 2) / (2 * m.rho**2)) + 1e-8 * np.eye(40)
    m.f = ss.MultivariateNormal(np.zeros(40), cov=covariance)
    m.y = ss.Normal(m.f, 1).observe(np.sin(9 * x))
    return m


def kinked() -> ss.Model:
    """Thousands of kinks: a step crosses some of them."""
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=(5000, 3)))
    m.b = ss.Normal(0, 1, shape=3)
    m.y = ss.Laplace(m.x @ m.b, 1).observe(rng.normal(size=5000))
    return m


def far_away() -> ss.Model:
    """An offset of 1e8, beside which a step of 1e-5 loses digits."""
    m = ss.Model()
    m.mu = ss.Normal(1e8, 1)
    m.tau = ss.HalfNormal(1)
    m.theta = ss.Normal(m.mu, m.tau, shape=5)
    m.y = ss.Normal(m.theta, 1).observe(1e8 + np.arange(5.0))
    return m


def in_the_tails() -> ss.Model:
    """Probabilities so near 0 and 1 that Stan's cumulative functions have no digits left at some points."""
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=(2000, 3)))
    m.b = ss.Normal(0, 1, shape=3)
    m.y = ss.Bernoulli(ss.Phi(m.x @ m.b)).observe(rng.integers(0, 2, 2000))
    return m


def large_matrix() -> ss.Model:
    """A factor of 30 rows: uniform on (-2, 2), its coordinates would give a matrix that is almost singular."""
    m = ss.Model()
    m.chol = ss.LKJCholesky(30, 2.0)
    m.y = ss.MultivariateNormal(np.zeros(30), chol=m.chol).observe(np.ones((3, 30)))
    return m


def ordered_probit() -> ss.Model:
    """Differences of probabilities near 1."""
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.x = ss.data(rng.normal(size=60))
    m.b, m.c = ss.Normal(0, 1), ss.Normal(0, 1, shape=3, constraint="ordered")
    below = ss.Phi(m.c[None, :] - (m.b * m.x)[:, None])
    m.p = ss.concatenate([below[:, :1], below[:, 1:] - below[:, :-1], 1 - below[:, 2:]], axis=1)
    m.y = ss.Categorical(m.p).observe(rng.integers(0, 4, 60))
    return m


@pytest.mark.parametrize("build", [almost_singular, kinked, far_away, in_the_tails, large_matrix, ordered_probit])
def test_rounding_is_no_disagreement(build):
    m = build()
    for seed in range(15):
        found = certificate_of(m, seed)
        assert found.ok, found


def test_rounding_excuses_no_lie():
    m = almost_singular()
    subject = subject_of(m.instance(), merge=True)
    truth = open_density(subject.program.text, to_json(subject.data), 1)
    lies = (
        lambda value, gradient, latents: (value, 1.5 * gradient),
        lambda value, gradient, latents: (value + latents["rho"], gradient),
    )
    for lie in lies:
        assert not certify(subject, subject.data, Lying(truth, lie), 1).ok


def equal_rows() -> ss.Model:
    m = ss.Model()
    m.group = ss.data(np.arange(200) % 4)
    m.a = ss.Normal(0, 1, shape=4)
    m.y = ss.BernoulliLogit(m.a[m.group]).observe(np.arange(200) % 3 == 0)
    return m


def test_where_rounding_could_hide_a_lie_the_next_point_is_asked(monkeypatch):
    """At the first point the derivative is less than what rounding may explain; the lie is plain at the second."""
    told = {1.0: certifying._Slopes((0.0, 1e-9), 0.0, 3.0), 2.0: certifying._Slopes((1.0, 2.0), 0.5, 1e-6)}
    monkeypatch.setattr(certifying, "_slopes_at", lambda witnesses, seen, seed: told[seen.size])
    points = [certifying.Seen(np.zeros(1), {}, 0.0, size, 0.0, np.zeros(1), 0.0) for size in told]
    assert certifying._compare_slopes(None, points, 0, 0.0) == ((1.0, 2.0), 0.5)


def test_merged_rows_are_compared_with_the_rows_as_written():
    fit = equal_rows().mcmc(engine="stanli", **SETTINGS)
    assert any("groups of equal predictors" in note for note in fit.notes)
    assert fit.certificate.ok


def test_merged_rows_that_are_wrong_are_noticed(monkeypatch):
    right = StanProgram.data
    monkeypatch.setattr(StanProgram, "data", lambda self, instance: _one_more(right(self, instance)))
    assert not certificate_of(equal_rows()).ok


def _one_more(data):
    counted = {name for name, value in data.items() if np.ndim(value) == 1 and np.max(value) > 10}
    assert counted
    return {name: value + 1 if name in counted else value for name, value in data.items()}


# -- engines that lie -----------------------------------------------------------------------------------
class Lying:
    """A density that is told otherwise than it is."""

    def __init__(self, truth, lie):
        self.truth, self.lie = truth, lie
        self.dimension, self.constrain = truth.dimension, truth.constrain

    def log_density_gradient(self, q):
        value, gradient = self.truth.log_density_gradient(q)
        return self.lie(value, gradient, self.constrain(q))


def without_the_first_school(value, gradient, latents):
    return value + 0.5 * ((EFFECTS[0] - latents["theta"][0]) / ERRORS[0]) ** 2, gradient


LIES = {
    "an element dropped": without_the_first_school,
    "a wrong gradient": lambda value, gradient, latents: (value, 1.001 * gradient),
    "NaN": lambda value, gradient, latents: (np.nan, gradient),
    "derivatives swapped": lambda value, gradient, latents: (value, gradient[[0, 1, 3, 2, *range(4, 10)]]),
    "errors that cancel": lambda value, gradient, latents: (value, gradient + np.tile([0.1, -0.1], 5)),
    "a slope of the density": lambda value, gradient, latents: (value + 1e-4 * latents["mu"], gradient),
}


@pytest.fixture(params=LIES)
def lying(request, monkeypatch):
    """Let the embedded engine lie about eight schools; the flat twin is asked as ever."""
    lie = LIES[request.param]
    monkeypatch.setattr(certified, "open_density", lambda *program: Lying(open_density(*program), lie))
    return request.param


@pytest.mark.parametrize("engine", ["stanli", "nutpie"])
def test_a_named_engine_that_lies_is_refused_with_both_numbers(lying, engine):
    with pytest.raises(ss.SamplingError, match=f"engine='{engine}' does not compute this model's density") as caught:
        eight_schools().mcmc(engine=engine, **SETTINGS)
    assert "SciPy" in str(caught.value)
    assert "engine='cmdstan'" in caught.value.remedy
    assert caught.value.__cause__ is None
    assert caught.value.place.file == __file__


def test_auto_goes_on_with_compiled_stan(lying, monkeypatch):
    ran = []

    def run(engine, request, executor):
        ran.append((engine, request))
        rng = np.random.default_rng(0)
        shapes = {"mu": (), "tau": (), "theta": (8,)}
        values = {name: np.abs(rng.normal(size=(4, 50, *shape))) for name, shape in shapes.items()}
        return Draws(Chains(values, {"diverging": np.zeros((4, 50), bool)}), engine, {}, {}, (1, 2, 3, 4))

    monkeypatch.setattr(running, "run_everywhere", run)
    fit = eight_schools().mcmc(draws=50, warmup=50, seed=3, progress=False, integrate=False)
    assert {engine for engine, _ in ran} == {"cmdstan"}
    assert fit.certificate is None
    assert any("stanli and nutpie were not used" in note for note in fit.notes)
    assert fit.why.startswith("cmdstan: the embedded engines do not compute")


def test_auto_without_compiled_stan_refuses(lying, monkeypatch):
    monkeypatch.setattr(asked, "engines_at_hand", lambda: ["stanli", "nutpie"])
    with pytest.raises(ss.SamplingError, match="engine='auto' does not compute this model's density"):
        eight_schools().mcmc(seed=3, progress=False, integrate=False)


def test_auto_tells_that_nothing_compiles(lying, monkeypatch):
    def run(engine, request, executor):
        raise ss.ToolchainError("there is no compiler.")

    monkeypatch.setattr(running, "run_everywhere", run)
    with pytest.raises(ss.SamplingError, match=r"does not compute(?s:.*)failed: there is no compiler"):
        eight_schools().mcmc(seed=3, progress=False, integrate=False)


@pytest.mark.slow
def test_auto_draws_by_compiled_stan(monkeypatch):
    monkeypatch.setattr(certified, "open_density", lambda *program: Lying(open_density(*program), LIES["NaN"]))
    fit = equal_rows().mcmc(draws=200, warmup=200, seed=3, progress=False)
    assert fit.engine == "cmdstan"
    assert fit.certificate is None
    assert not any("groups of equal predictors" in note for note in fit.notes)


FAULTY = """\
data { int<lower=0> N; array[N] int s; }
parameters { real<lower=0, upper=1> p; }
model {
  vector[N] w = rep_vector(0, N);
  for (n in 1:N) w[n] = s[n] > 0 ? log(p) : log1m(p);
  target += sum(w);
}
"""


def zeros_then_ones() -> ss.Model:
    m = ss.Model()
    m.p = ss.Uniform(0, 1)
    m.s = ss.Bernoulli(m.p).observe(np.repeat([0, 1], [5, 10]))
    return m


@pytest.mark.parametrize("opened", [open_density, lambda text, data, seed: StanDensity(text, data)], ids=["own", "nutpie's"])
def test_a_fault_of_stanli_on_these_data_is_caught(opened):
    """stanli 0.24 drops elements of a loop with a branch on data, whichever interface asks; a failure says it is gone."""
    m = zeros_then_ones()
    assert certificate_of(m).ok
    subject = subject_of(m.instance())
    faulty = opened(FAULTY, to_json({"N": 15, "s": np.repeat([0, 1], [5, 10])}), 1)
    wrong = certify(subject, subject.data, faulty, 1)
    assert not wrong.density_agrees
    assert "in stanli and by" in wrong.told_apart()


# -- points without a density ---------------------------------------------------------------------------
def test_points_where_both_say_zero_are_no_disagreement():
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.Uniform(0, m.a).observe([1.0])
    counted = [certificate_of(m, seed) for seed in range(5)]
    assert all(found.ok for found in counted)
    assert sum(found.zeros for found in counted) > 0


def test_a_density_that_is_zero_everywhere_is_left_to_the_run():
    m = ss.Model()
    m.a = ss.HalfNormal(1)
    m.y = ss.Bernoulli(0 * m.a).observe([1])
    found = certificate_of(m)
    assert found.ok
    assert found.zeros == certifying.MOST
    assert found.points.shape == (0, 1)


def test_an_engine_with_a_density_where_scipy_has_none_disagrees(monkeypatch):
    monkeypatch.setattr(JointDensity, "at_each", lambda self, points: [(-np.inf, 0.0)] * len(points))
    found = certificate_of(eight_schools())
    assert not found.ok
    assert found.apart == certifying.MOST
    assert "one of stanli and SciPy has a density, and the other none" in found.told_apart()


# -- what a fit holds -----------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["stanli", "nutpie", "auto"])
def test_a_fit_has_its_certificate(engine):
    fit = varying_intercepts().mcmc(engine=engine, **SETTINGS)
    assert fit.certificate.ok
    assert fit.certificate.points.shape == (3, fit.certificate.dimension)
    again = varying_intercepts().mcmc(engine=engine, **SETTINGS)
    assert replace(again.certificate, seconds=0) == replace(fit.certificate, seconds=0)


@pytest.mark.parametrize("ending", ["nc", "zarr"])
def test_it_is_saved_and_loaded(tmp_path, ending):
    pytest.importorskip({"nc": "h5netcdf", "zarr": "zarr"}[ending])
    fit = eight_schools().mcmc(engine="stanli", **SETTINGS)
    loaded = ss.load(fit.save(tmp_path / f"fit.{ending}"))
    assert loaded.certificate == fit.certificate
    np.testing.assert_array_equal(loaded.certificate.points, fit.certificate.points)


def test_chains_on_an_executor_are_certified_here():
    with ThreadPoolExecutor(2) as pool:
        fit = counts().mcmc(engine="stanli", executor=pool, **SETTINGS)
    assert fit.certificate.ok


def test_a_run_in_a_thread_without_a_tape_is_certified():
    found = []
    worker = threading.Thread(target=lambda: found.append(certificate_of(eight_schools())))
    worker.start()
    worker.join()
    assert found[0].ok
    assert replace(found[0], seconds=0) == replace(certificate_of(eight_schools()), seconds=0)


def test_it_is_read_as_a_table():
    found = certificate_of(logistic())
    assert repr(found).startswith("stanli computes the model's density: compared with SciPy at 3 points, in ")
    assert "log density, point 1" in repr(found)
    assert "<table>" in found._repr_html_()


def test_points_are_as_stan_starts():
    points = np.array([point_of(1, number, 50) for number in range(6)])
    assert 1.5 < np.abs(points[:3]).max() < 2
    assert 0.75 < np.abs(points[3:]).max() < 1
