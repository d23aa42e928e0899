"""Prior checks: nothing is found in sensible models, the right thing in sick ones, and a constant that is moved is drawn right."""

from __future__ import annotations

import io
import linecache
import textwrap

import numpy as np
import pytest

import scistan as ss
from scistan.inference.prior_check.checks import CHECKS
from tests.inference.prior_models import SENSIBLE, SICK, eight_schools, logistic, mixed_scales, vague


# -- findings -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", SENSIBLE)
def test_nothing_is_found_in_a_sensible_model(name):
    model = SENSIBLE[name]()
    for seed in range(3):
        check = model.prior_check(seed=seed)
        assert check.ok, check


@pytest.mark.parametrize("build", SICK, ids=[f.__name__ for f in SICK])
def test_the_right_thing_is_found_in_a_sick_model(build):
    check = build().prior_check(seed=1)
    assert not check.ok
    first = check.hints[0]
    assert first.check == SICK[build]
    declared = next(c for c in CHECKS if c.name == first.check)
    assert first.threshold == declared.threshold
    assert declared.beyond(first.value)
    assert first.variables[0] == "y"
    assert f"{first.threshold:g}" in first.fact or f"{first.threshold:.0%}" in first.fact


def test_data_drawn_from_the_prior_raise_few_alarms():
    """Both tail checks have a level of 0.005: of 100 data sets at most 5 may be told (a chance of 6e-4 at 1 %)."""
    model, alarms = eight_schools(), 0
    for seed in range(100):
        y = model.simulate(seed=1000 + seed)["y"]
        alarms += not model.with_data(y=y).prior_check(draws=500, seed=seed).ok
    assert alarms <= 5


def test_the_constant_that_matters_is_named_with_what_it_does():
    check = vague().prior_check(seed=1)
    (hint,) = check.hints
    assert "`mu.sigma` (now 10000) matters most: halving it" in hint.suggestion
    halved = check.with_constants({"mu.sigma": 5000})
    assert f"to {halved.hints[0].value:.3g};" in hint.suggestion


def test_a_rate_is_doubled_rather_than_halved():
    m = ss.Model()
    m.sigma = ss.Exponential(1e-4)
    m.y = ss.Normal(0, m.sigma).observe(np.linspace(-1, 1, 50))
    (hint,) = m.prior_check(seed=1).hints
    assert "`sigma.beta` (now 0.0001) matters most: doubling it" in hint.suggestion


def test_predictors_are_named_by_column():
    rng = np.random.default_rng(1)
    m = ss.Model(coords={"predictor": ["dose", "income"]})
    m.x = ss.data(rng.normal(size=(60, 2)) * [1, 5000], dims=("row", "predictor"))
    m.beta = ss.Normal(0, 1, dims="predictor")
    m.y = ss.Normal(ss.exp(2.0 - m.x @ m.beta), 1.0).observe(np.ones(60))
    hint = next(h for h in m.prior_check(seed=1).hints if h.check == "scales that disagree")
    assert hint.variables == ("y", "x[:, income]", "x[:, dose]")
    assert hint.value == pytest.approx(5000, rel=0.5)


def test_too_few_draws_for_a_check_are_told():
    check = eight_schools().prior_check(draws=100, seed=1)
    assert not check.hints
    assert not check.ok
    assert "mean of the data in the tail, sd of the data in the tail not assessed (needs at least 400 draws)" in repr(check)


def test_a_model_without_data_is_checked_as_far_as_it_goes():
    m = ss.Model()
    m.b = ss.Normal(0, 300)
    m.y = ss.Poisson(ss.exp(m.b), shape=5).observe()
    check = m.prior_check(seed=1)
    assert [h.check for h in check.hints] == ["impossible values"]
    assert "`y` has no data yet" in repr(check)


def test_latents_that_overflow_are_impossible():
    m = ss.Model()
    m.a = ss.Normal(0, 1000)
    m.b = ss.exp(m.a)
    (hint,) = m.prior_check(seed=1).hints
    assert hint.variables == ("b",)
    assert 0.1 < hint.value < 0.5  # exp overflows from 709 on, which is 0.71 sds


def test_flat_priors_are_told_by_name():
    m = ss.Model()
    m.a = ss.Flat()
    m.y = ss.Normal(m.a, 1).observe([1.0])
    with pytest.raises(ss.UnsupportedError, match="nothing can be drawn from the prior of `a`"):
        m.prior_check()


