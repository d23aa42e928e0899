"""`log_density`, `cdf` and their kin inside expressions: bounds, supports and whole numbers count there too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import scistan as ss
from scistan.distributions import REGISTRY


def value(expression: object) -> np.ndarray:
    m = ss.Model()
    m.out = expression
    return m.simulate(seed=0)["out"]


AT = np.array([-1.0, 0.5, 1.0, 1.9, 2.5])


@pytest.mark.parametrize(("lower", "upper"), [(0.0, None), (None, 2.0), (0.0, 2.0), (None, None)])
def test_bounds_count(lower: float | None, upper: float | None) -> None:
    made = ss.Normal(0.3, 1.2, lower=lower, upper=upper)
    a, b = ((-np.inf if lower is None else lower) - 0.3) / 1.2, ((np.inf if upper is None else upper) - 0.3) / 1.2
    twin = stats.truncnorm(a, b, 0.3, 1.2)
    with np.errstate(divide="ignore"):
        for name in ("cdf", "sf", "logcdf", "logsf", "logpdf"):
            ours = {"sf": "ccdf", "logcdf": "log_cdf", "logsf": "log_ccdf", "logpdf": "log_density"}.get(name, name)
            expected = getattr(twin, name)(AT)
            np.testing.assert_allclose(value(getattr(made, ours)(AT)), expected, rtol=1e-10, atol=1e-14, err_msg=name)


def test_bounds_of_a_bounded_support_join_it() -> None:
    mass = stats.beta(2, 3).sf(0.2)
    found = value(ss.Beta(2, 3, lower=0.2).log_density(np.array([0.1, 0.5, 1.5])))
    np.testing.assert_allclose(found, [-np.inf, stats.beta(2, 3).logpdf(0.5) - np.log(mass), -np.inf], rtol=1e-12)


@pytest.mark.parametrize(
    ("made", "outside"),
    [
        (ss.Exponential(1), -1.0),
        (ss.Uniform(0, 1), 2.0),
        (ss.Beta(1, 1), 2.0),
        (ss.Poisson(2.0), -1),
        (ss.Poisson(2.0), 1.5),
        (ss.Binomial(3, 0.5), 4),
        (ss.Pareto(1.0, 2.0), 0.5),
    ],
    ids=lambda x: repr(x)[:30],
)
def test_outside_the_support_the_density_is_zero(made: object, outside: float) -> None:
    assert value(made.log_density(outside)) == -np.inf
    assert value(made.log_density(np.array([outside, outside]))).tolist() == [-np.inf, -np.inf]


def test_known_values_inside_need_no_guard() -> None:
    m = ss.Model()
    m.y = ss.data([0.5, 1.5])
    m.rate = ss.Gamma(2, 1)
    m.ll = ss.Exponential(m.rate).log_density(m.y)
    assert "positive_infinity" not in m.stan_code()


def test_a_discrete_cdf_rounds_down() -> None:
    at = np.array([-0.5, 0.0, 1.5, 3.0])
    np.testing.assert_allclose(value(ss.Poisson(2.0).cdf(at)), stats.poisson(2.0).cdf(at), rtol=1e-12, atol=1e-300)


def test_latent_arguments_reach_every_target() -> None:
    m = ss.Model()
    m.mu = ss.Normal(0, 1)
    m.sigma = ss.HalfNormal(1)
    m.x = ss.Normal(0.7, 1, lower=0, upper=2)
    inside = ss.Normal(m.mu, m.sigma, lower=-1, upper=3)
    m.y = ss.Normal(inside.log_cdf(m.x) + inside.log_density(m.x) + ss.Gamma(2, m.sigma).log_density(m.x), 1).observe(1)
    assert m.verify(points=4).ok


@pytest.mark.parametrize("made", [ss.BernoulliLogit(0.0), ss.Dirichlet([1.0, 1.0]), ss.Flat(), ss.HyperGeometric(5, 4, 4)])
def test_a_missing_cdf_is_told(made: object) -> None:
    with pytest.raises(ss.UnsupportedError, match="offers no cumulative probability"):
        made.cdf(1)


def test_elements_tied_together_have_no_density_of_their_own() -> None:
    with pytest.raises(ss.UnsupportedError, match="all its elements together"):
        ss.Normal(0, 1, shape=3, constraint="ordered").log_density([1.0, 2.0, 3.0])


def test_a_discrete_range_takes_stans_names() -> None:
    for made in (ss.DiscreteRange(2, 5), ss.DiscreteRange(lower=2, upper=5), ss.DiscreteRange(2, upper=5)):
        m = ss.Model()
        m.y = made.observe([2, 3, 5])
        np.testing.assert_allclose(m.log_density({}), 3 * np.log(1 / 4), rtol=1e-14)
    with pytest.raises(TypeError, match="`lower` twice"):
        ss.DiscreteRange(2, 5, lower=1)
    with pytest.raises(ss.ModelError, match="upper"):
        ss.DiscreteRange(lower=5, upper=2)


# Families whose support follows their arguments: the arguments, which of them may be latents, and values in and out.
MOVING_ENDS: dict[str, tuple[dict[str, object], dict[str, Callable[..., object]], list[float]]] = {
    "Uniform": ({"alpha": 0.5, "beta": 2.0}, {"alpha": ss.Normal, "beta": ss.Normal}, [0.2, 0.7, 2.5]),
    "Pareto": ({"y_min": 0.8, "alpha": 2.0}, {"y_min": ss.LogNormal}, [0.5, 0.9, 3.0]),
    "Binomial": ({"N": 3, "theta": 0.4}, {"theta": ss.Beta}, [0, 3, 4]),
    "BinomialLogit": ({"N": 3, "alpha": 0.4}, {"alpha": ss.Normal}, [0, 3, 4]),
    "BetaBinomial": ({"N": 3, "alpha": 0.4, "beta": 1.2}, {"alpha": ss.LogNormal}, [0, 3, 4]),
    "HyperGeometric": ({"N": 3, "a": 2, "b": 4}, {}, [0, 2, 3]),
    "DiscreteRange": ({"lower": 1, "upper": 3}, {}, [0, 1, 4]),
    "Categorical": ({"theta": [0.2, 0.3, 0.5]}, {"theta": ss.Dirichlet}, [0, 2, 3]),
    "CategoricalLogit": ({"beta": [0.2, 0.3, 0.5]}, {}, [0, 2, 3]),
    "OrderedLogistic": ({"eta": 0.3, "c": [0.2, 0.7]}, {"eta": ss.Normal}, [0, 2, 3]),
}
_PRIORS: dict[object, tuple[object, ...]] = {
    ss.Normal: (0, 1), ss.LogNormal: (0, 1), ss.Beta: (1, 1), ss.Dirichlet: (np.ones(3),),
}  # fmt: skip


def test_every_moving_support_is_here() -> None:
    moving = {name for name, d in REGISTRY.items() if d.public and callable(d.support)}
    assert moving == set(MOVING_ENDS)


@pytest.mark.parametrize("name", MOVING_ENDS)
def test_quantities_of_a_model_as_ends_of_a_support(name: str) -> None:
    arguments, latents, at = MOVING_ENDS[name]
    construct = getattr(ss, name)
    expected = value(construct(**arguments).log_density(np.array(at)))
    assert np.isneginf(expected).any()
    assert np.isfinite(expected).any()
    m = ss.Model()
    for key, number in arguments.items():
        m[f"own_{key}"] = latents[key](*_PRIORS[latents[key]]) if key in latents else ss.data(number)
    m.density = construct(**{key: m[f"own_{key}"] for key in arguments}).log_density(np.array(at))
    found = m.do(**{f"own_{key}": arguments[key] for key in latents}).simulate(seed=0)["density"]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
