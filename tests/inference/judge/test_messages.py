"""The words of sbc, loo, kfold and check_model, kept as one page each; run with --accept after changing them."""

import pytest

from scistan.errors import Place
from scistan.messages import judge, leaving_out, model_check

LINE = Place("model.py", 7)
FAILED = {3: "no chain can start", 8: "OSError: the worker died"}
OF_JUDGE = {
    "listed": lambda: judge.listed(["a", "b", "c", "d", "e", "f", "g"]),
    "other_study": lambda: judge.other_study("runs/a", ["model", "data"], "sbc", "sbc"),
    "other_study of another verb": lambda: judge.other_study("runs/a", ["verb", "seed"], "sbc", "kfold"),
    "strange_folder": lambda: judge.strange_folder("thesis"),
    "broken_folder": lambda: judge.broken_folder("runs/a", "Expecting value"),
    "cannot_keep": lambda: judge.cannot_keep("runs/a", "No space left on device"),
    "results_reused": lambda: judge.results_reused(3),
    "tasks_failed": lambda: judge.tasks_failed("fit.kfold()", FAILED, 10),
    "no_matplotlib": lambda: judge.no_matplotlib(),
    "sbc_observes_nothing": lambda: judge.sbc_observes_nothing("coin"),
    "nothing_to_rank": lambda: judge.nothing_to_rank("sigm", ["mu", "sigma"]),
    "simulated_not_finite": lambda: judge.simulated_not_finite("y", float("inf")),
    "replication_cut_short": lambda: judge.replication_cut_short("chain 2 failed and is left out: no start"),
    "every_replication_failed": lambda: judge.every_replication_failed(FAILED),
    "replications_made": lambda: judge.replications_made(60, 60, False),
    "replications_made until interrupted": lambda: judge.replications_made(42, 60, True),
    "sbc_verdict": lambda: judge.sbc_verdict("coin", "60 replications", 3, [], 0.01),
    "sbc_verdict of a wrong one": lambda: judge.sbc_verdict("coin", "60 replications", 3, ["p"], 0.01),
    "rank_shape": lambda: judge.rank_shape(0.7, 1.0, 100),
    "rank_shape of a narrow posterior": lambda: judge.rank_shape(0.3, 1.3, 100),
    "rank_shape of neither": lambda: judge.rank_shape(0.5, 1.0, 100),
    "sbc_divergences": lambda: judge.sbc_divergences(4, 100),
    "sbc_failures": lambda: judge.sbc_failures(FAILED, 100),
    "loo_matched": lambda: judge.loo_matched(["y[a]", "y[b]"], 0.7, 0),
    "loo_matched in part": lambda: judge.loo_matched(["y[a]", "y[b]"], 0.7, 1),
    "given_states": lambda: judge.given_states("y", ["z"]),
    "loo_unreliable": lambda: judge.loo_unreliable(["y[a]"], 0.93, 0.7, True, "", "y"),
    "loo_unreliable without matching": lambda: judge.loo_unreliable(["y[a]"], 0.93, 0.7, False, "it needs the model", "y"),
}
OF_ROWS = {
    "refits_by_mcmc": lambda: leaving_out.refits_by_mcmc("pathfinder"),
    "which_rows": lambda: leaving_out.which_rows(["y", "z"]),
    "no_rows_to_leave_out": lambda: leaving_out.no_rows_to_leave_out("y", "Normal", False, LINE),
    "no_rows_to_leave_out of a vector": lambda: leaving_out.no_rows_to_leave_out("y", "MultivariateNormal", True, LINE),
    "axis_of_one_density": lambda: leaving_out.axis_of_one_density("y", "year", "MultivariateNormal", LINE),
    "lengths_follow_rows": lambda: leaving_out.lengths_follow_rows("y", LINE),
    "rows_observed_twice": lambda: leaving_out.rows_observed_twice("y", ["z"], LINE),
    "rows_depend": lambda: leaving_out.rows_depend("y", "y", LINE),
    "latent_ties_rows": lambda: leaving_out.latent_ties_rows("walk", "y", LINE),
    "latent_of_rows_improper": lambda: leaving_out.latent_of_rows_improper("a", LINE),
    "unknown_groups": lambda: leaving_out.unknown_groups("sit", ["site", "x"]),
    "groups_not_along": lambda: leaving_out.groups_not_along("place", "y"),
    "nothing_to_part": lambda: leaving_out.nothing_to_part(None, 1),
    "nothing_to_part by groups": lambda: leaving_out.nothing_to_part("site", 1),
    "more_folds_than_groups": lambda: leaving_out.more_folds_than_groups(10, 5, "site"),
    "kfold_verdict": lambda: leaving_out.kfold_verdict("coin", "y", 10, None, 40),
    "kfold_verdict by groups": lambda: leaving_out.kfold_verdict("coin", "y", 5, "site", 40),
    "folds_ill": lambda: leaving_out.folds_ill({2: "1 finding(s): R-hat"}, 10),
    "whole_fit_ill": lambda: leaving_out.whole_fit_ill("R-hat; divergences"),
    "depends_on_itself": lambda: leaving_out.depends_on_itself("m.sbc()", "y", LINE),
}
OF_CHECKS = {
    "nothing_to_check": lambda: model_check.nothing_to_check("coin"),
    "bad_statistic": lambda: model_check.bad_statistic("median", ["mean", "sd"]),
    "statistic_failed": lambda: model_check.statistic_failed("range", "ValueError: no"),
    "no_pit": lambda: model_check.no_pit("y", "MultivariateNormal"),
    "no_proper_prior": model_check.no_proper_prior,
    "densities_not_finite": model_check.densities_not_finite,
    "fit_is_ill": lambda: model_check.fit_is_ill("1 finding(s): R-hat"),
    "check_verdict": lambda: model_check.check_verdict("coin", []),
    "check_verdict of findings": lambda: model_check.check_verdict("coin", ["LOO-PIT", "predictive check", "LOO-PIT"]),
    "statistic_off": lambda: model_check.statistic_off("y", "zeros", 0.5, 0.1, 0.2, 0.0),
    "mend_statistic": lambda: model_check.mend_statistic("sd"),
    "mend_statistic of one's own": lambda: model_check.mend_statistic("range"),
    "pit_off": lambda: model_check.pit_off("y", 0.6, 1.3, 100, 1e-5),
    "mend_calibration": lambda: model_check.mend_calibration("y", 0.6, 1.3, 100),
    "mend_calibration of wide ones": lambda: model_check.mend_calibration("y", 0.5, 0.7, 100),
    "mend_calibration of neither": lambda: model_check.mend_calibration("y", 0.5, 1.0, 100),
    "prior_conflict": lambda: model_check.prior_conflict(["a (0.92)"], 0.05),
    "mend_conflict": model_check.mend_conflict,
    "prior_alone": lambda: model_check.prior_alone(["a (0.92)"], 0.05),
    "mend_prior_alone": model_check.mend_prior_alone,
    "pit_unreliable": lambda: model_check.pit_unreliable("y", 1),
    "more_sensitivities": lambda: model_check.more_sensitivities(30),
}
PAGES = {"judge": (judge, OF_JUDGE), "leaving_out": (leaving_out, OF_ROWS), "model_check": (model_check, OF_CHECKS)}


@pytest.mark.parametrize("page", PAGES)
def test_wording(page, golden):
    lines = []
    for name, say in PAGES[page][1].items():
        kept = [line for line in str(say()).splitlines() if not line.startswith("  at ") or "model.py" in line]
        lines += [f"[{name}]", *kept, ""]
    golden(f"messages/{page}.txt", "\n".join(lines))


@pytest.mark.parametrize("page", PAGES)
def test_every_message_is_on_the_page(page):
    module, said = PAGES[page]
    defined = {
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__ and not isinstance(value, type)
    }
    assert defined == {name.partition(" ")[0] for name in said}
