"""Stan's approximations on stanli: the structures that are guessed from outside, the numbers, seeds, interrupts, errors."""

from __future__ import annotations

import ctypes
import signal
import threading
import warnings
from importlib.util import find_spec

import numpy as np
import pytest

import scistan as ss
from scistan.engines import stanli_methods, stanli_structures
from scistan.engines.loading import load_stanli
from scistan.engines.registry import ENGINES
from scistan.messages.packages import OtherSurfaceError
from scistan.messages.sampling import ChainWarning

METHODS = sorted(ENGINES["stanli"].methods)
# What stops only where the lower bound has settled: near the best approximation of its family.
SETTLED = {"variational": {"grad_samples": 10, "tol_rel_obj": 1e-3, "algorithm": "fullrank"}}


def correlated() -> ss.Model:
    """Give a posterior that is known: means 1 and -2, deviations 1, correlation 0.8, and an unknown scale."""
    m = ss.Model("correlated")
    m.a = ss.Normal(1, 1)
    m.b = ss.Normal(-2 + 0.8 * (m.a - 1), 0.6, centred=True)
    m.s = ss.LogNormal(0, 0.5)
    return m


@pytest.mark.parametrize("method", METHODS)
def test_structures_are_laid_out_as_the_library_has_them(method):
    options = stanli_structures.structure_for(method)
    assert options.seed == 1


@pytest.mark.parametrize("method", METHODS)
def test_a_structure_with_a_field_too_many_is_refused(method, monkeypatch):
    kind, defaults = stanli_structures._DEFAULTS[method]

    class Longer(ctypes.Structure):
        _fields_ = (("seed", ctypes.c_uint32), ("new", ctypes.c_int), *kind._fields_[1:])

    monkeypatch.setitem(stanli_structures._DEFAULTS, method, (Longer, defaults))
    with pytest.raises(OtherSurfaceError, match="stanli"):
        stanli_structures.structure_for(method)


def test_another_version_of_the_interface_is_refused(monkeypatch):
    monkeypatch.setattr(stanli_structures, "ABI", load_stanli()._lib.stanli_abi_version() + 1)
    with pytest.raises(OtherSurfaceError):
        stanli_structures.structure_for("laplace")


