"""Independent draws of a few numbers: the posterior by quadrature, what is declined, and what `auto` makes of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics.statistics import measure
from scistan.engines.registry import ENGINES
from scistan.messages.few import DeclinedError
from scistan.transforms.rows import lower_to_rows


def groups(spread: float = 0.7, count: int = 12) -> ss.Model:
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(count), 6)
    m = ss.Model("groups")
    m.a, m.tau, m.s = ss.Normal(0, 5), ss.HalfNormal(1), ss.HalfNormal(1)
    m.u = ss.Normal(m.a, m.tau, shape=count)
    m.y = ss.Normal(m.u[group], m.s).observe(1 + rng.normal(0, spread, count)[group] + rng.normal(size=len(group)))
    return m


def by_quadrature(m: ss.Model) -> tuple[np.ndarray, np.ndarray]:
    """Give mean and sd of the two numbers that are left of `groups`, on a grid of their coordinates."""
    from scistan.inference.integrate import integrated

    density = lower_to_rows(integrated(m.instance(), True))
    ends = [np.linspace(low, high, 240) for low, high in ((-9, 2.0), (-0.6, 0.8))]
    grid = np.stack([g.ravel() for g in np.meshgrid(*ends, indexing="ij")], axis=1)
    heights = density.log_densities(grid)
    weights = np.exp(heights - heights.max())
    weights /= weights.sum()
    values = np.exp(grid)
    mean = weights @ values
    return mean, np.sqrt(weights @ (values - mean) ** 2)


@pytest.mark.parametrize("spread", [0.7, 0.02])
def test_draws_are_those_of_the_posterior(spread):
    """Also where a scale may be zero, and its logarithm has no end below."""
    m = groups(spread)
    fit = m.mcmc(seed=2, progress=False)
    assert fit.engine == "independent"
    mean, sd = by_quadrature(m)
    health = fit.summary()
    for k, name in enumerate(("tau", "s")):
        drawn = fit.posterior[name]
        effective = float(health.loc[name, "ess_bulk"])
        assert abs(drawn.mean() - mean[k]) < 4 * sd[k] / np.sqrt(effective)
        assert effective > 2000
        # Rounds tell more of a mean than of a spread, whose effective draws are those of squares.
        squares = (np.asarray(drawn) - mean[k]) ** 2
        effective = float(measure({"x": squares})["x"].bulk_ess)
        assert abs(drawn.std() / sd[k] - 1) < 4 / np.sqrt(effective)  # kurtosis below that of an exponential


def test_all_that_is_told_of_a_run():
    fit = groups().mcmc(seed=4, progress=False, draws=400)
    assert fit.why.startswith("independent: the 2 numbers left")
    assert fit.plan.integrated == ("a", "u")
    assert fit.plan.chosen
    assert fit.certificate.ok
    assert fit.diagnose().ok
    stats = fit.idata.sample_stats
    assert {"lp", "acceptance_rate", "log_weight", "n_steps", "diverging"} <= set(stats.data_vars)
    assert not bool(stats["diverging"].any())
    planned = groups().plan("mcmc")
    assert "independent" in planned.why
    assert planned.seconds > 0


def test_a_seed_and_a_plan_give_the_same_draws():
    m = groups()
    first, again = (m.mcmc(seed=7, progress=False, draws=200) for _ in range(2))
    other = m.mcmc(seed=8, progress=False, draws=200)
    repeated = m.mcmc(plan=first.plan, seed=first.seed, progress=False)
    for name in ("tau", "s", "u", "a"):
        np.testing.assert_array_equal(first.posterior[name], again.posterior[name])
        np.testing.assert_array_equal(first.posterior[name], repeated.posterior[name])
        assert not np.array_equal(first.posterior[name], other.posterior[name])


def test_four_chains_are_four_runs_of_one():
    from dataclasses import replace

    from scistan.engines.protocol import Request
    from scistan.inference.integrate import integrated

    engine = ENGINES["independent"].make()
    density = lower_to_rows(integrated(groups().instance(), True))
    request = Request("", "", 50, 0, 2, 11, progress=False, lowered=density)
    both = engine.sample(request)
    second = engine.sample(replace(request, chains=1, first_chain=2))
    # How many tries a step takes goes by how many draws are wanted: here it is the same.
    assert both.statistics["n_steps"][0, 0] == second.statistics["n_steps"][0, 0]
    np.testing.assert_array_equal(both.values["tau"][1], second.values["tau"][0])


def test_any_model_of_few_numbers_by_name():
    y = np.random.default_rng(1).poisson(3, 40)
    m = ss.Model("counts")
    m.rate = ss.Gamma(2, 1)
    m.y = ss.Poisson(m.rate).observe(y)
    fit = m.mcmc(engine="independent", integrate=False, seed=1, progress=False)
    assert fit.plan.integrated == ()
    shape, scale = 2 + y.sum(), 1 / 41  # of the Gamma law that it has
    effective = float(fit.summary().loc["rate", "ess_bulk"])
    assert abs(fit.posterior["rate"].mean() - shape * scale) < 4 * np.sqrt(shape / effective) * scale


@pytest.mark.parametrize("case", ["two modes", "heavy tails", "no mode"])
def test_what_it_is_not_made_for_is_declined_in_words(case):
    m = ss.Model("declined")
    if case == "two modes":
        m.x = ss.Normal(0, 3)
        m.y = ss.Normal(ss.abs(m.x), 0.2).observe([2.0, 2.1, 1.9])
    elif case == "heavy tails":
        m.x = ss.StudentT(1.0, 0, 1)
        m.y = ss.StudentT(1.0, m.x, 100.0).observe([0.5])
    else:
        m.x = ss.Flat()
        m.t = ss.potential(ss.exp(m.x))
        m.y = ss.Normal(0, 1).observe([0.0])
    with pytest.raises(DeclinedError) as error:
        m.mcmc(engine="independent", integrate=False, seed=1, progress=False)
    assert 'engine="auto"' in str(error.value)
    assert "independent draws are not made for this posterior" in error.value.what


def test_what_is_declined_is_sampled_by_nuts_and_told():
    """A hidden autoregression that may be all noise: weights with a heavy tail."""
    rng = np.random.default_rng(10)
    m = ss.Model("declined")
    m.phi, m.tau, m.s = ss.Uniform(-1, 1), ss.HalfNormal(1), ss.HalfNormal(1)
    m.h = ss.Series(lambda past: ss.Normal(m.phi * past[-1], m.tau), start=ss.Normal(0, 1), length=40)
    m.y = ss.Normal(m.h, m.s).observe(rng.normal(size=40))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = m.mcmc(seed=1, progress=False, draws=200, warmup=200)
    if fit.engine == "independent":
        pytest.fail("this posterior was meant to be declined")
    assert any(note.startswith("independent draws were tried first and set aside") for note in fit.notes)


def test_what_belongs_to_nuts_is_left_to_it():
    m = groups()
    for options in ({"adapt_delta": 0.9}, {"inits": {"tau": 1.0}}, {"integrate": False}):
        assert m.mcmc(seed=1, progress=False, draws=100, warmup=100, chains=2, **options).engine != "independent"
    with pytest.raises(ss.ModelError, match="adapt_delta"):
        m.mcmc(engine="independent", adapt_delta=0.9)


def test_it_can_be_forbidden(monkeypatch):
    monkeypatch.setenv("SCISTAN_DISABLE", "independent")
    assert groups().mcmc(seed=1, progress=False, draws=100, warmup=100, chains=2).engine != "independent"


def test_a_limit_of_time_ends_it():
    fit = groups().mcmc(seed=1, progress=False, draws=2_000_000, chains=1, time_limit=0.5)
    assert 0 < fit.shape[1] < 2_000_000
    assert any("time" in note for note in fit.notes)


def test_it_is_saved_and_loaded(tmp_path):
    fit = groups().mcmc(seed=1, progress=False, draws=100)
    fit.save(tmp_path / "fit.nc")
    again = ss.load(tmp_path / "fit.nc")
    assert again.engine == "independent"
    np.testing.assert_array_equal(again.posterior["u"], fit.posterior["u"])


def test_folds_and_calibration_go_their_own_way():
    """A fold may be what is declined: it is left to `auto`; a model that is told to be drawn so is."""
    fit = groups().mcmc(seed=1, progress=False, draws=200)
    folds = fit.kfold(k=2, progress=False)
    assert np.isfinite(folds.elpd)
    m = ss.Model("rate")
    m.rate = ss.Gamma(2, 1)
    m.y = ss.Poisson(m.rate).observe([3, 1, 4])
    ranks = m.sbc(replications=5, draws=50, engine="independent", seed=1, progress=False)
    assert ranks.ranks


@pytest.mark.long
def test_ranks_of_true_values_are_uniform():
    """Three hundred data sets drawn from the prior, scales near 0 among them; what is declined goes to NUTS."""
    from scipy import stats

    group = np.repeat(np.arange(6), 4)
    rng = np.random.default_rng(0)
    ranks: dict[str, list[float]] = {"a": [], "tau": [], "s": [], "u": []}
    independent = 0
    for seed in range(300):
        a, tau, s = rng.normal(), abs(rng.normal()), abs(rng.normal())
        u = rng.normal(a, tau, 6)
        m = ss.Model("ranks")
        m.a, m.tau, m.s = ss.Normal(0, 1), ss.HalfNormal(1), ss.HalfNormal(1)
        m.u = ss.Normal(m.a, m.tau, shape=6)
        m.y = ss.Normal(m.u[group], m.s).observe(rng.normal(u[group], s))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = m.mcmc(seed=seed, progress=False, draws=250, integrate=True)
        independent += fit.engine == "independent"
        for name, true in {"a": a, "tau": tau, "s": s, "u": u[0]}.items():
            drawn = fit.posterior[name][..., 0] if name == "u" else fit.posterior[name]
            ranks[name].append(float((drawn.ravel()[::10] < true).mean()))
    assert independent > 250
    for found in ranks.values():
        assert stats.kstest(found, "uniform").pvalue > 1e-4
