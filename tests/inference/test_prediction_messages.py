"""The words of prediction, kept as one page; run with --accept after changing them."""

from scistan.errors import Place
from scistan.inference.extrapolation import Far
from scistan.messages import prediction as messages

LINE = Place("model.py", 7)
SAID = {
    "far_outside": lambda: messages.far_outside(Far("x", 1, 3, 0.0, 1.0, 7.0)),
    "new_levels_refused": lambda: messages.new_levels_refused("effect", "site", ["Faro", "Gent"], 2),
    "new_levels_refused for rows": lambda: messages.new_levels_refused("e", "e_dim_0", [], 5),
    "new_times": lambda: messages.new_times("level", "month", 3),
    "new_level_reads_alike": lambda: messages.new_level_reads_alike("site", "10", 10),
    "columns_missing": lambda: messages.columns_missing("x", "beta", ["dose"], []),
    "columns_missing and others": lambda: messages.columns_missing("x", "beta", ["dose"], ["weight"]),
    "other_columns": lambda: messages.other_columns("x", "beta", 2, 1),
    "new_levels_tied": lambda: messages.new_levels_tied("f", "place", "MultivariateNormal"),
    "new_levels_improper": lambda: messages.new_levels_improper("a", "site"),
    "no_conditional_mean": lambda: messages.no_conditional_mean("a", "Cauchy"),
    "stays_frozen": lambda: messages.stays_frozen("mean(x)"),
    "other_statistic": lambda: messages.other_statistic("max(x)", LINE),
    "frozen_rows": lambda: messages.frozen_rows("log(x)", (40,), LINE),
    "unknown_prediction": lambda: messages.unknown_prediction("efect", ["effect", "y"]),
    "prediction_too_big": lambda: messages.prediction_too_big(8e9, 2e9, [("mean", 7.5e9), ("y", 5e8)]),
}


def test_wording(golden):
    lines = []
    for name, say in SAID.items():
        kept = [line for line in str(say()).splitlines() if not line.startswith("  at ") or "model.py" in line]
        lines += [f"[{name}]", *kept, ""]
    golden("messages/prediction.txt", "\n".join(lines))


def test_every_message_is_on_the_page():
    defined = {
        name
        for name, value in vars(messages).items()
        if callable(value) and getattr(value, "__module__", "") == messages.__name__ and not isinstance(value, type)
    }
    assert defined == {name.partition(" ")[0] for name in SAID}
