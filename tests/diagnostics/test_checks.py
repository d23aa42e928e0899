"""The checks: each finds what it is for, names where, and says what to try; many variables cost one pass."""

from pathlib import Path

import numpy as np
import pytest

import scistan as ss
from scistan.diagnostics import Context, check_approximation, check_draws, draws
from scistan.diagnostics.check import Check, Cure, Measured
from scistan.diagnostics.checks import BY_NAME, CHECKS
from scistan.diagnostics.statistics import bulk_ess, measure, rhat, tail_ess
from scistan.engines.registry import engines_at_hand
from tests.zoo import ZOO


def well(seed=0, chains=4, draws=500, shape=(3,)):
    return np.random.default_rng(seed).normal(size=(chains, draws, *shape))


def statistics(seed=1, chains=4, draws=500):
    rng = np.random.default_rng(seed)
    return {
        "lp": rng.normal(size=(chains, draws)),
        "energy": rng.normal(size=(chains, draws)),
        "diverging": np.zeros((chains, draws), bool),
        "tree_depth": np.full((chains, draws), 3),
        "step_size": np.full((chains, draws), 0.7),
    }


def test_healthy_draws_have_no_findings():
    diagnosis = check_draws({"x": well()}, statistics())
    assert diagnosis.ok
    assert bool(diagnosis)
    assert diagnosis.verdict.startswith("healthy: R-hat")
    assert diagnosis.hint("R-hat") is None
    assert len(diagnosis.to_dataframe()) == 0


def ill():
    apart, stuck, noisy = well(), well(), well()
    apart[0, :, 1] += 4
    slow = np.repeat(well(draws=20), 25, axis=1)
    stuck[2] = 0.5
    noisy[1, 7, 0] = np.nan
    lp = statistics()["lp"].copy()
    lp[2] = -3.0
    energy = np.cumsum(np.random.default_rng(2).normal(size=(4, 500)), axis=1)
    diverging = np.zeros((4, 500), bool)
    diverging[3, :5] = True
    depth = np.full((4, 500), 3)
    depth[0, 0] = 10
    steps = np.full((4, 500), 0.7)
    steps[1] = 0.1
    return {
        "R-hat": ({"x": apart}, {}, ("x[1]",)),
        "chain means": ({"x": apart}, {}, ("x[1]",)),
        "bulk ESS": ({"x": slow}, {}, ("x[0]", "x[1]", "x[2]")),
        "tail ESS": ({"x": slow}, {}, ("x[0]", "x[1]", "x[2]")),
        "stuck chains": ({"x": stuck}, {"lp": lp}, ("chain 2",)),
        "E-BFMI": ({"x": well()}, {"energy": energy}, ()),
        "divergences": ({"x": well()}, {"diverging": diverging}, ()),
        "tree depth": ({"x": well()}, {"tree_depth": depth}, ()),
        "step sizes": ({"x": well()}, {"step_size": steps}, ()),
        "finite draws": ({"x": noisy}, {}, ("x",)),
    }


@pytest.mark.parametrize("check", list(BY_NAME))
def test_each_check_finds_what_it_is_for(check):
    posterior, more, where = ill()[check]
    diagnosis = check_draws(posterior, {**statistics(), **more})
    hint = diagnosis.hint(check)
    assert hint is not None, diagnosis
    assert set(hint.variables) >= set(where)
    assert hint.fact
    assert hint.suggestion
    assert check in diagnosis.verdict
    assert hint.fact in repr(diagnosis)
    assert "<table>" in diagnosis._repr_html_()
    assert check in set(diagnosis.to_dataframe()["check"])
    assert hint.threshold == BY_NAME[check].threshold * (4 if BY_NAME[check].threshold_per_chain else 1)


def test_thresholds_are_applied_to_unrounded_numbers():
    """Draws apart by just so much that R-hat rounds to 1.01 and lies above it."""
    base = well(draws=2000, shape=())
    for shift in np.linspace(0.05, 0.5, 200):
        x = base.copy()
        x[0] += shift
        value = float(rhat(x))
        if 1.01 < value < 1.0149:
            assert check_draws({"x": x}, {}).hint("R-hat").value == pytest.approx(value)
            return
    raise AssertionError("no shift gave such a value")


