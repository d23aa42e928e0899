"""Every form of statement that is filled or summed in a loop, over zeros and ones: where engines merge iterations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import scistan as ss

__all__ = ["FORMS", "build"]

Quantity = Any
Form = Callable[[Any, Quantity, np.ndarray], None]

@cache  # declared when first used: tests over the registry are collected without them
def _zero_inflated_poisson() -> Any:
    return ss.declare_distribution(
        "LoopedZeroInflatedPoisson",
        "Counts that are 0 with probability `psi`, else Poisson.",
        parameters={"psi": "open_unit", "rate": "positive"},
        support="count",
        log_density=lambda y, psi, rate: ss.where(
            y > 0,
            ss.log1m(psi) + ss.Poisson(rate).log_density(y),
            ss.logaddexp(ss.log(psi), ss.log1m(psi) - rate),
        ),
        draw=lambda rng, size, psi, rate: rng.poisson(rate, size) * (rng.random(size) >= psi),
    )


@cache
def _censored_weibull() -> Any:
    return ss.declare_distribution(
        "LoopedCensoredWeibull",
        "Waiting times, seen where `event` is 1 and known to be longer where it is 0.",
        parameters={"alpha": "positive", "sigma": "positive", "event": "binary"},
        support="positive",
        log_density=lambda t, alpha, sigma, event: ss.where(
            event, ss.Weibull(alpha, sigma).log_density(t), ss.Weibull(alpha, sigma).log_ccdf(t)
        ),
        draw=lambda rng, size, alpha, sigma, event: sigma * rng.weibull(alpha, size),
    )


def _latents(m: Any) -> tuple[Quantity, Quantity]:
    m.a, m.b = ss.Normal(0, 1), ss.Gamma(3, 2)
    return m.a, m.b


def _observe(m: Any, value: Quantity) -> None:
    m.y = ss.Normal(ss.sum(value), 1).observe(0.2)


def zero_inflation(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    m.psi, m.rate = ss.Beta(2, 2), ss.Gamma(2, 1)
    m.y = _zero_inflated_poisson()(m.psi, m.rate).observe(3 * pattern)


def censoring(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    m.alpha, m.sigma = ss.Gamma(2, 1), ss.HalfNormal(3)
    m.t = _censored_weibull()(m.alpha, m.sigma, s).observe(np.full(len(pattern), 1.5))


def means_chosen_by_data(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.mu = ss.where(s, a + ss.log(b), b**2)
    m.y = ss.Normal(m.mu, b).observe(np.linspace(-1, 1, len(pattern)))


def nested_choices(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    _observe(m, ss.where(s > 0, ss.where(ss.positions(s) > 6, a * b, ss.exp(a)), ss.log(b) - a))


def choices_in_a_matrix(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.v = ss.Normal(0, 1, shape=7)
    _observe(m, ss.where(s[:, None] > 0, m.v * a, ss.log(b) - a))
    m.z = ss.Normal(ss.sum(ss.where(s[None, :] > 0, m.v[:, None] * 0.1 + a * b, ss.log(b) - a)), 1).observe(0.1)


def choices_in_a_stack(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    _observe(m, ss.where(s[None, :, None] > 0, ss.broadcast_to(a * b, (2, 1, 3)), ss.log(b) - a))


def rows_of_choices(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.v = ss.Normal(0, 1, shape=6)
    _observe(m, ss.exp(ss.mean(ss.where(s[:, None] > 0, m.v * a, ss.log(b) - a), axis=1)) + a * b)


def a_branch_not_taken(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    # Where s is 0 the root has no slope and the logarithm no value: neither may reach a gradient.
    _observe(m, ss.where(s > 0, ss.sqrt(b * s) + ss.log(b * s), a * b))


def choices_by_a_latent(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    _observe(m, ss.where(s > a, b * s + a, ss.exp(a) - b))


def comparisons_as_numbers(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    _observe(m, (s > 0.5) * ss.log(b) + a + (s > a) * b)


def elements_of_a_table(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.table = ss.Normal(0, 1, shape=(2, 2))
    m.g, m.h = ss.data(pattern), ss.data(1 - pattern)
    _observe(m, ss.exp(m.table[m.g, m.h]) * b + a)


def elements_picked_from_rows(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.g = ss.data(pattern)
    _observe(m, ss.exp(ss.pick(ss.outer(s + 1, ss.stack([a, b])), m.g)) * b + a)


def rows_of_shares(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    shares = ss.softmax(ss.outer(s, ss.stack([a, b, 0.3])) + ss.where(s[:, None] > 0, a * b, ss.log(b)), axis=1)
    _observe(m, ss.square(shares) * b)


def rounded(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    _observe(m, ss.round(s * 2.6 + 0.1) * b + a + ss.floor(3 * s + 0.2) * a)


def truncated_by_data(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.y = ss.Normal(a, b, lower=-1 - s, upper=2 + s).observe(np.full(len(pattern), 0.4))


def unlike_observations(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.y = ss.Binomial(ss.data(3 + pattern), ss.inv_logit(ss.where(s, a, ss.log(b) - a))).observe(pattern)


def small_regression(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    m.y = ss.NegBinomial2Log(a + ss.where(s, b, a * b) * s, b).observe(2 * pattern)


def branches_in_a_recurrence(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)
    _observe(m, ss.scan(lambda w, x: 0.5 * w + ss.where(x > 0, a * b, ss.log(b) - w), init=a, over=s))


def a_recurrence_within_another(m: Any, s: Quantity, pattern: np.ndarray) -> None:
    a, b = _latents(m)

    def step(state: Any, x: Any) -> Any:
        inner = ss.scan(lambda u, y: 0.3 * u + ss.where(y > 0, a, b), init=x, over=s)
        return {"level": 0.5 * state["level"] + ss.mean(inner), "last": x * b}, state["level"] * state["last"]

    _observe(m, ss.scan(step, init={"level": a, "last": 0.0}, over=s))


FORMS: dict[str, Form] = {
    form.__name__: form
    for form in (
        zero_inflation,
        censoring,
        means_chosen_by_data,
        nested_choices,
        choices_in_a_matrix,
        choices_in_a_stack,
        rows_of_choices,
        a_branch_not_taken,
        choices_by_a_latent,
        comparisons_as_numbers,
        elements_of_a_table,
        elements_picked_from_rows,
        branches_in_a_recurrence,
        a_recurrence_within_another,
        rows_of_shares,
        rounded,
        truncated_by_data,
        unlike_observations,
        small_regression,
    )
}


def build(name: str, pattern: list[int]) -> ss.Model:
    """Write a model of one form on zeros and ones."""
    m = ss.Model(name)
    values = np.array(pattern, dtype=int)
    m.s = ss.data(values)
    FORMS[name](m, m.s, values)
    return m
