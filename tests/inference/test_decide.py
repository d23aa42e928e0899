"""`auto` centres latents by what their data say where that wins the race: the posterior stays, and the plan repeats it."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

import scistan as ss
from scistan.inference.fit import Fit
from scistan.inference.plan import Plan

GROUPS = 30
OPTIONS = {"seed": 3, "progress": False, "draws": 500, "integrate": False}


def groups(**of_effect: object) -> ss.Model:
    """Groups of 1 to 60 rows: some say much of their effect, some next to nothing."""
    rng = np.random.default_rng(5)
    rows = np.r_[np.ones(6, dtype=int), np.linspace(5, 60, GROUPS - 6).astype(int)]
    group = np.repeat(np.arange(GROUPS), rows)
    y = rng.normal(1, 0.5, GROUPS)[group] + rng.normal(0, 0.7, group.size)
    m = ss.Model("groups")
    m.mu, m.tau, m.sigma = ss.Normal(0, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    m.effect = ss.Normal(m.mu, m.tau, shape=GROUPS, **of_effect)
    m.x, m.group = ss.data(rng.normal(size=group.size)), ss.data(group)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.effect[m.group] + m.b * m.x, m.sigma).observe(y)
    return m


@cache
def fitted() -> Fit:
    return groups().mcmc(**OPTIONS)


def same(one: Fit, other: Fit) -> bool:
    return all(np.array_equal(one.posterior[name], other.posterior[name]) for name in one.posterior)


def test_what_was_learnt_is_told_certified_and_in_the_plan() -> None:
    fit = fitted()
    assert set(fit.plan.centring) == {"effect"}
    assert fit.plan.centring["effect"].shape == (2, GROUPS)
    assert fit.certificate.ok
    assert "effect centred by the data" in fit.why
    assert any(note.startswith("effect:") and "centred" in note for note in fit.notes)
    assert "information" not in groups().stan_code()
    assert fit.diagnose().ok


def test_the_same_seed_and_the_plan_give_the_same_draws() -> None:
    fit = fitted()
    assert same(fit, groups().mcmc(**OPTIONS))
    again = Plan.from_dict(json.loads(json.dumps(fit.plan.to_dict())))
    assert same(fit, groups().mcmc(plan=again, seed=fit.seed, progress=False))


def test_the_posterior_is_that_of_the_plain_program() -> None:
    fit, plain = fitted(), groups().mcmc(engine="stanli", adapt_delta=0.95, **OPTIONS)
    for name in ("mu", "tau", "sigma", "b", "effect"):
        one, other = (f.posterior[name].reshape(2000, -1) for f in (fit, plain))
        shares = (fit.summary().filter(regex=f"^{name}", axis=0)["ess_bulk"].min(),
                  plain.summary().filter(regex=f"^{name}", axis=0)["ess_bulk"].min())
        error = np.sqrt(one.var(0) / shares[0] + other.var(0) / shares[1])
        assert (np.abs(one.mean(0) - other.mean(0)) < 5 * error).all(), name


@pytest.mark.parametrize("said", [True, False])
def test_what_the_user_says_is_kept(said: bool) -> None:
    fit = groups(centred=said).mcmc(**OPTIONS)
    assert not fit.plan.centring
    assert "centred by the data" not in fit.why


def test_nothing_is_learnt_where_that_takes_longer_than_it_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    """With draws enough, a short run is over before it has learnt."""
    monkeypatch.setattr("scistan.inference.decide.centring_of", lambda *_: pytest.fail("it learnt"))
    rng = np.random.default_rng(1)
    m = ss.Model("few")
    m.mu, m.tau = ss.Normal(0, 1), ss.HalfNormal(1)
    m.effect = ss.Normal(m.mu, m.tau, shape=5)
    m.y = ss.Normal(m.effect[:, None], 3).observe(rng.normal(0, 3, (5, 30)))
    fit = m.mcmc(seed=3, progress=False, integrate=False)
    assert fit.engine == "nutpie"
    assert not fit.plan.centring


def scaled_by_hand() -> ss.Model:
    """A level of 100 steps that a product scales: nothing can be centred, and its data say much of each."""
    rng = np.random.default_rng(24)
    m = ss.Model("level")
    m.drift, m.start, m.sigma = ss.HalfNormal(0.5), ss.Normal(0, 3), ss.HalfNormal(1)
    m.step = ss.Normal(0, 1, shape=100)
    m.y = ss.Normal(m.start + m.drift * ss.cumsum(m.step), m.sigma).observe(
        np.cumsum(rng.normal(0, 0.3, 100)) + rng.normal(0, 0.5, 100)
    )
    return m


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_run_whose_first_draws_diverge_begins_again_before_it_is_drawn_for_nothing() -> None:
    options = {"seed": 3, "progress": False, "draws": 150, "integrate": False}
    fit = scaled_by_hand().mcmc(**options)
    assert fit.settings["adapt_delta"] == 0.97
    assert fit.why.count("diverged in every chain") == 1
    assert not fit.notes
    assert same(fit, scaled_by_hand().mcmc(**options))
    assert same(fit, scaled_by_hand().mcmc(plan=fit.plan, seed=fit.seed, progress=False))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_diverges_with_smaller_steps_too_gets_the_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scistan.inference.race.Runner.diverges", property(lambda runner: True))
    fit = scaled_by_hand().mcmc(seed=3, progress=False, draws=50, warmup=100, integrate=False)
    assert fit.plan.options["adapt_delta"] == 0.99
    assert fit.why.count("diverged in every chain") == 2


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_steps_that_the_user_asks_for_are_kept() -> None:
    fit = scaled_by_hand().mcmc(seed=3, progress=False, draws=50, warmup=200, adapt_delta=0.8, time_limit=60, integrate=False)
    assert "began again" not in fit.why


def test_a_series_is_sampled_as_it_is_where_that_promises_more() -> None:
    rng = np.random.default_rng(4)
    m = ss.Model("local_level")
    m.tau, m.sigma = ss.HalfNormal(1), ss.HalfNormal(1)
    steps, noise = rng.normal(size=(2, 2, 100))[1]
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 5), length=100)
    m.y = ss.Normal(m.level, m.sigma).observe(0.3 * steps.cumsum() + 0.5 * noise)
    fit = m.mcmc(seed=1, progress=False, integrate=False)
    assert np.isposinf(fit.plan.centring["level"][0]).all()
    assert "level centred by the data" in fit.why
    assert "level_z" in m.stan_code()
    assert fit.certificate.ok
    assert same(fit, m.mcmc(plan=fit.plan, seed=fit.seed, progress=False))