def test_many_variables_are_measured_as_each_alone(monkeypatch):
    from scistan.diagnostics import statistics as module

    monkeypatch.setattr(module, "_BLOCK", 4 * 100 * 5)
    posterior = {"a": well(1, draws=100, shape=()), "b": well(2, draws=100, shape=(2, 7)), "c": well(3, draws=100)}
    for name, health in measure(posterior).items():
        x = posterior[name]
        np.testing.assert_allclose(health.rhat, rhat(x))
        np.testing.assert_allclose(health.bulk_ess, bulk_ess(x))
        np.testing.assert_allclose(health.tail_ess, tail_ess(x))
        assert health.mean_gap.shape == x.shape[2:]


def test_constants_and_empty_variables_are_no_finding():
    factor = np.zeros((4, 500, 2, 2))
    factor[..., 0, 0] = 1
    factor[..., 1, 1] = np.random.default_rng(0).uniform(size=(4, 500))
    diagnosis = check_draws({"L": factor, "nothing": np.empty((4, 500, 0)), "one": np.ones((4, 500))}, statistics())
    assert diagnosis.ok, diagnosis


@pytest.mark.parametrize(
    ("chains", "draws", "left_out", "why"),
    [
        (1, 500, {"R-hat", "chain means", "step sizes"}, "needs at least 2 chains"),
        (4, 3, {"R-hat", "chain means", "bulk ESS", "tail ESS", "E-BFMI", "stuck chains"}, "needs at least 4 draws"),
        (4, 1, {"R-hat", "chain means", "bulk ESS", "tail ESS", "E-BFMI", "stuck chains"}, "needs at least 4 draws"),
        (4, 9, {"stuck chains"}, "needs at least 10 draws"),
    ],
)
def test_a_check_that_cannot_be_made_is_named(chains, draws, left_out, why):
    diagnosis = check_draws({"x": well(chains=chains, draws=draws)}, statistics(chains=chains, draws=draws))
    assert {u.check for u in diagnosis.unassessed} == left_out
    assert not left_out & set(diagnosis.checks)
    assert not diagnosis.ok
    for text in (repr(diagnosis), diagnosis._repr_html_()):
        assert "not assessed" in text
        assert why in text
        assert "healthy" not in text


def test_what_an_engine_does_not_record_is_not_assessed():
    diagnosis = check_draws({"x": well()}, {})
    assert [u.check for u in diagnosis.unassessed] == ["divergences", "tree depth", "E-BFMI", "stuck chains", "step sizes"]


def test_energy_that_is_no_number_in_one_chain_hides_no_other():
    energy = np.cumsum(np.random.default_rng(2).normal(size=(4, 500)), axis=1)
    energy[1, 7] = np.nan
    found = check_draws({"x": well()}, {**statistics(), "energy": energy})
    assert [hint.check for hint in found.hints] == ["E-BFMI"]


def test_elements_are_called_by_their_labels():
    apart = well(shape=(2, 3))
    apart[0, :, 1, 2] += 4
    context = Context({"x": ("group", "time")}, {"group": ["a", "b"]})
    assert check_draws({"x": apart}, statistics(), context=context).hint("R-hat").variables == ("x[b, 2]",)


def test_centring_is_suggested_where_a_noncentred_latent_or_its_scale_is_ill():
    apart = well(shape=())
    apart[0] += 4
    context = Context(noncentred={"u": frozenset({"tau"})})
    for name in ("u", "tau"):
        assert "give `u` `centred=True`" in check_draws({name: apart}, statistics(), context=context).hint("R-hat").suggestion
    assert "centred" not in check_draws({"b": apart}, statistics(), context=context).hint("R-hat").suggestion


def test_an_approximation_is_judged_by_its_importance_ratios():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 1000))
    good = check_approximation("laplace", {"lp": -(x**2) / 2, "lp_approx": -(x**2) / 2})
    assert good.ok
    narrow = check_approximation("laplace", {"lp": -(x**2) / 8, "lp_approx": -(x**2) / 2})
    assert narrow.hint("Pareto k").value > 0.7
    unknown = check_approximation("laplace", {})
    assert unknown.checks == ()
    assert not unknown.ok