# -- what it shows --------------------------------------------------------------------------------------
def test_the_summary_is_that_of_the_prior_draws():
    m = eight_schools()
    check, idata = m.prior_check(seed=7), m.prior(seed=7)
    table = check.table
    y, mu = np.asarray(idata.prior_predictive["y"]), np.asarray(idata.prior["mu"])
    assert table.loc["y", ["5 %", "median", "95 %"]].tolist() == pytest.approx(np.quantile(y, [0.05, 0.5, 0.95]).tolist())
    assert table.loc["mu", ["mean", "sd"]].tolist() == pytest.approx([mu.mean(), mu.std()])
    assert np.isnan(table.loc["tau", "sd"])  # of a Cauchy, which has none
    assert table.loc["y", "data mean"] == pytest.approx(8.75)
    assert table.loc["y", "outside"] == pytest.approx(np.mean((y < -3 - 31) | (y > 28 + 31)))
    assert np.array_equal(np.asarray(check.idata.prior["theta"]), np.asarray(idata.prior["theta"]))
    assert check.seed == 7
    assert check.draws == 1000


def test_text_and_html_say_the_same(golden):
    check = mixed_scales().prior_check(seed=1)
    golden("show/prior_check.txt", f"{check}\n")
    html = check._repr_html_()
    assert "scales that disagree" in html
    m = ss.Model("<b>")
    m.a = ss.Normal(0, 1)
    assert "<b>" not in m.prior_check(seed=1)._repr_html_()


def test_the_picture_has_a_panel_for_each_variable(tmp_path):
    figure = logistic().prior_check(seed=1).plot()
    titles = [ax.get_title(loc="left").split(" (")[0] for ax in figure.axes if ax.get_visible()]
    assert titles == ["y", "alpha", "beta"]
    figure.savefig(tmp_path / "prior.png")
    assert (tmp_path / "prior.png").stat().st_size > 5000
    assert figure._repr_png_().startswith(b"\x89PNG")  # what a notebook asks for


# -- constants ------------------------------------------------------------------------------------------
HEAD = "import numpy as np\nimport scistan as ss\nm = ss.Model('m', coords={'g': ['a', 'b', 'c'], 'k': list(range(6))})\n"
MOVES = {
    "literal": ("m.a = ss.Normal(0, 5)  # wide", {"a.mu": -2.5, "a.sigma": 2.0}, "m.a = ss.Normal(-2.5, 2)"),
    "keywords": ("m.a = ss.Normal(sigma=5, mu=0, dims='g')", {"a.sigma": 0.125}, "m.a = ss.Normal(sigma=0.125, mu=0, dims='g')"),
    "several lines": ("m.a = ss.StudentT(\n    3,  # tails\n    0, 1)", {"a.nu": 7.0, "a.sigma": 2.0}, "m.a = ss.StudentT(\n    7,  # tails\n    0, 2)"),
    "item": ("m['a'] = ss.HalfCauchy(5)", {"a.sigma": 1.0}, "m['a'] = ss.HalfCauchy(1)"),
    "bounds": ("m.a = ss.Normal(0, 1, lower=0, upper=3.0)", {"a.lower": 1.0, "a.upper": 2.0}, "m.a = ss.Normal(0, 1, lower=1, upper=2)"),
    "a bound that ends to cut": ("m.a = ss.Gamma(2, 1, lower=0.5)", {"a.lower": 0.0}, "m.a = ss.Gamma(2, 1, lower=0)"),
    "interval": ("m.a = ss.Uniform(0, 1)", {"a.beta": 0.5}, "m.a = ss.Uniform(0, 0.5)"),
    "data": ("m.s = ss.data(5.0)\nm.a = ss.Normal(0, m.s)\nm.b = ss.HalfNormal(m.s)", {"s": 2.0}, "m.s = ss.data(2)"),
    "a variable": ("scale = 5\nm.a = ss.Normal(0, scale)", {"a.sigma": 2.0}, "m.a = ss.Normal(0, 2)"),
    "elements": ("m.a = ss.Normal([0, 1, 2], 5, dims='g')", {"a.mu[b]": 9.0}, "m.a = ss.Normal([0.0, 9.0, 2.0], 5, dims='g')"),
    "many": ("m.a = ss.Normal(np.arange(6.0), 1, dims='k')", {"a.mu.shift": 2.0, "a.mu.scale": 0.5}, "m.a = ss.Normal(np.add(np.multiply(np.arange(6.0), 0.5), 2), 1, dims='k')"),
    "named array": ("m.s = ss.data(np.arange(1.0, 7), dims='k')\nm.a = ss.Normal(0, m.s)", {"s.scale": 3.0}, "m.s = ss.data(np.multiply(np.arange(1.0, 7), 3), dims='k')"),
    "simplex": ("m.a = ss.Dirichlet([1.0, 1, 1])", {"a.alpha[0]": 8.0}, "m.a = ss.Dirichlet([8.0, 1.0, 1.0])"),
    "covariance": ("m.a = ss.MultivariateNormal(np.zeros(2), cov=np.eye(2))", {"a.cov.scale": 4.0}, "m.a = ss.MultivariateNormal(np.zeros(2), cov=np.multiply(np.eye(2), 4))"),
    "correlations": ("m.a = ss.LKJCholesky(3, 2.0)", {"a.eta": 9.0}, "m.a = ss.LKJCholesky(3, 9)"),
    "ordered": ("m.a = ss.Normal(0, 2, shape=3, constraint='ordered')", {"a.sigma": 1.0}, "m.a = ss.Normal(0, 1, shape=3, constraint='ordered')"),
    "hierarchy": ("m.t = ss.HalfNormal(1)\nm.a = ss.Normal(0, m.t, dims='g')\nm.z = m.a * 2\nm.y = ss.Normal(m.a, 1).observe([1.0, 2, 3])", {"t.sigma": 4.0}, "m.t = ss.HalfNormal(4)"),
}


