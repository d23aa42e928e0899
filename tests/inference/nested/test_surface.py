"""`m.laplace()` as it is called: what it tells, refuses, and gives where it does not serve."""

import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.messages.sampling import ChainWarning
from tests.inference.nested.quadrature import grouped

pytest.importorskip("torch")

RUN = {"seed": 1, "draws": 200, "progress": False}


@pytest.fixture(scope="module")
def fit():
    return grouped("poisson").laplace(**RUN)


def two_modes() -> ss.Model:
    m = ss.Model("two_modes")
    m.mu = ss.Normal(0, 3, shape=2)
    m.y = ss.Normal(m.mu[0] * m.mu[1], 0.5).observe([2.0, 2.2, 1.9])
    return m


def test_it_says_what_was_done(fit):
    assert fit.engine == "torch"
    assert fit.method == "laplace"
    assert fit.why == "torch: `u` approximated by a normal given `tau`, group by group"
    assert "drawn again by their exact weight" in fit.notes[0]
    assert repr(fit.certificate).startswith("the draws stand for the posterior: Pareto k of ")
    assert fit.diagnose().ok
    assert fit.plan.engine == "torch"
    assert fit.settings["integrate"] == ["u"]


def test_a_fit_has_all_that_fits_have(fit):
    assert fit.shape == (1, 200)
    assert fit.log_likelihood["y"].shape == (1, 200, 48)
    assert fit.posterior_predictive["y"].shape == (1, 200, 48)
    assert list(fit.summary(var_names=["tau"]).index) == ["tau"]
    assert fit.predict(seed=1) is not None


def test_a_seed_repeats_it(fit):
    again = grouped("poisson").laplace(**RUN)
    assert np.array_equal(again.posterior["u"], fit.posterior["u"])


def test_its_certificate_is_saved(fit, tmp_path):
    loaded = ss.load(fit.save(tmp_path / "fit.nc"))
    assert loaded.certificate == fit.certificate
    assert loaded.diagnose().ok


def test_another_mode_is_told():
    with pytest.warns(ChainWarning, match="modes"):
        fit = two_modes().laplace(**RUN)
    assert not fit.certificate.ok
    assert fit.certificate.modes == 2
    hint = fit.diagnose().findings[0]
    assert hint.check == "modes"
    assert "m.mcmc()" in hint.suggestion


def test_another_mode_of_effects_is_told():
    m = ss.Model("signs")
    m.tau = ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=3)
    m.y = ss.Normal((m.u + 0.1) ** 2, 0.1).observe([1.0, 1.1, 0.9])
    with pytest.warns(ChainWarning, match="modes"):
        assert not m.laplace(**RUN).certificate.ok


def test_discrete_latents_are_summed_and_potentials_count():
    rng = np.random.default_rng(2)
    m = ss.Model("summed")
    m.mu = ss.Normal(0, 1, shape=2)
    m.order = ss.potential(-50 * ss.inv_logit(20 * (m.mu[0] - m.mu[1])))
    m.z = ss.Categorical([0.5, 0.5], shape=40)
    m.y = ss.Normal(3 * m.mu[m.z], 1.0).observe(rng.normal(np.repeat([-3.0, 3.0], 20), 1.0))
    fit = m.laplace(**RUN)
    assert fit.posterior["z"].shape == (1, 200, 40)
    assert fit.posterior["mu"][0, :, 0].max() < fit.posterior["mu"][0, :, 1].min()


def test_in_single_precision():
    fit = grouped("poisson").laplace(**RUN, dtype="float32")
    assert fit.certificate.ok


def test_weights_that_cannot_be_trusted_are_told():
    m = ss.Model("heavy")  # its posterior is Cauchy's distribution
    m.mu = ss.Flat()
    m.y = ss.Cauchy(m.mu, 1).observe([0.0])
    with pytest.warns(ChainWarning, match="Pareto k"):
        fit = m.laplace(seed=1, draws=500, progress=False)
    assert not fit.certificate.ok
    assert fit.certificate.pareto_k > 0.7
    assert not fit.certificate.corrected
    assert "cannot be trusted" in fit.notes[0]


def test_what_does_not_serve_can_be_sampled():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        fit = two_modes().laplace(seed=1, draws=100, progress=False, correct="mcmc")
    assert fit.method == "mcmc"
    assert "did not serve" in fit.notes[-1]


def test_the_approximation_as_it_is():
    fit = grouped("poisson").laplace(**RUN, correct=False)
    assert not fit.certificate.corrected
    assert fit.certificate.ok
    assert fit.notes[0] == "the draws are those of the approximation"


def test_starts_may_be_given(fit):
    other = grouped("poisson").laplace(**RUN, inits=fit)
    assert other.certificate.ok
    assert grouped("poisson").laplace(**RUN, inits={"tau": 0.5}).certificate.ok


def test_stans_own_is_there_by_name():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        fit = grouped("poisson").laplace(**RUN, engine="stanli")
    assert fit.engine == "stanli"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"engine": "stanli", "integrate": "u"}, "`integrate` of `m.laplace"),
        ({"correct": "perhaps"}, "`correct` of `m.laplace"),
        ({"integrate": "reml"}, "`integrate` of `m.laplace"),
        ({"integrate": "tau"}, "`tau` cannot be integrated out"),
        ({"integrate": "nope"}, "no latent of the model"),
        ({"device": "cuda"}, "cannot be used"),
        ({"engine": "torch", "jacobian": False}, "no option `jacobian`"),
        ({"draws": 0}, "draws"),
    ],
)
def test_what_cannot_be_is_refused(given, message):
    with pytest.raises(ss.ScistanError, match=message):
        grouped("poisson").laplace(**{**RUN, **given})


def test_without_torch_stan_does_it_and_says_so(monkeypatch):
    monkeypatch.setenv("SCISTAN_DISABLE", "torch")
    m = ss.Model("one")
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 1).observe([1.0, 2.0])
    with pytest.warns(ChainWarning, match="one normal at the mode"):
        fit = m.laplace(**RUN)
    assert fit.engine == "stanli"
    with pytest.raises(ss.ScistanError, match="SCISTAN_DISABLE"):
        m.laplace(**RUN, engine="torch")


def test_a_warning_is_at_the_users_line():
    with pytest.warns(ChainWarning) as told:
        two_modes().laplace(**RUN)
    assert told[0].filename == __file__
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        grouped("poisson").laplace(**RUN, engine="stanli")
    assert {one.filename for one in told} <= {__file__}


@pytest.mark.parametrize("option", ["correct", "integrate", "engine", "jacobian", "device", "inits"])
def test_arrays_as_options_are_refused_in_words(option):
    with pytest.raises(ss.ScistanError, match="try: "):
        grouped("poisson").laplace(**RUN, **{option: np.array(["a", "b"])})
