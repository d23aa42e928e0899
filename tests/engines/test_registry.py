"""Engines by name: which there are, which are installed, and what to do about one that is not."""

import pytest

import scistan as ss
from scistan.engines import registry
from tests.zoo import counts


@pytest.fixture
def without(monkeypatch):
    """Make packages look as if they were not installed."""
    real = registry.find_spec

    def remove(*names):
        monkeypatch.setattr(registry, "find_spec", lambda name: None if name in names else real(name))

    return remove


def test_an_unknown_engine_lists_what_there_is(without):
    without("nutpie")
    with pytest.raises(ss.ModelError, match=r"no engine 'stan'") as caught:
        counts().mcmc(engine="stan")
    assert "auto, stanli, nutpie (nutpie not installed), cmdstan" in str(caught.value)


def test_a_missing_engine_says_how_to_get_it(without):
    without("nutpie")
    with pytest.raises(ss.UnsupportedError, match=r"pip install 'scistan\[nutpie\]'"):
        counts().mcmc(engine="nutpie")


def test_auto_does_without_what_is_missing(without):
    without("nutpie", "cmdstanpy")
    fit = counts().mcmc(draws=200, warmup=200, seed=1)
    assert fit.engine == "stanli"
    assert "nutpie is not at hand" in fit.why
