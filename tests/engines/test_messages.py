"""The words of what can go wrong while sampling and with a fit in hand, a page each; run with --accept after changing them."""

import pytest

from scistan.errors import Place
from scistan.messages import capabilities, centring, few, fits, options, pictures, race
from scistan.messages import sampling as messages

INSTALLED = {"stanli": "", "nutpie": "nutpie not installed", "cmdstan": ""}
METRICS = {"stanli": ("diag", "dense"), "nutpie": ("low_rank", "diag")}
SAID = {
    "needs_this_process": lambda: messages.needs_this_process("jax"),
    "unknown_engine": lambda: messages.unknown_engine("jags", INSTALLED),
    "engine_missing": lambda: messages.engine_missing("nutpie", "nutpie not installed", "pip install 'scistan[nutpie]'"),
    "unknown_option elsewhere": lambda: messages.unknown_option("nutpie", "thin", ["metric"], ["stanli", "cmdstan"]),
    "unknown_option misspelled": lambda: messages.unknown_option("stanli", "adapt_dleta", ["adapt_delta"], []),
    "unknown_option of another package": lambda: messages.unknown_option("stanli", "tune", ["adapt_delta"], []),
    "no_engine_has": lambda: messages.no_engine_has(["metric", "thin"]),
    "unknown_metric": lambda: messages.unknown_metric("stanli", "low_rank", METRICS),
    "metric_shape": lambda: messages.metric_shape("diag_e", (2,), (5,)),
    "metric_shape of a matrix": lambda: messages.metric_shape("dense_e", (2,), (5, 5)),
    "metric_shape where there is none": lambda: messages.metric_shape("unit_e", (2,), ()),
    "metric_not_positive": messages.metric_not_positive,
    "program_refused": lambda: messages.program_refused("stanli", "no such function: f"),
    "engine_disagrees": lambda: messages.engine_disagrees("stanli", "it says -6.5 and SciPy -11.12"),
    "engine_disagrees and nothing compiles": lambda: messages.engine_disagrees(
        "auto", "stanli says -6.5 and SciPy -11.12", "there is no compiler.\nlong output"
    ),
    "embedded_disagree": lambda: messages.embedded_disagree("stanli says -6.5 and SciPy -11.12"),
    "compiled_instead": messages.compiled_instead,
    "no_such_method": lambda: messages.no_such_method("nutpie", "pathfinder", ["stanli", "cmdstan"]),
    "no_tape": lambda: messages.no_tape("stanli", "pathfinder"),
    "replaced": lambda: messages.replaced("stanli", "stanli does not take this program.", "cmdstan"),
    "approximated_by": lambda: messages.approximated_by("stanli", ()),
    "approximated_by another": lambda: messages.approximated_by("cmdstan", ("stanli was replaced",)),
    "paths_failed": lambda: messages.paths_failed(1, 4, "the line search failed"),
    "advi_stopped": messages.advi_stopped,
    "cannot_sample": lambda: messages.cannot_sample("initialization failed"),
    "no_chain_ran": lambda: messages.no_chain_ran(["it was killed", "it was killed"]),
    "all_engines_failed": lambda: messages.all_engines_failed({"nutpie": "it panicked", "stanli": "no such function"}),
    "panicked": lambda: messages.panicked("unwrap on None"),
    "chain_failed": lambda: messages.chain_failed(3, "its process was ended by SIGKILL"),
    "kept_after_interrupt": lambda: messages.kept_after_interrupt(2, 4, 600, 1000),
    "own_starts": lambda: messages.own_starts("nutpie"),
    "unknown_inits": lambda: messages.unknown_inits("posterior"),
    "inits_count": lambda: messages.inits_count(1, 4),
    "init_outside": lambda: messages.init_outside("tau", "[2]", -1.0, "not negative"),
    "cannot_start_there": lambda: messages.cannot_start_there("tau is negative"),
    "pathfinder_failed": lambda: messages.pathfinder_failed("no finite density"),
    "cannot_start": lambda: messages.cannot_start(
        "`y[0]`, observed as 3, is outside the support of Uniform, which is between 0 and 0.6, where a = 0.6",
        20, 20, "correct the value", Place("model.py", 7),
    ),
    "cannot_start sometimes": lambda: messages.cannot_start(
        "`sigma` of Normal must be positive, and is -1", 12, 20, "write `ss.exp(...)` in its place", Place("model.py", 7)
    ),
    "steep": lambda: messages.steep(
        "y", "Poisson", "[0]", "at the value 0 with lambda_ = 0", "`lambda_` = 0", Place("model.py", 7)
    ),
    "nothing_observed": messages.nothing_observed,
    "no_rows": lambda: messages.no_rows(["y"], others=False),
    "no_rows beside others": lambda: messages.no_rows(["y", "z"], others=True),
    "is_remark": lambda: messages.is_remark(messages.nothing_observed()),
    "too_big": lambda: messages.too_big(8e9, 2e9, [("mean", 7.5e9), ("a", 1e8)]),
    "draws_too_big": lambda: messages.draws_too_big(8e15, 2e9, [("mean", 7.5e15)]),
    "generated_too_big": lambda: messages.generated_too_big("`log_likelihood`", 32e9, 2e9, [("y", 32e9)]),
    "no_warmup": lambda: messages.no_warmup("nutpie", 1, 0),
    "unknown_keep": lambda: messages.unknown_keep("alhpa", ["alpha", "log_likelihood"]),
    "not_kept": lambda: messages.not_kept("prediction"),
    "left_out": lambda: messages.left_out("log_likelihood"),
    "nothing_to_sample": messages.nothing_to_sample,
    "no_executor": lambda: messages.no_executor(3),
    "needs_model": lambda: messages.needs_model("prediction"),
    "engine_failed": lambda: messages.engine_failed("nutpie (diag metric)", "it panicked\nwith a long trace"),
    "set_aside": lambda: messages.set_aside("nutpie (low_rank metric)", ("R-hat", "divergences")),
    "still_ill": lambda: messages.still_ill("stanli", ("E-BFMI",)),
    "climbed": lambda: messages.climbed("stanli", "nutpie, diag metric: the pilot needed 5 steps a draw"),
    "rows_merged": lambda: messages.rows_merged("y", 919, 151),
    "unhealthy": lambda: messages.unhealthy("funnel", "2 finding(s): R-hat, E-BFMI"),
    "cannot_write": lambda: messages.cannot_write("[Errno 28] No space left on device"),
}
OF_CENTRING = {
    "learnt": lambda: centring.learnt("theta", 41, 85, 0.97),
    "learnt of one": lambda: centring.learnt("theta", 1, 1, 0.97),
    "learnt of little": lambda: centring.learnt("theta", 0, 8, 0.14),
    "centring_won": lambda: centring.centring_won("nutpie (diag metric): promised 900", ["theta", "mu"], 120),
    "of_no_latent": lambda: centring.of_no_latent("tau", ["theta"]),
    "of_no_latent of any": lambda: centring.of_no_latent("tau", []),
    "of_other_shape": lambda: centring.of_other_shape("theta", (8,), (9,)),
    "no_information": lambda: centring.no_information("theta"),
}
OF_FITS = {
    "name_with_slash": lambda: fits.name_with_slash("netCDF", "km/h"),
    "other_model": lambda: fits.other_model("a" * 64, "b" * 64),
    "no_model_given": lambda: fits.no_model_given(3),
    "not_a_fit": lambda: fits.not_a_fit("x.nc", "it has no posterior of SciStan's"),
    "broken_record": lambda: fits.broken_record("fit.nc", "it has been changed since it was written"),
    "undeclared": lambda: fits.undeclared("fit.nc", "distribution", "Kumaraswamy"),
    "other_shape": lambda: fits.other_shape("beta", (3,), (2,)),
    "unknown_format": lambda: fits.unknown_format("fit.pickle"),
    "no_package": lambda: fits.no_package("zarr", ".zarr"),
    "no_cmdstan": lambda: fits.no_cmdstan("stanli"),
    "cannot_save": lambda: fits.cannot_save("fit.nc", "No space left on device"),
    "no_path": lambda: fits.no_path("fit.save", 123),
    "unknown_draws": lambda: fits.unknown_draws("alhpa", ["alpha"]),
    "unknown_draws of what is observed": lambda: fits.unknown_draws("y", ["alpha"], "observed"),
    "unknown_element": lambda: fits.unknown_element("theta[Z]", ["theta[A]", "theta[B]"]),
    "unknown_of_fit": lambda: fits.unknown_of_fit("sumary", ["alpha"], ["summary"]),
    "file_too_big": lambda: fits.file_too_big("fit.nc", 3e10, 2e9, [("posterior/mu", 2e10)]),
    "refused_by_arviz": lambda: fits.refused_by_arviz("summary", "kind must be one of all, stats"),
    "unknown_arviz_option": lambda: fits.unknown_arviz_option("summary", "hdi_probs", ["hdi_prob"]),
    "which_likelihood": lambda: fits.which_likelihood(["y", "z"]),
    "nothing_to_leave_out": fits.nothing_to_leave_out,
    "no_inference_data": fits.no_inference_data,
}
OF_OPTIONS = {
    "too_few": lambda: options.too_few("draws", 0),
    "too_few of no number": lambda: options.too_few("chains", [2] * 100),
    "too_many": lambda: options.too_many("thin", 2**32, 2**31 - 1),
    "too_many_of": lambda: options.too_many_of("chains", 2**20, 10_000),
    "too_many_of starts": lambda: options.too_many_of("starts", 2**20, 10_000),
    "bad_option": lambda: options.bad_option("adapt_delta", 10**5000, "a number between 0 and 1", "0.95"),
    "bad_choice": lambda: options.bad_choice("new_levels", None, ("refuse", "draw")),
}
OF_PICTURES = {
    "chains_by_color": lambda: pictures.chains_by_color(4, 0),
    "chains_by_color of one": lambda: pictures.chains_by_color(1, 1),
    "diverged": lambda: pictures.diverged(12),
    "diverged once": lambda: pictures.diverged(1),
    "e_bfmi": lambda: pictures.e_bfmi([0.25, 1.02]),
    "medians": lambda: pictures.medians(0.9),
    "medians and more": lambda: pictures.medians(0.95, 0.5),
    "pair": lambda: pictures.pair("tau", "theta[A]", pictures.gathered("tau", 64, 75, True)),
    "gathered": lambda: pictures.gathered("mu", 5, 9, False),
    "strongest": lambda: pictures.strongest(-0.934),
    "scattered": lambda: pictures.scattered(1),
    "left_out": lambda: pictures.left_out(12, 314, {"theta": (290, 300), "a": (1, 1), "b": (1, 1), "c": (1, 1), "d": (9, 9)}),
    "rows_left_out": lambda: pictures.rows_left_out(40, 2001),
    "constant": lambda: pictures.constant(["some of L", "R"]),
    "coefficients_left_out": lambda: pictures.coefficients_left_out(40, 90),
    "no_matplotlib": pictures.no_matplotlib,
    "unknown_ending": lambda: pictures.unknown_ending("picture.xyz", [".png", ".svg", ".pdf"]),
    "no_energy": lambda: pictures.no_energy("pathfinder", "cmdstan"),
    "no_energy of chains": lambda: pictures.no_energy("mcmc", "nutpie"),
    "no_energy of proposals": lambda: pictures.no_energy("mcmc", "independent", proposes=True),
    "nothing_to_predict": lambda: pictures.nothing_to_predict("plot_ppc"),
    "no_predictions": lambda: pictures.no_predictions("plot_ppc", "posterior_predictive"),
    "unknown_observed": lambda: pictures.unknown_observed("yy", ["y"]),
    "one_variable": pictures.one_variable,
    "nothing_moves": lambda: pictures.nothing_moves("plot_trace"),
    "bad_limit": lambda: pictures.bad_limit(0),
    "report_ending": lambda: pictures.report_ending("report.pdf"),
    "unknown_format": lambda: pictures.unknown_format("word", ["latex", "markdown", "html"]),
}
OF_CAPABILITIES = {
    "unknown_backend": lambda: capabilities.unknown_backend("stanly", ["scipy", "torch", "stanli"]),
    "reason": lambda: capabilities.reason(messages.program_refused("stanli", "no such function: f\nmore")),
    "where": lambda: capabilities.where(Place("model.py", 7)),
    "not_probed": lambda: capabilities.not_probed("stanli"),
    "first_build": capabilities.first_build,
    "from_cache": capabilities.from_cache,
    "solved_explicitly": capabilities.solved_explicitly,
}
OF_RACE = {
    "race_won": lambda: race.race_won("nutpie (diag metric)", (7, 1200), [("nutpie (low_rank metric)", (9, 800))], {}),
    "race_won too slow": lambda: race.race_won("nutpie (diag metric)", (7, 1200), [("other", None)], {"third": "no"}),
    "race_won alone": lambda: race.race_won("nutpie (diag metric)", None, [], {}),
    "expected": lambda: race.expected("nutpie (low_rank metric): …", "nutpie (diag metric)", 0.21),
    "too_dear": lambda: race.too_dear("stanli (adapt_delta 0.95)", ["divergences"], 4.0),
    "chosen_by_shape": lambda: race.chosen_by_shape("nutpie (low_rank metric)", 2966.26),
    "diverges": lambda: race.diverges("nutpie (diag metric) won", 0.99),
    "goes_on": lambda: race.goes_on("nutpie", ["divergences"], "stanli (adapt_delta 0.95)", True),
    "goes_on again": lambda: race.goes_on("nutpie", ["divergences"], "stanli", False),
    "out_of_time": lambda: race.out_of_time(10, 3, 4, 200, 1000),
    "no_time_for_draws": lambda: race.no_time_for_draws(0.1),
    "no_time_left": lambda: race.no_time_left(10, ["R-hat"]),
}
OF_FEW = {
    "too_many": lambda: few.too_many(1200, 12),
    "no_start": lambda: few.no_start(64),
    "no_mode": few.no_mode,
    "several_modes": few.several_modes,
    "poor_proposal": lambda: few.poor_proposal(0.31, 0.88),
    "heavy_weights": lambda: few.heavy_weights(0.61),
    "why": lambda: few.why(2),
    "why one": lambda: few.why(1),
    "ill": lambda: few.ill(["R-hat"]),
    "set_aside": lambda: few.set_aside("its draws were ill (R-hat)"),
    "_declined": lambda: few._declined("…"),
}
PAGES = {
    "capabilities": (capabilities, OF_CAPABILITIES), "sampling": (messages, SAID), "fits": (fits, OF_FITS),
    "options": (options, OF_OPTIONS), "pictures": (pictures, OF_PICTURES), "centring": (centring, OF_CENTRING),
    "race": (race, OF_RACE),
    "few": (few, OF_FEW),
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_wording(page, golden):
    lines = []
    for name, say in PAGES[page][1].items():
        said = str(say())
        kept = [line for line in said.splitlines() if not line.startswith("  at ") or "model.py" in line]
        lines += [f"[{name}]", *kept, ""]
    golden(f"messages/{page}.txt", "\n".join(lines))


@pytest.mark.parametrize("page", PAGES)
def test_every_message_is_on_the_page(page):
    module, said = PAGES[page]
    words = {name.partition(" ")[0] for name in said}
    defined = {
        name
        for name, value in vars(module).items()
        if callable(value) and getattr(value, "__module__", "") == module.__name__ and not isinstance(value, type)
    }
    assert defined == words
