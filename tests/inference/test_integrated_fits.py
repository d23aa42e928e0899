"""`m.mcmc(integrate=…)`: the same posterior with fewer numbers sampled, everything given back, and told."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics.statistics import bulk_ess
from scistan.graph.instance import Instance
from scistan.inference import sample
from scistan.inference.arviz_data import dataset_names
from scistan.inference.asked import Asked
from scistan.inference.certify import certify_lowered
from scistan.inference.integrate import integrated
from scistan.inference.integrated import IntegratedDensity
from scistan.inference.prepare import Prepared
from scistan.inference.run import Outcome
from scistan.inference.work import coordinates
from scistan.messages.sampling import ChainWarning
from scistan.passes.integrate import normal
from scistan.surface import version_of
from tests.passes.integrate.forms import FORMS

RUN = {"seed": 1, "draws": 500, "warmup": 500, "chains": 4, "progress": False}
# Forms of each kind of algebra; the long run has all of them.
SAMPLE = ["correlated_slopes", "local_level"]


def mixed(groups: int = 6) -> ss.Model:
    rng = np.random.default_rng(3)
    group, x = rng.integers(0, groups, 60), rng.normal(size=60)
    m = ss.Model("mixed", coords={"group": [f"g{k}" for k in range(groups)]})
    m.x, m.g = ss.data(x), ss.data(group)
    m.a, m.b, m.tau, m.s = ss.Normal(0, 5), ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(m.a, m.tau, dims="group")
    m.mean = m.u[m.g] + m.b * m.x
    m.y = ss.Normal(m.mean, m.s).observe(1 + 0.5 * x + rng.normal(0, 0.7, groups)[group] + rng.normal(size=60))
    return m


@pytest.fixture(scope="module")
def fit() -> ss.Fit:
    return mixed().mcmc(**RUN)


def check_same(one: ss.Fit, other: ss.Fit) -> None:
    """Means and sds of all latents agree within Monte Carlo error, at a level of 1e-6 for each form."""
    for name in one.posterior:
        a, b = (fit.posterior[name].reshape(*fit.shape, -1) for fit in (one, other))
        for k in range(a.shape[-1]):
            x, y = a[..., k], b[..., k]
            if np.ptp(x) < 1e-12:
                continue
            error = np.sqrt(x.var() / bulk_ess(x) + y.var() / bulk_ess(y))
            assert abs(x.mean() - y.mean()) < 6 * error, (name, k)
            spread = [np.abs(z - z.mean()) for z in (x, y)]
            error = np.sqrt(sum(z.var() / bulk_ess(z) for z in spread))
            assert abs(spread[0].mean() - spread[1].mean()) < 6 * error, (name, k)


@pytest.mark.parametrize("name", [*SAMPLE, *(pytest.param(n, marks=pytest.mark.long) for n in FORMS if n not in SAMPLE)])
def test_the_posterior_is_that_of_the_whole_model(name: str) -> None:
    m = FORMS[name].build(np.random.default_rng(1))
    one = m.mcmc(**RUN, integrate=True)
    assert {n for n in one.posterior if n in one.subject.latents} == set(FORMS[name].left)
    assert one.certificate.ok
    other = m.mcmc(**{**RUN, "draws": 1000, "warmup": 1000}, adapt_delta=0.95, engine="nutpie", integrate=False)
    check_same(one, other)


def test_nothing_is_missing(fit: ss.Fit) -> None:
    assert fit.posterior["u"].shape == (4, 500, 6)
    assert list(fit["u"].coords["group"].values) == [f"g{k}" for k in range(6)]
    data = mixed().stan_data()
    expected = fit.posterior["u"][..., np.asarray(data["g"]) - 1] + fit.posterior["b"][..., None] * data["x"]
    np.testing.assert_allclose(fit.posterior["mean"], expected)
    assert set(dataset_names(fit.idata)) >= {"posterior", "posterior_predictive", "log_likelihood", "log_prior"}
    assert fit.certificate.ok
    assert fit.diagnose().ok
    assert fit.plan.integrated == ("a", "b", "u")
    (told,) = [note for note in fit.notes if "integrated out" in note]
    assert "a, b, u (6)" in told
    assert "2 numbers" in told
    assert fit.predict({"x": [0.0], "g": [2]}).predictions["y"].shape == (4, 500, 1)


def test_log_likelihood_and_prior_are_those_of_the_model_as_written(fit: ss.Fit) -> None:
    """Per row, given the effects: as if they had been sampled."""
    values = {name: fit.posterior[name][1, 7] for name in ("a", "b", "tau", "s", "u")}
    m = mixed()
    joint = m.log_density(values)
    total = fit.log_likelihood["y"].values[1, 7].sum() + fit.group("log_prior")["log_prior"].values[1, 7]
    assert total == pytest.approx(joint, rel=1e-12)


def test_the_switch(fit: ss.Fit) -> None:
    m = mixed()
    short = {**RUN, "draws": 20, "warmup": 50, "chains": 1}
    assert m.mcmc(**short, integrate=False).plan.integrated == ()
    assert set(m.mcmc(**short, integrate=["u"]).plan.integrated) == {"u"}
    again = m.mcmc(plan=fit.plan, seed=fit.seed, progress=False)
    for name in fit.posterior:
        np.testing.assert_array_equal(again.posterior[name], fit.posterior[name])
    with pytest.raises(ss.ModelError, match="`s` cannot be integrated out exactly"):
        m.mcmc(**short, integrate=["s"])
    with pytest.raises(ss.ModelError, match="'nope', which is no latent of this model"):
        m.mcmc(**short, integrate="nope")
    with pytest.raises(ss.ModelError, match="`integrate` is 3"):
        m.mcmc(**short, integrate=3)


def test_starts_of_what_is_not_sampled_are_not_needed(fit: ss.Fit) -> None:
    again = mixed().mcmc(**{**RUN, "draws": 50, "chains": 2}, inits=fit)
    assert again.plan.integrated == ("a", "b", "u")
    given = {"u": np.zeros(6), "tau": 0.5, "s": 2.0}
    still = {"step_size": 1e-9, "adapt_engaged": False, "max_treedepth": 1}
    first = mixed().mcmc(1, 0, chains=1, seed=1, engine="stanli", progress=False, inits=given, **still)
    assert first.plan.integrated == ("a", "b", "u")
    assert (first.posterior["tau"][0, 0], first.posterior["s"][0, 0]) == pytest.approx((0.5, 2.0), rel=1e-5)


def test_it_is_told_before(fit: ss.Fit) -> None:
    told = str(mixed().explain())
    assert "integrated: a, b, u (6), in 6 groups" in told


def test_a_saved_fit_is_a_fit(fit: ss.Fit, tmp_path) -> None:  # type: ignore[no-untyped-def]
    fit.save(tmp_path / "fit.nc")
    again = ss.load(tmp_path / "fit.nc")
    np.testing.assert_array_equal(again.posterior["u"], fit.posterior["u"])
    assert again.predict({"x": [0.0], "g": [2]}).predictions["y"].shape == (4, 500, 1)


def test_leaving_one_out_looks_at_all_latents(fit: ss.Fit) -> None:
    whole = mixed().mcmc(**RUN, integrate=False)
    name = "elpd_loo" if version_of("arviz").startswith("0.") else "elpd"
    one, other = (float(getattr(found.loo(), name)) for found in (fit, whole))
    assert abs(one - other) < 0.5  # standard errors of a few tenths, by 2,000 draws


def test_a_single_number_is_not_sampled_alone() -> None:
    for name in ("eight_schools", "regression", "flat_regression"):
        m = FORMS[name].build(np.random.default_rng(0))
        assert coordinates(integrated(m.instance(), True)) == 1
        assert coordinates(integrated(m.instance(), "auto")) > 1


def test_what_all_can_be_integrated_is_still_sampled() -> None:
    m = ss.Model()
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.b, 1.0).observe([1.0, 2.0])
    fit = m.mcmc(**{**RUN, "draws": 50, "chains": 1}, integrate=True)
    assert fit.plan.integrated == ()


def test_a_form_that_is_refuted_is_left_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """A density that is wrong by a function of what is sampled: the certificate sees it, all latents are sampled."""
    real = normal.log_marginal
    monkeypatch.setattr(normal, "log_marginal", lambda form, structure: 1.001 * real(form, structure))
    with pytest.warns(ChainWarning, match="sampled with all its latents: with some integrated out, "):
        fit = mixed().mcmc(**RUN)
    assert fit.plan.integrated == ()
    assert fit.certificate.ok
    assert "sampled with all its latents" in fit.notes[0]


class Rounded:
    """The density of a model of positive numbers, wrong by noise as rounding makes it; or the Jacobian alone."""

    def __init__(self, instance: Instance, noise: float, whole: bool = True) -> None:
        self._instance, self._noise, self._whole = instance, noise, whole
        self._exact = IntegratedDensity(instance)
        self.dimension = coordinates(instance)

    def constrain(self, q: np.ndarray) -> dict[str, np.ndarray]:
        return {t.name: np.exp(x) for t, x in zip(self._instance.graph.latents, q, strict=True)}

    def log_density_gradient(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        if not self._whole:
            return float(q.sum()), np.ones(len(q))
        steps = 1e-4 * np.eye(len(q))
        slopes = [(self._at(q + step) - self._at(q - step)) / 2e-4 for step in steps]
        return self._at(q) + self._noise * np.sin(1e14 * q.sum()), np.array(slopes)

    def _at(self, q: np.ndarray) -> float:
        point = {t.value: np.exp(x) for t, x in zip(self._instance.graph.latents, q, strict=True)}
        return float(self._exact.at_each([point])[0][0] + q.sum())


@pytest.mark.parametrize(("noise", "ok"), [(1e-4, True), (0.5, False)])
def test_rounding_excuses_no_density_without_digits(noise: float, ok: bool) -> None:
    """All latents could be sampled instead."""
    subject = SimpleNamespace(instance=integrated(mixed().instance(), True))
    density, jacobian = (Rounded(subject.instance, noise, whole) for whole in (True, False))
    found = certify_lowered(subject, density, jacobian, 1, "rounded")  # type: ignore[arg-type]
    assert found.ok == ok


def test_a_form_that_cannot_be_run_is_left_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    real = sample._run

    def run(asked: Asked, prepared: Prepared, refuted: str) -> Outcome:
        if prepared.subject.instance.integrated:
            raise ss.SamplingError("every start was rejected")
        return real(asked, prepared, refuted)

    monkeypatch.setattr(sample, "_run", run)
    with pytest.warns(ChainWarning, match=r"no chain could be run \(every start was rejected\)"):
        fit = mixed().mcmc(**RUN, adapt_delta=0.9)  # which is for NUTS
    assert fit.posterior["u"].shape == (4, 500, 6)
    assert fit.plan.integrated == ()


def test_jax_samples_the_same_form() -> None:
    pytest.importorskip("jax")
    fit = mixed().mcmc(**{**RUN, "draws": 200, "warmup": 200, "chains": 2}, engine="jax")
    assert fit.plan.integrated == ("a", "b", "u")
    assert fit.certificate.ok


@pytest.mark.long
@pytest.mark.slow
def test_a_compiled_program_is_integrated_where_it_is_asked_for() -> None:
    short = {**RUN, "draws": 100, "warmup": 100, "chains": 1}
    assert mixed().mcmc(**short, engine="cmdstan").plan.integrated == ()
    assert mixed().mcmc(**short, engine="cmdstan", integrate=True).plan.integrated == ("a", "b", "u")