@pytest.mark.parametrize("method", METHODS)
def test_a_known_posterior_is_found(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        fit = getattr(correlated(), method)(draws=4000, seed=11, engine="stanli", progress=False, **SETTLED.get(method, {}))
    a, b, s = (np.asarray(fit.posterior[name]).ravel() for name in ("a", "b", "s"))
    # Laplace draws are independent; resampled ones repeat; ADVI's optimum is noisy, as its authors say.
    error = {"laplace": 5 / np.sqrt(4000), "pathfinder": 10 / np.sqrt(4000), "variational": 0.15}[method]
    assert abs(a.mean() - 1) < error
    assert abs(b.mean() + 2) < error
    assert abs(a.std() - 1) < error
    assert abs(b.std() - 1) < error
    assert abs(np.corrcoef(a, b)[0, 1] - 0.8) < error
    assert abs(np.log(s).mean()) < error
    assert abs(np.log(s).std() - 0.5) < error
    assert fit.engine == "stanli"
    assert fit.certificate is not None
    assert fit.certificate.ok


@pytest.mark.parametrize("method", METHODS)
def test_densities_are_the_models_with_all_constants_and_the_jacobian(method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        fit = getattr(correlated(), method)(draws=50, seed=2, engine="stanli", progress=False)
    names = ("a", "b", "s")
    for k in range(0, 50, 10):
        at = {name: fit.posterior[name][0, k] for name in names}
        jacobian = np.log(at["s"])
        assert fit.draws.statistics["lp"][0, k] == pytest.approx(correlated().log_density(at) + jacobian, rel=1e-9)


def test_the_laplace_approximation_of_a_normal_is_exact():
    """There the two densities differ by one number, up to the error of Stan's finite differences."""
    m = ss.Model("normal")
    m.x = ss.Normal([1.0, -3.0, 8.0], [1.0, 0.1, 20.0])
    fit = m.laplace(draws=500, seed=1, engine="stanli", progress=False)
    apart = fit.draws.statistics["lp"] - fit.draws.statistics["lp_approx"]
    assert np.ptp(apart) < 1e-3


@pytest.mark.parametrize("method", METHODS)
def test_auto_takes_the_embedded_engine_and_a_seed_its_draws(method):
    def of(seed, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ChainWarning)
            return getattr(correlated(), method)(draws=40, seed=seed, progress=False, **options)

    first = of(5)
    expected = "torch" if method == "laplace" and find_spec("torch") else "stanli"  # SciStan's own, where it can be
    assert first.engine == expected
    np.testing.assert_array_equal(of(5, engine=expected).posterior["a"], first.posterior["a"])
    assert not np.isin(of(6).posterior["a"], first.posterior["a"]).any()


@pytest.mark.parametrize("paths", [1, 2])
@pytest.mark.parametrize("resample", [True, False])
def test_as_many_draws_as_were_asked_for(paths, resample):
    for draws in (7, 1500):
        fit = correlated().pathfinder(draws=draws, seed=1, num_paths=paths, psis_resample=resample, progress=False)
        assert fit.posterior["a"].shape == (1, draws)


def test_paths_are_weighed_by_their_importance():
    """Two peaks, one holding a tenth of the mass: paths that end there must not count as much as the others."""
    rare = 0.1
    m = ss.Model("peaks")
    m.x = ss.Flat()
    m.y = ss.Normal(0, 1).observe(0.0)
    density = ss.logsumexp(
        ss.stack([np.log(rare) - 0.5 * ((m.x + 1.5) / 0.3) ** 2, np.log(1 - rare) - 0.5 * ((m.x - 1.5) / 0.3) ** 2])
    )
    m.z = ss.Exponential(ss.exp(density)).observe(1e-12)  # its log density is `density`, and a term that is nothing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        fit = m.pathfinder(draws=4000, seed=3, num_paths=12, progress=False)
    left = (np.asarray(fit.posterior["x"]) < 0).mean()
    # Each path's weights are by its own approximation, so the peaks count by how many paths found them times their mass.
    assert 0 < left < 0.35


def test_what_an_option_or_engine_lacks_is_said():
    with pytest.raises(ss.UnsupportedError, match="is a sampler: it has no pathfinder"):
        correlated().pathfinder(engine="nutpie")
    with pytest.raises(ss.ModelError, match=r"no option `jacobian`(?s:.*)'cmdstan' has it"):
        correlated().laplace(engine="stanli", jacobian=False)
    with pytest.raises(ss.ModelError, match="there is no engine 'stan'"):
        correlated().laplace(engine="stan")
    assert correlated().laplace(draws=20, seed=1, jacobian=True, engine="stanli", progress=False).engine == "stanli"


def test_a_search_that_ends_too_early_says_so():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        fit = correlated().variational(draws=50, seed=1, iter=60, engine="stanli", progress=False)
    assert any("last iteration" in note for note in fit.notes)


def test_a_method_that_fails_is_told_in_the_users_terms():
    m = ss.Model("nowhere")
    m.a = ss.Uniform(0, 1)
    m.y = ss.Uniform(0, m.a).observe(3.0)
    with pytest.raises(ss.SamplingError, match="outside the support"):
        m.pathfinder(draws=10, seed=1, engine="stanli", progress=False)


def test_in_another_thread_it_is_refused_by_name():
    """stanli's tape belongs to the thread that loaded it: there, and not elsewhere, it may run."""
    load_stanli()
    said = []

    def call():
        try:
            correlated().laplace(draws=10, seed=1, engine="stanli", progress=False)
        except ss.UnsupportedError as error:
            said.append(str(error))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert "in the thread that loaded it only" in said[0]


def test_an_interrupt_ends_it():
    """The library asks about every tenth of a second; ADVI that can never settle would run for minutes."""
    timer = threading.Timer(0.7, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            correlated().variational(
                draws=10, seed=1, iter=2_000_000, tol_rel_obj=1e-12, grad_samples=100, engine="stanli", progress=False
            )
    finally:
        timer.cancel()


def test_an_engine_that_is_wrong_is_replaced_aloud(monkeypatch):
    """The next engine is the compiled one, whose run is not the matter here: what it was asked for is."""
    from scistan.inference import approximate as driver

    asked = []

    def refuse(engine, subject, request):
        raise driver.messages.engine_disagrees(engine, "it says 1 and SciPy 2")

    def compiled(engine, subject, request):
        asked.append(engine)
        return driver._Ran(stanli_methods.approximate(request))

    monkeypatch.setattr(driver, "_embedded", refuse)
    monkeypatch.setattr(driver, "_compiled", compiled)
    with pytest.warns(ChainWarning, match="stanli was replaced by cmdstan(?s:.*)it says 1 and SciPy 2"):
        fit = correlated().pathfinder(draws=20, seed=1, progress=False)
    assert asked == ["cmdstan"]
    assert any("stanli was replaced by cmdstan" in note for note in fit.notes)
    with pytest.raises(ss.SamplingError, match="it says 1 and SciPy 2"):
        correlated().laplace(draws=20, seed=1, progress=False, engine="stanli")


@pytest.mark.parametrize("method", METHODS)
def test_simplexes_matrices_and_derived_quantities_have_their_shapes(method):
    rng = np.random.default_rng(1)
    m = ss.Model("kinds")
    m.p = ss.Dirichlet(np.ones(3))
    m.chol = ss.LKJCholesky(2, 1.0)
    m.k = ss.Categorical(m.p).observe(rng.integers(0, 3, 30))
    m.y = ss.MultivariateNormal(np.zeros(2), chol=m.chol, shape=20).observe(rng.normal(size=(20, 2)))
    m.twice = 2 * m.p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        fit = getattr(m, method)(draws=50, seed=1, progress=False, engine="stanli")
    assert fit.posterior["p"].shape == (1, 50, 3)
    assert fit.posterior["chol"].shape == (1, 50, 2, 2)
    np.testing.assert_allclose(fit.posterior["p"].sum(-1), 1.0)
    np.testing.assert_allclose(fit.posterior["twice"], 2 * fit.posterior["p"])


@pytest.mark.parametrize("engine", [None, 3, ["stanli"], np.array(["stanli", "auto"]), "jags"], ids=str)
def test_an_engine_is_a_name_that_is_known(engine):
    with pytest.raises(ss.ModelError, match="there is no engine"):
        correlated().laplace(engine=engine)


def test_options_may_be_numbers_of_numpy():
    options = {"iter": np.int64(200), "eta": np.float64(1.0), "adapt_engaged": np.False_, "grad_samples": np.int32(2)}
    plain = {"iter": 200, "eta": 1.0, "adapt_engaged": False, "grad_samples": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainWarning)
        run = [correlated().variational(draws=20, seed=1, progress=False, **given) for given in (options, plain)]
    np.testing.assert_array_equal(*(fit.posterior["a"] for fit in run))


def test_options_of_laplace_that_the_embedded_engine_lacks_ask_for_the_compiled_one(monkeypatch):
    from scistan.engines.options import engines_for_method

    assert engines_for_method("auto", "laplace", {}) == ["stanli", "cmdstan"]
    assert engines_for_method("auto", "laplace", {"jacobian": True, "opt_args": None}) == ["stanli", "cmdstan"]
    assert engines_for_method("auto", "laplace", {"jacobian": False}) == ["cmdstan"]
    monkeypatch.setattr("scistan.engines.declaration.find_spec", lambda name: None if name == "cmdstanpy" else name)
    with pytest.raises(ss.UnsupportedError, match="cmdstanpy not installed"):
        engines_for_method("auto", "laplace", {"jacobian": False})
    assert engines_for_method("auto", "laplace", {}) == ["stanli"]
