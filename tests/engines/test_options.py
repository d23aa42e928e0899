"""An option an engine lacks is refused by name; one it has reaches it."""

import numpy as np
import pytest

import scistan as ss
from scistan.engines.options import ENGINE_OPTIONS, METRICS, RULES, check_options, settings_for
from scistan.engines.registry import ENGINES, run_request
from tests.engines.support import EMBEDDED, request
from tests.zoo import counts, logistic

VALUES = {
    "adapt_delta": 0.9,
    "max_treedepth": 6,
    "metric": "diag",
    "inv_metric": np.ones(1),
    "step_size": 0.3,
    "adapt_engaged": True,
    "thin": 2,
    "save_warmup": True,
    "init_radius": 0.5,
    "parallel_chains": 1,
    "threads_per_chain": 1,
}
WRONG = {
    "adapt_delta": 1.5,
    "max_treedepth": 0,
    "metric": 3,
    "inv_metric": "dense",
    "step_size": -1,
    "adapt_engaged": 1,
    "thin": 0,
    "save_warmup": "yes",
    "init_radius": -1,
    "parallel_chains": True,
    "threads_per_chain": 0.5,
}


def test_every_engine_has_a_table_of_options():
    assert set(ENGINE_OPTIONS) == set(METRICS) == set(ENGINES)
    assert set(VALUES) == set(WRONG) == set(RULES)


@pytest.mark.parametrize("engine", EMBEDDED)
def test_every_option_reaches_its_engine(engine):
    asked = {name: value for name, value in VALUES.items() if name in ENGINE_OPTIONS[engine]}
    draws = run_request(engine, request(counts(), options=asked))
    assert draws.kept.shape == (2, 50 if "thin" in asked else 100)
    assert draws.warmup is not None
    assert draws.statistics["tree_depth"].max() <= 6
    assert np.isfinite(draws.values["rate"]).all()


@pytest.mark.parametrize("engine", list(ENGINES))
@pytest.mark.parametrize("option", list(RULES))
def test_an_option_that_is_lacking_is_refused_by_name(engine, option):
    if option in ENGINE_OPTIONS[engine]:
        check_options(engine, {option: VALUES[option]})
        with pytest.raises(ss.ModelError, match=f"`{option}` must be"):
            check_options(engine, {option: WRONG[option]})
    else:
        with pytest.raises(ss.ModelError, match=f"'{engine}' has no option `{option}`.*\n.*\n.*have it"):
            check_options(engine, {option: VALUES[option]})


def test_an_option_that_is_not_set_is_not_passed_on():
    assert settings_for("stanli", {"adapt_delta": None, "thin": 2}) == {"thin": 2}


@pytest.mark.parametrize(("engine", "metric"), [("stanli", "low_rank"), ("nutpie", "dense"), ("cmdstan", "flat")])
def test_a_metric_that_is_lacking_is_refused(engine, metric):
    with pytest.raises(ss.ModelError, match=f"'{engine}' has no metric '{metric}'"):
        check_options(engine, {"metric": metric})


def test_misspelled_options_get_a_suggestion():
    with pytest.raises(ss.ModelError, match="did you mean `adapt_delta`"):
        logistic().mcmc(engine="nutpie", adapt_dleta=0.9)
    with pytest.raises(ss.ModelError, match="'auto' has no option `adapt_dleta`(.|\\n)*did you mean `adapt_delta`"):
        logistic().mcmc(adapt_dleta=0.9)
