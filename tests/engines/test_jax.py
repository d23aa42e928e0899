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
    from concurrent.futures import ThreadPoolExecutor

    with pytest.raises(ss.ModelError, match="takes no `inits`"):
        counts().mcmc(engine="jax", inits="prior", progress=False)
    with pytest.raises(ss.ModelError, match="thin"):
        counts().mcmc(engine="jax", thin=2, progress=False)
    with ThreadPoolExecutor(1) as pool, pytest.raises(ss.ScistanError, match="runs the model as it is in this process"):
        counts().mcmc(engine="jax", draws=5, warmup=5, chains=1, executor=pool, progress=False)


def test_auto_never_takes_it_unasked():
    from scistan.engines.registry import ENGINES

    assert ENGINES["jax"].preference is None


def test_a_model_without_a_start_names_its_term():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(0, ss.sqrt(-1.0 - ss.exp(m.a))).observe([1.0, 2.0])
    with pytest.raises(ss.ScistanError, match="y"):
        m.mcmc(engine="jax", draws=5, warmup=5, chains=1, seed=1, progress=False)
