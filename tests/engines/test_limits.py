"""Numbers that C's int cannot hold, streams that are closed, and a warm-up of none: told, never passed on."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

import scistan as ss
from scistan.engines.options import ENGINE_OPTIONS, LEAST_WARMUP, METHOD_OPTIONS, RULES, check_method_options
from scistan.engines.registry import ENGINES
from scistan.given import LARGEST
from tests.engines.support import EMBEDDED

WHOLE = [name for name, rule in RULES.items() if "whole number" in rule.words]
BIG = [2**31, 2**32, 2**63, 2**64, 10**30, np.int64(2**40), np.uint64(2**63)]


def small() -> ss.Model:
    """Give a model that any engine samples in no time."""
    m = ss.Model("small")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe(np.arange(5.0))
    return m


@pytest.mark.parametrize("engine", ["auto", *ENGINES])
@pytest.mark.parametrize("number", BIG, ids=str)
@pytest.mark.parametrize("setting", ["draws", "warmup", "chains", "seed", *WHOLE])
def test_no_number_beyond_what_an_engine_counts_reaches_it(engine, setting, number):
    if setting == "seed" and number < 2**32:
        return  # Stan's seeds have no sign
    if setting in RULES and engine != "auto" and setting not in ENGINE_OPTIONS[engine]:
        return
    with pytest.raises(ss.ModelError, match=f"`{setting}` must be"):
        small().mcmc(engine=engine, progress=False, **{setting: number})


@pytest.mark.parametrize("engine", ["auto", *ENGINES])
def test_the_sum_of_steps_is_counted_too(engine):
    with pytest.raises(ss.ModelError, match=r"`draws \+ warmup` must be at most"):
        small().mcmc(engine=engine, draws=LARGEST, warmup=LARGEST, progress=False)


@pytest.mark.parametrize("method", METHOD_OPTIONS)
def test_the_options_of_every_method_are_checked(method):
    for option, rule in METHOD_OPTIONS[method].items():
        wrong = [2**32, -1, 0, "x", np.ones(2)] if "number" in rule.words else ["x", 3, np.ones(2), {1}]
        for value in wrong:
            if isinstance(value, int) and value == 2**32 and "whole" not in rule.words:
                continue
            with pytest.raises(ss.ModelError, match=f"`{option}` must be"):
                check_method_options(method, {option: value})
        check_method_options(method, {option: eval(rule.example)})


@pytest.mark.parametrize("engine", EMBEDDED)
def test_a_run_without_warm_up(engine):
    if LEAST_WARMUP[engine] > 0:
        with pytest.raises(ss.ModelError, match="needs a warm-up of at least 1, and `warmup` is 0"):
            small().mcmc(engine=engine, warmup=0, progress=False)
    else:
        assert small().mcmc(draws=20, chains=2, engine=engine, warmup=0, progress=False, seed=1).shape == (2, 20)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_auto_without_warm_up_takes_an_engine_that_can(recwarn):
    fit = small().mcmc(draws=20, chains=2, warmup=0, seed=1, progress=False)
    assert LEAST_WARMUP[fit.engine] == 0


def closed() -> io.StringIO:
    """Give a stream that was closed."""
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("engine", EMBEDDED)
@pytest.mark.parametrize("stream", [lambda: None, closed], ids=["none", "closed"])
def test_engines_run_without_a_stream_for_messages(monkeypatch, engine, stream):
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setattr(sys, "stdout", stream())
    fit = small().mcmc(draws=50, warmup=50, chains=2, seed=1, engine=engine)
    assert fit.shape == (2, 50)
    small().map()
    small().prior(draws=10)
