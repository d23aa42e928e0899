"""`engine="jax"`: blackjax's chains on JAX's density give Stan's posterior, and the run is one like any other."""

from __future__ import annotations

import numpy as np
import pytest

import scistan as ss
from tests.zoo import counts, eight_schools

pytest.importorskip("jax", reason="JAX is not installed")
pytest.importorskip("blackjax", reason="blackjax is not installed")

pytestmark = pytest.mark.slow
STATISTICS = {"lp", "acceptance_rate", "step_size", "tree_depth", "n_steps", "diverging", "energy"}


@pytest.fixture(scope="module")
def fit():
    options = {"adapt_delta": 0.95, "save_warmup": True, "progress": False}
    return eight_schools().mcmc(engine="jax", draws=600, warmup=400, chains=4, seed=3, **options)


def test_the_posterior_is_stans(fit):
    by_stan = eight_schools().mcmc(engine="stanli", draws=1000, chains=4, seed=1, progress=False)
    ours, stans = fit.summary(), by_stan.summary()
    for name in ours.index:
        error = np.hypot(ours.loc[name, "mcse_mean"], stans.loc[name, "mcse_mean"])
        assert abs(ours.loc[name, "mean"] - stans.loc[name, "mean"]) < 5 * error, name


def test_it_is_certified_and_healthy(fit):
    assert fit.certificate.ok
    assert fit.certificate.engine == "jax"
    assert fit.diagnose().ok, fit.diagnose()


def test_statistics_have_their_usual_names_and_kinds(fit):
    kept = fit.draws.statistics
    assert set(kept) == STATISTICS
    assert {array.shape for array in kept.values()} == {(4, 600)}
    assert kept["diverging"].dtype == bool
    assert kept["n_steps"].dtype == kept["tree_depth"].dtype == np.int64
    assert (kept["tree_depth"] == np.floor(np.log2(kept["n_steps"] + 1))).all()
    assert (kept["step_size"] == kept["step_size"][:, :1]).all()  # adapted no more
    assert len(set(fit.draws.warmup.statistics["step_size"][0])) > 100
    assert fit.draws.warmup.shape == (4, 400)
    assert kept["acceptance_rate"].mean() == pytest.approx(0.95, abs=0.05)
    assert set(fit.draws.versions) == {"jax", "blackjax"}


def test_lp_is_the_density_of_the_draw(fit):
    density = eight_schools().to_jax()
    for k in (0, 17):
        q = density.unconstrain({name: fit.posterior[name][1, k] for name in density.names})
        assert float(density.log_density(q)) == pytest.approx(float(fit.draws.statistics["lp"][1, k]), rel=1e-9)


@pytest.mark.long  # each run is compiled anew
def test_a_seed_gives_the_same_draws_and_another_seed_others():
    draws = [
        counts().mcmc(engine="jax", draws=20, warmup=30, chains=2, seed=seed, progress=False).draws for seed in (1, 1, 2)
    ]
    first, again, other = (d.values for d in draws)
    assert all((first[name] == again[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)


def test_what_it_cannot_do_is_said():
    from concurrent.futures import ProcessPoolExecutor

    with pytest.raises(ss.ModelError, match="thin"):
        counts().mcmc(engine="jax", thin=2, progress=False)
    with ProcessPoolExecutor(1) as pool, pytest.raises(ss.ScistanError, match="runs the model as it is in this process"):
        counts().mcmc(engine="jax", draws=5, warmup=5, chains=1, executor=pool, progress=False)


def test_starting_values_are_where_chains_begin():
    from scistan.engines.encoding import to_json
    from scistan.engines.jax_engine import _given

    density = eight_schools().to_jax()
    values = {"mu": np.array(1.5), "tau": np.array(2.0), "theta": np.linspace(-1, 3, 8)}
    (start,) = _given(density, (to_json(values),))
    np.testing.assert_allclose(start, np.r_[1.5, np.log(2.0), (np.linspace(-1, 3, 8) - 1.5) / 2.0], rtol=1e-12)


@pytest.mark.long
def test_inits_and_threads():
    from concurrent.futures import ThreadPoolExecutor

    options = {"draws": 50, "warmup": 1, "chains": 2, "seed": 1, "step_size": 1e-9, "max_treedepth": 1, "progress": False}
    begun = {"mu": 1.5, "tau": 2.0, "theta": np.linspace(-1, 3, 8)}
    fit = eight_schools().mcmc(engine="jax", inits=begun, **options)
    np.testing.assert_allclose(fit.posterior["mu"][:, 0], 1.5, atol=0.5)
    with ThreadPoolExecutor(2) as pool:
        found = eight_schools().mcmc(engine="jax", draws=400, warmup=400, chains=2, seed=1, executor=pool, progress=False)
    assert found.certificate.ok
    assert found.posterior["mu"].shape == (2, 400)


@pytest.mark.long
def test_calibration_compiles_once(monkeypatch):
    from scistan.engines import jax_nuts

    made, real = [], jax_nuts._functions
    monkeypatch.setattr(jax_nuts, "_functions", lambda *args: made.append(1) or real(*args))
    m = ss.Model("line")
    m.a, m.s = ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Normal(m.a, m.s).observe(np.zeros(8))
    found = m.sbc(20, engine="jax", draws=100, warmup=200, chains=1, seed=1, progress=False)
    assert len(made) == 1
    assert found.ok, found


def test_auto_never_takes_it_unasked():
    from scistan.engines.registry import ENGINES

    assert ENGINES["jax"].preference is None


def test_a_model_without_a_start_names_its_term():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(0, ss.sqrt(-1.0 - ss.exp(m.a))).observe([1.0, 2.0])
    with pytest.raises(ss.ScistanError, match="y"):
        m.mcmc(engine="jax", draws=5, warmup=5, chains=1, seed=1, progress=False)
