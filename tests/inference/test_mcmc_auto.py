"""`engine="auto"`: chooses by a race, says why, and climbs when the draws are ill."""

import re
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics import check_draws
from scistan.diagnostics.scattered import few_and_scattered
from scistan.engines import nutpie as nutpie_engine
from scistan.engines.embedded import open_density
from scistan.engines.protocol import Chains, Draws
from scistan.history import Run, record, structure_of
from scistan.inference import race as race_module
from scistan.inference.choose import choose, fitting_engines
from scistan.inference.climb import Ladder, climb, illness
from scistan.inference.curvature import shape_at_mode
from scistan.inference.decide import winner_first
from scistan.inference.plan import Plan
from scistan.inference.race import Promise, Race, Runner
from scistan.inference.run import run_plan
from scistan.inference.work import coordinates, gradient_work
from scistan.messages.sampling import ChainWarning
from scistan.surface import lacking
from tests.engines.support import PANICS, program, request
from tests.inference.posteriors import POSTERIORS
from tests.zoo import counts, eight_schools, logistic, varying_intercepts

ALL = ["nutpie", "stanli", "cmdstan"]


def promised(**worths):
    """Make up a race by what each metric promises: effective draws, steps and cost."""

    def pilot(plans):
        return [Runner(plan, None, 1.0, 0.0, worths.get(plan.options["metric"])) for plan in plans], {}

    return pilot


def never(plans):
    raise AssertionError


def chosen(model, pilot, fitting=ALL, numbers=1000, warmup=1000, **options):
    return choose(model.instance(), fitting, options, warmup, numbers, pilot)


SLOW, FAST = Promise(200, 0.1, 400, 40, 4e9), Promise(200, 1.0, 4000, 5, 1e9)


def test_the_better_promise_is_taken_and_told_with_the_other():
    plan = chosen(logistic(), promised(diag=SLOW, low_rank=FAST))
    assert (plan.engine, plan.options, plan.warmup) == ("nutpie", {"metric": "low_rank"}, 400)
    assert plan.why == (
        "nutpie (low_rank metric): promised 4,000 effective draws a counted second (5 steps a draw); "
        "nutpie (diag metric) promised 100 effective draws a counted second (40 steps a draw)"
    )
    assert chosen(logistic(), promised(diag=FAST, low_rank=SLOW)).options["metric"] == "diag"


def test_more_effective_draws_at_the_same_rate_are_not_worth_the_time():
    long = Promise(200, 1.0, 4000, 5, 4e9)
    short = Promise(200, 0.25, 1000, 5, 1e9)
    assert chosen(logistic(), promised(diag=short, low_rank=long)).options["metric"] == "diag"


def test_one_that_was_too_slow_to_be_judged_does_not_win():
    plan = chosen(logistic(), promised(diag=SLOW))
    assert plan.options["metric"] == "diag"
    assert "nutpie (low_rank metric) was too slow to be judged" in plan.why


def test_a_tiny_model_gets_no_race():
    plan = choose(eight_schools().instance(), ALL, {}, 1000, 16, never)
    assert plan.engine == "stanli"
    assert plan.options == {"adapt_delta": 0.9}
    assert plan.warmup == 400


def test_a_long_run_of_a_tiny_model_gets_one():
    """What counts is the cost of the whole run: steps, draws and chains, not the data alone."""
    race = promised(diag=FAST, low_rank=SLOW)
    plan = choose(eight_schools().instance(), ALL, {}, 1000, 16, race, draws=10_000)
    assert (plan.engine, plan.metric) == ("nutpie", "diag")
    with_metric = choose(eight_schools().instance(), ALL, {"metric": "diag_e"}, 1000, 16, never, draws=10_000)
    assert (with_metric.engine, with_metric.metric) == ("nutpie", "diag")
    assert choose(eight_schools().instance(), ALL, {"metric": "diag_e"}, 1000, 16, never).engine == "stanli"


