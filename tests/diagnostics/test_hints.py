"""Hints: in order, for people and machines, never what was done already; suggestions tried and taken on an unchanged model."""

import json
import warnings

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics import Change, Context, Diagnosis, Hint, check_draws
from scistan.diagnostics.ran import Ran
from tests.diagnostics.sick_models import SICK
from tests.diagnostics.test_checks import ill, statistics, well


def told(check, **settings):
    """Give the hint of a check on ill draws, after a run with these settings."""
    posterior, more, _ = ill()[check]
    engine = settings.pop("engine", "stanli")
    context = Context(ran=Ran.of(engine, settings))
    return check_draws(posterior, {**statistics(), **more}, context=context).hint(check)


@pytest.mark.parametrize(
    ("check", "settings", "words", "change"),
    [
        ("divergences", {}, "raise `adapt_delta` to 0.95", {"adapt_delta": 0.95}),
        ("divergences", {"adapt_delta": 0.95}, "raise `adapt_delta` to 0.99", {"adapt_delta": 0.99}),
        ("divergences", {"adapt_delta": 0.99}, "`adapt_delta=0.99` was tried and did not help", None),
        ("divergences", {"attempts": [{"adapt_delta": 0.99}]}, "`adapt_delta=0.99` was tried", None),
        ("tree depth", {}, "metric='low_rank'", {"engine": "nutpie", "metric": "low_rank"}),
        ("R-hat", {"warmup": 4000, "draws": 3000}, "`warmup=8000, draws=6000`", {"warmup": 8000, "draws": 6000}),
        ("R-hat", {"warmup": 400, "attempts": [{"warmup": 1000}]}, "`warmup=2000", {"warmup": 2000, "draws": 2000}),
        ("stuck chains", {}, "`inits='prior'` or `inits='pathfinder'`", {"engine": "stanli", "inits": "prior"}),
        ("stuck chains", {"starts": "prior"}, "(`inits='pathfinder'`)", {"engine": "stanli", "inits": "pathfinder"}),
        ("step sizes", {"warmup": 3000}, "`warmup=6000`", {"warmup": 6000}),
    ],
)
def test_suggestions_know_what_was_run(check, settings, words, change):
    hint = told(check, **settings)
    assert words in hint.suggestion
    assert (None if hint.change is None else hint.change.options) == change


@pytest.mark.parametrize("settings", [{"engine": "nutpie", "metric": "low_rank"}, {"engine": "nutpie"}, {"metric": "dense"},
                                      {"attempts": [{"engine": "nutpie", "metric": "low_rank"}]}])
def test_no_metric_is_advised_that_was_used(settings):
    hint = told("tree depth", **settings)
    assert "nutpie" not in hint.suggestion
    assert "low_rank" not in hint.suggestion
    assert hint.change is None


def test_nutpie_is_not_told_to_use_nutpie():
    hint = told("tree depth", engine="nutpie", metric="diag")
    assert "nutpie" not in hint.suggestion
    assert "(`metric='low_rank'`)" in hint.suggestion
    assert hint.change.options == {"metric": "low_rank"}


def test_auto_remembers_what_it_tried():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = SICK["centred_eight_schools"].build().mcmc(draws=200, warmup=200, seed=1, progress=False)
    assert max(a.get("adapt_delta", 0.8) for a in [*fit.settings["attempts"], fit.settings]) == 0.99
    assert "raise" not in fit.diagnose().hint("divergences").suggestion
    assert fit.diagnose().hints[0].suggestion == "remove `centred=True` from `theta`"


def hints():
    return (
        Hint("a", 1.0, 0.5, (), "a is so.", "do", "note"),
        Hint("b", 1.0, 0.5, ("x[0]",), "b is so.", "do", "warning", nearness=0),
        Hint("c", np.inf, 0.5, (), "c is so.", "do", "error", nearness=3, change=Change({"draws": 9})),
        Hint("d", 1.0, 0.5, (), "d is so.", "do", "error", nearness=0, change=Change({}, {"x": {"centred": True}})),
    )


def test_hints_are_in_order_of_severity_and_then_of_nearness():
    from scistan.diagnostics.diagnosis import in_order

    assert [hint.check for hint in in_order(hints())] == ["d", "c", "b", "a"]


def test_notes_leave_a_diagnosis_ok():
    only = Diagnosis(hints()[:1], ("a", "R-hat"))
    assert only.ok
    assert only.verdict == "healthy: R-hat are within their thresholds; to know: a"
    assert "a is so." in repr(only)
    more = Diagnosis(hints(), ("a",))
    assert not more.ok
    assert [hint.check for hint in more.findings] == ["b", "c", "d"]
    assert [hint.check for hint in more.notes] == ["a"]


