"""The numbers of every engine and method: what was asked for beside them, starts and seeds, decides nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from scistan.engines.options import settings_for
from scistan.engines.registry import ENGINES, run_request
from scistan.errors import ModelError
from tests.engines.support import request
from tests.zoo import eight_schools, two_peaks

METHODS = ("pathfinder", "laplace", "variational")
COMPILED = {"cmdstan": pytest.param("cmdstan", marks=pytest.mark.slow)}
APPROXIMATING = [COMPILED.get(name, name) for name, engine in ENGINES.items() if engine.methods]
# What runs no Stan program takes no request for one: tests/engines/test_jax.py has its draws.
EVERY = [COMPILED.get(name, name) for name, engine in ENGINES.items() if not engine.lowering]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def drawn(engine: str, **settings: object) -> dict[str, np.ndarray]:
    """Run a short chain or two."""
    found = run_request(engine, request(eight_schools(), **{"draws": 40, "warmup": 60, **settings}))
    return {"lp": found.statistics["lp"], **found.values}


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in ("mu", "tau", "theta", "lp"))


@pytest.mark.parametrize("engine", EVERY)
def test_kept_draws_do_not_depend_on_whether_the_warm_up_is_kept(engine):
    plain = run_request(engine, request(eight_schools(), draws=40, warmup=60))
    more = run_request(engine, request(eight_schools(), draws=40, warmup=60, options={"save_warmup": True}))
    assert plain.warmup is None
    assert more.warmup is not None
    assert more.warmup.shape == (2, 60)
    # After it: a chain may stay where it was when the warm-up ended, for a draw or two.
    assert np.isin(more.values["mu"], more.warmup.values["mu"]).mean() < 0.1
    for name, values in plain.values.items():
        np.testing.assert_array_equal(more.values[name], values)
    for name, values in plain.statistics.items():
        np.testing.assert_array_equal(more.statistics[name], values)


@pytest.mark.parametrize("engine", EVERY)
def test_a_seed_gives_its_draws_and_no_others(engine):
    first = drawn(engine, seed=3)
    assert same(first, drawn(engine, seed=3))
    assert not np.isin(drawn(engine, seed=4)["mu"], first["mu"]).any()
    assert not np.isin(first["mu"][0], first["mu"][1]).any(), "chains have numbers of their own"


@pytest.mark.parametrize("engine", EVERY)
def test_each_chain_starts_where_it_was_told(engine):
    tiny = {"step_size": 1e-9, "adapt_engaged": False, "max_treedepth": 1}
    try:
        settings_for(engine, tiny)
    except ModelError:
        pytest.skip("it draws its own starting points, and says so")
    starts = [{"mu": 1.0 + k, "tau": 2.0 + k, "theta": np.arange(8.0) * (k - 1)} for k in range(3)]
    found = eight_schools().mcmc(1, 0, engine=engine, inits=starts, chains=3, seed=1, progress=False, **tiny)
    for name in starts[0]:
        np.testing.assert_allclose(found.posterior[name][:, 0], [start[name] for start in starts], atol=1e-6)


@pytest.mark.parametrize("engine", APPROXIMATING)
@pytest.mark.parametrize("method", METHODS)
def test_a_methods_seed_gives_its_draws_and_no_others(method, engine):
    def of(seed: int) -> np.ndarray:
        found = getattr(eight_schools(), method)(draws=30, seed=seed, progress=False, engine=engine)
        return np.asarray(found.posterior["mu"])

    first = of(3)
    np.testing.assert_array_equal(of(3), first)
    assert not np.isin(of(4), first).any()


STILL = {"adapt_engaged": False, "eta": 1e-9, "iter": 10}  # a search that does not leave its start


@pytest.mark.parametrize("engine", APPROXIMATING)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_starts_where_it_was_told(method, engine):
    """Two go to the peak beside their start; the third would leave it, and is held: draws of unit scale around it."""
    options = STILL if method == "variational" else {}
    for peak in (2, -2):
        start = {"mu": peak + 0.1, "sigma": 0.2}
        found = getattr(two_peaks(), method)(draws=100, seed=1, inits=start, progress=False, engine=engine, **options)
        assert found.posterior["mu"].mean() == pytest.approx(peak, abs=5 / np.sqrt(100))


def test_an_estimate_starts_where_it_was_told():
    for peak in (2, -2):
        found = two_peaks().map(seed=1, starts=1, inits={"mu": peak + 0.1, "sigma": 0.2})
        assert found["mu"] == pytest.approx(peak, abs=0.05)