def test_a_first_run_warms_up_as_long_as_it_gains_and_never_less_than_who_asks_for_more():
    race = promised(diag=FAST, low_rank=SLOW)
    assert chosen(logistic(), race).warmup == 400
    assert chosen(logistic(30, 1200), race).warmup == 800
    assert chosen(logistic(), race, warmup=150).warmup == 150
    assert chosen(logistic(), race, warmup=2000).warmup == 2000
    assert chosen(eight_schools(), never, numbers=16, warmup=2000).warmup == 2000


def test_a_second_run_goes_on_from_the_first():
    best, _, asked = go(Plan("stanli", {"adapt_delta": 0.9}, 400), ["divergent", "well"])
    assert asked == [("stanli", 0.9), ("stanli", 0.95)]
    assert best.plan.warmup == 300
    assert best.plan.after.options == {"adapt_delta": 0.9}


def test_a_run_in_the_wrong_place_starts_again_with_the_whole_warm_up():
    best, _, asked = go(Plan("stanli", {"adapt_delta": 0.9}, 400), ["apart", "well"])
    assert asked == [("stanli", 0.9), ("stanli", 0.95)]
    assert best.plan.warmup == 1000
    assert best.plan.after is None


def test_estimated_scales_get_smaller_steps_unless_asked_otherwise():
    race = promised(diag=FAST, low_rank=SLOW)
    assert chosen(varying_intercepts(), race).options["adapt_delta"] == 0.9
    assert chosen(varying_intercepts(), race, adapt_delta=0.7).options["adapt_delta"] == 0.7
    assert "adapt_delta" not in chosen(logistic(), race).options


def test_what_the_user_asks_for_narrows_the_choice():
    assert chosen(logistic(), never, metric="diag").options["metric"] == "diag"
    assert fitting_engines(ALL, {"thin": 2}, inits=False, warmup=1000) == ["stanli", "cmdstan"]
    assert fitting_engines(ALL, {"metric": "low_rank"}, inits=False, warmup=1000) == ["nutpie"]
    assert fitting_engines(ALL, {}, inits=True, warmup=1000) == ["stanli", "cmdstan"]
    with pytest.raises(ss.ModelError, match="no engine at hand takes `metric`, `thin`"):
        fitting_engines(ALL, {"metric": "low_rank", "thin": 2}, inits=False, warmup=1000)


# -- the ladder, with runs made up -------------------------------------------------------------------
def run(kind="well", engine="stanli", complete=True, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4, 500))
    lp = rng.normal(size=(4, 500))
    diverging = np.zeros((4, 500), bool)
    if kind == "divergent":
        diverging[0, :7] = True
    if kind == "very divergent":
        diverging[1:3, :50] = True
    if kind == "slow":
        for k in range(1, 500):
            x[:, k] += 0.98 * x[:, k - 1]
    if kind == "apart":
        x[0] += 5
    if kind == "stuck":
        x[1] = 0.3
        lp[1] = -1.0
    return Draws(Chains({"x": x}, {"lp": lp, "diverging": diverging}), engine, {}, {}, (1, 2, 3, 4), complete=complete)


