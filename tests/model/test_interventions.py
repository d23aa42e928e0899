"""`m.do` cuts the arrows into a variable, `m.given` observes a latent, and prediction honours both."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import HealthCheck, Phase, given, settings
from scipy import stats

import scistan as ss
from scistan.graph.node import Data
from scistan.graph.verify import check
from scistan.graph.walk import topological
from scistan.inference.generated import derived_quantities, predictive
from scistan.messages.model import ModelWarning
from scistan.model.fitted import FittedModel
from tests.random_models import build, recipes
from tests.zoo import ZOO, eight_schools

LATENTS = [(name, latent) for name, build in ZOO.items() for latent, role in build().variables.items() if role == "latent"]


def chain(rows: int = 4) -> ss.Model:
    """Build x -> y1 -> y2, both observed, with a derived mean between."""
    m = ss.Model("chain")
    m.x = ss.data(np.arange(float(rows)), dims="row")
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.mean = m.a + m.b * m.x
    m.y1 = ss.Normal(m.mean, 0.5).observe(np.full(rows, 100.0))
    m.c = ss.Normal(0, 1)
    m.y2 = ss.Normal(m.c * m.y1, 0.1).observe(np.full(rows, -100.0))
    return m


def confounded() -> ss.Model:
    """Build z -> x, z -> y and x -> y."""
    m = ss.Model("confounded")
    m.z = ss.Normal(0, 1)
    m.x = ss.Normal(m.z, 1)
    m.y = ss.Normal(m.x + 2 * m.z, 1)
    return m


def named_values(model: ss.Model) -> dict[str, np.ndarray]:
    instance = model.instance()
    return {name: instance.values[leaf] for leaf, name in instance.graph.data_names.items() if leaf in instance.values}


def descendants(model: ss.Model, cause: str) -> set[str]:
    graph, reached = model.to_graph(), {cause}
    named = {term.value: term.name for term in graph.terms}
    definitions = {t.name: list(t.law.inputs) for t in graph.terms} | {n: [node] for n, node in graph.derived.items()}
    for _ in definitions:
        reached |= {n for n, roots in definitions.items() if any(named.get(k) in reached for k in topological(roots))}
    return reached


# -- laws over the zoo -------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "latent"), LATENTS)
def test_a_given_latent_counts_in_the_density_as_before(name, latent):
    m = ZOO[name]()
    drawn = m.simulate(seed=3)
    values = {n: drawn[n] for n, role in m.variables.items() if role == "latent"}
    rest = {n: value for n, value in values.items() if n != latent}
    observed = m.given(**{latent: values[latent]})
    check(observed.to_graph())
    assert observed.variables == m.variables | {latent: "observed"}
    assert observed.log_density(rest) == pytest.approx(m.log_density(values), rel=1e-13)


@pytest.mark.parametrize(("name", "latent"), LATENTS)
def test_what_does_not_depend_on_it_has_the_same_prior_draws(name, latent):
    m = ZOO[name]()
    cut = m.do(**{latent: m.simulate(seed=3)[latent]})
    check(cut.to_graph())
    assert cut.variables == m.variables | {latent: "data"}
    before, after = m.simulate(seed=5), cut.simulate(seed=5)
    others = set(before) - descendants(m, latent)
    assert set(after) == set(before) - {latent}
    for other in others:
        np.testing.assert_array_equal(after[other], before[other])


@pytest.mark.parametrize("verb", ["do", "given"])
@pytest.mark.parametrize("name", ["eight_schools", "truncated", "correlations", "constraints"])
def test_the_targets_agree_on_it(name, verb):
    m = ZOO[name]()
    latent = next(n for n, role in reversed(m.variables.items()) if role == "latent")
    assert getattr(m, verb)(**{latent: m.simulate(seed=3)[latent]}).verify(points=2).ok


def unchanged_by_what_it_was_anyway(m: ss.Model) -> None:
    """Set each latent and derived quantity to what it is drawn as: everything else is drawn as before."""
    before = m.simulate(seed=5)
    for name, role in m.variables.items():
        if role not in ("latent", "derived") or not np.isfinite(before[name]).all():
            continue
        cut = m.do(**{name: before[name]})
        check(cut.to_graph())
        after = cut.simulate(seed=5)
        for other in after:
            np.testing.assert_allclose(after[other], before[other], rtol=1e-12, atol=1e-12, err_msg=f"{other} of do({name})")


@pytest.mark.parametrize("name", ZOO)
def test_setting_it_to_what_it_was_anyway_changes_nothing(name):
    unchanged_by_what_it_was_anyway(ZOO[name]())


@settings(max_examples=30, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck),
          phases=[Phase.generate])
@given(recipes())
def test_setting_it_to_what_it_was_anyway_changes_nothing_in_random_models(recipe):
    unchanged_by_what_it_was_anyway(build(recipe))


# -- do ----------------------------------------------------------------------------------------------
def test_a_mediator_passes_an_intervention_on():
    after = chain().do(x=2.0).simulate(seed=1)
    assert "x" not in after
    np.testing.assert_allclose(after["mean"], np.full(4, after["a"] + 2 * after["b"]))
    assert np.abs(after["y1"] - after["mean"]).max() < 5 * 0.5  # and not the 100 that was observed without it
    np.testing.assert_allclose(after["y2"], after["c"] * after["y1"], atol=5 * 0.1)


def test_an_observed_mediator_that_is_set_is_cut_from_its_causes():
    cut = chain().do(y1=[1.0, 2.0, 3.0, 4.0])
    assert cut.variables["y1"] == "data"
    after = cut.simulate(seed=1)
    np.testing.assert_allclose(after["y2"], after["c"] * np.arange(1.0, 5.0), atol=5 * 0.1)
    values = {"a": 0.0, "b": 0.0, "c": -1.0}
    expected = 2 * stats.norm.logpdf(0) + stats.norm.logpdf(-1) + stats.norm.logpdf(-100, -np.arange(1.0, 5.0), 0.1).sum()
    assert cut.log_density(values) == pytest.approx(expected, rel=1e-12)


def test_a_derived_quantity_is_replaced_wherever_it_is_used():
    m = chain()
    m.twice = 2 * m.mean
    cut = m.do(mean=3.0)
    after = cut.simulate(seed=1)
    np.testing.assert_array_equal(after["twice"], np.full(4, 6.0))
    assert np.abs(after["y1"] - 3).max() < 5 * 0.5
    assert "mean" not in after
    np.testing.assert_array_equal(cut.prior(2, seed=1).constant_data["mean"], np.full(4, 3.0))
    assert m.variables["mean"] == "derived"  # the model itself stays what it was


def test_several_at_once_and_one_after_the_other():
    m = chain()
    at_once, stepwise = m.do(a=1.0, b=2.0), m.do(a=1.0).do(b=2.0)
    assert at_once.text() == stepwise.text()
    for one in (at_once, stepwise):
        np.testing.assert_allclose(one.simulate(seed=1)["mean"], 1 + 2 * np.arange(4.0))


def test_a_variable_under_two_names_is_one():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.location = m.mu
    m.y = ss.Normal(m.location, 1).observe(0.5)
    for cut in (m.do(mu=2.0), m.do(location=2.0)):
        assert cut.variables == {"mu": "data", "location": "data", "y": "observed"}
        assert cut.log_density({}) == pytest.approx(stats.norm.logpdf(0.5, 2, 1))


def test_values_of_a_latent_are_matched_by_label():
    m = eight_schools()
    values = np.arange(8.0)
    series = pd.Series(values, index=list("ABCDEFGH"))
    array = xr.DataArray(values[::-1], dims="school", coords={"school": list("HGFEDCBA")})
    for verb in (m.do, m.given):
        for labelled in (values, series, series.sample(frac=1, random_state=1), array):
            np.testing.assert_array_equal(named_values(verb(theta=labelled))["theta"], values)
    assert m.do(theta=series).prior(2, seed=1).constant_data["theta"].coords["school"].values.tolist() == list("ABCDEFGH")


def test_values_of_data_are_matched_by_label():
    sigma = pd.Series(np.arange(1.0, 9.0), index=list("ABCDEFGH"))
    np.testing.assert_array_equal(named_values(eight_schools().do(sigma=sigma.iloc[::-1]))["sigma"], sigma)


def test_what_was_set_can_be_swapped():
    m = eight_schools().do(theta=1.0)
    other = m.with_data(theta=np.arange(8.0))
    np.testing.assert_array_equal(named_values(other)["theta"], np.arange(8.0))
    assert other.stan_code() == m.stan_code()


def test_one_number_follows_the_lengths_of_other_data():
    m = chain().do(mean=3.0)
    longer = m.with_data(x=np.zeros(6), y1=np.zeros(6), y2=np.zeros(6))
    np.testing.assert_array_equal(named_values(longer)["mean"], np.full(6, 3.0))
    assert longer.stan_code() == m.stan_code()
    fixed = m.with_data(mean=np.arange(4.0))
    with pytest.raises(ss.DataError, match="`mean`"):
        fixed.with_data(x=np.zeros(6), y1=np.zeros(6), y2=np.zeros(6))


def test_whole_numbers_and_truth_are_numbers():
    m = ss.Model()
    m.treated = ss.data([0, 1, 1])
    m.effect = ss.Normal(0, 1, shape=2)
    m.y = ss.Normal(m.effect[m.treated], 1).observe([0.0, 1.0, 2.0])
    for one in (1, 1.0, True):
        written = m.do(treated=one).stan_data()["treated"]
        assert written.dtype.kind == "i"
        assert written.tolist() == m.with_data(treated=[1, 1, 1]).stan_data()["treated"].tolist()
    with pytest.raises(ss.DataError, match="`treated` holds 2"):
        m.do(treated=2)


def test_one_number_for_a_vector_that_cannot_be_it_is_refused():
    m = ss.Model()
    m.p = ss.Dirichlet(np.ones(3))
    m.L = ss.LKJCholesky(2, 1.0)
    m.y = ss.Multinomial(4, m.p).observe([1, 1, 2])
    for values in ({"p": 0.5}, {"p": [[0.2, 0.3, 0.5]]}, {"L": 1.0}, {"L": np.ones((2, 3))}, {"L": np.ones(2)}):
        with pytest.raises(ss.DataError, match=f"`{next(iter(values))}`"):
            m.do(**values)
    assert np.isfinite(m.do(p=[0.2, 0.3, 0.5]).given(L=np.eye(2)).log_density({}))


def test_a_subclass_stays_one():
    class Line(ss.Model):
        def __init__(self) -> None:
            self.slope = ss.Normal(0, 1)
            self.y = ss.Normal(self.slope, 1).observe(1.0)

    assert type(Line().do(slope=1.0)) is type(Line().given(slope=1.0)) is Line


# -- do and given differ -----------------------------------------------------------------------------
def test_an_intervention_says_nothing_of_a_confounder_and_an_observation_does():
    m = confounded()
    set_to, seen = m.do(x=2.0), m.given(x=2.0)
    at = {"z": 0.7, "y": 1.0}
    assert seen.log_density(at) - set_to.log_density(at) == pytest.approx(stats.norm.logpdf(2, 0.7, 1))
    assert set_to.map(seed=1, progress=False).values["z"] == pytest.approx(0, abs=1e-4)
    assert seen.map(seed=1, progress=False).values["z"] == pytest.approx(1, abs=1e-4)  # E(z | x) = x / 2


# -- what was observed before ------------------------------------------------------------------------
def test_a_fit_to_what_was_observed_before_the_intervention_warns_once_at_the_line():
    m = chain().do(x=1.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m.map(seed=1, progress=False)
    found = [one for one in caught if one.category is ModelWarning]
    assert len(found) == 1
    assert found[0].filename == __file__
    assert "`y1` and `y2` were observed before `do` set `x`" in str(found[0].message)
    assert "fit.predict(do=" in str(found[0].message)
    with pytest.warns(ModelWarning, match="`y2` was observed before `do` set `x` and `y1`"):
        m.do(y1=0.0).mcmc(draws=20, warmup=20, chains=1, seed=1, engine="stanli", progress=False)


def test_outcomes_of_the_intervention_may_be_fitted():
    m = chain().do(x=1.0)
    outcomes = {"y1": np.zeros(4), "y2": np.zeros(4)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        m.with_data(outcomes).map(seed=1, progress=False)
        m.map(data=outcomes, seed=1, progress=False)
        chain().do(y2=0.0).map(seed=1, progress=False)  # nothing observed comes after it
        chain().given(c=0.0).map(seed=1, progress=False)


def test_latents_whose_users_are_cut_are_not_called_a_mistake():
    m = eight_schools().do(theta=0.0)
    assert np.isfinite(m.log_density({"mu": 0.0, "tau": 1.0}))
    m.idle = ss.Normal(0, 1)
    with pytest.raises(ss.ModelError, match="nothing observed depends on `idle`"):
        m.log_density({"mu": 0.0, "tau": 1.0, "idle": 0.0})


# -- prediction --------------------------------------------------------------------------------------
def posterior_of_chain(draws: int) -> tuple[ss.Model, dict[str, np.ndarray], dict[str, tuple[float, float]]]:
    """Draw from the normal posterior of b and c, which are independent: x -> y1 -> y2 without intercepts."""
    x, y1, y2 = np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.5, 6.5]), np.array([1.0, 2.0, 3.0])
    m = ss.Model("chain")
    m.x = ss.data(x, dims="row")
    m.b = ss.Normal(0, 1)
    m.mean = m.b * m.x
    m.y1 = ss.Normal(m.mean, 0.5).observe(y1)
    m.c = ss.Normal(0, 1)
    m.y2 = ss.Normal(m.c * m.y1, 0.3).observe(y2)
    rng = np.random.default_rng(7)
    moments, posterior = {}, {}
    for name, cause, effect, scale in (("b", x, y1, 0.5), ("c", y1, y2, 0.3)):
        variance = 1 / (1 + cause @ cause / scale**2)
        moments[name] = variance * (cause @ effect) / scale**2, variance
        posterior[name] = rng.normal(moments[name][0], np.sqrt(variance), (1, draws))
    return m, posterior, moments


def assert_moments(draws: np.ndarray, mean: float, variance: float) -> None:
    """Compare mean and variance up to five Monte-Carlo standard errors; the tails are nearly normal."""
    assert draws.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / draws.size))
    assert draws.var() == pytest.approx(variance, rel=5 * np.sqrt(3 / draws.size))


def test_predictions_under_an_intervention_have_their_closed_form():
    m, posterior, moments = posterior_of_chain(40_000)
    (b, b_var), (c, c_var) = moments["b"], moments["c"]

    def predicted(**do: object) -> dict[str, np.ndarray]:
        return predictive(FittedModel(m).elsewhere({"x": [1.0]}, None, "refuse", do), posterior, seed=1)

    through = predicted(x=2.0)
    y1_var = 4 * b_var + 0.25
    assert_moments(through["y1"], 2 * b, y1_var)
    assert_moments(through["y2"], c * 2 * b, c_var * (4 * b**2 + y1_var) + c**2 * y1_var + 0.09)
    at_mean = predicted(mean=2.0)
    assert_moments(at_mean["y1"], 2, 0.25)
    cut = predicted(y1=2.0)
    assert set(cut) == {"y2"}
    assert_moments(cut["y2"], 2 * c, 4 * c_var + 0.09)
    without_b = predicted(b=1.5)
    assert_moments(without_b["y1"], 1.5, 0.25)


def test_what_is_set_has_its_role_in_the_predictions():
    m, posterior, _ = posterior_of_chain(3)
    there = FittedModel(m).elsewhere({"x": [1.0, 2.0]}, None, "refuse", {"mean": 4.0, "b": 0.0})
    assert [term.name for term in there.graph.latents] == ["c"]
    np.testing.assert_array_equal(derived_quantities(there, posterior, ["mean"])["mean"], np.full((1, 3, 2), 4.0))
    assert there.missing == ["y1", "y2"]
    latent = m.to_graph().latents[1].value
    assert there.graph.latents[0].value is latent


def test_lengths_of_what_is_set_follow_the_new_inputs():
    m, _, _ = posterior_of_chain(1)
    fitted = FittedModel(m)

    def lengths(data: object, **do: object) -> int:
        (length,) = fitted.elsewhere(data, None, "refuse", do).shape(m.y2.shape)
        return length

    assert lengths(None, x=1.0) == 3
    assert lengths(None, x=[1.0, 2.0]) == 2
    assert lengths({"x": np.zeros(5)}, y1=1.0) == 5
    assert lengths({"x": np.zeros(5)}, y1=np.zeros(5)) == 5
    assert lengths(pd.DataFrame({"x": np.zeros(5)}), x=2.0, mean=np.zeros(3)) == 3
    with pytest.raises(ss.DataError, match="`mean` has shape"):
        lengths({"x": np.zeros(5)}, mean=np.zeros(4))


def test_a_set_value_wins_over_the_column_of_a_table():
    m, _, _ = posterior_of_chain(1)
    there = FittedModel(m).elsewhere({"x": [5.0, 6.0, 7.0]}, None, "refuse", {"x": 1.0})
    (leaf,) = (leaf for leaf, name in there.graph.data_names.items() if name == "x")
    np.testing.assert_array_equal(there.values[leaf], np.ones(3))


def test_a_given_latent_keeps_its_value_in_prediction_unless_its_cause_is_set():
    m = confounded()
    m.w = ss.Normal(m.x, 1).observe([0.0, 1.0])
    fitted = FittedModel(m.given(x=2.0))
    leaf = fitted.model["x"]._scistan_node_
    assert isinstance(leaf, Data)
    assert fitted.elsewhere(None, None, "refuse", {}).values[leaf] == 2.0
    assert leaf not in fitted.elsewhere(None, None, "refuse", {"z": 1.0}).values


# -- what it rests on --------------------------------------------------------------------------------
def test_lengths_stay_tied_where_the_arrow_was():
    m = ss.Model()
    m.x = ss.data([1.0, 2.0, 3.0])
    m.y1 = ss.Normal(m.x, 1).observe([1.0, 2.0, 3.0])
    m.b = ss.Normal(0, 1)
    m.y2 = ss.Normal(m.b * m.y1, 1).observe([1.0, 2.0, 3.0])
    there = FittedModel(m).elsewhere({"x": np.zeros(5)}, None, "refuse", {"y1": 1.0})
    assert there.shape(m.y2.shape) == (5,)


def test_mistakes_are_told_at_the_line_that_wrote_the_variable():
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.effect = ss.Normal(0, 1.0 * m.mu)  # a scale that is negative half of the time
    with pytest.raises(ss.ScistanError, match="`effect`") as caught:
        m.given(effect=1.0).prior(100, seed=1)
    assert caught.value.place.text.startswith("m.effect = ss.Normal")