def test_a_diagnosis_for_other_programs():
    diagnosis = Diagnosis(hints(), ("a", "b", "c", "d"))
    plain = json.loads(diagnosis.to_json())
    assert plain["ok"] is False
    assert [hint["check"] for hint in plain["hints"]] == ["a", "b", "c", "d"]
    assert plain["hints"][2]["value"] == "inf"
    assert plain["hints"][3]["change"] == {"options": {}, "variables": {"x": {"centred": True}}}
    table = diagnosis.to_dataframe()
    assert list(table["severity"]) == ["note", "warning", "error", "error"]
    assert table["change"][2] == "draws=9"
    html = Diagnosis((Hint("<b>", 1.0, 0.5, (), "<i>", "do"),), ())._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;" in html


@pytest.fixture(scope="module")
def funnel():
    sick = SICK["centred_eight_schools"]
    model = sick.build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model, model.mcmc(progress=False, **sick.run)


def test_refit_changes_the_fit_and_not_the_model(funnel, tmp_path):
    model, fit = funnel
    before = model.text()
    again = fit.refit(fit.diagnose().hints[0], seed=4, progress=False)
    assert model.text() == before
    assert model.to_graph().latents[2].law.centred is True
    assert again.subject.instance.graph.latents[2].law.centred is None
    assert again.shape == fit.shape
    assert again.notes[0] == "sampled again for 'funnel', with theta without centred"
    assert again.diagnose().hint("divergences") is None or again.diagnose().hint("divergences").value < 5
    assert again.predict(draws=10, seed=1) is not None
    loaded = ss.load(again.save(tmp_path / "again.nc"))
    assert loaded.diagnose().verdict == again.diagnose().verdict
    assert loaded.subject.instance.graph.latents[2].law.centred is None


def test_a_trial_shows_before_and_after(funnel):
    _, fit = funnel
    trial = fit.diagnose().hints[0].try_it(draws=150, seed=3)
    assert trial.fit.shape == (4, 150)
    assert repr(trial).splitlines()[0] == "tried theta without centred: 'funnel' is gone"
    assert "divergences per 1000" in repr(trial)
    assert "<table>" in trial._repr_html_()
    rows = {what: (before, after) for what, before, after in trial.rows}
    assert float(rows["divergences per 1000"][1]) < float(rows["divergences per 1000"][0])


def test_what_cannot_be_tried_is_said(funnel, tmp_path):
    _, fit = funnel
    diagnosis = fit.diagnose()
    with pytest.raises(ss.ModelError, match="cannot be tried by itself"):
        diagnosis.hint("E-BFMI").try_it()
    with pytest.raises(ss.ModelError, match="cannot be tried by itself"):
        fit.refit(diagnosis.hint("E-BFMI"))
    with pytest.raises(ss.ModelError, match="belongs to no fit"):
        fit._diagnosis.hints[0].try_it()
    with pytest.raises(ss.ModelError, match="speaks of a variable"):
        fit.refit(Hint("x", 1.0, 1.0, (), "", "", change=Change(variables={"nobody": {"centred": True}})))


def test_a_hint_of_a_fit_in_hand_survives_a_copy(funnel):
    from copy import deepcopy

    _, fit = funnel
    fit.diagnose()
    assert deepcopy(fit).diagnose().hints == fit.diagnose().hints


def test_a_change_keeps_healthy_draws_of_the_same_posterior():
    """Centred or not, it is one posterior: means agree within their Monte Carlo error."""
    rng = np.random.default_rng(0)
    m = ss.Model("same")
    m.tau = ss.HalfNormal(1)
    m.u = ss.Normal(0, m.tau, shape=6)
    group = np.repeat(np.arange(6), 10)
    m.y = ss.Normal(m.u[group], 1).observe(1.5 * rng.normal(size=6)[group] + rng.normal(size=60))
    fit = m.mcmc(seed=1, progress=False, engine="stanli", integrate=False)
    hint = Hint("x", 1.0, 1.0, (), "", "", change=Change(variables={"u": {"centred": True}}))
    other = fit.refit(hint, seed=2, progress=False)
    gap = fit.posterior["u"].mean((0, 1)) - other.posterior["u"].mean((0, 1))
    error = np.sqrt(fit.posterior["u"].var((0, 1)) / 400 + other.posterior["u"].var((0, 1)) / 400)  # 400 effective draws
    assert (np.abs(gap) < 4.5 * error).all()
    assert "multiplier" in fit.subject.program.text
    assert "multiplier" not in other.subject.program.text


def test_a_refit_that_is_ill_warns_at_the_users_line(funnel):
    _, fit = funnel
    worse = Hint("x", 1.0, 1.0, (), "", "", change=Change({"draws": 20}))
    with pytest.warns(UserWarning, match="bulk ESS") as caught:
        fit.refit(worse, seed=1, progress=False)
    assert {one.filename for one in caught} == {__file__}


def test_unowned_draws_have_no_line():
    assert check_draws({"x": well()}, {}).hints == ()
