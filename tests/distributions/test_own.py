"""Distributions of the user's own: constants in their formulas, arguments of any length, densities by event, draws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import scistan as ss

POINTS, WEIGHTS = np.array([-0.5, 0.1, 0.9, 1.3]), np.array([0.1, 0.2, 0.3, 0.4])


def normal(name, log_density, **more):
    fields = {"parameters": {"mu": "real", "sigma": "positive"}, "support": "real"}
    draw = {"draw": lambda rng, size, mu, sigma: rng.normal(mu, sigma, size)}
    return ss.declare_distribution(name, "A normal distribution.", log_density=log_density, **{**fields, **draw, **more})


def standard(x, mu, sigma):
    return -0.5 * np.log(2 * np.pi) - np.log(sigma) - 0.5 * ((x - mu) / sigma) ** 2


CONSTANTS = {
    "a NumPy number": standard,
    "an array of none": lambda x, mu, sigma: standard(x, mu, sigma) + np.array(2.5) - 2.5,
    "a whole number": lambda x, mu, sigma: standard(x, mu, sigma) + np.int64(3) - 3,
    "an array": lambda x, mu, sigma: standard(x, mu, sigma) + ss.sum(WEIGHTS) - 1,
    "an array made at each call": lambda x, mu, sigma: standard(x, mu, sigma) + ss.sum(np.arange(3.0)) - 3,
    "a matrix": lambda x, mu, sigma: standard(x, mu, sigma) + ss.sum(np.eye(3) @ np.ones(3) * sigma) - 3 * sigma,
}


@pytest.mark.parametrize("name", CONSTANTS)
@pytest.mark.parametrize("values", [0.7, [0.7, -0.2, 1.4]], ids=["number", "vector"])
def test_numbers_and_arrays_of_numpy_in_a_density(name, values, stanc):
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = normal("Own", CONSTANTS[name])(m.a, 1.5).observe(values)
    expected = stats.norm.logpdf(0.3) + stats.norm.logpdf(values, 0.3, 1.5).sum()
    rounding = 64 * np.finfo(float).eps
    assert m.log_density({"a": 0.3}) == pytest.approx(expected, rel=rounding)
    assert m.log_density({"a": 0.3}, target="torch") == pytest.approx(expected, rel=rounding)
    stanc(m.stan_code())
    assert m.verify(points=2).ok
    assert m.map(seed=1).converged


def test_numpy_numbers_are_literals_and_arrays_one_entry():
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = normal("Own", CONSTANTS["an array made at each call"])(m.a, 1.5).observe([0.7, 0.2])
    assert str(-0.5 * np.log(2 * np.pi)) in m.stan_code()
    arrays = [name for name, value in m.stan_data().items() if np.shape(value) == (3,)]
    assert len(arrays) == 1  # in model block and generated quantities alike
    assert m.stan_code() == m.with_data(y=np.zeros(5)).stan_code()


def test_a_grid_in_a_density(stanc):
    """A mixture over fixed points: the array meets the value on an axis of its own."""
    grid = normal("Grid", lambda x, mu, sigma: ss.logsumexp(
        standard(x[..., None], mu + POINTS, sigma) + np.log(WEIGHTS), axis=-1))  # fmt: skip
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = grid(m.a, 1.5).observe([0.7, -0.2])
    mixed = [np.log(WEIGHTS @ stats.norm.pdf(y, 0.3 + POINTS, 1.5)) for y in (0.7, -0.2)]
    assert m.log_density({"a": 0.3}) == pytest.approx(stats.norm.logpdf(0.3) + sum(mixed), rel=1e-14)
    stanc(m.stan_code())
    assert m.verify(points=2).ok


def test_data_of_the_model_in_a_density_stay_data():
    m = ss.Model()
    m.shift = ss.data(0.5)
    m.a = ss.Normal(0, 1)
    m.y = normal("Shifted", lambda x, mu, sigma: standard(x, mu + m.shift, sigma))(m.a, 1.5).observe([0.7])
    for shift in (0.5, 2.0):
        expected = stats.norm.logpdf(0.3) + stats.norm.logpdf(0.7, 0.3 + shift, 1.5)
        assert m.with_data(shift=shift).log_density({"a": 0.3}) == pytest.approx(expected, rel=1e-14)


def test_constants_in_a_cdf():
    own = normal("Own", standard, log_cdf=lambda x, mu, sigma: np.log(0.5) + ss.log(1 + ss.erf((x - mu) / sigma / np.sqrt(2))),
                 log_ccdf=lambda x, mu, sigma: np.log(0.5) + ss.log(1 - ss.erf((x - mu) / sigma / np.sqrt(2))),
                 scipy=lambda mu, sigma: stats.norm(mu, sigma))  # fmt: skip
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    m.y = own(m.a, 1.5, lower=0.0).observe([0.7, 1.2])
    mass = stats.norm.logsf(0.0, 0.3, 1.5)
    expected = stats.norm.logpdf(0.3) + stats.norm.logpdf([0.7, 1.2], 0.3, 1.5).sum() - 2 * mass
    assert m.log_density({"a": 0.3}) == pytest.approx(expected, rel=1e-13)
    assert m.verify(points=2).ok


def shifted_vector(**more):
    fields = {
        "parameters": {"mu": "vector", "weights": "vector"}, "support": "vector", "event_like": "mu",
        "log_density": lambda x, mu, w: -0.5 * ss.sum((x - mu - ss.sum(w, axis=-1)[..., None]) ** 2, axis=-1),
        "draw": lambda rng, size, mu, w: mu + w.sum(-1)[..., None] + rng.normal(size=(*size, mu.shape[-1])),
    }  # fmt: skip
    return ss.declare_distribution("ShiftedVector", "A vector.", **{**fields, **more})


@pytest.mark.parametrize("batch", [(), (4,)], ids=["one", "many"])
def test_vectors_of_different_lengths_as_arguments(batch, stanc):
    rng = np.random.default_rng(0)
    m = ss.Model()
    m.mu = ss.Normal(0, 1, shape=2)
    m.w = ss.Normal(0, 1, shape=3)
    m.y = shifted_vector()(m.mu, m.w).observe(rng.normal(size=(*batch, 2)))
    stanc(m.stan_code())
    assert m.verify(points=2).ok
    assert m.prior(5, seed=1).prior_predictive["y"].shape == (1, 5, *batch, 2)


def test_lengths_that_meet_in_the_density_are_one():
    own = ss.declare_distribution(
        "Pairwise", "A vector.", parameters={"mu": "vector", "sigma": "positive_vector"}, support="vector", event_like="mu",
        log_density=lambda x, mu, s: ss.sum(-0.5 * ((x - mu) / s) ** 2 - ss.log(s), axis=-1),
        draw=lambda rng, size, mu, s: rng.normal(mu, s, (*size, mu.shape[-1])),
    )  # fmt: skip
    m = ss.Model()
    m.scale = ss.data([1.0, 2.0])
    m.mu = ss.Normal(0, 1, shape=2)
    m.y = own(m.mu, m.scale).observe([0.1, 0.4])
    assert [name for name in m.stan_data() if name.startswith("N")] == ["N"]
    with pytest.raises(ss.ModelError, match="do not broadcast"):
        m.z = own(m.mu, [1.0, 2.0, 3.0])


BY_EVENT = {
    "free of the value": (lambda x, mu, sigma: -ss.log(sigma), True),
    "a number": (lambda x, mu, sigma: 0.0, True),
    "element by element": (standard, True),
    "all summed": (lambda x, mu, sigma: ss.sum(standard(x, mu, sigma)), False),
    "kept axes": (lambda x, mu, sigma: ss.sum(standard(x, mu, sigma), keepdims=True), False),
    "an axis too many": (lambda x, mu, sigma: standard(x, mu, sigma)[..., None] + np.zeros(2), False),
}


@pytest.mark.parametrize("name", BY_EVENT)
def test_a_density_is_one_number_for_each_event(name):
    formula, fine = BY_EVENT[name]
    own = normal("Own", formula)
    m = ss.Model()
    m.a = ss.Normal(0, 1)
    if fine:
        m.y = own(m.a, 1.5).observe([0.7, 0.2])
        return
    with pytest.raises(ss.ModelError, match="one number for each event") as caught:
        m.y = own(m.a, 1.5).observe([0.7, 0.2])
    assert "log_density=log_density" in caught.value.place.text
    assert "y" not in m


def test_arguments_that_are_summed_by_themselves_are_refused():
    m = ss.Model()
    m.s = ss.HalfNormal(1, shape=2)
    summed = normal("Own", lambda x, mu, sigma: -ss.sum(ss.log(sigma)))
    with pytest.raises(ss.ModelError, match="one number for each event"):
        m.z = summed(0.0, m.s)


DRAWS = {
    "the size alone": (lambda rng, size, mu, w: rng.normal(size=size), False),
    "no size": (lambda rng, size, mu, w: rng.normal(mu), False),
    "size and event": (lambda rng, size, mu, w: rng.normal(mu, 1, (*size, mu.shape[-1])), True),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_is_checked_before_anything_is_sampled(name):
    draw, fine = DRAWS[name]
    own = shifted_vector(draw=draw)
    m = ss.Model()
    m.w = ss.Normal(0, 1, shape=3)
    if fine:
        m.x = own([0.0, 1.0], m.w)
        return
    with pytest.raises(ss.ModelError, match="the `draw` of your distribution `ShiftedVector` gives an array of shape"):
        m.x = own([0.0, 1.0], m.w)


def ring(name: str = "Ring", **options: object) -> object:
    """A vector near a sphere; the formula is written for one of them."""
    return ss.declare_distribution(
        name, "Vectors near a sphere.", parameters={"r": "positive"}, support="vector",
        log_density=lambda x, r: -((ss.sqrt(ss.sum(x**2)) - r) ** 2), **options,
    )  # fmt: skip


def test_without_a_draw_a_model_is_fitted_and_its_draws_are_refused_by_name() -> None:
    Ring = ring()
    m = ss.Model("ring")
    m.r = ss.HalfNormal(1)
    m.y = Ring(m.r).observe(np.array([1.0, 2.0, 2.0]))
    assert m.verify(points=2).ok
    fit = m.mcmc(draws=50, warmup=100, chains=1, seed=1, engine="stanli", progress=False)
    for ask in (m.prior, m.simulate, lambda: fit.predict(), lambda: fit.predict(var_names=["y"])):
        with pytest.raises(ss.UnsupportedError, match="`y` cannot be drawn.*declared without `draw`"):
            ask()
    assert not m.capabilities()("prior")
    with pytest.raises(ss.ModelError, match="Ring has no draws"):
        Ring(1.0, shape=2).draw()


def test_the_length_of_a_value_comes_from_dims_shape_or_values() -> None:
    Ring = ring()
    m = ss.Model("lengths", coords={"axis": ["x", "y"], "point": [1, 2, 3]})
    m.r = ss.HalfNormal(1)
    m.named = Ring(m.r, dims="axis")
    m.several = Ring(m.r, dims=("point", "axis"))
    m.wide = Ring(m.r, shape=(2, 4))
    assert [m[name].shape for name in ("named", "several", "wide")] == [(2,), (3, 2), (2, 4)]
    assert m.verify(points=2).ok
    seen = ss.Model("seen")
    seen.r = ss.HalfNormal(1)
    seen.y = Ring(seen.r).observe(np.ones((5, 3)))
    assert seen.verify(points=2).ok
    with pytest.raises(ss.ModelError, match="nothing says how long"):
        m.unknown = Ring(m.r)


def test_a_formula_for_one_value_is_applied_to_each_of_several() -> None:
    """Sums over all axes or the first are right for one vector; so they are for several, whatever their number."""
    formulas = {
        "all": lambda x, r: -((ss.sqrt(ss.sum(x**2)) - r) ** 2),
        "first": lambda x, r: -((ss.sqrt(ss.sum(x**2, axis=0)) - r) ** 2),
        "last": lambda x, r: -((ss.sqrt(ss.sum(x**2, axis=-1)) - r) ** 2),
    }
    x, r = np.random.default_rng(2).normal(size=(3, 3)), np.array([0.5, 1.0, 2.0])
    expected = float(np.sum(-((np.linalg.norm(x, axis=1) - r) ** 2)))
    for name, formula in formulas.items():
        Own = ss.declare_distribution(
            f"Ring_{name}", "Vectors near a sphere.", parameters={"r": "positive"}, support="vector", log_density=formula
        )
        m = ss.Model("rings")
        m.x = Own(r, shape=(3, 3))
        assert m.log_density({"x": x}) == pytest.approx(expected, rel=1e-12)
        assert m.verify(points=2).ok
