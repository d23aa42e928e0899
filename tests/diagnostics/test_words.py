"""The words of a diagnosis, one after the other; run with --accept after changing them."""

import inspect

from scistan.messages import diagnosis as messages

SAID = {
    "nothing_to_try": lambda: messages.nothing_to_try("E-BFMI", "tighten that prior"),
    "not_a_hint": lambda: messages.not_a_hint(3),
    "no_fit": lambda: messages.no_fit("funnel"),
    "needs_the_model": lambda: messages.needs_the_model("funnel"),
    "not_of_this_fit": lambda: messages.not_of_this_fit("funnel"),
    "only_of_mcmc": lambda: messages.only_of_mcmc("pathfinder"),
    "refitted": lambda: messages.refitted("funnel", "theta without centred"),
    "longer": lambda: messages.longer(2000, 2000),
    "look_for_modes": messages.look_for_modes,
    "more_draws": lambda: messages.more_draws(4000),
    "smaller_steps": lambda: messages.smaller_steps(0.95, 0.8),
    "smaller_steps all tried": lambda: messages.smaller_steps(None, 0.99),
    "deep_trees": lambda: messages.deep_trees("engine='nutpie', metric='low_rank'"),
    "deep_trees with the metric used": lambda: messages.deep_trees(""),
    "funnel_gathers": lambda: messages.funnel_gathers("tau", "theta", 0.93, 41),
    "funnel_follows": lambda: messages.funnel_follows("tau", "theta", 0.81),
    "noncentre": lambda: messages.noncentre("theta", True, True, "tau"),
    "noncentre what is not written": lambda: messages.noncentre("theta", False, True, "tau"),
    "noncentre what cannot be": lambda: messages.noncentre("theta", True, False, "tau"),
    "held_by_data": lambda: messages.held_by_data("u", "tau", 0.05),
    "centre": lambda: messages.centre("u"),
    "swapped": lambda: messages.swapped(["mu", "weight"], 1.73, 1.0, "it has"),
    "swapped_scalars": lambda: messages.swapped_scalars(["low", "high"], 1.73, 1.0),
    "order": lambda: messages.order("mu"),
    "order_scalars": lambda: messages.order_scalars(["low", "high"]),
    "mirror": lambda: messages.mirror(["a"], 1.55),
    "mirror of two": lambda: messages.mirror(["a", "b"], 1.55),
    "one_sign": lambda: messages.one_sign("a", True),
    "one_sign of a vector": lambda: messages.one_sign("load", False),
    "modes": lambda: messages.modes("a", 0.12, False),
    "modes of chains": lambda: messages.modes("a, b[3]", 0.12, True),
    "separate_modes": lambda: messages.separate_modes(True),
    "separate_modes from the prior": lambda: messages.separate_modes(False),
    "ridge": lambda: messages.ridge(["a", "b"], -0.99983, "`a + b`", 51.2),
    "ridge of three": lambda: messages.ridge(["a", "b", "c"], 0.9991, "`a + b + c`", 23.9),
    "standardize": lambda: messages.standardize("year", 2005.0, 8.8),
    "columns_alike": lambda: messages.columns_alike("x", 0, 1, 0.9999967),
    "constant_column": lambda: messages.constant_column("x", 1),
    "fix_one": lambda: messages.fix_one(False),
    "fix_one of a product": lambda: messages.fix_one(True),
    "or_low_rank": lambda: messages.or_low_rank("engine='nutpie', metric='low_rank'"),
    "pressed": lambda: messages.pressed("a", "upper", 10.0, 0.19),
    "move_bound": lambda: messages.move_bound("upper"),
    "in_conflict": lambda: messages.in_conflict("sigma", 10.9, "HalfNormal", 1e-27, ""),
    "in_conflict on many": lambda: messages.in_conflict("b[1]", 1e9, "Normal", 0.0, "; and on 3 more"),
    "mend_prior": lambda: messages.mend_prior("mu", False),
    "mend_prior of a scale": lambda: messages.mend_prior("sigma", True),
    "beyond_predictions": lambda: messages.beyond_predictions("y", "spread", 16.2, 0.001, 3.4),
    "look_at_prior": messages.look_at_prior,
    "unheld": lambda: messages.unheld("a, b", 8.4e24),
    "give_prior": lambda: messages.give_prior("b"),
    "like_prior": lambda: messages.like_prior("b", 0.021),
    "not_observed": lambda: messages.not_observed("a, b"),
    "stiff_equation": lambda: messages.stiff_equation("z", 41.2),
    "solve_implicitly": messages.solve_implicitly,
    "leave_or_know": messages.leave_or_know,
    "heavy": lambda: messages.heavy("ratio", 0.97, 130.0, 1.8),
    "lighter": messages.lighter,
    "rough_mean": lambda: messages.rough_mean("a", 0.07),
    "groups_apart": lambda: messages.groups_apart("a", 1.154, 1.01, 4),
    "parted": lambda: messages.parted("y", 0.23, False, "x"),
    "parted by several": lambda: messages.parted("y", 0.23, False, ""),
    "parted outcomes all equal": lambda: messages.parted("y", 1.0, True, ""),
    "hold_slope": lambda: messages.hold_slope("b"),
    "hold_slope of several": lambda: messages.hold_slope(""),
    "no_variation": lambda: messages.no_variation("y", 20, 3.0),
    "check_data": lambda: messages.check_data("y"),
    "one_chain": messages.one_chain,
    "four_chains": messages.four_chains,
    "refused": lambda: messages.refused(230, 4000, "the energy is not finite"),
    "see_ranges": messages.see_ranges,
    "engine_differs": lambda: messages.engine_differs(0.3, 1e-8),
    "use_compiled": messages.use_compiled,
}


def test_wording(golden):
    lines = []
    for name, say in SAID.items():
        kept = [line for line in str(say()).splitlines() if not line.startswith("  at ")]
        lines += [f"[{name}]", *kept, ""]
    golden("messages/diagnosis.txt", "\n".join(lines))


def test_every_message_is_looked_at():
    own = [name for name, f in inspect.getmembers(messages, inspect.isfunction) if f.__module__ == messages.__name__]
    assert {name for name in own if not name.startswith("_")} == {name.partition(" ")[0] for name in SAID}
