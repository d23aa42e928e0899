"""Draws that cannot fit into memory are refused with their size and a remedy, before any is made."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import scistan as ss
from scistan.inference import generated


def model(rows: int) -> ss.Model:
    """Give a model whose observations are many."""
    m = ss.Model("rows")
    m.mu = ss.Normal(0, 1)
    m.twice = 2 * m.mu
    m.y = ss.Normal(m.mu, 1).observe(np.zeros(rows))
    return m


@pytest.fixture(scope="module")
def fit():
    """Fit a small one."""
    return model(500).mcmc(draws=200, warmup=100, chains=2, seed=1, engine="stanli", progress=False)


@pytest.mark.parametrize("draws", [10**12, 10**18, 10**30])
def test_too_many_draws_are_refused_by_every_verb(draws, fit):
    m = model(5)
    with pytest.raises(ss.ModelError, match="the draws would take .* GB and .* are free; the biggest: `y`"):
        m.prior(draws=draws)
    with pytest.raises(ss.ModelError, match="the draws would take .* GB"):
        fit.draw_prior(draws=draws)
    with pytest.raises(ss.ModelError, match="the draws would take .* GB"):
        m.map(progress=False).idata(draws=draws)
    assert fit.predict(draws=draws).predictions["y"].shape == (2, 200, 500)  # it has no more than it has


@pytest.mark.parametrize("many", [2**20, 2**31 - 1, 10**30])
@pytest.mark.parametrize(
    ("option", "ask"),
    {
        "chains": lambda m, many: m.mcmc(chains=many, draws=1, warmup=1, progress=False),
        "chains of nutpie": lambda m, many: m.mcmc(chains=many, draws=1, warmup=5, engine="nutpie", progress=False),
        "chains of a plan": lambda m, many: m.plan("mcmc", chains=many),
        "chains of sbc": lambda m, many: m.sbc(replications=2, chains=many, progress=False),
        "replications": lambda m, many: m.sbc(replications=many, progress=False),
        "starts": lambda m, many: m.map(starts=many, progress=False),
        "starts of mle": lambda m, many: m.mle(starts=many, progress=False),
        "num_paths": lambda m, many: m.pathfinder(num_paths=many),
        "threads_per_chain": lambda m, many: m.mcmc(threads_per_chain=many, engine="cmdstan", progress=False),
        "points": lambda m, many: m.verify(points=many),
        "thin": lambda m, many: m.mcmc(thin=many, engine="stanli", progress=False),
    }.items(),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_more_than_can_be_begun_is_refused_at_once(option, ask, many):
    """A million chains of one draw each fit into memory, and would take days to begin."""
    name = option.partition(" ")[0]
    with pytest.raises(ss.ModelError, match=rf"`{name}` must be .*at most .*(?s:.*)try: write `{name}=\d"):
        ask(model(5), many)


@pytest.mark.parametrize("steps", [10**9, 10**12, 10**18, 10**30])
def test_a_forecast_that_no_memory_holds(steps):
    m = ss.Model("walk")
    m.s = ss.HalfNormal(1)
    m.y = ss.RandomWalk(m.s, ss.Normal(0, 1), dims="t").observe([0.1, 0.3, 0.2, 0.5])
    fit = m.mcmc(draws=20, warmup=20, chains=1, seed=1, engine="stanli", progress=False)
    with pytest.raises(ss.ModelError, match=r"a forecast of .* steps would take .* GB and .* the biggest: `(y|labels)`"):
        fit.forecast(steps)
    assert fit.forecast(3, draws=10**12)["predictions"]["y"].shape == (1, 20, 3)  # it has no more than it has


def test_one_simulation_is_checked_too(monkeypatch):
    monkeypatch.setattr("scistan.inference.memory.free_memory", lambda: 1e3)
    with pytest.raises(ss.ModelError, match="the draws would take"):
        model(1000).simulate(seed=1)


def test_a_model_without_variables_has_draws_that_fit():
    with pytest.raises(ss.ScistanError):
        ss.Model("empty").prior(draws=10**15)


def test_groups_that_have_a_number_for_each_row_are_refused_with_size_and_remedy(fit, monkeypatch):
    """A million rows and 4,000 draws are 32 GB each; the same sum here, on a machine of a megabyte."""
    fresh = model(500).mcmc(draws=200, warmup=100, chains=2, seed=1, engine="stanli", progress=False)
    monkeypatch.setattr("scistan.inference.memory.free_memory", lambda: 2e6)
    said = r"would take 0.0 GB and 0.0 GB are free; the biggest: `.* of y` (?s:.*)`m.mcmc\(keep=\[...\]\)`"
    with pytest.raises(ss.ModelError, match=f"`posterior_predictive` and `log_likelihood` {said}"):
        _ = fresh.idata
    assert fresh.log_likelihood["y"].shape == (2, 200, 500), "one of the two fits"
    monkeypatch.setattr("scistan.inference.memory.free_memory", lambda: 1e6)
    with pytest.raises(ss.ModelError, match="`posterior_predictive` would take"):
        _ = fresh.posterior_predictive
    assert fresh["mu"].shape == (2, 200), "the draws themselves are there"


def test_what_each_observation_has_is_computed_block_by_block(fit, monkeypatch):
    """No more memory than the result and a block: 400 draws of 500 rows are 1.6 MB."""
    whole = generated.log_likelihood(fit.subject.instance, fit.posterior)["y"]
    monkeypatch.setattr(generated, "_BLOCK", 5_000)  # ten draws at a time
    tracemalloc.start()
    blocks = generated.log_likelihood(fit.subject.instance, fit.posterior)["y"]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_array_equal(blocks, whole)
    assert peak < 1.5 * whole.nbytes