def go(first, outcomes, fitting=ALL):
    """Climb through made-up outcomes: a kind of draws or an error by engine and adapt_delta."""
    asked = []

    def runner(plan):
        asked.append((plan.engine, plan.options.get("adapt_delta")))
        outcome = outcomes[len(asked) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        return run(outcome, plan.engine)

    best, notes = climb(first, Ladder(fitting, 1000), runner, lambda draws: draws.values)
    return best, notes, asked


def test_a_healthy_run_is_taken_at_once():
    best, notes, asked = go(Plan("nutpie", {"metric": "low_rank"}, 400), ["well"])
    assert asked == [("nutpie", None)]
    assert notes == ()
    assert best.ill == ()


@pytest.mark.parametrize(
    ("kind", "check"), [("divergent", "divergences"), ("apart", "chain means"), ("stuck", "stuck chains")]
)
def test_an_ill_run_climbs_to_stans_nuts_and_then_to_smaller_steps(kind, check):
    first = Plan("nutpie", {"metric": "diag"}, 400)
    best, notes, asked = go(first, [kind, kind, "well"])
    assert [engine for engine, _ in asked] == ["nutpie", "stanli", "stanli"]
    assert asked[2][1] == (0.99 if kind == "divergent" else 0.95)
    assert best.plan.warmup == (300 if kind == "divergent" else 1000)
    assert best.ill == ()
    assert any("nutpie (diag metric) was set aside" in note and check in note for note in notes)


def test_a_low_rank_metric_stays_where_smaller_steps_are_all_it_takes():
    first = Plan("nutpie", {"metric": "low_rank"}, 400)
    _, _, asked = go(first, ["divergent", "divergent", "divergent", "well"])
    assert asked == [("nutpie", None), ("nutpie", 0.95), ("nutpie", 0.99), ("stanli", 0.99)]
    _, _, asked = go(first, ["apart", "well"])
    assert asked == [("nutpie", None), ("stanli", None)]


@pytest.mark.parametrize(("dear", "then"), [(3.0, ("nutpie", "low_rank")), (5.0, ("stanli", None))])
def test_further_runs_cost_no_more_than_a_few_times_the_first(dear, then):
    """A metric whose work grows with the square of the coordinates is no remedy for many of them."""
    asked = []

    def slow(plan):
        asked.append((plan.engine, plan.options.get("metric")))
        return run("slow", plan.engine)

    ladder = Ladder(ALL, 1000, cost=lambda plan, steps: dear if plan.metric == "low_rank" else 1.0)
    _, notes = climb(Plan("nutpie", {"metric": "diag"}, 400), ladder, slow, lambda draws: draws.values)
    assert asked[1] == then
    assert len(asked) == (3 if dear == 3 else 4)  # three for the metric and one for Stan's NUTS are all that the first allows
    assert any("would count more than 4 times the cost of the first" in note for note in notes) == (dear == 3)


def test_short_runs_of_many_elements_do_not_climb_for_what_chance_gives():
    """Fifty draws, a third of them effective: of 10,000 elements some have an R-hat of 1.2 and means apart."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(4, 100, 10_000))
    for k in range(1, 100):
        x[:, k] = 0.5 * x[:, k - 1] + np.sqrt(0.75) * x[:, k]
    draws = Draws(Chains({"x": x[:, 50:]}, {"lp": rng.normal(size=(4, 50))}), "stanli", {}, {}, (1, 2, 3, 4))
    diagnosis = check_draws(draws.values, draws.statistics)
    assert {"R-hat", "chain means"} <= {hint.check for hint in diagnosis.findings}  # told all the same
    assert illness(diagnosis, draws) == ()
    x[0, :, 0] += 5
    assert illness(check_draws(draws.values, draws.statistics), draws) == ("chain means",)  # one that is apart climbs


def test_when_nothing_heals_the_best_is_given_and_said_to_be_ill():
    best, notes, asked = go(Plan("stanli", {}, 1000), ["apart", "divergent", "divergent", "apart"])
    assert len(asked) <= 4
    assert best.ill == ("divergences",)
    assert "not healthy: divergences" in notes[-1]


def test_the_best_of_ill_runs_is_given_and_not_the_last():
    best, notes, asked = go(Plan("stanli", {}, 1000), ["divergent", "very divergent", "very divergent"])
    assert len(asked) == 3
    assert "adapt_delta" not in best.plan.options
    assert best.draws.statistics["diverging"].sum() == 7
    assert sum("was set aside" in note for note in notes) == 2


def test_a_failure_falls_back_and_is_told():
    failure = ss.SamplingError("nutpie panicked: unwrap")
    with pytest.warns(ChainWarning, match="nutpie panicked"):
        best, notes, asked = go(Plan("nutpie", {"metric": "diag"}, 400), [failure, "well"])
    assert [engine for engine, _ in asked] == ["nutpie", "stanli"]
    assert notes == ("nutpie (diag metric) failed: nutpie panicked: unwrap",)
    assert best.draws.engine == "stanli"


def test_a_program_that_stanli_refuses_goes_to_cmdstan():
    refused = ss.UnsupportedError("does not take this program")
    _, _, asked = go(Plan("nutpie", {}, 400), [refused, refused, "well"])
    assert [engine for engine, _ in asked] == ["nutpie", "stanli", "cmdstan"]


def test_when_all_engines_fail_all_reasons_are_given():
    one, two = ss.SamplingError("it panicked"), ss.UnsupportedError("no such function")
    with pytest.raises(ss.SamplingError, match=r"(?s)nutpie: it panicked.*stanli: no such function"):
        go(Plan("nutpie", {}, 400), [one, two], ["nutpie", "stanli"])


def test_an_interrupted_run_is_not_run_again():
    asked = []

    def runner(plan):
        asked.append(plan.engine)
        return run("divergent", complete=False)

    best, _ = climb(Plan("nutpie", {}, 400), Ladder(ALL, 1000), runner, lambda draws: draws.values)
    assert asked == ["nutpie"]
    assert best.ill == ("divergences",)


def test_few_draws_are_no_illness():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 40))
    draws = Draws(Chains({"x": x}, {"lp": rng.normal(size=(4, 40))}), "stanli", {}, {}, (1, 2, 3, 4))
    diagnosis = check_draws(draws.values, draws.statistics)
    assert not diagnosis.ok  # 160 draws are not the 400 that quantiles want
    assert illness(diagnosis, draws) == ()


def test_where_only_mixing_is_bad_the_other_metric_comes_next_unless_the_user_chose_it():
    def slow(plan):
        asked.append((plan.engine, plan.options.get("metric")))
        return run("slow" if len(asked) == 1 else "well", plan.engine)

    for free, then in ((True, ("nutpie", "low_rank")), (False, ("stanli", None))):
        asked = []
        climb(Plan("nutpie", {"metric": "diag"}, 400), Ladder(ALL, 1000, free), slow, lambda draws: draws.values)
        assert asked[1] == then


def test_each_further_run_is_told_before_it_is_made():
    told = []
    ladder = Ladder(ALL, 1000, tell=told.append)
    kinds = iter(["divergent", "apart", "well"])
    climb(Plan("nutpie", {}, 400), ladder, lambda plan: run(next(kinds)), lambda draws: draws.values)
    assert told == [
        "scistan: nutpie gave divergences; stanli (adapt_delta 0.95) goes on from there",
        "scistan: stanli (adapt_delta 0.95) gave chain means, R-hat, bulk ESS, tail ESS; stanli (adapt_delta 0.99) starts again",
    ]


def test_when_time_is_over_no_further_run_is_made_and_that_is_told():
    ladder = Ladder(ALL, 1000, late=lambda: 5.0)
    best, notes = climb(Plan("nutpie", {}, 400), ladder, lambda plan: run("divergent"), lambda draws: draws.values)
    assert best.ill == ("divergences",)
    assert notes == ("`time_limit=5` was reached: no further run was made for divergences",)


# -- a handful of divergences ----------------------------------------------------------------------------
def diverging_at(draws, places):
    where = np.zeros(draws.shape[:2], bool)
    where.ravel()[places] = True
    return where


def test_a_handful_of_scattered_divergences_is_no_illness():
    x = np.random.default_rng(1).normal(size=(4, 1000, 5))
    assert few_and_scattered({"x": x}, diverging_at(x, [17, 1400, 2800, 3900]))
    assert few_and_scattered({"x": x}, diverging_at(x, []))
    assert not few_and_scattered({"x": x}, diverging_at(x, [17, 500, 1400, 2800, 3900]))  # 5 of 4000


def test_divergences_at_one_time_or_in_one_corner_are_an_illness():
    x = np.random.default_rng(1).normal(size=(4, 1000, 5))
    lowest = np.argsort(x[:, :, 2].ravel())[:4]
    assert not few_and_scattered({"x": x}, diverging_at(x, [17, 18, 30]))
    assert not few_and_scattered({"x": x}, diverging_at(x, lowest))


def test_scattered_divergences_are_rarely_taken_for_clustered_ones():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(4, 1000, 8))
    found = [few_and_scattered({"x": x}, diverging_at(x, rng.choice(4000, 4, replace=False))) for _ in range(300)]
    # The looks together err at 10 % at most: over 300 trials, fewer than 52 but once in 10,000.
    assert 300 - sum(found) < 52


def test_a_few_divergences_in_a_neck_are_seen_if_the_scale_is_known():
    """Three draws of the lowest tenth of a scale, beside 200 other elements."""
    rng = np.random.default_rng(6)
    variables = {"tau": rng.lognormal(size=(4, 1000)), "theta": rng.normal(size=(4, 1000, 200))}
    neck = np.argsort(variables["tau"].ravel())[:400]
    where = [diverging_at(variables["tau"], rng.choice(neck, 3, replace=False)) for _ in range(60)]
    assert not any(few_and_scattered(variables, one, {"tau"}) for one in where)
    assert sum(few_and_scattered(variables, one) for one in where) > 30  # among all elements they are lost


# -- with real runs -----------------------------------------------------------------------------------
def race_of(model, *, looks=False, **settings):
    """Run the race of a model as `auto` does; where it `looks`, with the shape at the mode, which may spare it."""
    subject = model._subject()
    instance = subject.instance
    asked = request(model, **{"draws": 1000, "warmup": 1000, "chains": 4, **settings})
    race = Race(asked, subject.latents, gradient_work(instance), coordinates(instance))
    try:
        if not looks:
            return choose(instance, ALL, {}, asked.warmup, 1000, race.run)
        density = open_density(asked.text, asked.data, asked.seed)
        return choose(instance, ALL, {}, asked.warmup, 1000, race.run, lambda: shape_at_mode(density))
    finally:
        race.stop()


def correlated(rows=200):
    """Give a regression on a predictor far from 0: the intercept goes with the slope."""
    rng = np.random.default_rng(0)
    x = rng.normal(100, 15, rows)
    m = ss.Model("correlated")
    m.x = ss.data(x)
    m.a = ss.Normal(0, 100)
    m.b = ss.Normal(0, 10)
    m.sigma = ss.HalfNormal(20)
    m.y = ss.Normal(m.a + m.b * m.x, m.sigma).observe(3 + 0.5 * x + rng.normal(0, 10, rows))
    return m


def mixed(groups=120, rows=600):
    """Give a linear mixed model, whose many coordinates make a low-rank metric dear."""
    rng = np.random.default_rng(0)
    group, x = rng.integers(0, groups, rows), rng.normal(size=rows)
    m = ss.Model("mixed")
    m.group, m.x = ss.data(group), ss.data(x)
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfNormal(2)
    m.alpha = ss.Normal(m.mu, m.tau, shape=groups)
    m.beta = ss.Normal(0, 2)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.alpha[m.group] + m.beta * m.x, m.sigma).observe(
        1 + rng.normal(0, 0.8, groups)[group] + 0.5 * x + rng.normal(size=rows)
    )
    return m


def test_correlations_get_a_low_rank_metric_and_many_groups_a_diagonal_one():
    assert race_of(correlated(3000)).options["metric"] == "low_rank"
    assert race_of(mixed()).options["metric"] == "diag"


def test_a_rival_enters_only_where_that_can_pay():
    small, large = race_of(correlated()), race_of(correlated(3000))
    assert "low_rank" not in small.why
    assert "low_rank" in large.why


def test_a_warm_up_too_short_to_judge_by_ends_the_race():
    plan = race_of(mixed(), warmup=40)
    assert plan.options["metric"] == "diag"


def test_where_there_are_enough_nothing_is_worth_a_longer_wait():
    quick, rich = Promise(150, 0.2, 800, 7, 1e9), Promise(150, 1.0, 4000, 7, 1.5e9)
    assert quick.beats(rich)
    assert not rich.beats(quick)
    assert rich.beats(Promise(150, 0.05, 200, 7, 1e9))  # not enough
    assert Promise(150, 1.0, 4000, 7, 1.3e9).beats(quick)


def test_the_race_begins_from_what_won_before_unless_there_is_a_seed(tmp_path, monkeypatch):
    monkeypatch.setenv("SCISTAN_CACHE", str(tmp_path))
    monkeypatch.delenv("SCISTAN_HISTORY", raising=False)
    model = varying_intercepts(200)
    instance = model.instance()
    plans = [Plan("nutpie", {"metric": metric}, 400) for metric in ("diag", "low_rank")]
    assert winner_first(plans, instance) == plans
    key = {"structure": structure_of(instance.graph), "parameters": coordinates(instance), "rows": 200, "seconds": 1.0}
    record(Run("mcmc", "stan", "nutpie", "low_rank", effective=4000.0, **key))
    record(Run("mcmc", "stan", "nutpie", "diag", effective=100.0, **key))
    assert [plan.metric for plan in winner_first(plans, instance)] == ["low_rank", "diag"]
    short = {"draws": 60, "warmup": 60, "chains": 2, "progress": False, "integrate": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "nutpie (low_rank metric" in model.mcmc(**short).why.split(":")[0]
        assert "nutpie (diag metric" in model.mcmc(seed=1, **short).why.split(":")[0]


def test_the_choice_depends_on_neither_clock_nor_load(monkeypatch):
    """A clock that runs wild, looks that come late, and another thread at work: the same plan, word for word."""
    first = race_of(correlated(3000))
    wild = iter(np.random.default_rng(0).uniform(0, 1e6, 10**6))
    monkeypatch.setattr(time, "monotonic", lambda: next(wild))
    monkeypatch.setattr(time, "perf_counter", lambda: next(wild))
    monkeypatch.setattr("scistan.engines.trial.FIRST_LOOK", 0.1)
    monkeypatch.setattr("scistan.engines.trial.LAST_LOOK", 0.1)
    busy = threading.Event()
    burner = threading.Thread(target=lambda: [sum(range(1000)) for _ in iter(busy.is_set, True)])
    burner.start()
    try:
        assert race_of(correlated(3000)) == first
    finally:
        busy.set()
        burner.join()


SCRIPT = """
import warnings; warnings.simplefilter("ignore")
from tests.inference.test_mcmc_auto import correlated
fit = correlated().mcmc(draws=200, warmup=300, chains=3, seed=5, progress=False, integrate=False)
print(fit.why, repr(fit.posterior["a"].sum()), repr(fit.posterior["b"].sum()))
"""


def test_two_processes_choose_and_draw_the_same():
    told = [
        subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert told[0] == told[1]
    assert "low_rank" in told[0]


def test_a_plan_repeats_its_draws_bit_for_bit_without_a_race():
    model = correlated()
    fit = model.mcmc(draws=200, warmup=300, chains=3, seed=5, progress=False, integrate=False)
    subject = model._subject()
    plan = Plan("nutpie", {"metric": fit.settings["metric"]}, fit.settings["warmup"])
    again = run_plan(subject, request(model, draws=200, warmup=300, chains=3, seed=5), plan, None)
    assert np.array_equal(again.values["a"], fit.posterior["a"])


def test_a_plan_that_goes_on_repeats_its_draws_bit_for_bit():
    model = eight_schools()
    subject, asked = model._subject(), request(model, draws=100, warmup=100)
    first = Plan("nutpie", {"metric": "diag"}, 100)
    then = Plan("stanli", {"adapt_delta": 0.95}, 50, after=first)
    before = run_plan(subject, asked, first, None)
    drawn = run_plan(subject, asked, then, None, before=before)
    again = run_plan(subject, asked, then, None)
    assert np.array_equal(drawn.values["theta"], again.values["theta"])


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("kidiq-kidscore_interaction", "low_rank"),
        ("sblrc-blr", "low_rank"),
        ("mesquite-logmesquite_logvash", "low_rank"),
        ("arK-arK", "low_rank"),
        ("gp_pois_regr-gp_regr", "diag"),
    ],
)
def test_posteriors_get_the_metric_that_was_measured_best(name, metric, posteriordb):
    plan = race_of(POSTERIORS[name](posteriordb(name)[0]), looks=True)
    assert plan.options.get("metric", "diag") == metric  # Stan's own unless another is asked for


def crossed(rows=1500):
    """Give answers of 60 persons to 25 items, centred: all of one kind may shift together, which a diagonal metric lacks."""
    rng = np.random.default_rng(3)
    person, item = rng.integers(0, 60, rows), rng.integers(0, 25, rows)
    m = ss.Model("crossed")
    m.mu, m.sd_person, m.sd_item = ss.Normal(0, 2), ss.HalfNormal(1), ss.HalfNormal(1)
    m.person = ss.Normal(0, m.sd_person, shape=60, centred=True)
    m.item = ss.Normal(0, m.sd_item, shape=25, centred=True)
    odds = rng.normal(0, 0.8, 60)[person] + rng.normal(0, 0.6, 25)[item]
    m.y = ss.BernoulliLogit(m.mu + m.person[person] + m.item[item]).observe(rng.random(rows) < 1 / (1 + np.exp(-odds)))
    return m


def test_where_the_first_mixes_badly_a_metric_is_taken_for_what_its_kind_does_and_costs():
    plan = race_of(crossed(), seed=2)
    assert plan.metric == "low_rank"
    assert re.search(r"as such metrics do on average where nutpie \(diag metric.*\) mixes badly \(\d+% of its first", plan.why)
    cheap = race_of(crossed(rows=200), seed=2)  # beside so cheap a gradient its own work is dear
    assert cheap.metric == "diag"


def test_a_program_is_judged_by_the_draws_it_made_and_not_by_what_is_expected():
    seen, hoped = Promise(100, 0.2, 800, 15, 4e9), Promise(100, 0.34, 1360, 15, 6e9)
    first = Runner(Plan("nutpie", {"metric": "diag"}), None, 1.0, 0.0, seen)
    assert Runner(Plan("nutpie", {"metric": "low_rank"}), None, 1.0, 0.0, hoped, first).judged is seen
    assert first.judged is seen


def test_shares_of_unequal_numbers_of_draws_are_compared_where_the_fewer_are_the_better():
    """What drew less looks worse than it is; it is not to be judged by its cost alone where it looks better."""
    many, cost = Promise(150, 0.05, 200, 46, 0.95e9), 1.04e9
    assert Promise(80, 0.17, 680, 26, cost).beats(many)
    assert not Promise(60, 0.17, 680, 26, cost).beats(many)  # too few to tell anything
    assert not Promise(80, 0.04, 160, 26, cost).beats(many)
    assert Promise(100, 0.04, 160, 26, 0.6e9).beats(many)


def plan_after(asked):
    race = Race(asked, ["x"], 100.0, 1)
    return choose(logistic().instance(), ALL, {}, 1000, 1000, race.run)


def test_a_race_in_which_all_panic_is_survived_and_told():
    plan = plan_after(program(PANICS.replace("2.9", "-9")))
    assert plan.engine == "stanli"
    assert plan.why.startswith("stanli: nutpie's pilot run failed: ")


def test_a_panic_of_one_candidate_does_not_lose_the_run(monkeypatch):
    """Of two candidates one panics: the other is taken, and why it was alone is told."""
    real = race_module.begin
    panics = nutpie_engine.ready_model(program(PANICS.replace("2.9", "-9")))

    def begin(engine, asked, model):
        return real(engine, asked, panics if asked.options["metric"] == "diag" else model)

    monkeypatch.setattr(race_module, "begin", begin)
    plan = race_of(correlated(3000))
    assert plan.options["metric"] == "low_rank"
    assert "nutpie (diag metric) failed: nutpie panicked" in plan.why


def test_an_interrupt_during_the_race_leaves_nothing_running(monkeypatch):
    threads = threading.active_count()
    begun = []
    real = race_module.draw_on

    def interrupted(runs, part, cores, wish, expected):
        begun.extend(runs)
        real(runs, part, cores, wish, expected)
        wish.ask()

    monkeypatch.setattr(race_module, "draw_on", interrupted)
    with pytest.raises(KeyboardInterrupt):
        race_of(correlated())
    assert begun
    assert all(chain.over for run in begun for chain in run.chains)
    assert threading.active_count() == threads


def test_a_race_that_fails_at_the_seam_is_told_aloud(monkeypatch):
    """Another nutpie than we know is no fault of the model's, and never passed over in silence."""
    monkeypatch.setattr("scistan.engines.nutpie_call._arguments", lambda _: ("settings", "cores", "model", "brand_new"))
    with pytest.raises(KeyError):  # a fault of the adapter's own is nobody's answer
        race_of(logistic(60))

    def other(_):
        raise lacking("nutpie", ["PySampler.from_stan"])

    monkeypatch.setattr("scistan.engines.nutpie_call._arguments", other)
    with pytest.warns(UserWarning, match=r"nutpie 0\.\d+\.\d+ is installed, .*`PySampler.from_stan`"):
        fit = varying_intercepts().mcmc(seed=1, draws=200, warmup=300, integrate=False)
    assert fit.engine == "stanli"
    assert "`PySampler.from_stan`" in fit.why


def test_a_panic_ends_on_stans_nuts(monkeypatch):
    """The whole way, with a real panic in the place of the model's own program."""
    real = nutpie_engine.ready_model
    monkeypatch.setattr(nutpie_engine, "ready_model", lambda asked: real(program(PANICS.replace("2.9", "1.0"))))
    monkeypatch.setattr(Race, "run", lambda race, plans: promised(low_rank=FAST)(plans))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = varying_intercepts().mcmc(seed=1, draws=300, warmup=300, integrate=False)
    assert fit.engine == "stanli"
    assert any("nutpie (diag metric, adapt_delta 0.9) failed: " in note and "panicked" in note for note in fit.notes)
    assert fit.diagnose().hint("divergences") is None


def test_a_sick_result_is_never_silent():
    m = ss.Model("funnel")
    m.scale = ss.HalfCauchy(1)
    m.x = ss.Normal(0, m.scale, shape=9, centred=True)
    m.y = ss.Normal(m.x, 100.0).observe(np.zeros(9))
    with pytest.warns(UserWarning, match="funnel: .*finding"):
        fit = m.mcmc(draws=300, warmup=300, seed=2, integrate=False)
    assert not fit.diagnose().ok
    assert "set aside" in "\n".join(fit.notes)


def test_the_choice_is_explained_in_one_line():
    fit = counts().mcmc(seed=1)
    assert fit.why == "stanli: 5 numbers of data are too few for a race to pay"
    assert fit.why in repr(fit)


# -- a limit of time -------------------------------------------------------------------------------------
@pytest.mark.parametrize("engine", ["auto", "stanli", "nutpie"])
def test_a_limit_of_time_gives_what_there_is_by_then(engine):
    model = logistic(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = model.mcmc(
            draws=500_000, warmup=20, chains=2, seed=1, engine=engine, progress=False, time_limit=2, keep=["alpha"]
        )
    assert 0 < fit.posterior["alpha"].shape[1] < 500_000
    assert any("was reached" in note and "`time_limit=" in note for note in fit.notes)


def test_a_limit_of_time_ends_the_race_too():
    began = time.monotonic()
    plan = race_of(correlated(3000), time_limit=1e-3)
    assert plan.options["metric"] == "diag"
    assert time.monotonic() - began < 30


def test_a_limit_without_a_draw_is_told_with_the_remedy():
    with pytest.raises(ss.SamplingError, match=r"`time_limit=0\.05` was reached before a chain had ended its warm-up"):
        logistic(2000, 5).mcmc(draws=10, warmup=900_000, engine="stanli", progress=False, time_limit=0.05)
    with pytest.raises(ss.ModelError, match="`time_limit`"):
        logistic().mcmc(time_limit=-1)
