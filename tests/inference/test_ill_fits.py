"""A fit that is ill says so aloud, once, at the user's line, whoever chose the engine."""

import warnings

import pytest

import scistan as ss
from scistan.engines.registry import engines_at_hand
from scistan.messages import sampling as messages
from scistan.messages.sampling import ChainWarning
from tests.zoo import EFFECTS, ERRORS, counts

SETTINGS = {"draws": 200, "warmup": 200, "chains": 4, "seed": 1, "progress": False}
# What runs within a process: compiled Stan gives the same draws to the same checks.
EMBEDDED = ["auto", *(name for name in ("stanli", "nutpie") if name in engines_at_hand())]


def funnel():
    """Eight schools as nobody should sample them: their effects follow a scale that may be 0."""
    m = ss.Model("funnel")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8, centred=True)
    m.y = ss.Normal(m.theta, ERRORS).observe(EFFECTS)
    return m


@pytest.mark.parametrize("engine", EMBEDDED)
def test_an_ill_fit_warns_whatever_engine_was_named(engine):
    m = funnel()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit = m.mcmc(engine=engine, **SETTINGS)
    told = [one for one in caught if issubclass(one.category, ChainWarning)]
    assert fit.diagnose().hint("R-hat") is not None
    assert [str(one.message) for one in told] == [messages.unhealthy("funnel", fit._quick_diagnosis().verdict)]
    assert {hint.check for hint in fit._quick_diagnosis().hints} <= {hint.check for hint in fit.diagnose().hints}
    assert told[0].filename == __file__


@pytest.mark.parametrize("engine", EMBEDDED)
def test_a_healthy_fit_is_silent(engine):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ChainWarning)
        fit = counts().mcmc(engine=engine, **SETTINGS | {"draws": 1000, "warmup": 500})
    assert fit.diagnose().ok
