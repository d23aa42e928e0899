"""Series by the law of their next element: one law for density, draws, innovations and forecast."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.distributions.innovations import has_innovations, innovations_of
from scistan.distributions.potential import laws
from scistan.errors import ArgumentError
from scistan.graph.graph import Law
from scistan.graph.parse import parse
from scistan.graph.text import graph_text
from scistan.ops.declaration import REGISTRY
from scistan.passes.noncenter import noncenter
from scistan.targets.evaluate import Evaluator
from scistan.targets.values import NUMPY
from tests.distributions.series_models import FORMS, Form, series_values

KINDS = ("random", "constant", "sorted", "alternating", "zero")
each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
latent_forms = pytest.mark.parametrize("form", [f for f in FORMS if f.latent], ids=lambda form: form.name)


def drawn_point(m: ss.Model, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    point: dict[str, Any] = {"a": rng.normal(), "phi": rng.normal() * 0.3, "tau": 0.5 + rng.random()}
    if "b" in m:
        point["b"] = rng.normal(size=2)
    if "A" in m:
        point |= {"A": rng.normal(size=(2, 2)) * 0.3, "L": np.linalg.cholesky(np.array([[1.0, 0.4], [0.4, 1.0]]))}
    if "P" in m:
        point["P"] = rng.dirichlet(np.ones(3), size=3)
    return point


def prior_of(m: ss.Model, point: dict[str, Any]) -> float:
    """Give the log density of all but the series and what is observed beside it."""
    found = stats.norm(0, 1).logpdf(point["a"]) + stats.norm(0, 0.4).logpdf(point["phi"])
    found += stats.halfnorm(0, 1).logpdf(point["tau"])
    if "b" in point:
        found += stats.norm(0, 1).logpdf(point["b"]).sum()
    if "P" in point:
        found += sum(stats.dirichlet(np.ones(3)).logpdf(row) for row in point["P"])
    if "A" in point:
        flat = ss.Model("factor")
        flat.L = ss.LKJCholesky(2, 2)
        found += stats.norm(0, 0.4).logpdf(point["A"]).sum() + flat.log_density({"L": point["L"]})
    return float(found)


@pytest.mark.parametrize("kind", KINDS)
@each_form
def test_density_is_that_of_a_loop_by_hand(form: Form, kind: str) -> None:
    y = series_values(form, 9, kind)
    m = form.build(y, 9)
    point = drawn_point(m, 3)
    expected = form.by_hand(y, point) + prior_of(m, point)
    assert m.log_density(point) == pytest.approx(expected, rel=1e-12)
    assert m.log_density(point, target="torch") == pytest.approx(expected, rel=1e-12)


@latent_forms
def test_a_latent_series_has_the_same_density(form: Form) -> None:
    y = series_values(form, 7, "random")
    m = form.build(None, 7)
    point = drawn_point(m, 4)
    expected = form.by_hand(y, point) + prior_of(m, point)
    assert m.log_density({**point, "y": y}) == pytest.approx(expected, rel=1e-12)


@each_form
def test_targets_agree(form: Form) -> None:
    assert form.build(series_values(form, 8, "random"), 8).verify(points=4).ok


@latent_forms
def test_targets_agree_on_latents_by_their_innovations(form: Form) -> None:
    m = form.build(None, 6)
    m.w = ss.Normal(ss.sum(m.y), 1).observe(0.3)
    assert m.verify(points=4).ok


@latent_forms
def test_innovations_there_and_back(form: Form) -> None:
    """What makes a series of innovations and what finds them are inverse, and its volume is the determinant."""
    m = form.build(None, 5)
    graph = noncenter(m.to_graph())
    law: Law = next(t.law for t in graph.terms if t.name == "y")
    assert law.noncentred == (form.name != "positive")
    if not law.noncentred:
        return
    point, way = drawn_point(m, 5), innovations_of(law)
    shape = (5, form.width) if form.width else (5,)
    z = np.random.default_rng(1).normal(size=shape)

    def at(node: Any, leaf: Any, array: np.ndarray) -> np.ndarray:
        evaluator = Evaluator(m.instance(), NUMPY)
        for term in graph.latents:
            if term.name != "y":
                evaluator.set(term.value, np.asarray(point[term.name]), batched=False)
        evaluator.set(leaf, array, batched=False)
        return np.asarray(evaluator[node].array)

    x = at(way.value, way.z, z)
    assert at(way.standard, way.x, x) == pytest.approx(z, abs=1e-12)
    step = 1e-6
    columns = [
        (at(way.value, way.z, (z.ravel() + step * unit).reshape(shape)) - x).ravel() / step
        for unit in np.eye(z.size)
    ]
    expected = np.linalg.slogdet(np.array(columns).T)[1]
    assert at(way.log_scale, way.x, x).sum() == pytest.approx(expected, abs=1e-5)


@each_form
def test_two_lengths_give_one_text(form: Form) -> None:
    texts = {form.build(series_values(form, n, "random"), n).stan_code() for n in (8, 13)}
    assert len(texts) == 1


@latent_forms
def test_two_lengths_of_a_latent_give_one_text(form: Form) -> None:
    assert len({form.build(None, n).stan_code() for n in (8, 13)}) == 1


@each_form
def test_the_text_of_a_graph_is_read_back(form: Form) -> None:
    text = graph_text(form.build(series_values(form, 8, "random"), 8).to_graph())
    assert graph_text(parse(text, REGISTRY, laws())) == text


@each_form
def test_the_same_series_again_changes_nothing(form: Form) -> None:
    """A notebook cell is run twice."""
    values = series_values(form, 8, "random")
    graphs = {graph_text(form.build(values, 8).to_graph()) for _ in range(2)}
    assert len(graphs) == 1
    m = ss.Model("again")
    m.tau = ss.HalfNormal(1)
    for _ in range(2):
        m.y = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start="given").observe(np.arange(5.0))
    before = m.y._scistan_node_
    m.y = ss.Series(lambda past: ss.Normal(past[-1], m.tau), start="given").observe(np.arange(5.0))
    assert m.y._scistan_node_ is before


def test_without_a_state_it_is_one_vectorized_statement() -> None:
    m = ss.Model("ar")
    m.x = ss.data(np.arange(9.0))
    m.a, m.phi, m.b, m.s = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)
    m.y = ss.Series(lambda past, x: ss.Normal(m.a + m.phi * past[-1] + m.b * x, m.s), over=m.x, start=ss.Normal(0, 5)
                    ).observe(np.arange(9.0))
    assert "y[2:] ~ normal(a + phi * y[:N - 1] + b * x[2:], s);" in m.stan_code()


def test_a_random_walk_is_a_running_sum() -> None:
    m = ss.Model("walk")
    m.tau = ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 5), length=9)
    assert "cumulative_sum(" in m.stan_code()


def test_prior_draws_follow_the_law() -> None:
    """Moments of an AR(1) in its stationary law, within Monte-Carlo error."""
    m = ss.Model("ar")
    m.y = ss.Series(lambda past: ss.Normal(0.6 * past[-1], 0.8), start=ss.Normal(0, 1.0), length=30)
    y = np.asarray(m.prior(draws=20_000, seed=1).prior["y"])[0]
    assert abs(y.mean()) < 5 * y.std() / np.sqrt(20_000 * 30 * 0.25)
    assert y[:, -1].var() == pytest.approx(1.0, abs=5 * np.sqrt(2 / 20_000))
    together = (y[:, -1] * y[:, -3]).mean()
    assert together == pytest.approx(0.36, abs=5 * np.sqrt((1 + 0.36**2) / 20_000))


def test_the_given_start_is_that_of_the_data() -> None:
    m = ss.Model("given")
    m.s = ss.HalfNormal(1)
    m.y = ss.Series(lambda past: ss.Normal(past[-2], m.s), start="given").observe(np.array([5.0, -5.0, 1.0, 2.0]))
    y = np.asarray(m.prior(draws=50, seed=1).prior_predictive["y"])[0]
    assert (y[:, :2] == [5.0, -5.0]).all()
    assert not (y[:, 2:] == [1.0, 2.0]).any()


def test_labels_of_what_it_runs_over_are_matched() -> None:
    import pandas as pd

    days = pd.date_range("2024-01-01", periods=6)
    y, x = pd.Series(np.arange(6.0), index=days), pd.Series(np.arange(6.0) ** 2, index=days)

    def density(covariate: pd.Series) -> float:
        m = ss.Model("labels")
        m.b = ss.Normal(0, 1)
        m.x = ss.data(covariate)
        m.y = ss.Series(lambda past, x: ss.Normal(past[-1] + m.b * x, 1), over=m.x, start="given").observe(y)
        return round(m.log_density({"b": 0.3}), 9)

    densities = {density(covariate) for covariate in (x, x[::-1], x.sample(frac=1, random_state=3))}
    assert densities == {round(stats.norm(0, 1).logpdf(0.3) + stats.norm(
        np.arange(5.0) + 0.3 * np.arange(1, 6.0) ** 2, 1).logpdf(np.arange(1, 6.0)).sum(), 9)}


def test_innovations_are_no_part_of_what_users_see() -> None:
    m = ss.Model("seen")
    m.tau = ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 1), length=6)
    m.y = ss.Normal(m.level, 0.5).observe(np.arange(6.0))
    start = {"tau": 0.5, "level": np.arange(6.0)}
    fit = m.mcmc(engine="stanli", chains=1, draws=20, warmup=20, inits=start, seed=1)
    assert set(fit.posterior) == {"tau", "level"}


def test_centred_keeps_the_posterior() -> None:
    m = ss.Model("either")
    m.tau = ss.HalfNormal(1)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 1), length=6, centred=True)
    m.y = ss.Normal(m.level, 0.5).observe(np.arange(6.0))
    assert "level_z" not in m.stan_code()
    assert m.verify(points=4).ok


def test_a_composite_lists_its_parts() -> None:
    m = ss.Model("trend")
    m.f = ss.LocalLinearTrend(0.1, 0.2, start=ss.Normal(0, 1), start_slope=ss.Normal(0, 1), length=7)
    assert list(m) == ["f_slope", "f"]
    with pytest.raises(ss.ModelError):
        m.g = ss.LocalLinearTrend(0.1, 0.2, start=3.0, start_slope=ss.Normal(0, 1), length=7)  # type: ignore[arg-type]
    assert "g_slope" not in m


@pytest.mark.parametrize(
    ("write", "words"),
    [
        (lambda m: ss.Series(3), "takes a function"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[0], 1), start=ss.Normal(0, 1), length=4), r"past\[0\]"),
        (lambda m: ss.Series(lambda past: past[-1], start=ss.Normal(0, 1), length=4), "gives the distribution"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-2], 1), start=[ss.Normal(0, 1)] * 2, length=2), "first 2"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-3], 1), start=[ss.Normal(0, 1)] * 2, length=9), "looks back 3"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-1], 1), length=4), "no distribution"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-1], 1), start="given", length=4), "is latent"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-1], 1), start=ss.Normal(0, 1)), "how long"),
        (lambda m: ss.Series(lambda past: ss.Normal(0, 1, lower=0), start=ss.Normal(0, 1), length=4), "bounded"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-1], 1), start=ss.HalfNormal(1), length=4), "lie in one range"),
        (lambda m: ss.Series(lambda past: ss.Gamma(2, 1), start=ss.Normal(0, 1), length=4), "lie in one range"),
        (lambda m: ss.Series(lambda past: ss.Uniform(past[-1], 9), start=ss.Normal(0, 1), length=4), "ends that are arguments"),
        (lambda m: ss.RandomWalk(1.0, start=ss.Uniform(0, 1), length=4), "ends that are arguments"),
        (lambda m: ss.Series(lambda past, x: ss.Normal(0, 1), start=ss.Normal(0, 1), length=4), "could not be read"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-1], 1), start=ss.Normal(0, 1), over=3.0), "single number"),
        (lambda m: ss.Series(lambda s, past: ss.Normal(past[-1], s), state=1.0, start=ss.Normal(0, 1), length=4), "pair"),
        (lambda m: ss.Series(lambda past: ss.Poisson(2), start=ss.Normal(0, 1), length=4), "counts"),
        (lambda m: ss.Series(lambda past: ss.Normal(past[-1], 1), start="given").observe([1.0]), "at least 2"),
        (lambda m: ss.Series(lambda past, x: ss.Normal(past[-1] + x, 1), start=ss.Normal(0, 1),
                             over=np.zeros(7)).observe(np.zeros(8)), "8 elements, and what it runs over has 7"),
    ],
)
def test_mistakes_are_told(write: Any, words: str) -> None:
    m = ss.Model("wrong")
    with pytest.raises(ss.ModelError, match=words) as told:
        m.y = write(m)
    assert "test_series.py" in str(told.value)
    assert list(m) == []


def test_ranges_may_differ_where_a_series_is_observed() -> None:
    m = ss.Model("seen")
    m.s = ss.HalfNormal(1)
    m.y = ss.Series(lambda past: ss.Uniform(past[-1], past[-1] + m.s), start=ss.HalfNormal(1)).observe([0.3, 0.5, 1.1])
    expected = stats.halfnorm(0, 1).logpdf([0.9, 0.3]).sum() - 2 * np.log(0.9)
    assert m.log_density({"s": 0.9}) == pytest.approx(expected, rel=1e-12)
    assert m.log_density({"s": 0.4}) == -np.inf


def test_latents_of_one_range_with_ends_of_many_kinds() -> None:
    m = ss.Model("positive")
    m.s = ss.HalfNormal(1)
    m.x = ss.Series(lambda past: ss.Exponential(m.s / past[-1]), start=ss.HalfNormal(1), length=4)
    m.y = ss.Normal(m.x, 1).observe(np.ones(4))
    assert m.verify(points=3).ok


def test_given_elements_must_be_there_to_simulate() -> None:
    m = ss.Model("promised")
    m.y = ss.AR(0.5, 1.0, length=9).observe()
    with pytest.raises(ss.ModelError, match=r"no data have given them yet(.|\n)*with_data"):
        m.simulate(seed=1)


def test_what_a_series_is_not_before_it_has_a_name_is_told() -> None:
    made = ss.RandomWalk(1.0, start=ss.Normal(0, 1), length=4)
    for ask in (lambda: made.log_density(np.zeros(4)), lambda: made.draw(), lambda: made.cdf(0.0),
                lambda: ss.Mixture([0.5, 0.5], [made, ss.Normal(0, 1)])):
        with pytest.raises(ss.ScistanError) as told:
            ask()
        assert not isinstance(told.value, ss.InternalError)
        assert "test_series.py" in str(told.value)


def test_only_location_and_scale_have_innovations() -> None:
    m = ss.Model("gamma")
    m.y = ss.Series(lambda past: ss.Gamma(2, 1 / past[-1]), start=ss.Gamma(2, 2), length=4)
    assert not has_innovations(m.to_graph().terms[0].law)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: ss.Series(lambda past: ss.Normal(past[-1], 1), start=ss.Normal(0, 1), length=5, lower=0),
     r"`ss.Series\(…, lower=…\)`: elements of a series are neither bounded(.|\n)*test_series.py(.|\n)*LogNormal"),
    (lambda: ss.GARCH(0, 1, 0.1, 0.1, 1, constraint="ordered"), r"`ss.GARCH\(…, constraint=…\)`(.|\n)*LogNormal"),
    (lambda: ss.RandomWalk(1.0, start=ss.Normal(0, 1), shape=4), r"a series has a length(.|\n)*give `length=`"),
    (lambda: ss.AR([0.5], 1, lenght=4), r"no such option(.|\n)*did you mean `length`"),
    (lambda: ss.LocalLinearTrend(1, 1), r"missing a required argument: 'start'(.|\n)*start, start_slope"),
    (lambda: ss.Series(), r"missing a required argument: 'law'(.|\n)*Series\(law, start"),
], ids=["lower", "constraint", "shape", "misspelled", "missing", "nothing"])
def test_a_call_that_python_would_refuse_is_told(call: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        call()