def run(text, name):
    """Run a script whose lines Python can still read, as it can those of files and cells."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {}
    exec(compile(text, file, "exec"), namespace)
    return namespace["m"]


@pytest.mark.parametrize("case", MOVES)
def test_a_constant_that_is_moved_gives_the_draws_of_the_line_that_is_shown(case):
    body, values, line = MOVES[case]
    check = run(HEAD + body, case).prior_check(draws=50, seed=3)
    moved = check.with_constants(values)
    assert [text.split("  # wide")[0] for text in moved.lines] == [line]
    # The shown line is put where the old one stood, and the script runs anew.
    start = line.split("=")[0]
    old = next(statement for statement in _statements(body) if statement.startswith(start))
    there = run(HEAD + body.replace(old, line), f"{case}, moved").prior(draws=50, seed=3)
    for group in ("prior", "prior_predictive"):
        if group not in there:
            continue
        for name in there[group].data_vars:
            assert np.array_equal(np.asarray(moved.idata[group][name]), np.asarray(there[group][name])), name
    back = moved.with_constants({name: check.constants[name] for name in values})
    assert back.lines == []
    for name, array in check.state.drawn.arrays.items():
        assert np.array_equal(array, back.state.drawn.arrays[name])
    assert any(not np.array_equal(array, moved.state.drawn.arrays[name]) for name, array in check.state.drawn.arrays.items())


def _statements(body):
    import ast

    return [ast.get_source_segment(body, node) for node in ast.parse(body).body]


def test_only_what_hangs_on_a_constant_is_drawn_again():
    check = eight_schools().prior_check(draws=50, seed=1)
    moved = check.with_constants({"tau.sigma": 2.0})
    assert moved.state.drawn.fresh == {"tau", "theta", "y"}
    assert moved.state.drawn.arrays["mu"] is check.state.drawn.arrays["mu"]
    again = moved.with_constants({"mu.mu": 1.0})
    assert again.state.drawn.fresh == {"mu", "theta", "y"}
    assert again.state.drawn.arrays["tau"] is moved.state.drawn.arrays["tau"]
    assert again.constants == {"mu.mu": 1.0, "mu.sigma": 5.0, "tau.sigma": 2.0}


def test_moving_step_by_step_ends_where_one_step_does():
    check = logistic().prior_check(draws=50, seed=1)
    steps = check.with_constants({"alpha.sigma": 9.0}).with_constants({"beta.mu": 1.0}).with_constants({"alpha.sigma": 1.5})
    once = check.with_constants({"alpha.sigma": 1.5, "beta.mu": 1.0})
    assert all(np.array_equal(array, once.state.drawn.arrays[name]) for name, array in steps.state.drawn.arrays.items())


def test_a_line_is_written_anew_where_python_no_longer_has_it():
    namespace = {}
    exec(compile(HEAD + "m.s = ss.data(2.0)\nfor name in 'ab':\n    m[name] = ss.Normal([0, 1, 2], m.s, dims='g')", "<gone>", "exec"), namespace)
    check = namespace["m"].prior_check(draws=50, seed=1)
    assert check.with_constants({"a.mu[c]": 4.0}).lines == ["m.a = ss.Normal([0.0, 1.0, 4.0], m.s, dims='g')"]
    assert check.with_constants({"s": 4.0}).lines == ["m.s = ss.data(4)"]


def test_sliders_know_their_domain():
    m = ss.Model()
    m.a = ss.Normal(0, 5)
    m.p = ss.BetaProportion(0.3, 10)
    constants = {c.name: c for c in m.prior_check(draws=5, seed=1).state.constants}
    assert not constants["a.mu"].log
    assert (constants["a.mu"].low, constants["a.mu"].high) == (-25, 25)
    assert constants["a.sigma"].log
    assert (constants["a.sigma"].low, constants["a.sigma"].high) == (0.05, 500)
    assert 0 < constants["p.mu"].low < constants["p.mu"].high < 1


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"a.sigma": -1}, "`a.sigma` must be positive, and -1. is not"),
        ({"a.sigma": float("nan")}, "`a.sigma` takes a number, and nan is none"),
        ({"a.sigma": "wide"}, "`a.sigma` takes a number, and 'wide' is none"),
        ({"a.sgima": 1}, "did you mean `a.sigma`?"),
        ({"b.beta": -1}, "`beta` of Uniform must be above `alpha`, and is -1"),
        ({"c.lower": 3}, "lower=3. is not below upper=2"),
        ({"b.alpha": -4}, "must be positive|not be negative"),
    ],
)
def test_constants_that_make_no_sense_are_refused(values, words):
    m = ss.Model()
    m.a = ss.Normal(0, 5)
    m.b = ss.Uniform(0, 1)
    m.c = ss.Normal(0, 1, lower=-1, upper=2)
    m.y = ss.Normal(0, m.b).observe([1.0])
    check = m.prior_check(draws=50, seed=1)
    with pytest.raises(ss.ModelError, match=words.replace("?", r"\?")):
        check.with_constants(values)
    assert check.with_constants({"a.mu": 1.0}).constants["a.mu"] == 1.0


def test_bad_arguments_are_told():
    m = eight_schools()
    for arguments in ({"draws": 0}, {"draws": 1.5}, {"seed": -1}, {"interactive": 1}):
        with pytest.raises(ss.ScistanError):
            m.prior_check(**arguments)


def test_a_model_of_many_or_no_variables_is_shown():
    from scistan.inference.prior_check.page import Page

    m = ss.Model("none")
    assert m.prior_check(seed=1).ok
    m.prior_check(seed=1).plot().savefig(io.BytesIO())
    for k in range(70):
        m[f"b{k}"] = ss.Normal(0, 1)
    m.y = ss.Normal(m.b0, 1).observe(np.zeros(0))
    told = Page(m.prior_check(draws=400, seed=1)).opened()
    assert (len(told["constants"]), told["without_slider"]) == (120, 20)
    assert (len(told["answer"]["panels"]), told["left_out"]) == (40, 31)
    m.prior_check(draws=400, seed=1).plot()


def test_a_name_of_the_method_is_taken():
    with pytest.raises(ss.ModelError, match="it is a method of the model"):
        ss.Model().prior_check = ss.Normal(0, 1)


def test_a_line_within_a_class_is_shown_without_its_indent():
    text = textwrap.dedent(
        """
        import scistan as ss
        class Own(ss.Model):
            def __init__(self):
                super().__init__()
                self.a = ss.Normal(0, 5)
        m = Own()
        """
    )
    assert run(text, "own class").prior_check(draws=50, seed=1).with_constants({"a.sigma": 1.0}).lines == ["self.a = ss.Normal(0, 1)"]
