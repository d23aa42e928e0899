"""Differential equations: analytic solutions, one density on every target, and clear words where there is none."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import expm

import scistan as ss
from scistan.distributions.declaration import REGISTRY as DISTRIBUTIONS
from scistan.engines.embedded import open_density
from scistan.engines.encoding import to_json
from scistan.graph.parse import parse
from scistan.graph.text import graph_text
from scistan.graph.verify import check
from scistan.inference.certify import certify
from scistan.inference.prepare import subject_of
from scistan.messages.equations import EquationWarning
from scistan.ops import REGISTRY
from tests.inference.test_prior_agreement import disagreements

TIMES = np.array([0.5, 1.0, 2.5])
COUPLING = np.array([[-0.4, 0.3, 0.0], [0.2, -0.5, 0.1], [0.0, 0.2, -0.3]])


def lotka_volterra(times: np.ndarray, **options: Any) -> ss.Model:
    """Two numbers as a vector."""
    m = ss.Model("lotka_volterra")
    m.times = ss.data(times)
    m.theta = ss.LogNormal(-0.5, 0.3, shape=4)
    m.start = ss.LogNormal(0.5, 0.3, shape=2)
    m.sigma = ss.LogNormal(-1, 0.5)

    def rhs(t: Any, z: Any) -> Any:
        u, v = z[0], z[1]
        return ss.stack([(m.theta[0] - m.theta[1] * v) * u, (m.theta[3] * u - m.theta[2]) * v])

    m.z = ss.ode(rhs, m.start, 0, m.times, **options)
    m.y = ss.LogNormal(ss.log(m.z), m.sigma).observe(np.ones((len(times), 2)))
    return m


def epidemic(times: np.ndarray) -> ss.Model:
    """A dict of numbers, data in the slope, and the time itself."""
    m = ss.Model("epidemic")
    m.times, m.size = ss.data(times), ss.data(100.0)
    m.beta, m.gamma = ss.LogNormal(0, 0.3), ss.LogNormal(-1, 0.3)

    def rhs(t: Any, s: Any) -> Any:
        new = m.beta * (1 + 0.1 * ss.sin(t)) * s["ill"] * s["well"] / m.size
        return {"well": -new, "ill": new - m.gamma * s["ill"], "over": m.gamma * s["ill"]}

    state = ss.ode(rhs, {"well": 95.0, "ill": 5.0, "over": 0.0}, 0, m.times)
    m.ill, m.over = state["ill"], state["over"]
    m.cases = ss.Poisson(m.ill).observe(np.full(len(times), 7))
    return m


def doses(times: np.ndarray) -> ss.Model:
    """One compartment, a dose at 0 and one at 1: a piece for each, one number as the state."""
    m = ss.Model("doses")
    m.first, m.second = ss.data(times * 0.3), ss.data(1 + times)
    m.rate, m.volume, m.sigma = ss.LogNormal(0, 0.3), ss.LogNormal(1, 0.3), ss.LogNormal(-1, 0.3)

    def out(t: Any, amount: Any) -> Any:
        return -m.rate * amount

    m.before = ss.ode(out, 10.0, 0, ss.concatenate([m.first, ss.data(np.ones(1))]))
    m.after = ss.ode(out, m.before[-1] + 10.0, 1, m.second)
    m.amount = ss.concatenate([m.before[:-1], m.after])
    m.y = ss.Normal(m.amount / m.volume, m.sigma).observe(np.full(2 * len(times), 1.5))
    return m


def coupled(times: np.ndarray) -> ss.Model:
    """A vector beside a number, a matrix of data and one of latents, and positions in the slope."""
    m = ss.Model("coupled")
    m.times, m.A, m.at = ss.data(times), ss.data(COUPLING), ss.data(np.array([2, 0, 1]))
    m.b, m.k, m.x0 = ss.Normal(0, 0.3, shape=3), ss.LogNormal(0, 0.3), ss.Normal(1, 0.3, shape=3)

    def rhs(t: Any, s: Any) -> Any:
        x, total = s
        return m.A @ x + m.b[m.at] * ss.exp(-m.k * t), ss.sum(x) - total

    m.x, m.total = ss.ode(rhs, (m.x0, 0.0), 0.1, m.times)
    m.y = ss.Normal(m.x + m.total[:, None], 1).observe(np.zeros((len(times), 3)))
    return m


FORMS: dict[str, Callable[[np.ndarray], ss.Model]] = {
    "lotka_volterra": lotka_volterra, "epidemic": epidemic, "doses": doses, "coupled": coupled,
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_three_targets_have_one_density_and_one_gradient(form: str) -> None:
    found = FORMS[form](TIMES).verify(points=2)
    assert found.ok, found


@pytest.mark.parametrize("method", ["bdf", "adams", "ckrk"])
def test_every_method_solves_the_same_equation(method: str) -> None:
    found = lotka_volterra(TIMES[:2], method=method, rtol=1e-8, atol=1e-8).verify(points=2)
    assert found.ok, found


@pytest.mark.parametrize("form", FORMS)
def test_the_text_holds_no_length_and_the_graph_is_read_back(form: str) -> None:
    long, short = FORMS[form](TIMES), FORMS[form](TIMES[:2])
    assert short.stan_code() == long.stan_code()
    graph = long.instance().graph
    check(graph)
    text = graph_text(graph)
    again = parse(text, REGISTRY, DISTRIBUTIONS)
    check(again)
    assert graph_text(again) == text


@pytest.mark.parametrize("times", [TIMES, TIMES[:1], np.linspace(0.01, 20, 40), np.array([1e-9, 1.0])])
@pytest.mark.parametrize("method", ["rk45", "bdf"])
def test_a_linear_equation_is_the_exponential_of_a_matrix(times: np.ndarray, method: str) -> None:
    m = ss.Model("linear")
    m.scale, m.x0 = ss.LogNormal(0, 0.5), ss.Normal(0, 1, shape=3)
    m.x = ss.ode(lambda t, x: m.scale * (ss.data(COUPLING) @ x), m.x0, 0, times, method=method)
    drawn = m.prior(draws=20, seed=1).prior
    for k in range(20):
        scale, start = float(drawn["scale"].values[0, k]), drawn["x0"].values[0, k]
        expected = [expm(scale * t * COUPLING) @ start for t in times]
        np.testing.assert_allclose(drawn["x"].values[0, k], expected, rtol=1e-7, atol=1e-8)


def test_times_and_the_start_may_be_latent() -> None:
    m = ss.Model("moments")
    m.t0, m.late, m.rate = ss.Uniform(-1, 0), ss.LogNormal(0, 0.3, shape=2), ss.LogNormal(0, 0.3)
    m.left = ss.ode(lambda t, a: -m.rate * a * (1 + t**2), 5.0, m.t0, ss.cumsum(m.late))
    m.y = ss.Normal(m.left, 1).observe([1.0, 0.5])
    drawn = m.prior(draws=10, seed=2).prior
    t0, times, rate = drawn["t0"].values[0, :, None], drawn["late"].values[0].cumsum(-1), drawn["rate"].values[0, :, None]
    expected = 5 * np.exp(-rate * (times - t0 + (times**3 - t0**3) / 3))
    np.testing.assert_allclose(drawn["left"].values[0], expected, rtol=1e-8, atol=1e-9)
    found = m.verify(points=2)
    assert found.ok, found


def test_equations_and_recurrences_stand_in_each_other() -> None:
    m = ss.Model("nested")
    m.rate, m.dose = ss.LogNormal(0, 0.3), ss.data(np.array([3.0, 1.0, 2.0]))

    def period(left: Any, dose: Any) -> Any:
        return ss.ode(lambda t, a: -m.rate * a, left + dose, 0, [1.0])[0]

    m.level = ss.scan(period, init=0.0, over=m.dose)
    m.y = ss.Normal(m.level, 1).observe([1.0, 1.0, 1.0])
    rate = m.prior(draws=4, seed=1).prior
    kept = np.exp(-rate["rate"].values[0])
    left = np.zeros(4)
    for k, dose in enumerate([3.0, 1.0, 2.0]):
        left = (left + dose) * kept
        np.testing.assert_allclose(rate["level"].values[0, :, k], left, rtol=1e-8)
    found = m.verify(points=2)
    assert found.ok, found


def test_a_posterior_is_sampled_certified_saved_and_predicted(tmp_path: Any) -> None:
    times = np.linspace(0.2, 3, 8)
    m = ss.Model("decay")
    m.times = ss.data(times)
    m.rate, m.start, m.sigma = ss.LogNormal(0, 1), ss.LogNormal(2, 1), ss.HalfNormal(1)
    m.left = ss.ode(lambda t, a: -m.rate * a, m.start, 0, m.times)
    noise = np.random.default_rng(3).normal(size=8)
    m.y = ss.Normal(m.left, m.sigma).observe(10 * np.exp(-0.7 * times) + 0.1 * noise)
    fit = m.mcmc(draws=200, warmup=300, chains=2, seed=1, engine="stanli", progress=False)
    assert fit.certificate.ok
    assert abs(fit.posterior["rate"].mean() - 0.7) < 4 * fit.posterior["rate"].std()
    left = fit.posterior["start"][..., None] * np.exp(-fit.posterior["rate"][..., None] * times)
    np.testing.assert_allclose(fit.posterior["left"], left, rtol=1e-4, atol=1e-5)  # by Stan, at its tolerances
    fit.save(tmp_path / "fit.nc")
    later = {"times": np.array([4.0, 5.0])}
    loaded = ss.load(tmp_path / "fit.nc")
    one, other = (f.predict(later, draws=6, seed=1).predictions["y"] for f in (fit, loaded))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(("method", "words"), [("rk45", "up to t = 1.*method='bdf'"), ("bdf", "CVODES.*`max_steps`")])
def test_where_no_start_has_a_solution_the_equation_is_named(method: str, words: str) -> None:
    m = ss.Model("stiff")
    m.k = ss.LogNormal(0, 1)
    m.x = ss.ode(lambda t, x: -1e4 * m.k * (x - ss.cos(t)), 0.0, 0, [1.0], method=method, max_steps=5)
    m.y = ss.Normal(m.x, 1).observe([0.5])
    with pytest.raises(ss.SamplingError, match=f"(?s)an equation could not be solved.*{words}"):
        m.mcmc(draws=10, warmup=10, chains=1, seed=1, engine="stanli", progress=False)


@pytest.mark.parametrize("method", ["rk45", "bdf", "adams"])
def test_a_certificate_allows_what_tolerances_do_and_no_more(method: str) -> None:
    m = ss.Model("decay")
    m.rate = ss.LogNormal(0, 1)
    m.left = ss.ode(lambda t, a: -m.rate * a, 5.0, 0, [0.5, 1.0], method=method)
    m.y = ss.Normal(m.left, 0.1).observe([3.0, 2.0])
    subject = subject_of(m.instance(), m)
    right = subject.program.text
    wrong = right.replace("-rate)", "-1.001 * rate)")
    assert wrong != right
    data = to_json(subject.data)
    for text, agrees in ((right, True), (wrong, False)):
        assert certify(subject, subject.data, open_density(text, data, 1), 1).ok is agrees


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::scistan.messages.sampling.ChainWarning")
def test_prior_draws_and_chains_agree() -> None:
    m = ss.Model("decay")
    m.rate, m.start = ss.LogNormal(-0.5, 0.5), ss.LogNormal(1, 0.5)
    m.left = ss.ode(lambda t, a: -m.rate * a, m.start, 0, np.array([0.5, 2.0]))
    m.seen = ss.Normal(m.left, 0.5)
    m.count = ss.Gamma(2, 1 / m.left)
    assert disagreements(m, seed=1) == {}


@pytest.mark.long
def test_what_was_simulated_is_recovered_as_often_as_is_claimed() -> None:
    m = ss.Model("decay")
    m.rate, m.start = ss.LogNormal(-0.5, 0.5), ss.LogNormal(2, 0.5)
    m.left = ss.ode(lambda t, a: -m.rate * a, m.start, 0, np.linspace(0.5, 4, 6))
    m.y = ss.Normal(m.left, 0.5, shape=6).observe()
    covered = {"rate": 0, "start": 0}
    for seed in range(50):
        truth = m.simulate(seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit = m.with_data(y=truth["y"]).mcmc(
                draws=500, warmup=400, chains=1, seed=seed, engine="stanli", progress=False
            )
        for name in covered:
            low, high = np.quantile(fit.posterior[name], [0.1, 0.9])
            covered[name] += int(low < truth[name] < high)
    for name, count in covered.items():
        assert stats.binomtest(count, 50, 0.8).pvalue > 1e-6, (name, count)


def test_a_mode_is_found() -> None:
    times = np.array([1.0, 2.0])
    m = ss.Model("decay")
    m.rate = ss.LogNormal(0, 1)
    m.left = ss.ode(lambda t, a: -m.rate * a, 10.0, 0, times)
    m.y = ss.Normal(m.left, 0.1).observe(10 * np.exp(-0.7 * times))
    best = m.map(starts=2, seed=1)
    assert best.converged
    assert best.values["rate"] == pytest.approx(0.7, abs=0.01)


def test_where_there_is_no_solution_the_density_is_zero_and_it_is_told() -> None:
    m = ss.Model("explosion")
    m.k, m.start = ss.HalfNormal(1), ss.Uniform(0.5, 3)
    m.x = ss.ode(lambda t, x: m.k * x**2, m.start, 0, [0.5, 1.0])  # infinite at t = 1 / (k · start)
    with pytest.warns(EquationWarning, match=r"(?s)for \d+ of 8 draws.*at t = .* with k = "):
        drawn = m.prior(draws=8, seed=1).prior
    solved = (drawn["k"] * drawn["start"] < 1).values[0]
    assert 0 < solved.sum() < 8
    np.testing.assert_array_equal(np.isfinite(drawn["x"].values[0]).all(-1), solved)
    k, start = (drawn[name].values[0][solved, None] for name in ("k", "start"))
    expected = start / (1 - k * start * np.array([0.5, 1.0]))
    np.testing.assert_allclose(drawn["x"].values[0][solved], expected, rtol=1e-5)
    m.y = ss.Normal(m.x, 1).observe([1.0, 2.0])
    with pytest.raises(ss.ModelError, match=r"(?s)could not be solved for \d+ of 8 draws.*`method='bdf'`"):
        m.prior(draws=8, seed=1)
    for target in ("scipy", "torch"):
        with pytest.warns(EquationWarning, match="at these values"):
            assert m.log_density({"k": 1.0, "start": 2.0}, target=target) == -np.inf


def test_a_step_limit_is_told_with_the_time_and_the_remedy() -> None:
    m = ss.Model("stiff")
    m.k = ss.LogNormal(9, 0.1)
    m.x = ss.ode(lambda t, x: -m.k * (x - ss.cos(t)), 0.0, 0, [1.0], max_steps=20)
    m.y = ss.Normal(m.x, 1).observe([0.5])
    with pytest.warns(EquationWarning, match=r"(?s)20 steps \(`max_steps`\).*at t = .*method='bdf'"):
        assert m.log_density({"k": 8e3}) == -np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        n = ss.Model("stiff")
        n.k = ss.LogNormal(9, 0.1)
        n.x = ss.ode(lambda t, x: -n.k * (x - ss.cos(t)), 0.0, 0, [1.0], method="bdf")
        assert n.prior(draws=3, seed=1).prior["x"].values == pytest.approx(np.cos(1), abs=1e-3)


def test_a_stiff_equation_has_a_hint_and_another_has_none() -> None:
    def fitted(speed: float) -> Any:
        m = ss.Model("relaxation")
        m.k = ss.LogNormal(np.log(speed), 0.1)
        m.x = ss.ode(lambda t, x: -m.k * (x - ss.cos(t)), 0.0, 0, [1.0])
        m.y = ss.Normal(m.x, 1).observe([0.5])
        return m.mcmc(draws=4, warmup=4, chains=1, seed=1, engine="stanli", progress=False)

    (found,) = [hint for hint in fitted(20_000.0).diagnose().hints if hint.check == "stiff equation"]
    assert "method='bdf'" in found.suggestion
    assert "`x`" in found.fact
    assert not [hint for hint in fitted(1.0).diagnose().hints if hint.check == "stiff equation"]


def solved(m: Any, times: Any = (1.0, 2.0), rhs: Any = None, y0: Any = 1.0, t0: Any = 0, **options: Any) -> Any:
    m.x = ss.ode(rhs or (lambda t, x: -m.a * x), y0, t0, list(times) if isinstance(times, tuple) else times, **options)


MISTAKES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "no function": (lambda m: solved(m, rhs=3.0), "takes a function of the time and the state"),
    "arguments": (lambda m: solved(m, rhs=lambda x: x), "could not be read"),
    "a method": (lambda m: solved(m, method="euler"), "no way to solve"),
    "a tolerance": (lambda m: solved(m, rtol=0.0), "`rtol=0.0` is no tolerance"),
    "a step limit": (lambda m: solved(m, max_steps=0), "no number of steps"),
    "a form": (lambda m: solved(m, rhs=lambda t, x: (x, x)), "the slope is (a value, a value) where the state is a value"),
    "a shape": (lambda m: solved(m, rhs=lambda t, x: x[:2], y0=np.ones(3)), "state of shape (3,) has shape (2,)"),
    "a matrix": (lambda m: solved(m, y0=np.ones((2, 2))), "neither a number nor a vector"),
    "a vector as start": (lambda m: solved(m, t0=np.zeros(2)), "has shape (2,)"),
    "one time as a number": (lambda m: solved(m, times=1.0), "where `ss.ode` takes a vector"),
    "equal times": (lambda m: solved(m, times=(1.0, 1.0)), "1 is followed by 1 at position 1"),
    "decreasing times": (lambda m: solved(m, times=(1.0, 3.0, 2.0)), "3 is followed by 2 at position 2"),
    "a time that is none": (lambda m: solved(m, times=(1.0, np.nan)), "NaN or infinite"),
    "no times": (lambda m: solved(m, times=np.zeros(0)), "was given no times"),
    "the first time is the start": (lambda m: solved(m, times=(0.0, 1.0)), "`t0` is 0 and the first of the times 0"),
    "times before the start": (lambda m: solved(m, times=(1.0, 2.0), t0=1.5), "`t0` is 1.5"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told(mistake: str) -> None:
    m = ss.Model("mistake")
    m.a = ss.HalfNormal(1)
    act, words = MISTAKES[mistake]
    with pytest.raises(ss.ScistanError, match=f"(?s).*{re.escape(words)}") as raised:
        act(m)
    assert raised.value.place is not None
    assert raised.value.remedy


def test_other_times_are_checked_as_the_first_were() -> None:
    m = lotka_volterra(TIMES)
    y = np.ones((2, 2))
    assert m.with_data(times=[1.0, 2.0], y=y).stan_code() == m.stan_code()
    with pytest.raises(ss.DataError, match="must increase"):
        m.with_data(times=[2.0, 1.0], y=y)
    with pytest.raises(ss.DataError, match="first of the times 0"):
        m.with_data(times=[0.0, 1.0], y=y)


def test_equal_pieces_have_one_function() -> None:
    assert doses(TIMES).stan_code().count("vector d") == 1


def test_what_follows_from_a_latent_is_not_passed_beside_it() -> None:
    m = ss.Model("two")
    m.a, m.b = ss.LogNormal(0, 1), ss.LogNormal(0, 1)
    m.x = ss.ode(lambda t, s: (-m.a * s[0] + 2 * m.b, m.a * s[0] - ss.exp(m.a + m.b) * s[1]), (1.0, 0.0), 0, [1.0])[1]
    m.y = ss.Normal(m.x, 1).observe([0.5])
    (call,) = re.findall(r"ode_rk45_tol\(.*\)", m.stan_code())
    assert call.count(", a, b)") + call.count(", b, a)") == 1, call
    assert m.verify(points=2).ok


def test_capabilities_say_who_can() -> None:
    found = lotka_volterra(TIMES[:1], method="bdf").capabilities()
    assert found("mcmc", engine="stanli")
    assert all("explicitly" in one.why for one in found.of("map") if one.able)
    (by_jax,) = [one for one in found.of("mcmc") if one.engine == "jax"]
    assert not by_jax
    assert "ode" in by_jax.why or "not installed" in by_jax.why
    with pytest.raises(ss.UnsupportedError, match="ode"):
        lotka_volterra(TIMES[:1]).to_sympy()
