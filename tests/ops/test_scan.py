"""Recurrences: the same numbers as a loop written by hand, on every target, and a text without a length."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import scistan as ss
from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.graph.parse import parse
from scistan.graph.text import graph_text
from scistan.graph.verify import check
from scistan.ops import REGISTRY

RUNS = np.r_[np.zeros(5), np.ones(10)]
SERIES = {
    "random": np.random.default_rng(3).normal(size=15),
    "zeros then ones": RUNS,
    "ones then zeros": RUNS[::-1].copy(),
    "constant": np.full(15, 0.7),
    "sorted": np.linspace(-2, 2, 15),
    "three": np.array([0.4, -1.0, 0.4]),
}


def arma(y: np.ndarray) -> ss.Model:
    m = ss.Model("arma")
    m.y = ss.data(y)
    m.mu, m.phi, m.theta, m.sigma = ss.Normal(0, 1), ss.Normal(0, 1), ss.Normal(0, 1), ss.HalfNormal(1)

    def step(error: Any, now: Any, before: Any) -> Any:
        return now - m.mu - m.phi * before - m.theta * error

    m.error = ss.scan(step, init=m.y[0] - m.mu, over=(m.y[1:], m.y[:-1]))
    m.e = ss.Normal(m.error, m.sigma).observe(np.zeros(len(y) - 1))
    return m


def arma_by_hand(y: np.ndarray, v: dict[str, Any]) -> np.ndarray:
    error = y[0] - v["mu"]
    found = []
    for t in range(1, len(y)):
        error = y[t] - v["mu"] - v["phi"] * y[t - 1] - v["theta"] * error
        found.append(error)
    return np.array(found)


def trend(y: np.ndarray) -> ss.Model:
    """Two numbers as the state, and an output beside it: exponential smoothing with a trend."""
    m = ss.Model("trend")
    m.x = ss.data(y)
    m.a, m.b, m.s = ss.Beta(2, 2), ss.Beta(2, 2), ss.HalfNormal(1)

    def step(state: Any, x: Any) -> Any:
        level, slope = state["level"], state["slope"]
        new = m.a * x + (1 - m.a) * (level + slope)
        return {"level": new, "slope": m.b * (new - level) + (1 - m.b) * slope}, level + slope

    m.ahead = ss.scan(step, init={"level": 0.0, "slope": 0}, over=m.x)
    m.y = ss.Normal(m.ahead, m.s).observe(y)
    return m


def trend_by_hand(y: np.ndarray, v: dict[str, Any]) -> np.ndarray:
    level = slope = 0.0
    found = []
    for x in y:
        found.append(level + slope)
        new = v["a"] * x + (1 - v["a"]) * (level + slope)
        slope = v["b"] * (new - level) + (1 - v["b"]) * slope
        level = new
    return np.array(found)


def vector(y: np.ndarray) -> ss.Model:
    """A vector as the state."""
    m = ss.Model("vector")
    m.Y = ss.data(np.c_[y, y[::-1]])
    m.A, m.s = ss.Normal(0, 0.3, shape=(2, 2)), ss.HalfNormal(1)
    m.h = ss.scan(lambda h, row: ss.tanh(m.A @ h + row), init=np.full(2, 0.1), over=m.Y)
    m.y = ss.Normal(m.h, m.s).observe(np.c_[y, y])
    return m


def vector_by_hand(y: np.ndarray, v: dict[str, Any]) -> np.ndarray:
    h = np.full(2, 0.1)
    found = []
    for row in np.c_[y, y[::-1]]:
        h = np.tanh(v["A"] @ h + row)
        found.append(h)
    return np.array(found)


def backwards(y: np.ndarray) -> ss.Model:
    """From the end, picking by what the data say."""
    m = ss.Model("backwards")
    m.k, m.s = ss.Normal(0, 1, shape=3), ss.HalfNormal(1)
    m.x, m.g = ss.data(y), ss.data(np.arange(len(y)) % 3)
    m.sum = ss.scan(lambda total, x, g: 0.5 * total + x * m.k[g], init=0.0, over=(m.x, m.g), reverse=True)
    m.y = ss.Normal(m.sum, m.s).observe(y)
    return m


def backwards_by_hand(y: np.ndarray, v: dict[str, Any]) -> np.ndarray:
    total, found = 0.0, np.zeros(len(y))
    for t in range(len(y) - 1, -1, -1):
        total = 0.5 * total + y[t] * v["k"][t % 3]
        found[t] = total
    return found


def branches(y: np.ndarray) -> ss.Model:
    """A branch on the data in each step, and a latent as an element."""
    m = ss.Model("branches")
    m.p, m.z = ss.Beta(2, 2), ss.Normal(0, 1, shape=len(y))
    m.x = ss.data(y)
    m.w = ss.scan(lambda w, x, z: 0.5 * w + ss.where(x > 0, ss.log(m.p) * z, ss.log1m(m.p)), 0.0, over=(m.x, m.z))
    m.y = ss.Normal(m.w, 1).observe(y)
    return m


def branches_by_hand(y: np.ndarray, v: dict[str, Any]) -> np.ndarray:
    w, found = 0.0, []
    for x, z in zip(y, v["z"], strict=True):
        w = 0.5 * w + (np.log(v["p"]) * z if x > 0 else np.log1p(-v["p"]))
        found.append(w)
    return np.array(found)


def nested(y: np.ndarray) -> ss.Model:
    """A recurrence within a step; both use values of the same place and shape."""
    m = ss.Model("nested")
    m.a, m.b, m.s = ss.Normal(0, 0.3), ss.Normal(0, 0.3, shape=3), ss.HalfNormal(1)
    m.x = ss.data(y)

    def outer(total: Any, x: Any) -> Any:
        return 0.3 * total + ss.sum(ss.scan(lambda u, b: ss.tanh(u * m.a + b * total), init=x, over=m.b))

    m.z = ss.scan(outer, init=0.1, over=m.x)
    m.y = ss.Normal(m.z, m.s).observe(y)
    return m


def nested_by_hand(y: np.ndarray, v: dict[str, Any]) -> np.ndarray:
    total, found = 0.1, []
    for x in y:
        u, inner = x, 0.0
        for b in v["b"]:
            u = np.tanh(u * v["a"] + b * total)
            inner += u
        total = 0.3 * total + inner
        found.append(total)
    return np.array(found)


Hand = Callable[[np.ndarray, dict[str, Any]], np.ndarray]
FORMS: dict[str, tuple[Callable[[np.ndarray], ss.Model], Hand, str]] = {
    "arma": (arma, arma_by_hand, "error"),
    "trend": (trend, trend_by_hand, "ahead"),
    "vector": (vector, vector_by_hand, "h"),
    "backwards": (backwards, backwards_by_hand, "sum"),
    "branches": (branches, branches_by_hand, "w"),
    "nested": (nested, nested_by_hand, "z"),
}


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("form", FORMS)
def test_every_step_is_what_a_loop_by_hand_gives(form: str, series: str) -> None:
    build, by_hand, name = FORMS[form]
    y = SERIES[series]
    m = build(y)
    draws = m.prior(draws=7, seed=2).prior
    for k in range(7):
        values = {n: draws[n].values[0, k] for n, role in m.variables.items() if role == "latent"}
        np.testing.assert_allclose(draws[name].values[0, k], by_hand(y, values), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("series", SERIES)
@pytest.mark.parametrize("form", FORMS)
def test_three_targets_have_one_density_and_one_gradient(form: str, series: str) -> None:
    found = FORMS[form][0](SERIES[series]).verify(points=3)
    assert found.ok, found


@pytest.mark.parametrize("form", FORMS)
def test_the_text_holds_no_length_and_the_graph_is_read_back(form: str) -> None:
    build, _, _ = FORMS[form]
    short, long = build(SERIES["three"]), build(SERIES["random"])
    assert short.stan_code() == long.stan_code()
    graph = long.instance().graph
    check(graph)
    text = graph_text(graph)
    assert text == graph_text(short.instance().graph)
    again = parse(text, REGISTRY, DISTRIBUTIONS)
    check(again)
    assert graph_text(again) == text


def test_other_data_run_on_the_same_program() -> None:
    m = trend(SERIES["three"])
    y = SERIES["random"]
    other = m.with_data(x=y, y=y)
    assert other.stan_code() == m.stan_code()
    values = {"a": 0.3, "b": 0.6, "s": 0.8}
    assert other.log_density(values) == pytest.approx(trend(y).log_density(values), rel=1e-12)


def test_equal_bodies_are_one() -> None:
    m = ss.Model("twice")
    m.x, m.a, m.b = ss.data(RUNS), ss.Normal(0, 1), ss.Normal(0, 1)
    first = ss.scan(lambda s, x: m.a * s + x, 0.0, over=m.x)
    again = ss.scan(lambda s, x: m.a * s + x, 0.0, over=m.x)
    other = ss.scan(lambda s, x: m.b * s + x, 0.0, over=m.x)
    assert first._scistan_node_ is again._scistan_node_
    assert first._scistan_node_ is not other._scistan_node_
    bodies = [dict(e._scistan_node_.args[0].attributes)["body"] for e in (first, other)]
    assert bodies[0] is bodies[1]  # what differs comes from outside


def test_a_running_sum_is_written_as_one() -> None:
    m = ss.Model("walk")
    m.z, m.start = ss.Normal(0, 1, shape=6), ss.Normal(0, 1)
    m.walk = ss.scan(lambda level, z: level + z, init=m.start, over=m.z)
    m.y = ss.Normal(m.walk, 1).observe(np.arange(6.0))
    assert "cumulative_sum" in m.stan_code()
    assert "for (t" not in m.stan_code()
    assert m.verify(points=3).ok


@pytest.mark.parametrize(("step", "added"), [
    (lambda m, level, z: level + m.scale * z, lambda scale, z: scale * z),
    (lambda m, level, z: m.scale + (level - z) / 1.0, lambda scale, z: scale - z),
    (lambda m, level, z: level + ss.exp(m.scale) * z**2, lambda scale, z: np.exp(scale) * z**2),
    (lambda m, level, z: level + m.scale, lambda scale, z: np.full(len(z), scale)),
], ids=["scaled", "taken away", "curved", "a constant"])
@pytest.mark.parametrize("reverse", [False, True])
def test_what_is_added_may_be_computed(step: Any, added: Any, reverse: bool) -> None:
    m = ss.Model("walk")
    m.z, m.start, m.scale = ss.Normal(0, 1, shape=6), ss.Normal(0, 1), ss.Normal(0, 1)
    m.walk = ss.scan(lambda level, z: step(m, level, z), init=m.start, over=m.z, reverse=reverse)
    m.y = ss.Normal(m.walk + m.z, 1).observe(np.arange(6.0))
    assert ("cumulative_sum" in m.stan_code()) == (not reverse)
    values = {"z": RUNS[:6] + 0.5, "start": 0.7, "scale": 0.3}
    each = added(0.3, RUNS[:6] + 0.5)
    walk = 0.7 + (np.cumsum(each[::-1])[::-1] if reverse else np.cumsum(each))
    expected = stats.norm(walk + values["z"], 1).logpdf(np.arange(6.0)).sum()
    expected += sum(stats.norm.logpdf(v).sum() for v in values.values())
    assert m.log_density(values) == pytest.approx(expected, rel=1e-12)
    assert m.verify(points=3).ok


def test_what_depends_on_data_alone_is_computed_once() -> None:
    m = ss.Model("data")
    m.x = ss.data(SERIES["random"])
    m.b = ss.Normal(0, 1)
    m.smooth = ss.scan(lambda s, x: 0.9 * s + 0.1 * x, init=0.0, over=m.x)
    m.y = ss.Normal(m.b * m.smooth, 1).observe(RUNS)
    before, _, after = m.stan_code().partition("parameters {")
    assert "for (t in" in before
    assert "for (t in" not in after.partition("generated quantities")[0]
    assert m.verify(points=3).ok


def test_length_alone_says_how_often() -> None:
    m = ss.Model("growth")
    m.r = ss.Beta(2, 2)
    m.size = ss.scan(lambda n: n * (1 + m.r), init=1.0, length=4)
    m.y = ss.Normal(m.size, 1).observe([1.0, 2.0, 4.0, 8.0])
    draws = m.prior(draws=3, seed=1).prior
    r = draws["r"].values[..., None]
    np.testing.assert_allclose(draws["size"].values, (1 + r) ** np.arange(1, 5))
    assert m.verify(points=3).ok


def test_axes_keep_their_dims_and_meet_by_label_inside_a_step() -> None:
    table = pd.DataFrame({"b": [1.0, 2.0, 3.0], "a": [10.0, 20.0, 30.0]}, index=pd.Index([5, 6, 7], name="time"))

    def level(columns: list[str]) -> Any:
        m = ss.Model("labels", coords={"site": ["a", "b"]})
        m.k = ss.Normal(0, 1, dims="site")
        m.x = ss.data(table[columns].rename_axis(columns="site"))
        m.level = ss.scan(lambda s, row: 0.5 * s + m.k * row, init=0.0, over=m.x)
        m.y = ss.Normal(m.level, 1).observe(table[["a", "b"]].rename_axis(columns="site"))
        return m.prior(draws=5, seed=3).prior["level"]

    one, other = level(["a", "b"]), level(["b", "a"])
    assert one.dims == ("chain", "draw", "time", "site")
    np.testing.assert_array_equal(one.sel(site="a"), other.sel(site="a"))
    assert list(one.coords["time"].values) == [5, 6, 7]


def test_a_factor_picks_inside_a_step() -> None:
    m = ss.Model("factor")
    m.site = ss.factor(["u", "v", "u", "v"])
    m.k = ss.Normal(0, 1, dims="site")
    m.total = ss.scan(lambda s, site: 0.5 * s + m.k[site], init=0.0, over=m.site)
    m.y = ss.Normal(m.total, 1).observe(np.zeros(4))
    assert m.verify(points=2).ok


MISTAKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no function": (lambda m: ss.scan(3, 0.0, over=m.x), "takes a function"),
    "nothing to run over": (lambda m: ss.scan(lambda s: s, 0.0), "neither what to run over nor how long"),
    "a number to run over": (lambda m: ss.scan(lambda s, x: s + x, 0.0, over=m.a), "first axis"),
    "two lengths": (lambda m: ss.scan(lambda s, x, y: s, 0.0, over=(m.x, m.x[1:])), "differs in length: 15, 14"),
    "another form": (lambda m: ss.scan(lambda s, x: {"s": s}, 0.0, over=m.x), "gives {'s': a value} where the state"),
    "another shape": (lambda m: ss.scan(lambda s, x: s[:2], np.zeros(3), over=m.x), "(3,) into one of shape (2,)"),
    "arguments": (lambda m: ss.scan(lambda s: s, 0.0, over=m.x), "could not be read"),
    "no length": (lambda m: ss.scan(lambda s: s, 0.0, length=2.5), "is no number of steps"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(mistake: str) -> None:
    m = ss.Model("mistake")
    m.x, m.a = ss.data(RUNS), ss.Normal(0, 1)
    act, words = MISTAKES[mistake]
    with pytest.raises(ss.ModelError, match=f"(?s).*{re.escape(words)}"):
        act(m)


def test_a_value_of_a_step_stays_in_its_step() -> None:
    m = ss.Model("leak")
    m.x = ss.data(RUNS)
    kept = []
    ss.scan(lambda s, x: kept.append(s) or 0.5 * s + x, 0.0, over=m.x)
    with pytest.raises(ss.ModelError, match="outside of its step"):
        m.late = kept[0] + 1


def picking(codes: list[int], position: Callable[[Any], Any]) -> ss.Model:
    m = ss.Model("jump")
    m.k = ss.Normal(0, 1, shape=3)
    m.g = ss.data(codes)
    m.z = ss.scan(lambda s, g: 0.5 * s + m.k[position(g)], init=0.0, over=m.g)
    m.y = ss.Normal(m.z, 1).observe(np.zeros(len(codes)))
    return m


def test_a_position_that_a_step_computes_is_refused_and_one_outside_is_told() -> None:
    with pytest.raises(ss.ModelError, match="position that it computes"):
        picking([0, 1, 2], lambda g: g - 1)
    with pytest.raises(ss.DataError, match="3"):
        picking([0, 1, 3], lambda g: g)
    with pytest.raises(ss.DataError, match="7"):
        picking([0, 1, 2], lambda g: g).with_data(g=[0, 7, 1])


def test_ten_thousand_steps_lower_at_once_and_a_fit_is_saved_and_predicts(tmp_path: Any) -> None:
    m = arma(np.tile(SERIES["random"], 700))
    assert len(m.stan_code()) < 1500
    fit = arma(SERIES["random"]).mcmc(draws=100, warmup=200, chains=2, seed=1, engine="stanli", progress=False)
    assert fit.certificate.ok
    fit.save(tmp_path / "fit.nc")
    loaded = ss.load(tmp_path / "fit.nc")
    np.testing.assert_array_equal(
        loaded.predict(draws=5, seed=1).predictions["e"], fit.predict(draws=5, seed=1).predictions["e"]
    )


def test_stable_forms_reach_into_steps() -> None:
    m = ss.Model("stable")
    m.p, m.x = ss.Beta(2, 2), ss.data(SERIES["random"])
    m.w = ss.scan(lambda w, x: 0.5 * w + ss.log(1 - m.p * ss.inv_logit(x)), 0.0, over=m.x)
    m.y = ss.Normal(m.w, 1).observe(RUNS)
    assert "log1m(" in m.stan_code()
    assert m.verify(points=3).ok
