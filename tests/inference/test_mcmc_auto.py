"""`engine="auto"`: chooses by what the model is, says why, and climbs when the draws are ill."""

import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics import check_draws
from scistan.engines import nutpie as nutpie_engine
from scistan.engines.protocol import Chains, Draws
from scistan.engines.trial import Trial, run_trial
from scistan.inference.choose import choose, fitting_engines
from scistan.inference.climb import climb, illness
from scistan.inference.plan import Plan
from scistan.messages.sampling import ChainWarning
from scistan.surface import lacking
from tests.engines.support import PANICS, program, request
from tests.inference.posteriors import POSTERIORS
from tests.zoo import counts, eight_schools, logistic, varying_intercepts

ALL = ["nutpie", "stanli", "cmdstan"]


def chosen(model, seen, fitting=ALL, numbers=1000, warmup=1000, **options):
    return choose(model.instance(), fitting, options, warmup, numbers, lambda: seen)


def test_many_steps_ask_for_a_low_rank_metric():
    plan = chosen(logistic(), Trial(11, 14.0, None))
    assert (plan.engine, plan.options, plan.warmup) == ("nutpie", {"metric": "low_rank"}, 400)
    assert "14 or more steps" in plan.why


def test_strong_correlations_ask_for_a_low_rank_metric():
    plan = chosen(logistic(), Trial(6, 6.0, 30.0))
    assert plan.options["metric"] == "low_rank"
    assert "condition number 30" in plan.why


def test_an_easy_posterior_gets_a_diagonal_metric():
    plan = chosen(logistic(), Trial(6, 6.0, 4.0))
    assert (plan.engine, plan.options["metric"]) == ("nutpie", "diag")


def test_a_tiny_model_gets_no_pilot():
    def never():
        raise AssertionError

    plan = choose(eight_schools().instance(), ALL, {}, 1000, 16, never)
    assert plan.engine == "stanli"
    assert plan.options == {"adapt_delta": 0.9}
    assert plan.warmup == 400


def test_a_first_run_warms_up_as_long_as_it_gains_and_never_less_than_who_asks_for_more():
    easy = {d: Trial(d, 6.0, None) for d in (11, 200)}
    assert [chosen(logistic(), easy[d]).warmup for d in (11, 200)] == [400, 800]
    assert chosen(logistic(), easy[11], warmup=150).warmup == 150
    assert chosen(logistic(), easy[11], warmup=2000).warmup == 2000
    assert chosen(eight_schools(), None, numbers=16, warmup=2000).warmup == 2000


def test_a_second_run_has_the_whole_warm_up():
    best, _, asked = go(Plan("stanli", {"adapt_delta": 0.9}, 400), ["divergent", "well"])
    assert asked == [("stanli", 0.9), ("stanli", 0.95)]
    assert best.plan.warmup == 1000


def test_estimated_scales_get_smaller_steps_unless_asked_otherwise():
    seen = Trial(50, 5.0, None)
    assert chosen(varying_intercepts(), seen).options["adapt_delta"] == 0.9
    assert chosen(varying_intercepts(), seen, adapt_delta=0.7).options["adapt_delta"] == 0.7
    assert "adapt_delta" not in chosen(logistic(), seen).options


def test_what_the_user_asks_for_narrows_the_choice():
    assert chosen(logistic(), Trial(4, 15.0, 99.0), metric="diag").options["metric"] == "diag"
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

    best, notes = climb(first, fitting, 1000, runner, lambda draws: draws.values)
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
    first = Plan("nutpie", {"metric": "low_rank"}, 400)
    best, notes, asked = go(first, [kind, kind, "well"])
    assert [engine for engine, _ in asked] == ["nutpie", "stanli", "stanli"]
    assert asked[2][1] == 0.95
    assert best.plan.warmup == 1000
    assert best.ill == ()
    assert any("nutpie (low_rank metric) was set aside" in note and check in note for note in notes)


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

    best, _ = climb(Plan("nutpie", {}, 400), ALL, 1000, runner, lambda draws: draws.values)
    assert asked == ["nutpie"]
    assert best.ill == ("divergences",)


def test_few_draws_are_no_illness():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4, 40))
    draws = Draws(Chains({"x": x}, {"lp": rng.normal(size=(4, 40))}), "stanli", {}, {}, (1, 2, 3, 4))
    diagnosis = check_draws(draws.values, draws.statistics)
    assert not diagnosis.ok  # 160 draws are not the 400 that quantiles want
    assert illness(diagnosis, draws) == ()


# -- with real runs -----------------------------------------------------------------------------------
def test_the_choice_does_not_depend_on_the_clock():
    assert run_trial(request(logistic())) == run_trial(request(logistic()))


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
    model = POSTERIORS[name](posteriordb(name)[0])
    plan = choose(model.instance(), ALL, {}, 1000, 1000, lambda: run_trial(request(model)))
    assert (plan.engine, plan.options["metric"]) == ("nutpie", metric)


def test_a_pilot_that_panics_is_survived_and_told():
    always = program(PANICS.replace("2.9", "-9"))
    plan = choose(logistic().instance(), ALL, {}, 1000, 1000, lambda: run_trial(always))
    assert plan.engine == "stanli"
    assert plan.why.startswith("stanli: nutpie's pilot run failed: ")


def test_a_pilot_that_fails_at_the_seam_is_told_aloud(monkeypatch):
    """Another nutpie than we know is no fault of the model's, and never passed over in silence."""
    monkeypatch.setattr("scistan.engines.nutpie_call._arguments", lambda _: ("settings", "cores", "model", "brand_new"))
    with pytest.raises(KeyError):  # a fault of the adapter's own is nobody's answer
        run_trial(request(logistic(60)))

    def other(_):
        raise lacking("nutpie", ["PySampler.from_stan"])

    monkeypatch.setattr("scistan.engines.nutpie_call._arguments", other)
    with pytest.warns(UserWarning, match=r"nutpie 0\.\d+\.\d+ is installed, .*`PySampler.from_stan`"):
        fit = logistic(60).mcmc(seed=1, draws=200, warmup=300)
    assert fit.engine == "stanli"
    assert "`PySampler.from_stan`" in fit.why


def test_a_panic_ends_on_stans_nuts(monkeypatch):
    """The whole way, with a real panic in the place of the model's own program."""
    real = nutpie_engine.ready_model
    monkeypatch.setattr(nutpie_engine, "ready_model", lambda asked: real(program(PANICS.replace("2.9", "1.0"))))
    monkeypatch.setattr("scistan.inference.run.run_trial", lambda _: Trial(3, 15.0, None))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = logistic(60).mcmc(seed=1, draws=300, warmup=300)
    assert fit.engine == "stanli"
    assert any("nutpie (low_rank metric) failed: " in note and "panicked" in note for note in fit.notes)
    assert fit.diagnose().hint("divergences") is None


def test_a_sick_result_is_never_silent():
    m = ss.Model("funnel")
    m.scale = ss.HalfCauchy(1)
    m.x = ss.Normal(0, m.scale, shape=9, centred=True)
    m.y = ss.Normal(m.x, 100.0).observe(np.zeros(9))
    with pytest.warns(UserWarning, match="funnel: .*finding"):
        fit = m.mcmc(draws=300, warmup=300, seed=2)
    assert not fit.diagnose().ok
    assert "set aside" in "\n".join(fit.notes)


def test_the_choice_is_explained_in_one_line():
    fit = counts().mcmc(seed=1)
    assert fit.why == "stanli: 5 numbers of data are too few for a pilot to pay"
    assert fit.why in repr(fit)
