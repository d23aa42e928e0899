"""The embedded engines: reproducible whatever runs at once, partial runs kept, faults told apart."""

import numpy as np
import pytest

import scistan as ss
from scistan.engines import stanli as stanli_engine
from scistan.engines.registry import run_request
from scistan.engines.statistics import FROM_STAN
from tests.engines.support import EMBEDDED, NEVER_FINITE, PANICS, program, request
from tests.zoo import correlations, counts, eight_schools, logistic


@pytest.mark.parametrize("engine", EMBEDDED)
def test_draws_do_not_depend_on_how_many_chains_run_at_once(engine):
    asked = {"chains": 3}
    together = run_request(engine, request(logistic(), **asked))
    alone = run_request(engine, request(logistic(), **asked, options={"parallel_chains": 1}))
    np.testing.assert_array_equal(together.values["beta"], alone.values["beta"])
    one = run_request(engine, request(logistic(), chains=1, first_chain=2))
    np.testing.assert_array_equal(one.values["beta"][0], together.values["beta"][1])
    assert not np.array_equal(together.values["beta"][0], together.values["beta"][1])


@pytest.mark.parametrize("engine", EMBEDDED)
def test_statistics_carry_arviz_names(engine):
    draws = run_request(engine, request(eight_schools()))
    assert set(draws.statistics) == set(FROM_STAN.values())
    assert draws.statistics["diverging"].dtype == bool
    assert draws.statistics["n_steps"].dtype == np.int64
    assert (draws.statistics["step_size"] > 0).all()
    assert draws.numbers == (1, 2)


def test_the_places_of_live_statistics_are_stanlis():
    import stanli

    assert tuple(FROM_STAN) == stanli.SAMPLER_COLUMNS
    assert stanli.SAMPLER_COLUMNS[stanli_engine._STEP] == "stepsize__"
    assert stanli.SAMPLER_COLUMNS[stanli_engine._DIVERGENT] == "divergent__"


def test_matrices_come_out_the_right_way_round():
    for engine in EMBEDDED:
        factors = run_request(engine, request(correlations())).values["L"]
        np.testing.assert_array_equal(factors[..., 0, 1:], 0)
        np.testing.assert_allclose((factors**2).sum(-1), 1)


@pytest.mark.parametrize("engine", EMBEDDED)
def test_warmup_is_kept_on_request(engine):
    draws = run_request(engine, request(eight_schools(), options={"save_warmup": True}))
    assert draws.warmup is not None
    assert draws.warmup.shape == (2, 200)
    assert draws.kept.shape == (2, 100)
    assert np.isfinite(draws.warmup.values["theta"]).all()


def test_a_panic_ends_its_chain_and_nothing_else():
    draws = run_request("nutpie", program(PANICS, chains=4, draws=150, warmup=100, seed=2))
    assert 0 < len(draws.numbers) < 4
    assert not draws.complete
    assert any("nutpie panicked: " in note and "constrain" in note for note in draws.notes)
    with pytest.raises(ss.SamplingError, match="nutpie panicked"):
        run_request("nutpie", program(PANICS, draws=5000))
    assert run_request("nutpie", request(logistic())).complete  # and the next run is well


@pytest.mark.parametrize("engine", EMBEDDED)
def test_a_density_that_is_nowhere_finite_is_an_error(engine):
    with pytest.raises(ss.SamplingError, match="could not sample"):
        run_request(engine, program(NEVER_FINITE))


@pytest.mark.parametrize("engine", EMBEDDED)
def test_a_program_that_is_refused_is_told_apart(engine):
    with pytest.raises(ss.UnsupportedError, match=f"{engine} does not take this program"):
        run_request(engine, program("parameters { real x } model { }"))


def test_single_chains_run_in_any_thread():
    """stanli runs a lone chain in the thread that calls, which must have an autodiff tape: a crash if it has none."""
    from concurrent.futures import ThreadPoolExecutor

    here = run_request("stanli", request(counts(), chains=1))
    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(run_request, "stanli", request(counts(), chains=1)) for _ in range(12)]
        for task in tasks:
            np.testing.assert_array_equal(task.result().values["rate"], here.values["rate"])