def test_every_check_has_its_own_name_and_a_row_in_the_docs():
    assert len(BY_NAME) == len(CHECKS)
    page = (Path(__file__).parents[2] / "docs" / "sampling.md").read_text()
    table = page.split("## The diagnosis")[1].split("\n\n")[1].replace("bulk and tail ESS", "bulk ESS, tail ESS")
    assert not [check.name for check in CHECKS if check.name not in table]


def test_a_new_check_is_a_row_and_does_not_enter_the_ladder_unasked(monkeypatch):
    row = Check(
        "number of draws",
        threshold=100.0,
        measure=lambda seen, limit: Measured(float(seen.draws)) if seen.draws > limit else None,
        fact=lambda found: f"there are {found.value:.0f} draws (should be below {found.limit:.0f}).",
        suggestion=lambda _: "draw fewer",
    )
    monkeypatch.setattr(draws, "CHECKS", (*CHECKS, row))
    diagnosis = check_draws({"x": well()}, statistics())
    assert diagnosis.verdict == "1 finding(s): number of draws"
    assert diagnosis.hint("number of draws").fact == "there are 500 draws (should be below 100)."
    assert diagnosis.checks[-1] == "number of draws"
    assert not any(row.asks_for_a_run(value, 4, 500) for value in (0.0, 500.0, np.inf))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_finding_far_beyond_its_threshold_asks_for_a_run_where_one_can_cure_it(check):
    worst = 0.0 if check.name in ("bulk ESS", "tail ESS", "E-BFMI", "stuck chains") else 1e9
    assert check.asks_for_a_run(worst, 4, 1000) == (check.cure is not Cure.NONE)


def test_step_sizes_are_judged_by_their_ratio_at_the_end():
    steps = np.full((4, 500), 0.7)
    steps[:, :499] *= np.array([1, 9, 1, 1])[:, None]  # what they were before
    assert check_draws({"x": well()}, {**statistics(), "step_size": steps}).ok
    for factor, found in ((0.26, False), (0.24, True), (3.9, False), (4.1, True)):
        apart = np.full((4, 500), 0.7) * np.array([1, 1, factor, 1])[:, None]
        hint = check_draws({"x": well()}, {**statistics(), "step_size": apart}).hint("step sizes")
        assert (hint is not None) == found
        assert hint is None or hint.value == pytest.approx(max(factor, 1 / factor))


@pytest.mark.parametrize("metric", ["stanli", "diag", "low_rank"])
@pytest.mark.parametrize("name", ZOO)
@pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
def test_step_sizes_of_healthy_models_raise_no_alarm(name, metric):
    """With a short warm-up, where they differ most."""
    how = {"engine": "stanli"} if metric == "stanli" else {"engine": "nutpie", "metric": metric}
    if how["engine"] not in engines_at_hand():
        pytest.skip("not installed")
    fit = ZOO[name]().mcmc(draws=20, warmup=300, seed=1, progress=False, **how)
    assert "step sizes" in fit.diagnose().checks
    assert fit.diagnose().hint("step sizes") is None


@pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
def test_chains_in_modes_of_different_shape_are_found_by_their_steps():
    """A diagonal metric takes widths away, not correlations: 0.9998 of them in one mode, none in the other."""
    m = ss.Model("two shapes")
    m.a = ss.Normal(0, 20)
    m.x = ss.Normal(0, 1)
    m.y = ss.Normal(ss.where(m.a > 0, m.x, 0.0), ss.where(m.a > 0, 0.02, 1.0), centred=True)
    m.square = ss.Normal(m.a**2, 1).observe(100.0)
    m.z = ss.Normal(m.y, 10.0).observe(0.0)
    starts = [{"a": a, "x": 0.1, "y": 0.1} for a in (10.0, 10.0, -10.0, -10.0)]
    fit = m.mcmc(engine="stanli", inits=starts, draws=50, warmup=300, seed=1, progress=False, integrate=False)
    assert fit.diagnose().hint("step sizes").value > 8  # the correlated mode is 100 times as long as wide; 42 to 79 here
