"""Sick models: each with the run that shows it, the check and the words of the hint that must come first, and its cure.

Each is a small model of one fault, sampled for real. `heals` says that `hint.try_it()` must find it healed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import scistan as ss
from tests.zoo import EFFECTS, ERRORS


@dataclass(frozen=True)
class Sick:
    build: Callable[[], ss.Model]
    check: str
    words: tuple[str, ...]
    severity: str  # or "", where it depends on a number near its threshold whether it is an error or a warning
    heals: bool = False
    run: Mapping[str, Any] = field(default_factory=dict)
    line: str = ""  # a part of the user's line that the hint must point to


SICK: dict[str, Sick] = {}


def sick(check: str, *words: str, severity: str = "error", heals: bool = False, line: str = "", **run: Any) -> Callable[..., Any]:
    def enter(build: Callable[[], ss.Model]) -> Callable[[], ss.Model]:
        SICK[build.__name__] = Sick(build, check, words, severity, heals, {"engine": "stanli", "seed": 1, **run}, line)
        return build

    return enter


def in_turn(**values: list[Any]) -> list[dict[str, Any]]:
    """Start four chains in two places in turn, so that it is no chance that both modes are met."""
    return [{name: pair[k % 2] for name, pair in values.items()} for k in range(4)]


def noise(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=count)


@sick("funnel", "`tau` is small", "remove `centred=True` from `theta`", heals=True, line="m.theta =", draws=500, warmup=500)
def centred_eight_schools() -> ss.Model:
    m = ss.Model("centred_eight_schools")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfCauchy(5)
    m.theta = ss.Normal(m.mu, m.tau, shape=8, centred=True)
    m.y = ss.Normal(m.theta, ERRORS).observe(EFFECTS)
    return m


@sick("funnel", "`scale`", "remove `centred=True` from `x`", heals=True, line="m.x =", draws=400, warmup=400)
def centred_with_little_data() -> ss.Model:
    m = ss.Model("centred_with_little_data")
    m.scale = ss.HalfNormal(3)
    m.x = ss.Normal(0, m.scale, shape=9, centred=True)
    m.y = ss.Normal(m.x, 10.0).observe(noise(9))
    return m


@sick("funnel", "`v`", "remove `centred=True` from `x`", heals=True, draws=500, warmup=500)
def neals_funnel() -> ss.Model:
    m = ss.Model("neals_funnel")
    m.v = ss.Normal(0, 3)
    m.x = ss.Normal(0, ss.exp(m.v / 2), shape=9, centred=True)
    m.y = ss.Normal(m.x[0], 100.0).observe([0.0, 1.0])
    return m


@sick("funnel", "`tau`", "remove `centred=True` from `level`", heals=True, line="m.level =", draws=500, warmup=500)
def centred_walk() -> ss.Model:
    """A walk that moves less than can be seen, sampled as it is."""
    m = ss.Model("centred_walk")
    m.tau = ss.HalfNormal(0.3)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 1), length=30, centred=True)
    m.y = ss.Normal(m.level, 2).observe(2 * noise(30))
    return m


@sick("groups with much data", "`level`", "`centred=True`", severity="", heals=True, line="m.level =", draws=400, warmup=400)
def walk_with_exact_data() -> ss.Model:
    """A walk that is seen almost as it is, sampled by its innovations."""
    m = ss.Model("walk_with_exact_data")
    m.tau = ss.HalfNormal(5)
    m.level = ss.RandomWalk(m.tau, start=ss.Normal(0, 5), length=30)
    m.y = ss.Normal(m.level, 0.05).observe(noise(30).cumsum())
    return m


@sick("groups with much data", "`u` to 0.0", "give `u` `centred=True`", severity="", heals=True, draws=300, warmup=300)
def noncentred_with_much_data() -> ss.Model:
    group = np.repeat(np.arange(10), 200)
    m = ss.Model("noncentred_with_much_data")
    m.mu = ss.Normal(0, 5)
    m.tau = ss.HalfNormal(2)
    m.u = ss.Normal(m.mu, m.tau, shape=10)
    m.sigma = ss.HalfNormal(2)
    m.y = ss.Normal(m.u[group], m.sigma).observe(1.5 * noise(10, 1)[group] + noise(2000, 2))
    return m


def mixture() -> Any:
    """A mixture of normals, written with `logsumexp` in a declared distribution."""
    return ss.declare_distribution(
        "NormalMixture",
        "A mixture of normals.",
        parameters={"weight": "simplex", "mu": "vector", "sigma": "positive"},
        support="real",
        log_density=lambda x, weight, mu, sigma: ss.logsumexp(
            ss.log(weight) + ss.Normal(mu, sigma).log_density(x[..., None]), -1
        ),
        draw=lambda rng, size, weight, mu, sigma: _draw_mixture(rng, size, weight, mu, sigma),
    )


def _draw_mixture(rng: np.random.Generator, size: tuple[int, ...], weight: Any, mu: Any, sigma: Any) -> np.ndarray:
    edges = np.cumsum(np.asarray(weight), axis=-1)
    shape = np.broadcast_shapes(size, edges.shape[:-1])
    which = (rng.random(shape)[..., None] > np.broadcast_to(edges, (*shape, edges.shape[-1]))[..., :-1]).sum(-1)
    means = np.broadcast_to(mu, (*shape, np.shape(mu)[-1]))
    return np.take_along_axis(means, which[..., None], -1)[..., 0] + np.asarray(sigma) * rng.normal(size=shape)


PARTS = np.concatenate([noise(60) - 3, noise(40, 1) + 3])


@sick(
    "exchangeable components", "`mu`", "can change places", 'give `mu` `constraint="ordered"`',
    heals=True, line="m.mu =", draws=300, warmup=300, inits=in_turn(mu=[[-3.0, 3.0], [3.0, -3.0]]),
)  # fmt: skip
def label_switching() -> ss.Model:
    m = ss.Model("label_switching")
    m.weight = ss.Dirichlet(np.ones(2))
    m.mu = ss.Normal(0, 5, shape=2)
    m.sigma = ss.HalfNormal(2)
    m.y = mixture()(m.weight, m.mu, m.sigma).observe(PARTS)
    return m


@sick(
    "exchangeable components", "`mu`", 'give `mu` `constraint="ordered"`',
    heals=True, draws=300, warmup=300, inits=in_turn(mu=[[-3.0, 3.0, 11.0], [11.0, -3.0, 3.0]]),
)  # fmt: skip
def label_switching_of_three() -> ss.Model:
    m = ss.Model("label_switching_of_three")
    m.mu = ss.Normal(0, 8, shape=3)
    m.y = mixture()(np.ones(3) / 3, m.mu, 1.0).observe(np.concatenate([PARTS, noise(50, 3) + 11]))
    return m


@sick(
    "exchangeable components", "`low` and `high`", 'as one vector with `shape=2, constraint="ordered"`',
    draws=300, warmup=300, inits=in_turn(low=[-3.0, 3.0], high=[3.0, -3.0]),
)  # fmt: skip
def two_components_by_name() -> ss.Model:
    m = ss.Model("two_components_by_name")
    m.low = ss.Normal(0, 5)
    m.high = ss.Normal(0, 5)
    m.w = ss.Beta(2, 2)
    m.y = mixture()(ss.stack([m.w, 1 - m.w]), ss.stack([m.low, m.high]), 1.0).observe(PARTS)
    return m


@sick("mirrored modes", "`a` can change sign", "`lower=0`", heals=True, draws=300, warmup=300, inits=in_turn(a=[2.0, -2.0]))
def square() -> ss.Model:
    m = ss.Model("square")
    m.a = ss.Normal(0, 3)
    m.y = ss.Normal(m.a**2, 1).observe(4 + noise(20))
    return m


@sick(
    "mirrored modes", "`a` and `b` can change sign together", "`lower=0`",
    draws=300, warmup=300, inits=in_turn(a=[1.4, -1.4], b=[1.4, -1.4]),
)  # fmt: skip
def product_of_signs() -> ss.Model:
    m = ss.Model("product_of_signs")
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.a * m.b, 0.3).observe(2 + 0.3 * noise(20))
    return m


@sick("several modes", "settled in different places for a", draws=300, warmup=300, inits=in_turn(a=[5.0, -5.0]))
def two_modes() -> ss.Model:
    m = ss.Model("two_modes")
    m.a = ss.Normal(1, 10)
    m.y = ss.Normal((m.a - 5) * (m.a + 5) * (m.a + 20) / 20, 0.5).observe(0.5 * noise(20))
    return m


@sick("ridge", "`a` and `b`", "`a + b`", "leave one of them out", severity="", draws=300, warmup=300)
def unidentified_sum() -> ss.Model:
    m = ss.Model("unidentified_sum")
    m.a = ss.Normal(0, 10)
    m.b = ss.Normal(0, 10)
    m.y = ss.Normal(m.a + m.b, 1).observe(3 + noise(50))
    return m


@sick("ridge", "`a`, `b` and `c`", "`a + b + c`", severity="note", draws=1000, warmup=500)
def unidentified_sum_of_three() -> ss.Model:
    m = ss.Model("unidentified_sum_of_three")
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.c = ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b + m.c, 1).observe(1 + noise(200))
    return m


@sick("ridge", "`a` and `b`", "`a * b`", "fix it to 1", severity="", draws=300, warmup=300)
def unidentified_product() -> ss.Model:
    m = ss.Model("unidentified_product")
    m.a = ss.HalfNormal(30)
    m.b = ss.HalfNormal(30)
    m.y = ss.Normal(m.a * m.b, 1).observe(9 + noise(200))
    return m


YEARS = np.linspace(1990, 2020, 60)


@sick("ridge", "`x` has mean 2005", "ss.standardize", "metric='low_rank'", severity="", heals=True, line="m.a =", draws=200, warmup=300)
def wrong_scale() -> ss.Model:
    m = ss.Model("wrong_scale")
    m.x = ss.data(YEARS)
    m.a = ss.Normal(0, 1000)
    m.b = ss.Normal(0, 10)
    m.sigma = ss.HalfNormal(5)
    m.y = ss.Normal(m.a + m.b * m.x, m.sigma).observe(3 + 0.1 * (YEARS - 2000) + noise(60))
    return m


def _collinear(name: str) -> ss.Model:
    x = np.column_stack([noise(80), noise(80, 1), noise(80, 2)])
    x[:, 1] = x[:, 0] + 0.003 * x[:, 1]
    m = ss.Model(name)
    m.x = ss.data(x)
    m.b = ss.Normal(0, 5, shape=3)
    m.y = ss.Normal(m.x @ m.b, 1).observe(x @ np.array([1.0, 1, 0.5]) + noise(80, 3))
    return m


@sick("ridge", "`b[0]` and `b[1]`", "`b[0] + b[1]`", "columns 0 and 1 of `x` correlate 0.99", severity="", draws=200, warmup=200)
def collinear_predictors() -> ss.Model:
    return _collinear("collinear_predictors")


@sick("ridge", "`b[0]` and `b[1]`", "columns 0 and 1 of `x`", severity="note", engine="nutpie", metric="low_rank")
def collinear_predictors_sampled_well() -> ss.Model:
    return _collinear("collinear_predictors_sampled_well")


@sick("ridge", "`a` and `b[1]`", "column 1 of `x` is constant", severity="", draws=200, warmup=200)
def constant_column() -> ss.Model:
    x = np.column_stack([noise(60), np.ones(60)])
    m = ss.Model("constant_column")
    m.x = ss.data(x)
    m.a = ss.Normal(0, 10)
    m.b = ss.Normal(0, 10, shape=2)
    m.y = ss.Normal(m.a + m.x @ m.b, 1).observe(1 + x[:, 0] + noise(60, 1))
    return m


@sick("heavy tails", "ratio", "report medians", severity="warning", draws=1000, warmup=400)
def ratio_of_near_zero() -> ss.Model:
    m = ss.Model("ratio_of_near_zero")
    m.gain = ss.Normal(0, 1)
    m.cost = ss.Normal(0, 1)
    m.ratio = m.gain / m.cost
    m.y = ss.Normal(m.gain, 1).observe([1.0, 0.5])
    m.z = ss.Normal(m.cost, 1).observe([0.2, -0.1])
    return m


@sick("constant data", "all 20 values of `y` are 3", "check how `y` was read", line="m.y =", draws=200, warmup=200)
def constant_data() -> ss.Model:
    m = ss.Model("constant_data")
    m.a = ss.Normal(0, 5)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.a, m.sigma).observe(np.full(20, 3.0))
    return m


SPLIT = np.sort(noise(30))


@sick("separation", "by `x` alone", "the prior of `b` alone holds it", severity="warning", draws=600, warmup=400)
def separation() -> ss.Model:
    m = ss.Model("separation")
    m.x = ss.data(SPLIT)
    m.a = ss.Normal(0, 2.5)
    m.b = ss.Normal(0, 10)
    m.y = ss.BernoulliLogit(m.a + m.b * m.x).observe(np.arange(30) >= 15)
    return m


@sick("improper posterior", "no prior (`ss.Flat`)", "a prior", draws=100, warmup=100)
def separation_without_priors() -> ss.Model:
    m = ss.Model("separation_without_priors")
    m.x = ss.data(SPLIT)
    m.a = ss.Flat()
    m.b = ss.Flat()
    m.y = ss.BernoulliLogit(m.a + m.b * m.x).observe(np.arange(30) >= 15)
    return m


@sick("improper posterior", "no prior (`ss.Flat`)", "nor do the data", "a prior", draws=100, warmup=100)
def flat_and_not_held() -> ss.Model:
    m = ss.Model("flat_and_not_held")
    m.a = ss.Flat()
    m.b = ss.Flat()
    m.y = ss.Normal(m.a + m.b, 1).observe(noise(20))
    return m


@sick("prior-data conflict", "sigma", "HalfNormal", "check the data's units or scale", severity="warning")
def scale_in_the_priors_tail() -> ss.Model:
    m = ss.Model("scale_in_the_priors_tail")
    m.mu = ss.Normal(0, 50)
    m.sigma = ss.HalfNormal(1)
    m.y = ss.Normal(m.mu, m.sigma).observe(16.6 * noise(100))
    return m


@sick("prior-data conflict", "mu: the posterior's median", "Normal", "units", severity="warning")
def grams_for_kilograms() -> ss.Model:
    m = ss.Model("grams_for_kilograms")
    m.mu = ss.Normal(70, 20)
    m.y = ss.Normal(m.mu, 10.0).observe(1000 * (70 + 10 * noise(40)))
    return m


@sick("prior predictions", "the spread of `y`", "m.prior()", severity="warning")
def fixed_scale_too_small() -> ss.Model:
    m = ss.Model("fixed_scale_too_small")
    m.mu = ss.Normal(0, 1)
    m.y = ss.Normal(m.mu, 0.1).observe(5 * noise(40))
    return m


@sick("boundary", "a are pressed against the upper bound 10", severity="")
def pressed_against_a_bound() -> ss.Model:
    m = ss.Model("pressed_against_a_bound")
    m.a = ss.Uniform(0, 10)
    m.y = ss.Normal(m.a, 1).observe(12 + noise(20))
    return m


@sick("chains", "one chain", "`chains=4`", severity="warning", heals=True, chains=1)
def one_chain() -> ss.Model:
    m = ss.Model("one_chain")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe(noise(20))
    return m


@sick("bulk ESS", "bulk ESS is", "draw more (`draws=", severity="warning", heals=True, draws=60, warmup=200)
def too_short() -> ss.Model:
    m = ss.Model("too_short")
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1, shape=4)
    m.y = ss.Normal(m.a + m.b, 1).observe(noise(4))
    return m


@sick("untouched by data", "no observation depends on a, b", severity="note")
def no_rows() -> ss.Model:
    m = ss.Model("no_rows")
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b, 1).observe(np.empty(0))
    return m


@sick("untouched by data", "the posterior of b is its prior", severity="note")
def a_column_of_zeros() -> ss.Model:
    m = ss.Model("a_column_of_zeros")
    m.x = ss.data(np.zeros(30))
    m.a = ss.Normal(0, 1)
    m.b = ss.Normal(0, 1)
    m.y = ss.Normal(m.a + m.b * m.x, 1).observe(noise(30))
    return m


@sick("stuck chains", "chain 0", "start it elsewhere", draws=200, warmup=0, step_size=40.0, adapt_engaged=False)
def steps_too_long() -> ss.Model:
    m = ss.Model("steps_too_long")
    m.a = ss.Normal(0, 1)
    m.y = ss.Normal(m.a, 1).observe(noise(20))
    return m
